"""How each listed page is known: by which kinds of source, from where, in which parts of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from sitecrawl.coverage.sources import SourceGroup
from sitecrawl.items import SITEMAP_SOURCES, Source
from sitecrawl.parse.links.vocabulary import RENDERED_SOURCES, Region
from sitecrawl.report.places import IdPlaces
from sitecrawl.store.queries.comparison import FOLLOWED_SOURCES
from sitecrawl.store.queries.links import further_mentions, sitemap_documents, visited_documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from sitecrawl.report.data import RegionCount
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.links import MentionRow
    from sitecrawl.store.queries.scans import Scan

    Places = NDArray[np.int64]

GROUPS: Final = tuple(SourceGroup)
# Beside the bits of the groups: what counts as a link, or a sitemap, for orphans.
_IS_FOLLOWED: Final = 1 << len(GROUPS)
_IN_SITEMAP: Final = 2 << len(GROUPS)
_OF_GROUPS: Final = _IS_FOLLOWED - 1
_REGIONS: Final = tuple(Region)
# More than these are not drawn.
_MAX_LINKS_KEPT: Final = 1_000_000
_COUNTED: Final = -2


def group_of(source: str) -> SourceGroup | None:
    """Where a crawl starts is no way to know a page.

    >>> group_of("sitemap-alternate"), group_of("onclick"), group_of("start")
    (<SourceGroup.SITEMAPS: 'sitemaps'>, <SourceGroup.LINKS: 'links'>, None)
    >>> group_of("spa-click")
    <SourceGroup.RENDERED: 'rendered pages'>
    """
    if source == Source.START:
        return None
    if source in SITEMAP_SOURCES:
        return SourceGroup.SITEMAPS
    if source == Source.FEED:
        return SourceGroup.FEEDS
    return SourceGroup.RENDERED if source in RENDERED_SOURCES else SourceGroup.LINKS


class _SourceBits(dict[str, int]):
    """By kind of source: the bit of its group, and whether a visitor can follow it."""

    def __missing__(self, source: str) -> int:
        group = group_of(source)
        bits = 0 if group is None else 1 << GROUPS.index(group)
        self[source] = bits | (_IS_FOLLOWED if source in FOLLOWED_SOURCES else 0)
        return self[source]


class _RegionBits(dict[str | None, int]):
    def __missing__(self, region: str | None) -> int:
        self[region] = 1 << _REGIONS.index(Region(region)) if region in _REGIONS else 0
        return self[region]


class PageKnowledge:
    """Columns beside that of the listed pages' ids; mentions of other pages do not count."""

    def __init__(
        self,
        inventory: Inventory,
        visited: Iterable[tuple[int, int]],
        sitemaps: Iterable[int],
    ) -> None:
        self.places = places = IdPlaces(inventory.ids)
        self._listed_by = np.array(inventory.documents, np.int64)
        self._bits = np.zeros(len(places), np.uint8)
        self._regions = np.zeros(len(places), np.uint8)
        self._links_in_region = np.zeros(1 << len(_REGIONS), np.int64)
        self.inlinks = np.zeros(len(places), np.int32)
        """How many visited pages link to each."""
        self.links: list[tuple[Places, Places]] = []
        """The first links: columns of places, from which page to which."""
        self._links_kept = 0
        by_document = dict(visited)
        self._visited = IdPlaces(list(by_document))
        # The last one stands for documents that are no visited page.
        self._page_of = np.append(places.of(list(by_document.values())), -1)
        self._sitemaps = np.array(sorted(sitemaps), np.int64)
        self._source_bits, self._region_bits = _SourceBits(), _RegionBits()
        for rows in inventory.mentions():
            self._add(rows, is_first=True)

    @property
    def masks(self) -> NDArray[np.uint8]:
        """By which groups each page is known: bit n stands for ``GROUPS[n]``."""
        return self._bits & np.uint8(_OF_GROUPS)

    @property
    def is_linked(self) -> NDArray[np.bool_]:
        """Whether another page has a link to it that a visitor can follow."""
        return self._has(_IS_FOLLOWED)

    @property
    def is_in_sitemap(self) -> NDArray[np.bool_]:
        """Whether a sitemap, or a feed that is used as one, has it."""
        return self._has(_IN_SITEMAP)

    def _has(self, bit: int) -> NDArray[np.bool_]:
        return np.asarray(self._bits & np.uint8(bit) != 0)

    def add(self, rows: Sequence[MentionRow]) -> None:
        """Count further mentions; all those of one document come together."""
        self._add(rows, is_first=False)

    def _add(self, rows: Sequence[MentionRow], *, is_first: bool) -> None:
        documents, pages, sources, regions = zip(*rows, strict=True)
        targets = self.places.of(pages)
        origins = self._page_of[self._visited.of(documents)]
        bits = np.fromiter(map(self._source_bits.__getitem__, sources), np.uint8, len(rows))
        bits[np.isin(documents, self._sitemaps)] |= np.uint8(_IN_SITEMAP)
        in_region = np.fromiter(map(self._region_bits.__getitem__, regions), np.uint8, len(rows))
        # What a page says of itself makes nobody know it.
        counts = (targets >= 0) & ((origins < 0) | (origins != targets))
        if not is_first:
            # The document's link to the page has been counted already.
            origins[self._listed_by[targets] == documents] = _COUNTED
        targets, origins, bits, in_region = (
            column[counts] for column in (targets, origins, bits, in_region)
        )
        np.bitwise_or.at(self._bits, targets, bits)
        np.bitwise_or.at(self._regions, targets, in_region)
        self._links_in_region += np.bincount(in_region, minlength=len(self._links_in_region))
        self._count_links(origins, targets, bits)

    def _count_links(self, origins: Places, targets: Places, bits: NDArray[np.uint8]) -> None:
        is_link = (origins >= 0) & (bits & np.uint8(_OF_GROUPS) != 0)
        pairs = origins[is_link] * len(self.places) + targets[is_link]
        _, firsts = np.unique(pairs, return_index=True)
        starts, ends = np.divmod(pairs[np.sort(firsts)], max(len(self.places), 1))
        np.add.at(self.inlinks, ends, 1)
        if self._links_kept < _MAX_LINKS_KEPT:
            self.links.append((starts, ends))
            self._links_kept += len(starts)

    def regions(self) -> list[RegionCount]:
        """The parts of pages that links stand in, those with the most links first."""
        found: list[RegionCount] = [
            {
                "region": region.value,
                "links": int(self._links_in_region[1 << bit]),
                "pages": int(np.count_nonzero(self._regions & np.uint8(1 << bit))),
            }
            for bit, region in enumerate(_REGIONS)
        ]
        return sorted((each for each in found if each["links"]), key=lambda each: -each["links"])


def page_knowledge(database: Database, scan: Scan, inventory: Inventory) -> PageKnowledge:
    """Read all mentions of the listed pages once."""
    knowledge = PageKnowledge(
        inventory, visited_documents(database, scan), sitemap_documents(database, scan)
    )
    rest: list[MentionRow] = []
    for chunk in further_mentions(database, scan):
        # So that the links of a page are counted together.
        last = chunk[-1][0]
        whole = [row for row in chunk if row[0] != last]
        if whole:
            knowledge.add(rest + whole)
            rest = []
        rest += chunk[len(whole) :]
    if rest:
        knowledge.add(rest)
    return knowledge
