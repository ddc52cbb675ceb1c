"""Stores the frontier of a crawl and how its visits ended, within the writer's transaction."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, func, select, update

from sitecrawl.store.compression import pack_text
from sitecrawl.store.schema import menu_entries, page_facts, visits
from sitecrawl.store.writers.bulk import (
    Gathered,
    PreparedInsert,
    PreparedUpdate,
    insert_columns,
    literal,
)
from sitecrawl.store.writers.host_queues import add_queues
from sitecrawl.store.writers.records import WAITING_COLUMNS, WaitingVisit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.checks import DuePage
    from sitecrawl.store.writers.records import (
        MenuRow,
        NewVisits,
        PageFactsRecord,
        ScanHandle,
        VisitRecord,
    )

_FACTS = (
    *("outcome", "document_id", "is_productive", "reason", "rule", "title", "language"),
    *("canonical", "category", "text_hash", "fingerprint"),
    *("rendered", "only_rendered", "redirect_target"),
)

_RELEASE = """
UPDATE visits SET family = NULL, number = released.number
FROM (
    SELECT id, {first} - 1 + row_number() OVER (ORDER BY id) AS number
    FROM visits WHERE scan_id = {scan} AND number IS NULL AND family = {marker}
    ORDER BY id LIMIT {count}
) AS released
WHERE visits.id = released.id
"""

_SAY = """
INSERT INTO page_signals (page_id, site_id, own_language, declared_type, text_language)
SELECT page_id, {site}, {marker}, {marker}, {marker} FROM visits
WHERE scan_id = {scan} AND number = {marker}
ON CONFLICT (page_id) DO UPDATE SET own_language = excluded.own_language,
    declared_type = excluded.declared_type, text_language = excluded.text_language
"""

_KEEP_TEXT = """
INSERT INTO page_texts (page_id, site_id, text_hash, content)
SELECT page_id, {site}, {marker}, {marker} FROM visits
WHERE scan_id = {scan} AND number = {marker}
ON CONFLICT (page_id) DO UPDATE SET text_hash = excluded.text_hash, content = excluded.content
"""

# The page is that of the visit. A visit that is made again gives the same row.
_FACTS_COLUMNS = tuple(
    column.name
    for column in page_facts.c
    if column.name not in {"scan_id", "page_id", "read_scan_id", "is_indexable"}
)
_ADD_FACTS = """
INSERT INTO page_facts (scan_id, page_id, read_scan_id, {columns}, is_indexable)
SELECT scan_id, page_id, scan_id, {markers},
    NOT {marker} AND coalesce(CAST({marker} AS BIGINT) = page_id, TRUE) FROM visits
