"""Estimates how many pages a site has, with a 95 % interval, and the doubts about the estimate.

* Known pages are counted, unknown ones are estimated (``loglinear``), part by part, because each
  source knows the parts of a site differently well. The whole is the sum of its parts.
* The interval comes from random draws of the model's coefficients, of the deviation of a part, and
  of the counts. The seed is fixed, so that the same counts give the same interval.
* An estimate without any doubt is trusted. Doubts are given in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from sitecrawl.coverage.loglinear import fit_unseen
from sitecrawl.coverage.sightings import DEPENDENT_GROUPS, Sightings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_DRAWS: Final = 4_000
_SEED: Final = 20_259
_LOW, _HIGH = 0.025, 0.975
# Parts with fewer pages are too small for an estimate of their own: they are taken together.
_FEWEST_PAGES_OF_PART: Final = 20
_MAX_PARTS: Final = 24
# The dependence of sources in a part differs from that in the whole site.
_PART_DEVIATION: Final = 0.4
# With more unknown pages for each known one, there is no estimate.
_MOST_UNSEEN: Final = 1_000.0
# --- doubts
_FEWEST_PAGES: Final = 50
# With fewer common pages the estimate itself is biased (Robson and Regier, 1964: 7).
_FEWEST_COMMON: Final = 10
# With so many of its pages known to another source, a source may be made from the other.
_COPIED_SHARE: Final = 0.985
_COPIED_PARTS: Final = 0.5  # of the known pages, in parts with a copied source
_LARGE_SHARE: Final = 0.25  # of the pages of a part
_FEWEST_OF_COPY: Final = 20
_ALONE_SHARE: Final = 0.5
_WIDE: Final = 1.5


@dataclass(frozen=True, slots=True)
class CrawlState:
    """How complete the scan was, as far as an estimate depends on it."""

    is_finished: bool = True
    has_crawled: bool = True
    waiting: int = 0
    """Pages that were still to be visited."""
    held: int = 0
    """Pages that were not visited because others like them brought nothing new."""
    failed: int = 0
    """Pages that could not be read."""
    unread_sitemaps: int = 0
    limits: Sequence[str] = ()
    """Limits that were hit, in words."""
    visits_listed_pages: bool = False
    """The crawl started from the pages of the sitemaps."""

    @property
    def is_exhaustive(self) -> bool:
        """Whether every page was visited that links and sitemaps lead to."""
        is_whole = self.is_finished and self.has_crawled and not self.unread_sitemaps
        return is_whole and not (self.waiting or self.held or self.limits)


@dataclass(frozen=True, slots=True)
class PartEstimate:
    """The estimate of a part of the site; None if the part is too small."""

    name: str
    known: int
    estimate: int | None
    low: int
    high: int | None
    is_trusted: bool


@dataclass(frozen=True, slots=True)
class CoverageEstimate:
    """The estimated number of pages; without an estimate there are at least ``low``."""

    known: int
    estimate: int | None
    low: int
    high: int | None
    method: str
    doubts: tuple[str, ...]
    """Reasons not to trust it, in words."""
    parts: tuple[PartEstimate, ...]
    """The largest first."""
    is_exhaustive: bool = False
    """Every page was visited that links and sitemaps lead to."""

    @property
    def is_trusted(self) -> bool:
        return self.estimate is not None and not self.doubts


def estimate_coverage(sightings: Sightings, crawl: CrawlState) -> CoverageEstimate:
    """Estimate the whole site and its parts."""
    known = sightings.known
    seen = sightings.with_pages().united(*DEPENDENT_GROUPS)
    if len(seen.sources) < 2:  # noqa: PLR2004 - one source has nothing to be compared with
        doubts = tuple(site_doubts(seen, crawl, None))
        parts = _without_estimate(seen)
        return CoverageEstimate(
            known, None, known, None, "none", doubts, parts, crawl.is_exhaustive
        )
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
    return CoverageEstimate(known, estimate, low, high, method, doubts, parts, crawl.is_exhaustive)


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
    for number, members in enumerate(rows):
        if len(members) > 1:
            continue
        row = members[0]
        known = int(seen.counts[row].sum())
        low, high = _interval(known, drawn[:, number])
        estimate = int(np.clip(round(known + float(unseen[number])), low, high))
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


# --- doubts ----------------------------------------------------------------------------------


def site_doubts(seen: Sightings, crawl: CrawlState, high: int | None) -> Iterator[str]:
    """Reasons not to trust the estimate; *high* is the end of its interval, if it has one."""
    yield from crawl_doubts(crawl)
    if crawl.visits_listed_pages and high is not None:
        yield "the crawl started from the pages of the sitemaps: the two are not independent"
    if high is None:
        if not seen.sources:
            yield "no source knows any page"
        elif not crawl.is_exhaustive:
            yield f"only one source knows pages ({seen.sources[0]}): there is nothing to compare"
        return
    if seen.known < _FEWEST_PAGES:
        yield f"only {_pages(seen.known)} known: too few to estimate from"
    if (common := _common(seen.totals)) < _FEWEST_COMMON:
        yield f"only {_pages(common)} known to more than one source"
    yield from _copied_sources(seen)
    alone = sum(int(row.sum()) for row in seen.counts if not is_part_seen_twice(row))
    if alone > seen.known * _ALONE_SHARE:
        yield (
            f"{alone:,} of {seen.known:,} pages are in parts of the site that"
            " hardly more than one source knows"
        )
    if high > seen.known * _WIDE:
        yield "the interval is wide: the sources have too little in common"


def is_part_seen_twice(counts: NDArray[np.int64]) -> bool:
    """Whether a part has enough pages that two sources know; *counts* by mask."""
    return _common(counts) >= min(_FEWEST_COMMON, int(counts.sum()) / 2)


def _common(counts: NDArray[np.int64]) -> int:
    masks = np.arange(len(counts))
    return int(counts[masks & (masks - 1) != 0].sum())


def _copied_sources(seen: Sightings) -> Iterator[str]:
    """A doubt for each pair of sources of which one has hardly any page of its own."""
    for one, other in combinations(range(len(seen.sources)), 2):
        copied = sum(int(row.sum()) for row in seen.counts if _is_copied(row, one, other))
        if copied > seen.known * _COPIED_PARTS:
            yield (
                f"{seen.sources[one]} and {seen.sources[other]} know nearly the same pages: one may"
                " be made from the other, and what is in neither leaves no trace"
            )


def _is_copied(counts: NDArray[np.int64], one: int, other: int) -> bool:
    masks = np.arange(len(counts))
    has_one, has_other = masks >> one & 1 == 1, masks >> other & 1 == 1
    both = int(counts[has_one & has_other].sum())
    less = min(int(counts[has_one].sum()), int(counts[has_other].sum()))
    # All pages of a small feed may well be known: only large sources carry the estimate.
    is_large = less >= max(_FEWEST_OF_COPY, int(counts.sum()) * _LARGE_SHARE)
    return is_large and both >= less * _COPIED_SHARE


def _pages(number: int, one: str = "is", many: str = "are") -> str:
    return f"1 page {one}" if number == 1 else f"{number:,} pages {many}"


def crawl_doubts(crawl: CrawlState) -> Iterator[str]:
    """What the crawl left out."""
    if not crawl.is_finished:
        yield "the scan did not come to its end"
    if not crawl.has_crawled:
        yield "links were not followed: only those of the root are known"
    for limit in crawl.limits:
        yield f"a limit was hit: {limit}"
    if crawl.waiting:
        yield f"{_pages(crawl.waiting, 'was', 'were')} still to be visited"
    if crawl.held:
        yield f"{_pages(crawl.held, 'was', 'were')} held back, and what they link to is unknown"
    if crawl.failed:
        yield f"pages that could not be read: {crawl.failed:,}"
    if crawl.unread_sitemaps:
        yield f"sitemaps that could not be read: {crawl.unread_sitemaps:,}"
