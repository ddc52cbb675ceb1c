"""At the end of a crawl: what the visits say goes into the pages.

Until then the pages of a first scan have no index, so that they can only be appended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from sitecrawl.store.tables import sites, visits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.store.records import ScanHandle

_WRITTEN_COLUMNS = {"importance", "title", "language", "category", "reason", "rule"}

# The first page with a text is the original of the others.
_MARK_DUPLICATES = """
UPDATE visits SET duplicate_of = original.page_id
FROM (
    SELECT page_id, folded_hash, row_number() OVER (
        PARTITION BY folded_hash ORDER BY number) AS place
    FROM visits WHERE scan_id = {scan} AND folded_hash IS NOT NULL AND reason IS NULL
) AS original
WHERE original.place = 1 AND visits.scan_id = {scan}
AND visits.folded_hash = original.folded_hash AND visits.page_id <> original.page_id
AND visits.reason IS NULL
"""

_CUT_HELD = """
UPDATE visits SET reason = {place}, rule = family
WHERE scan_id = {scan} AND number IS NULL AND family = {place}
"""

_APPLY_VISITS = """
UPDATE pages SET
    title = coalesce(v.title, pages.title),
    language = coalesce(v.language, pages.language),
    category = coalesce(v.category, pages.category),
    reason = coalesce(v.reason, pages.reason),
    rule = coalesce(v.rule, pages.rule)
FROM visits AS v
WHERE v.scan_id = {scan} AND pages.id = v.page_id
AND (v.title IS NOT NULL OR v.language IS NOT NULL OR v.category IS NOT NULL
    OR v.reason IS NOT NULL)
"""

_APPLY_MENU = """
UPDATE pages SET importance = 1.0, title = coalesce(pages.title, m.title)
FROM (
    SELECT page_id, title, row_number() OVER (PARTITION BY page_id ORDER BY position) AS place
    FROM menu_entries WHERE scan_id = {scan}
) AS m
WHERE m.place = 1 AND pages.id = m.page_id
"""

_UNCUT_PAGES = """
UPDATE pages SET reason = NULL, rule = NULL
FROM visits AS v
WHERE v.scan_id = {scan} AND v.number IS NULL AND v.reason IS NOT NULL AND pages.id = v.page_id
"""
_UNCUT_HELD = """
UPDATE visits SET reason = NULL, rule = NULL WHERE scan_id = {scan} AND number IS NULL
"""


def settle_crawl(connection: Connection, scan: ScanHandle, cut: Mapping[str, str]) -> None:
    """Write down what the crawl found out; *cut* are the patterns it gave up, with the reason."""
    ids = {"scan": int(scan.scan_id), "place": _place(connection)}
    has_visits = select(visits.c.id).where(visits.c.scan_id == scan.scan_id).limit(1)
    if connection.execute(has_visits).first() is None:
        return
    for family, reason in cut.items():
        connection.exec_driver_sql(_CUT_HELD.format_map(ids), (reason, family))
    for statement in (_MARK_DUPLICATES, _APPLY_VISITS, _APPLY_MENU):
        connection.exec_driver_sql(statement.format_map(ids))
    own = sites.c.id == scan.site_id
    written = connection.scalars(select(sites.c.page_columns).where(own)).one()
    names = sorted({*written, *_WRITTEN_COLUMNS})
    connection.execute(update(sites).where(own).values(page_columns=names))


def unsettle_crawl(connection: Connection, scan: ScanHandle) -> None:
    """Before a crawl goes on: what was given up may be visited after all."""
    for statement in (_UNCUT_PAGES, _UNCUT_HELD):
        connection.exec_driver_sql(statement.format(scan=int(scan.scan_id)))


def _place(connection: Connection) -> str:
    return "?" if connection.dialect.name == "sqlite" else "%s"