WHERE scan_id = {scan} AND number = {marker}
ON CONFLICT DO NOTHING
"""
_ADD_ALTERNATE = """
INSERT INTO page_alternates (scan_id, page_id, alternate_id, language)
SELECT scan_id, page_id, {marker}, {marker} FROM visits
WHERE scan_id = {scan} AND number = {marker}
ON CONFLICT DO NOTHING
"""

_WAITING = """
SELECT {columns} FROM visits
WHERE scan_id = {scan} AND number > {after} AND outcome IS NULL AND checked_for {of_checks}
ORDER BY number LIMIT {limit}
"""


class VisitWriter:
    """Writes visits and the menu of one scan."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._scan_id = scan.scan_id
        self._scan = literal(scan.scan_id)
        self._marker = "?" if connection.dialect.name == "sqlite" else "%s"
        self._add_entry = PreparedInsert(
            menu_entries,
            [column.name for column in menu_entries.c],
            connection.dialect,
            "ON CONFLICT DO NOTHING",
        )
        self._finish = PreparedUpdate(
            visits, _FACTS, connection.dialect, f"scan_id = {self._scan} AND number = {{}}"
        )

    def add(self, found: NewVisits) -> None:
        """Put pages into the frontier."""
        columns: dict[str, Sequence[Any]] = {
            "page_id": found.page_ids,
            "url": found.urls,
            "number": found.numbers,
            "clicks": found.clicks,
            "external_hops": found.external_hops,
        }
        if any(found.families):
            columns["family"] = found.families
        if found.redirected_from:
            columns["redirected_from"] = [found.redirected_from] * len(found.page_ids)
        if found.queues:
            columns["queue"] = found.queues
            add_queues(self._connection, self._scan_id, found.queues)
        constants = {"scan_id": self._scan}
        if found.found_by is not None:
            constants["found_by"] = literal(found.found_by)
        insert_columns(self._connection, "visits", columns, constants)

    def has_checks(self) -> bool:
        """Whether the pages to check have been chosen."""
        chosen = (visits.c.scan_id == self._scan_id) & visits.c.checked_for.is_not(None)
        return (
            self._connection.execute(select(visits.c.id).where(chosen).limit(1)).first() is not None
        )

    def add_checks(self, pages: Sequence[DuePage]) -> None:
        """Put pages to check behind all visits; one that waits for the crawl waits no longer."""
        own = visits.c.scan_id == self._scan_id
        # The first number is that of the root.
        last_number = max(
            self._connection.scalar(select(func.max(visits.c.number)).where(own)) or 0, 1
        )
        waits = own & (visits.c.page_id == bindparam("page")) & visits.c.outcome.is_(None)
        convert = update(visits).where(waits)
        for number, page in enumerate(pages, last_number + 1):
            values = {"number": number, "checked_for": page.cause, "family": None}
            converted = self._connection.execute(convert.values(values), {"page": page.page_id})
            if converted.rowcount:
                continue
            clicks = select(visits.c.clicks).where(
                visits.c.page_id == page.page_id, visits.c.clicks.is_not(None)
            )
            self._connection.execute(
                visits.insert().values(
                    scan_id=self._scan_id,
                    page_id=page.page_id,
                    url=page.url,
                    number=number,
                    clicks=clicks.order_by(visits.c.scan_id.desc()).limit(1).scalar_subquery(),
                    external_hops=0,
                    found_by=0,
                    checked_for=page.cause,
                )
            )

    def finish(self, record: VisitRecord) -> None:
        """Record how a visit ended."""
        facts = ((name, getattr(record, name)) for name in _FACTS)
        # Absent text is NULL in the table.
        values = {name: None if value == "" else value for name, value in facts}
        self._finish.gather(values, record.number)

    def flush(self) -> None:
        """Write what was gathered."""
        self._finish.gathered.run(self._connection)

    def forget(self) -> None:
        """After a roll-back: what was gathered belongs to what is not there."""
        self._finish.gathered.forget()

    def release(self, family: str, count: int, first_number: int) -> None:
        """Let the first *count* of those held under *family* be visited, in this order."""
        statement = _RELEASE.format(
            scan=self._scan, marker=self._marker, count=int(count), first=int(first_number)
        )
        self._connection.exec_driver_sql(statement, (family,))

    def waiting(self, after: int, limit: int, *, are_checks: bool) -> list[WaitingVisit]:
        """The next pages to visit behind number *after*, by the crawl or to check them."""
        statement = _WAITING.format(
            columns=", ".join(WAITING_COLUMNS),
            scan=self._scan,
            after=int(after),
            limit=int(limit),
            of_checks="IS NOT NULL" if are_checks else "IS NULL",
        )
        return [WaitingVisit(*row) for row in self._connection.exec_driver_sql(statement)]

    def add_menu(self, entries: Sequence[MenuRow]) -> None:
        """Keep the site's menu; a root that is read again has the same one."""
        for entry in entries:
            self._add_entry.run(
                self._connection, {"scan_id": self._scan_id, **dataclasses.asdict(entry)}
            )


class FactsWriter:
    """Writes what an audit asks of visited pages, within the writer's transaction."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        marker = "?" if connection.dialect.name == "sqlite" else "%s"
        names = {
            "scan": literal(scan.scan_id),
            "marker": marker,
            # PostgreSQL would take an absent number for a text.
            "markers": ", ".join(
                f"CAST({marker} AS BIGINT)" if name == "canonical_id" else marker
                for name in _FACTS_COLUMNS
            ),
            "columns": ", ".join(_FACTS_COLUMNS),
        }
        self._facts = Gathered(_ADD_FACTS.format_map(names))
        self._alternates = Gathered(_ADD_ALTERNATE.format_map(names))

    def add(self, number: int, facts: PageFactsRecord) -> None:
        """Keep the facts of the page of this visit."""
        values = (getattr(facts, name) for name in _FACTS_COLUMNS)
        row = (None if value == "" else value for value in values)
        self._facts.add((*row, facts.is_noindex, facts.canonical_id, number))
        for alternate_id, language in facts.alternates.items():
            self._alternates.add((alternate_id, language, number))

    def flush(self) -> None:
        """Write what was gathered."""
        self._facts.run(self._connection)
        self._alternates.run(self._connection)

    def forget(self) -> None:
        """After a roll-back: what was gathered belongs to what is not there."""
        self._facts.forget()
        self._alternates.forget()


class SignalWriter:
    """Writes what visited pages say of themselves, and their texts, within the transaction."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        names = {
            "site": literal(scan.site_id),
            "scan": literal(scan.scan_id),
            "marker": "?" if connection.dialect.name == "sqlite" else "%s",
        }
        self._said = Gathered(_SAY.format_map(names))
        self._texts = Gathered(_KEEP_TEXT.format_map(names))

    def say(self, record: VisitRecord) -> None:
        """Renew what the page of this visit says."""
        said = (record.language, record.declared_type, record.text_language)
        self._said.add((*(text or None for text in said), record.number))
        if record.text:
            self._texts.add((record.text_hash, pack_text(record.text), record.number))

    def flush(self) -> None:
        """Write what was gathered."""
        self._said.run(self._connection)
        self._texts.run(self._connection)

    def forget(self) -> None:
        """After a roll-back: what was gathered belongs to what is not there."""
        self._said.forget()
        self._texts.forget()
