"""Compares the inventories of two watched sites: a shop with its copy, staging with production."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from sitecrawl.services.inventory_lists import page_facets
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import asked_scan, get_site
from sitecrawl.store.queries.page_filter import PageFilter
from sitecrawl.store.queries.pages import page_rows

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan
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
    """What two copies of a page share; a last slash does not count.

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
