"""How a site developed over its scans: pages, changes, answers, response times, sections."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.services.changes import scan_counts
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import site_scans
from sitecrawl.store.queries.trends import (
    FetchFigures,
    fetch_figures,
    presences_since,
    recent_statuses,
)
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.urls.path_tree import section_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.queries.watched_sites import WatchedSite

TREND_SCANS: Final = 30
BEATS: Final = 20
TOP_SECTIONS: Final = 6
OTHER_SECTIONS: Final = "other"


@dataclass(frozen=True, slots=True)
class ScanTrend:
    """One scan in a row of them."""

    scan: Scan
    changes: dict[str, int]
    """By kind."""
    figures: FetchFigures

    @property
    def pages(self) -> int | None:
        number = (self.scan.summary or {}).get("pages")
        return number if isinstance(number, int) else None


@requires(Permission.READ)
def site_trends(
    database: Database, workspace_id: int, number: int, limit: int = TREND_SCANS
) -> list[ScanTrend]:
    """The newest scans of a site, the newest first."""
    scans = site_scans(database, workspace_id, number, limit)
    figures = fetch_figures(database, [each.id for each in scans])
    return [
        ScanTrend(each, scan_counts(database, each), figures.get(each.id, FetchFigures()))
        for each in scans
    ]


@requires(Permission.READ)
def scan_beats(
    database: Database, sites: Sequence[WatchedSite], limit: int = BEATS
) -> dict[int, list[str]]:
    """By watched site, how its newest scans ended, the newest first."""
    inventories = [each.site_id for each in sites if each.site_id]
    found = recent_statuses(database, inventories, limit) if inventories else {}
    return {each.id: found.get(each.site_id or 0, []) for each in sites}


@dataclass(frozen=True, slots=True)
class SectionTrend:
    names: list[str]
    """The largest sections, then ``OTHER_SECTIONS`` if there are more."""
    rows: list[tuple[Scan, dict[str, int]]]
    """The oldest scan first, with its pages by section."""


@requires(Permission.READ)
def section_trend(
    asked: AskedScan, sections: Mapping[str, int], scans: Sequence[Scan]
) -> SectionTrend:
    """Listed pages by section as of each of *scans*, which came before the asked one or are it.

    *sections* are those of the asked scan: only what came and went since is read.
    """
    kept = sorted(
        (
            each
            for each in scans
            if each.site_id == asked.site.id
            and each.id <= asked.scan.id
            and each.status in ENDED_WELL
        ),
        key=lambda each: each.id,
    )
    largest = [name for name, pages in Counter(sections).most_common(TOP_SECTIONS) if pages]
    names = [*largest, *([OTHER_SECTIONS] if len(sections) > len(largest) else [])]

    def named(section: str) -> str:
        return section if section in largest else OTHER_SECTIONS

    now: Counter[str] = Counter()
    for section, pages in sections.items():
        now[named(section)] += pages
    counts = {each.id: Counter(now) for each in kept}
    if kept:
        for page in presences_since(asked.database, asked.site.id, kept[0].id):
            is_there_now = page.is_there(asked.scan.id)
            section = named(section_of(page.url, sections))
            for scan_id, found in counts.items():
                found[section] += page.is_there(scan_id) - is_there_now
    rows = [(each, {name: counts[each.id][name] for name in names}) for each in kept]
    return SectionTrend(names, rows)
