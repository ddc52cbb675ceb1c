"""What speaks against an estimate of a site's size, in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from sitecrawl.coverage.sightings import Sightings

FEWEST_PAGES: Final = 50
# With fewer common pages the estimate itself is biased (Robson and Regier, 1964: 7).
_FEWEST_COMMON: Final = 10
# Of the pages of a source that are known to another: then it may have been made from that.
_COPIED_SHARE: Final = 0.985
_COPIED_PARTS: Final = 0.5  # of the known pages, in parts where this is so
_LARGE_SHARE: Final = 0.25  # of the pages of a part
_FEWEST_OF_COPY: Final = 20
_ALONE_SHARE: Final = 0.5
_WIDE: Final = 1.5


@dataclass(frozen=True, slots=True)
class CrawlState:
    """How the scan ended, as far as it matters to an estimate."""

    is_finished: bool = True
    has_crawled: bool = True
    waiting: int = 0
    """Pages whose turn did not come."""
    held: int = 0
    """Pages that were not visited because others like them brought nothing new."""
    failed: int = 0
    """Pages that could not be read."""
    unread_sitemaps: int = 0
    limits: Sequence[str] = ()
    """What was cut, in words."""
    visits_listed_pages: bool = False
    """The pages of the sitemaps were where the crawl started from."""


def site_doubts(seen: Sightings, crawl: CrawlState, high: int | None) -> Iterator[str]:
    """Every reason not to trust the estimate; *high* is the end of its interval, if it has one."""
    yield from _doubts_of_crawl(crawl)
    if high is None:
        if not seen.sources:
            yield "no source knows any page"
        else:
            yield f"only one source knows pages ({seen.sources[0]}): there is nothing to compare"
        return
    if seen.known < FEWEST_PAGES:
        yield f"only {_pages(seen.known)} known: too few to estimate from"
    if (common := _common(seen.totals)) < _FEWEST_COMMON:
        yield f"only {_pages(common)} known to more than one source"
    yield from _copies(seen)
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


def _copies(seen: Sightings) -> Iterator[str]:
    """Pairs of sources of which one has hardly a page of its own in most of the site."""
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
    # A feed is small, and may well be known to all: only the large ones carry the estimate.
    is_large = less >= max(_FEWEST_OF_COPY, int(counts.sum()) * _LARGE_SHARE)
    return is_large and both >= less * _COPIED_SHARE


def _pages(number: int, one: str = "is", many: str = "are") -> str:
    return f"1 page {one}" if number == 1 else f"{number:,} pages {many}"


def _doubts_of_crawl(crawl: CrawlState) -> Iterator[str]:
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
    if crawl.visits_listed_pages:
        yield "the crawl started from the pages of the sitemaps: the two are not independent"
