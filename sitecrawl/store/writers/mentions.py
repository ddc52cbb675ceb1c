"""Stores how further mentions look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import func, select

from sitecrawl.store.schema import mention_looks
from sitecrawl.store.writers.bulk import insert_columns

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import LinkColumns, ScanHandle

Look: TypeAlias = tuple[str, str, str, str]
"""Source, region, rel and path; absent text is ``""``."""

# On a site where every link looks different, they must not fill the memory.
_MAX_KNOWN: Final = 20_000
_MAX_LOADED: Final = 10_000

_REMOVE_UNUSED: Final = """
DELETE FROM mention_looks WHERE id IN (
    SELECT id FROM mention_looks WHERE id BETWEEN {first} AND {last}
    EXCEPT SELECT look_id FROM other_mentions
    WHERE document_id IN (SELECT id FROM documents WHERE site_id = {site}))
"""


class _LookIds(dict[Look, int]):
    """The ids of looks that are stored, or are in ``new`` to be so."""

    def __init__(self, last_id: int) -> None:
        super().__init__()
        self.new: dict[int, Look] = {}
        self._last_id = last_id

    def __missing__(self, look: Look) -> int:
        if len(self) >= _MAX_KNOWN:
            self.clear()
        self._last_id += 1
        self[look] = self._last_id
        self.new[self._last_id] = look
        return self._last_id


class LookWriter:
    """Writes looks within the transaction of its connection.

    A look that was forgotten is stored once more under another id: to look for it among the others
    would cost more. Ids of one site follow each other, so that rows are only appended; nobody else
    gives them, as a site has one scan at a time.
    """

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._site_id = scan.site_id
        self._ids: _LookIds | None = None

    def of_links(self, links: LinkColumns) -> list[int]:
        """The ids of how these links look."""
        looks = zip(links.sources, links.regions, links.rels, links.paths, strict=True)
        return list(map(self._known().__getitem__, looks))

    def of_source(self, source: str) -> int:
        """The id of how everything looks that is no link."""
        return self._known()[source, "", "", ""]

    def flush(self) -> None:
        """Write the looks that were new."""
        if self._ids is not None and self._ids.new:
            looks, self._ids.new = self._ids.new, {}
            names = ("source", "region", "rel", "path")
            columns = zip(names, zip(*looks.values(), strict=True), strict=True)
            insert_columns(
                self._connection,
                "mention_looks",
                {"id": list(looks), **dict(columns)},
                {},
                is_repeated=True,
            )

    def forget(self) -> None:
        """After a roll-back: what was stored may not be there."""
        self._ids = None

    def _known(self) -> _LookIds:
        if self._ids is None:
            first, last = _id_range(self._site_id)
            is_own = mention_looks.c.id.between(first, last)
            last_id = self._connection.scalar(select(func.max(mention_looks.c.id)).where(is_own))
            oldest = select(mention_looks).where(is_own).order_by(mention_looks.c.id)
            self._ids = _LookIds(last_id or first)
            for row in self._connection.execute(oldest.limit(_MAX_LOADED)):
                self._ids[row.source, row.region or "", row.rel or "", row.path or ""] = row.id
        return self._ids


def remove_unused_looks(connection: Connection, scan: ScanHandle) -> None:
    """Keep those that no further mention has from growing in number with each scan."""
    first, last = _id_range(scan.site_id)
    is_own = mention_looks.c.id.between(first, last)
    # The few looks of most sites are not worth reading all mentions for.
    if (connection.scalar(select(func.count()).where(is_own)) or 0) > _MAX_LOADED:
        connection.exec_driver_sql(
            _REMOVE_UNUSED.format(first=first, last=last, site=int(scan.site_id))
        )


def _id_range(site_id: int) -> tuple[int, int]:
    first = site_id << 32
    return first, first + (1 << 32) - 1
