"""The estimate of a site's size, from the mentions of its pages and the state of the crawl."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from sitecrawl.coverage.estimate import CrawlState, crawl_doubts, estimate_coverage
from sitecrawl.coverage.sightings import Sightings
from sitecrawl.report.mentions import GROUPS
from sitecrawl.store.queries.documents import new_pages_by_request, unread_sitemaps
from sitecrawl.store.queries.visits import external_pages
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.report.data import CoverageFacts, Overlap, RecentYield
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.report.mentions import PageMentions
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.scans import Scan

MAX_CLUSTERS: Final = 200
_STEPS: Final = 50
_RECENT_SHARE: Final = 0.1
_FEWEST_RECENT: Final = 20


def coverage_facts(
    database: Database,
    scan: Scan,
    inventory: Inventory,
    mentions: PageMentions,
    crawl: CrawlCoverage,
) -> CoverageFacts:
    """How many pages the site has; pages of other sites do not count."""
    is_own = np.ones(len(inventory.ids), np.bool_)
    positions = mentions.index.positions(sorted(external_pages(database, scan)))
    is_own[positions[positions >= 0]] = False
    sightings = Sightings.of_pages(
        GROUPS,
        inventory.clusters.names(),
        mentions.masks[is_own],
        np.array(inventory.main_clusters, np.int32)[is_own],
    )
    state = crawl_state(database, scan, crawl)
    found = estimate_coverage(sightings, state)
    # Where every page was visited, an estimate that is in doubt is not shown, nor are its doubts.
    is_shown = found.is_trusted or not found.is_exhaustive
    return {
        "is_exhaustive": found.is_exhaustive,
        "known": found.known,
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "is_trusted": found.is_trusted,
        "doubts": list(found.doubts if is_shown else crawl_doubts(state)),
        "sources": [
            {"name": name, "pages": sightings.pages_of(number)}
            for number, name in enumerate(sightings.sources)
        ],
        "overlap": _overlap(sightings),
        "clusters": [
            {
                "name": part.name,
                "known": part.known,
                "estimate": part.estimate,
                "low": part.low,
                "high": part.high,
                "is_trusted": part.is_trusted,
            }
            # Small parts have no estimate of their own: a row of dashes says nothing.
            for part in [each for each in found.parts if each.estimate is not None][:MAX_CLUSTERS]
        ],
        "recent_yield": recent_yield(new_pages_by_request(database, scan)),
    }


def crawl_state(database: Database, scan: Scan, crawl: CrawlCoverage) -> CrawlState:
    """How complete the scan was, as far as an estimate depends on it."""
    cuts = (scan.summary or {}).get("cut_patterns", ())
    return CrawlState(
        is_finished=scan.status == ScanStatus.FINISHED,
        has_crawled=crawl.has_crawled,
        waiting=crawl.waiting,
        # Cut patterns with a reason are traps: their pages are refused, not held back.
        held=sum(cut["left_out"] for cut in cuts if not cut.get("reason")),
        failed=crawl.failed,
        unread_sitemaps=unread_sitemaps(database, scan),
        limits=[_limit_words(limit["what"], limit["setting"]) for limit in crawl.limits],
        visits_listed_pages=crawl.has_crawled and bool(scan.settings.get("crawl_listed_pages")),
    )


def _limit_words(what: str, setting: str | None) -> str:
    return f"{what} ({setting})" if setting else what


def _overlap(sightings: Sightings) -> list[Overlap]:
    """The most pages first."""
    found: list[Overlap] = [
        {
            "sources": [name for bit, name in enumerate(sightings.sources) if mask >> bit & 1],
            "pages": pages,
        }
        for mask, pages in enumerate(sightings.totals.tolist())
        if mask and pages
    ]
    return sorted(found, key=lambda overlap: -overlap["pages"])


def recent_yield(new_pages: Sequence[int]) -> RecentYield:
    """New pages of the last requests, and of the whole scan in equal steps."""
    total = len(new_pages)
    last = min(total, max(_FEWEST_RECENT, round(total * _RECENT_SHARE)))
    steps = min(_STEPS, total)
    bounds = [step * total // steps for step in range(steps + 1)] if steps else []
    return {
        "requests": last,
        "new": sum(new_pages[total - last :]),
        "series": [sum(new_pages[first:end]) for first, end in pairwise(bounds)],
    }
