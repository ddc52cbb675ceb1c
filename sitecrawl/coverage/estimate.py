"""Estimates how many pages a site has, with an interval that is to hold the truth 95 times in 100.

* What is seen is counted, what is unseen is estimated (``loglinear``), part by part, because parts
  of a site differ in how well each source knows them. The whole is the sum of its parts.
* The interval comes from draws: of the model's coefficients, of what is peculiar to a part, and of
  the counts themselves. The draws are always the same, so that the same counts give the same
  interval.
* What speaks against the estimate is said in words (``doubts``); without any it is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from sitecrawl.coverage.doubts import CrawlState, is_part_seen_twice, site_doubts
from sitecrawl.coverage.loglinear import fit_unseen
from sitecrawl.coverage.sightings import Sightings
from sitecrawl.coverage.sources import KIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DRAWS: Final = 4_000
_SEED: Final = 20_259
_LOW, _HIGH = 0.025, 0.975
# A part with fewer pages says too little by itself: those are taken together.
_FEWEST_PAGES_OF_PART: Final = 20
_MAX_PARTS: Final = 24
# The dependence of sources in a part differs from that in the whole site.
_PART_DEVIATION: Final = 0.4
# More unseen pages for each known one than this are no estimate, but the lack of one.
_MOST_UNSEEN: Final = 1_000.0


@dataclass(frozen=True, slots=True)
class PartEstimate:
    """A part of the site; one that is too small for an estimate of its own has none."""

    name: str
    known: int
    estimate: int | None
    low: int
    high: int | None
    is_trusted: bool


@dataclass(frozen=True, slots=True)
class CoverageEstimate:
    """How many pages the site has; without an estimate it has at least ``low``."""

    known: int
    estimate: int | None
    low: int
    high: int | None
    method: str
    doubts: tuple[str, ...]
    """What speaks against it, in words."""
    parts: tuple[PartEstimate, ...]
    """The largest first."""

    @property
    def is_trusted(self) -> bool:
        return self.estimate is not None and not self.doubts


def estimate_coverage(sightings: Sightings, crawl: CrawlState) -> CoverageEstimate:
    """Estimate the whole site and its parts."""
    known = sightings.known
    seen = sightings.with_pages().united(*KIN)
    if len(seen.sources) < 2:  # noqa: PLR2004 - one source has nothing to be compared with
        doubts = tuple(site_doubts(seen, crawl, None))
        return CoverageEstimate(known, None, known, None, "none", doubts, _without_estimate(seen))
    rows = _grouped(seen)
    groups = Sightings(
        seen.sources,
        tuple(seen.parts[members[0]] for members in rows),
        np.array([seen.counts[members].sum(axis=0) for members in rows]),
    )
    unseen, drawn = _unseen(groups.counts[:, 1:])
    low, high = _interval(known, drawn.sum(axis=1))
    estimate = int(np.clip(round(known + float(unseen.sum())), low, high))
    doubts = tuple(site_doubts(groups, crawl, high))
    parts = _parts(seen, rows, unseen, drawn, is_trusted=not doubts)
    method = f"log-linear, {len(seen.sources)} sources: {', '.join(seen.sources)}"
    return CoverageEstimate(known, estimate, low, high, method, doubts, parts)


def _grouped(seen: Sightings) -> list[list[int]]:
    """The rows of the largest parts, each by itself, then the others together."""
    sizes = seen.counts.sum(axis=1)
    in_order = np.argsort(-sizes, kind="stable").tolist()
    own = [row for row in in_order if sizes[row] >= _FEWEST_PAGES_OF_PART][:_MAX_PARTS]
    rest = [row for row in in_order if row not in set(own) and sizes[row]]
    return [*([row] for row in own), *([rest] if rest else [])]


def _unseen(counts: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Of each part: the unseen pages, and draws of them, a row each."""
    model = fit_unseen(counts.astype(np.float64))
    most = np.log(np.maximum(counts.sum(axis=1), 1) * _MOST_UNSEEN)
    rng = np.random.default_rng(_SEED)
    logarithms = rng.multivariate_normal(
        model.mean, model.covariance, _DRAWS, method="cholesky"
    ) + _PART_DEVIATION * rng.normal(size=(_DRAWS, len(counts)))
    drawn = rng.poisson(np.exp(np.minimum(logarithms, most)))
    return np.exp(np.minimum(model.mean, most)), drawn


def _interval(known: int, drawn: NDArray[np.int64]) -> tuple[int, int]:
    low, high = np.quantile(drawn, (_LOW, _HIGH))
    return known + int(np.floor(low)), known + int(np.ceil(high))


def _parts(
    seen: Sightings,
    rows: list[list[int]],
    unseen: NDArray[np.float64],
    drawn: NDArray[np.int64],
    *,
    is_trusted: bool,
) -> tuple[PartEstimate, ...]:
    found = {part.name: part for part in _without_estimate(seen)}
    for place, members in enumerate(rows):
        if len(members) > 1:
            continue
        row = members[0]
        known = int(seen.counts[row].sum())
        low, high = _interval(known, drawn[:, place])
        estimate = int(np.clip(round(known + float(unseen[place])), low, high))
        is_seen_twice = is_part_seen_twice(seen.counts[row])
        name = seen.parts[row]
        found[name] = PartEstimate(name, known, estimate, low, high, is_trusted and is_seen_twice)
    return tuple(found.values())


def _without_estimate(seen: Sightings) -> tuple[PartEstimate, ...]:
    sizes = zip(seen.parts, seen.counts.sum(axis=1).tolist(), strict=True)
    in_order = sorted(sizes, key=lambda item: (-item[1], item[0]))
    return tuple(
        PartEstimate(name, known, None, known, None, is_trusted=False)
        for name, known in in_order
        if known
    )
