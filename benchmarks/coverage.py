"""Estimate the size of generated sites, and count how often the interval has the true size.

    python -m benchmarks.coverage                 100 ordinary sites, 20 of each difficult kind
    python -m benchmarks.coverage --sites 1000 --seed 7

- Held: the interval holds the true number of pages. Unseen: pages that no source knows. Error: of
  the estimate, and width of the interval, as shares of the truth; all of these are medians.
- The last lines are sites whose links and sitemaps depend on each other more and more.

The sites are those of `benchmarks.coverage_sites.py`; a run with the same options gives the same
figures on every machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.coverage_sites import (
    DIFFICULT,
    ORDINARY,
    SOURCES,
    generate,
    generate_leaning,
    odds_ratio,
)
from sitecrawl.coverage.estimate import CrawlState, estimate_coverage
from sitecrawl.coverage.sightings import Sightings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.coverage_sites import GeneratedSite
    from sitecrawl.coverage.estimate import CoverageEstimate

ORDINARY_SITES = 100
SITES_OF_DIFFICULT_KIND = 20
SITES_OF_LEANING = 100
LEANINGS = (0.0, 1.0, 2.0, 3.0, 4.0)
SEED = 1
_HEADER = (
    f"{'kind of site':<26} {'sites':>6} {'trusted':>8} {'held':>9} {'held, trusted':>14}"
    f" {'unseen':>7} {'error':>7} {'width':>6}"
)


@dataclass(frozen=True, slots=True)
class Trial:
    """A generated site beside what was estimated."""

    site: GeneratedSite
    estimate: CoverageEstimate

    @property
    def is_held(self) -> bool:
        """Whether the truth is in the interval."""
        high = self.estimate.high
        return high is not None and self.estimate.low <= self.site.truth <= high


def try_site(site: GeneratedSite) -> Trial:
    """Estimate the size of a site from what its sources know."""
    is_known = site.masks > 0
    parts = [str(number) for number in range(int(site.sections.max()) + 1)]
    sightings = Sightings.of_pages(
        SOURCES, parts, site.masks[is_known], site.sections[is_known].astype(np.int32)
    )
    return Trial(site, estimate_coverage(sightings, CrawlState(limits=site.limits)))


def ordinary_trials(number: int, seed: int) -> list[Trial]:
    """So many random sites, of each kind in turn."""
    kinds = list(ORDINARY)
    return [
        try_site(generate(kinds[place % len(kinds)], np.random.default_rng((seed, place))))
        for place in range(number)
    ]


def difficult_trials(kind: str, number: int, seed: int) -> list[Trial]:
    return [
        try_site(generate(kind, np.random.default_rng((seed, place)))) for place in range(number)
    ]


def leaning_trials(leaning: float, number: int, seed: int) -> list[Trial]:
    return [
        try_site(generate_leaning(leaning, np.random.default_rng((seed, place))))
        for place in range(number)
    ]


def _leaning_line(leaning: float, seed: int) -> str:
    trials = leaning_trials(leaning, SITES_OF_LEANING, seed)
    ratio = _median(odds_ratio(trial.site) for trial in trials)
    return _line(f"odds ratio {ratio:.1f}", trials)


def _line(name: str, trials: Sequence[Trial]) -> str:
    trusted = [trial for trial in trials if trial.estimate.is_trusted]
    estimated = [trial for trial in trials if trial.estimate.estimate is not None]
    return (
        f"{name:<26} {len(trials):>6} {len(trusted):>8}"
        f" {_share(estimated):>9} {_share(trusted):>14}"
        f" {_median((t.site.truth - t.site.known) / t.site.truth for t in trials):>7.1%}"
        + (
            f" {_median((t.estimate.estimate or 0) / t.site.truth - 1 for t in estimated):>+7.1%}"
            f" {_median(_width(t) for t in estimated):>6.1%}"
            if estimated
            else f" {'-':>7} {'-':>6}"
        )
    )


def _width(trial: Trial) -> float:
    return ((trial.estimate.high or 0) - trial.estimate.low) / trial.site.truth


def _share(trials: Sequence[Trial]) -> str:
    return f"{sum(trial.is_held for trial in trials)}/{len(trials)}" if trials else "-"


def _median(figures: Iterable[float]) -> float:
    return statistics.median(figures)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--sites", type=int, default=ORDINARY_SITES, help="ordinary ones")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    trials = ordinary_trials(options.sites, options.seed)
    lines = [
        _HEADER,
        *(_line(kind, [each for each in trials if each.site.kind == kind]) for kind in ORDINARY),
        _line("all ordinary sites", trials),
        *(
            _line(kind, difficult_trials(kind, SITES_OF_DIFFICULT_KIND, options.seed))
            for kind in DIFFICULT
        ),
        *(_leaning_line(leaning, options.seed) for leaning in LEANINGS),
    ]
    sys.stdout.write("\n".join([*lines, ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
