"""What most pages of a site have alike, so that it need not be read of each.

Reading a column of a million pages costs 0.1 seconds, also when there is the same in all of them;
to have SQLite compare it costs a fifth of that. The exact facts of the pages that differ are read
afterwards, so this is for a connection that sees one state of the database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from sitecrawl.store.schema import page_signals, pages
from sitecrawl.store.writers.signals import SIGNAL_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from sqlalchemy.engine import Connection

    from sitecrawl.store.pagechunks import PageChunk
    from sitecrawl.store.queries.scans import Scan

NUMBER: Final = "number"
"""The column that also says of which pages the facts have to be read."""

_LOOKS: Final = 256

_FACTS = """
SELECT {columns} FROM pages AS p LEFT JOIN page_signals AS s ON s.page_id = p.id
WHERE p.site_id = {site} AND p.number IN ({numbers})
"""
_NO_SIGNALS = "p.id NOT IN (SELECT page_id FROM page_signals)"
# Of a site that was not crawled, one page has signals: comparing is faster than looking up.
_FEW_SIGNALS: Final = 4


class UsualFacts:
    """What most pages have in some *columns*, which are given with their SQL."""

    def __init__(
        self, facts: Mapping[str, Any], columns: Mapping[str, str], site_id: int, no_signals: str
    ):
        self.facts = facts
        said = {columns[name]: facts[name] for name in facts if name not in SIGNAL_COLUMNS}
        tests = [f"{sql} IS NULL" if fact is None else f"{sql} = ?" for sql, fact in said.items()]
        if len(said) < len(facts):
            tests.append(no_signals)
        self.number = f"CASE WHEN {' AND '.join(tests)} THEN p.number ELSE -p.number END"
        """SQL of the column of that name: negative for an unusual page."""
        self.values = tuple(fact for fact in said.values() if fact is not None)
        """What stands for the question marks in it."""
        self._columns = {name: columns[name] for name in facts}
        self._site_id = site_id

    @classmethod
    def find(cls, connection: Connection, scan: Scan, columns: Mapping[str, str]) -> Self | None:
        """Look at a few pages: what they all have is usual; None, if that is nothing."""
        last = connection.scalar(select(func.max(pages.c.number))) or 0
        looks = [last - last * look // _LOOKS for look in range(_LOOKS)]
        rows = _read(connection, columns, scan.site_id, looks).values()
        found = {
            name: column[0]
            for name, column in zip(columns, zip(*rows, strict=True), strict=bool(rows))
            if column.count(column[0]) == len(rows)
        }
        facts = {name: found[name] for name in found if name not in SIGNAL_COLUMNS}
        signals = {name: None for name in columns if name in SIGNAL_COLUMNS}
        # A page without signals has none of them.
        if all(name in found and found[name] is None for name in signals):
            facts |= signals
        if not facts:
            return None
        return cls(facts, columns, scan.site_id, _no_signals(connection, scan))

    def completed(self, connection: Connection, chunk: PageChunk) -> PageChunk:
        """The pages with these columns as well, and with their true numbers."""
        numbers = chunk[NUMBER]
        if min(numbers) > 0:
            return chunk.sharing(self.facts)
        unusual = [-number for number in numbers if number < 0]
        exact = _read(connection, self._columns, self._site_id, unusual)
        usual = list(self.facts.values())
        facts = [usual if number > 0 else exact[-number] for number in numbers]
        columns = dict(zip(self.facts, zip(*facts, strict=True), strict=True))
        return chunk.with_columns(columns | {NUMBER: list(map(abs, numbers))})


def _no_signals(connection: Connection, scan: Scan) -> str:
    """SQL that says that a page has no signals."""
    own = select(page_signals.c.page_id).where(page_signals.c.site_id == scan.site_id)
    ids = connection.scalars(own.limit(_FEW_SIGNALS + 1)).all()
    if len(ids) > _FEW_SIGNALS:
        return _NO_SIGNALS
    return " AND ".join(["1 = 1", *(f"p.id <> {int(id_)}" for id_ in ids)])


def _read(
    connection: Connection, columns: Mapping[str, str], site_id: int, numbers: Iterable[int]
) -> dict[int, Sequence[Any]]:
    """By number, what these pages have in the columns."""
    statement = _FACTS.format(
        columns=", ".join(["p.number", *columns.values()]),
        site=int(site_id),
        numbers=", ".join(map(str, numbers)),
    )
    return {number: facts for number, *facts in connection.exec_driver_sql(statement)}
