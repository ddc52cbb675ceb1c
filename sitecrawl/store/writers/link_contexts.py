"""Stores link contexts: what many further mentions share (source, region, rel, path)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from sqlalchemy import func, select

from sitecrawl.store.schema import link_contexts
from sitecrawl.store.writers.bulk import insert_columns

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import LinkColumns, ScanHandle

LinkContext: TypeAlias = tuple[str, str, str, str]
"""Source, region, rel and path; absent text is ``""``."""

# On a site where every link has its own context, they must not fill the memory.
_MAX_KNOWN: Final = 20_000
_MAX_LOADED: Final = 10_000

_REMOVE_UNUSED: Final = """
DELETE FROM link_contexts WHERE id IN (
    SELECT id FROM link_contexts WHERE id BETWEEN {first} AND {last}
    EXCEPT SELECT context_id FROM other_mentions
    WHERE document_id IN (SELECT id FROM documents WHERE site_id = {site}))
"""


class _ContextIds(dict[LinkContext, int]):
    """The ids of contexts that are stored, or wait in ``new`` to be stored."""

    def __init__(self, last_id: int) -> None:
        super().__init__()
        self.new: dict[int, LinkContext] = {}
        self._last_id = last_id

    def __missing__(self, context: LinkContext) -> int:
        if len(self) >= _MAX_KNOWN:
            self.clear()
        self._last_id += 1
        self[context] = self._last_id
        self.new[self._last_id] = context
        return self._last_id


class LinkContextWriter:
    """Writes contexts within the transaction of its connection.

    A context that was forgotten is stored once more under another id, because finding it would
    cost more. Ids of one site follow each other, so that rows are only appended; nobody else
    gives them, as a site has one scan at a time.
    """

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._site_id = scan.site_id
        self._ids: _ContextIds | None = None

    def of_links(self, links: LinkColumns) -> list[int]:
        """The ids of the contexts of these links."""
        contexts = zip(links.sources, links.regions, links.rels, links.paths, strict=True)
        return list(map(self._known().__getitem__, contexts))

    def of_source(self, source: str) -> int:
        """The id of the context of everything that is no link."""
        return self._known()[source, "", "", ""]

    def flush(self) -> None:
        """Write the contexts that were new."""
        if self._ids is not None and self._ids.new:
            contexts, self._ids.new = self._ids.new, {}
            names = ("source", "region", "rel", "path")
            columns = zip(names, zip(*contexts.values(), strict=True), strict=True)
            insert_columns(
                self._connection,
                "link_contexts",
                {"id": list(contexts), **dict(columns)},
                {},
                is_repeated=True,
            )

    def forget(self) -> None:
        """After a roll-back: what was stored may not be there."""
        self._ids = None

    def _known(self) -> _ContextIds:
        if self._ids is None:
            first, last = _id_range(self._site_id)
            is_own = link_contexts.c.id.between(first, last)
            last_id = self._connection.scalar(select(func.max(link_contexts.c.id)).where(is_own))
            oldest = select(link_contexts).where(is_own).order_by(link_contexts.c.id)
            self._ids = _ContextIds(last_id or first)
            for row in self._connection.execute(oldest.limit(_MAX_LOADED)):
                self._ids[row.source, row.region or "", row.rel or "", row.path or ""] = row.id
        return self._ids


def remove_unused_contexts(connection: Connection, scan: ScanHandle) -> None:
    """Keep those that no further mention has from growing in number with each scan."""
    first, last = _id_range(scan.site_id)
    is_own = link_contexts.c.id.between(first, last)
    # The few contexts of most sites are not worth reading all mentions for.
    if (connection.scalar(select(func.count()).where(is_own)) or 0) > _MAX_LOADED:
        connection.exec_driver_sql(
            _REMOVE_UNUSED.format(first=first, last=last, site=int(scan.site_id))
        )


def _id_range(site_id: int) -> tuple[int, int]:
    first = site_id << 32
    return first, first + (1 << 32) - 1
