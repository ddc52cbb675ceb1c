"""Compares inventories: those of two watched sites, or of one site as of two scans."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sitecrawl.errors import NotFoundError
from sitecrawl.services.inventory_lists import page_facets
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import asked_scan, get_site
from sitecrawl.store.queries import scan_pairs
from sitecrawl.store.queries.change_documents import map_states
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.scan_pairs import Pair
from sitecrawl.store.queries.scans import latest_scan, scan_by_id

if TYPE_CHECKING:
    from sitecrawl.changes.sitemap_changes import MapState
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan, Site
    from sitecrawl.store.queries.watched_sites import WatchedSite

MAX_PAGES: Final = 200_000
"""Of each site: paths of both are held in memory."""
MAX_SHOWN: Final = 200
_FACETS: Final = ("type", "category", "language", "source")


@dataclass(frozen=True, slots=True)
class ComparedSite:
    site: WatchedSite
    scan: Scan
    paths: frozenset[str]
    """Of its listed pages, below the root."""
    is_cut: bool
    """Only the first ``MAX_PAGES`` pages were read."""
    facets: dict[str, dict[str, int]]
    """Pages by value, for some facets."""


@dataclass(frozen=True, slots=True)
class SiteComparison:
    left: ComparedSite
    right: ComparedSite

    @property
    def in_both(self) -> int:
        return len(self.left.paths & self.right.paths)

    @property
    def only_left(self) -> list[str]:
        return sorted(self.left.paths - self.right.paths)

    @property
    def only_right(self) -> list[str]:
        return sorted(self.right.paths - self.left.paths)

    def sections(self) -> list[tuple[str, int, int]]:
        """Folders of the first level with their pages on both sites, the largest first."""
        left, right = (Counter(map(_section, side.paths)) for side in (self.left, self.right))
        names = sorted(left | right, key=lambda name: (-left[name] - right[name], name))
        return [(name, left[name], right[name]) for name in names]

    def facets(self) -> dict[str, list[tuple[str, int, int]]]:
        """By facet, its values with their pages on both sites."""
        found = {}
        for name in _FACETS:
            left, right = self.left.facets.get(name, {}), self.right.facets.get(name, {})
            values = sorted({*left, *right}, key=lambda v: -left.get(v, 0) - right.get(v, 0))
            if values:
                found[name] = [(v, left.get(v, 0), right.get(v, 0)) for v in values[:MAX_SHOWN]]
        return found


@requires(Permission.READ)
def compare_sites(
    database: Database, workspace_id: int, left_id: int, right_id: int
) -> SiteComparison:
    """The newest inventories of both; ``NotFoundError`` if one has none."""
    left, right = (_compared(database, workspace_id, each) for each in (left_id, right_id))
    return SiteComparison(left, right)


def _compared(database: Database, workspace_id: int, number: int) -> ComparedSite:
    site = get_site(database, workspace_id, number)
    asked = asked_scan(database, workspace_id, number, None)
    wanted = PageFilter()
    paths: set[str] = set()
    is_cut = False
    for rows in page_rows(database, asked.scan, wanted, ("url",)):
        paths.update(_path(url) for (url,) in rows)
        if len(paths) >= MAX_PAGES:
            is_cut = True
            break
    facets = {
        name: {str(each.value): each.pages for each in found if each.value is not None}
        for name, found in page_facets(asked, wanted).values.items()
        if name in _FACETS
    }
    return ComparedSite(site, asked.scan, frozenset(paths), is_cut, facets)


def _path(url: str) -> str:
    """The path and query of a page, without a last slash: copies of a site share them.

    >>> _path("https://example.com/a/?b=1"), _path("https://example.com")
    ('/a?b=1', '/')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    path = parts.path.rstrip("/") or "/"
    return f"{path}?{parts.query}" if parts.query else path


def _section(path: str) -> str:
    """
    >>> _section("/blog/a"), _section("/about")
    ('/blog', '/')
    """
    first, slash, _ = path.partition("?")[0].lstrip("/").partition("/")
    return f"/{first}" if slash else "/"


# --- any two scans --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageDifference:
    """A page that differs between two scans."""

    kind: str
    """``added``, ``removed`` or ``updated``."""
    url: str
    before: dict[str, Any]
    after: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between the inventories as of two scans."""

    before: Scan
    after: Scan
    pages: tuple[PageDifference, ...]

    def count(self, kind: str) -> int:
        return sum(page.kind == kind for page in self.pages)


@requires(Permission.READ)
def diff(
    database: Database, site: Site, before_id: int | None = None, after_id: int | None = None
) -> Diff:
    """Compare the inventories as of two kept scans; by default the newest and the one before."""
    before, after = _two_scans(database, site, before_id, after_id)
    with database.reading() as connection:
        rows = scan_pairs.difference(connection, before, after)
        return Diff(before, after, tuple(PageDifference(*row) for row in rows))


@requires(Permission.READ)
def sitemap_states(
    database: Database, site: Site, before_id: int, after_id: int
) -> list[tuple[MapState | None, MapState | None]]:
    """Each sitemap as of two kept scans; None: it was not known then, or it is gone."""
    before, after = _two_scans(database, site, before_id, after_id)
    with database.reading() as connection:
        return map_states(connection, Pair(after, before, 0, 0))


@requires(Permission.READ)
def sitemap_pages(
    database: Database, site: Site, before_id: int, after_id: int
) -> dict[int, list[tuple[str, str]]]:
    """By the document that listed them first: kind and URL of the pages that came or went."""
    before, after = _two_scans(database, site, before_id, after_id)
    found: dict[int, list[tuple[str, str]]] = {}
    with database.reading() as connection:
        for document_id, kind, url in scan_pairs.listed_differently(connection, before, after):
            found.setdefault(document_id, []).append((kind, url))
    return found


def _two_scans(
    database: Database, site: Site, before_id: int | None, after_id: int | None
) -> tuple[Scan, Scan]:
    """The older of them first."""
    after = latest_scan(database, site.id) if after_id is None else scan_by_id(database, after_id)
    if after is None or after.site_id != site.id:
        raise NotFoundError(f"{site.key} has no scan {after_id or 'yet'}; see: sitecrawl scans")
    with database.reading() as connection:
        if before_id is None:
            before_id = scan_pairs.scan_before(connection, after)
    before = scan_by_id(database, before_id) if before_id is not None else None
    if before is None or before.site_id != site.id:
        name = "before it" if before_id is None else str(before_id)
        raise NotFoundError(f"{site.key} has no scan {name}; see: sitecrawl scans")
    return (after, before) if before.id > after.id else (before, after)
