"""All mentions of the listed pages: by which sources, linked from where, in which regions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from sitecrawl.coverage.sightings import SourceGroup
from sitecrawl.html.links import RENDERED_SOURCES, Region
from sitecrawl.items import SITEMAP_SOURCES, Source
from sitecrawl.store.queries.links import further_mentions, sitemap_documents, visited_documents
from sitecrawl.store.queries.sitemap_comparison import FOLLOWED_SOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from sitecrawl.report.data import RegionCount
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.links import MentionRow
    from sitecrawl.store.queries.scans import Scan

    Positions = NDArray[np.int64]

GROUPS: Final = tuple(SourceGroup)
# Bits beside those of the groups: a link that a visitor can follow, and an entry of a sitemap.
_IS_FOLLOWED: Final = 1 << len(GROUPS)
_IN_SITEMAP: Final = 2 << len(GROUPS)
_GROUP_BITS: Final = _IS_FOLLOWED - 1
_REGIONS: Final = tuple(Region)
_COUNTED: Final = -2


def group_of(source: str) -> SourceGroup | None:
    """The group of a kind of source; the start of a crawl has none.

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


class IdIndex:
    """Finds ids in a column of unique ids; a dictionary would take ten times the memory."""

    def __init__(self, ids: Sequence[int]) -> None:
        column = np.array(ids, np.int64)
        self._order = np.argsort(column)
        self._sorted = column[self._order]

    def __len__(self) -> int:
        return len(self._sorted)

    def positions(self, ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """The position of each id in the column; -1: not there."""
        wanted = np.asarray(ids, np.int64)
        if not len(self._sorted):
            return np.full(len(wanted), -1, np.int64)
        found = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        return np.where(self._sorted[found] == wanted, self._order[found], -1)


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


class PageMentions:
    """Columns beside the ids of the listed pages; mentions of other pages are ignored."""

    def __init__(
        self,
        inventory: Inventory,
        visited: Iterable[tuple[int, int]],
        sitemaps: Iterable[int],
    ) -> None:
        self.index = index = IdIndex(inventory.ids)
        self._listed_by = np.array(inventory.documents, np.int64)
        self._bits = np.zeros(len(index), np.uint8)
        self._regions = np.zeros(len(index), np.uint8)
        self._links_in_region = np.zeros(1 << len(_REGIONS), np.int64)
        self.inlinks = np.zeros(len(index), np.int32)
        """How many visited pages link to each."""
        self.cluster_links: Counter[tuple[int, int]] = Counter()
        """How many links lead from pages of one main cluster to pages of another."""
        self._clusters = np.array(inventory.main_clusters, np.int64)
        self._cluster_count = len(inventory.clusters) + 1
        by_document = dict(visited)
        self._visited = IdIndex(list(by_document))
        # Position -1, the last one, is for documents that are no visited page.
        self._page_of = np.append(index.positions(list(by_document.values())), -1)
        self._sitemaps = np.array(sorted(sitemaps), np.int64)
        self._source_bits, self._region_bits = _SourceBits(), _RegionBits()
        for rows in inventory.mentions():
            self._add(rows, is_first=True)

    @property
    def masks(self) -> NDArray[np.uint8]:
        """The groups that know each page: bit n is ``GROUPS[n]``."""
        return self._bits & np.uint8(_GROUP_BITS)

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
        targets = self.index.positions(pages)
        origins = self._page_of[self._visited.positions(documents)]
        bits = np.fromiter(map(self._source_bits.__getitem__, sources), np.uint8, len(rows))
        bits[np.isin(documents, self._sitemaps)] |= np.uint8(_IN_SITEMAP)
        in_region = np.fromiter(map(self._region_bits.__getitem__, regions), np.uint8, len(rows))
        # A mention of a page by itself does not count.
        counts = (targets >= 0) & ((origins < 0) | (origins != targets))
        if not is_first:
            # The document's link to the page was counted as its first mention.
            origins[self._listed_by[targets] == documents] = _COUNTED
        targets, origins, bits, in_region = (
            column[counts] for column in (targets, origins, bits, in_region)
        )
        np.bitwise_or.at(self._bits, targets, bits)
        np.bitwise_or.at(self._regions, targets, in_region)
        self._links_in_region += np.bincount(in_region, minlength=len(self._links_in_region))
        self._count_links(origins, targets, bits)

    def _count_links(self, origins: Positions, targets: Positions, bits: NDArray[np.uint8]) -> None:
        is_link = (origins >= 0) & (bits & np.uint8(_GROUP_BITS) != 0)
        pairs = origins[is_link] * len(self.index) + targets[is_link]
        _, firsts = np.unique(pairs, return_index=True)
        starts, ends = np.divmod(pairs[np.sort(firsts)], max(len(self.index), 1))
        np.add.at(self.inlinks, ends, 1)
        between = self._clusters[starts] * self._cluster_count + self._clusters[ends]
        codes, numbers = np.unique(between, return_counts=True)
        for code, number in zip(codes.tolist(), numbers.tolist(), strict=True):
            self.cluster_links[divmod(code, self._cluster_count)] += number

    def regions(self) -> list[RegionCount]:
        """The regions of links, those with the most links first."""
        found: list[RegionCount] = [
            {
                "region": region.value,
                "links": int(self._links_in_region[1 << bit]),
                "pages": int(np.count_nonzero(self._regions & np.uint8(1 << bit))),
            }
            for bit, region in enumerate(_REGIONS)
        ]
        return sorted((each for each in found if each["links"]), key=lambda each: -each["links"])


def read_mentions(database: Database, scan: Scan, inventory: Inventory) -> PageMentions:
    """Read all mentions of the listed pages once."""
    mentions = PageMentions(
        inventory, visited_documents(database, scan), sitemap_documents(database, scan)
    )
    rest: list[MentionRow] = []
    for chunk in further_mentions(database, scan):
        # The mentions of a document are counted together, also across chunks.
        last = chunk[-1][0]
        whole = [row for row in chunk if row[0] != last]
        if whole:
            mentions.add(rest + whole)
            rest = []
        rest += chunk[len(whole) :]
    if rest:
        mentions.add(rest)
    return mentions
