"""Keeps what later scans write over: versions of pages, and the intervals without them.

Versions are written by the statements that merge pages, just before them and from the same rows,
so that a scan which finds what is stored already writes none. Of several statements of one scan
the first one keeps what was there before that scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.store.schema.history import VERSIONED_COLUMNS
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.store.writers.bulk import literal

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import ScanHandle

_KEEP: Final = """
INSERT INTO page_versions (page_id, until_scan_id, site_id, {columns}, url, title)
SELECT pages.id, {{scan}}, {{site}}, {old}, {url}, {title}
{rows} AND pages.first_scan_id < {{scan}} AND ({differs})
ON CONFLICT (page_id, until_scan_id) {conflict}
"""
_COMPLETE: Final = """
DO UPDATE SET url = coalesce(page_versions.url, excluded.url),
    title = coalesce(page_versions.title, excluded.title)
"""


def keep_versions(rows: str, differs: str, new_url: str = "", new_title: str = "") -> str:
    """SQL with ``{scan}`` and ``{site}`` that keeps what *rows* are about to change.

    *rows* joins ``pages`` and ends with a condition; *differs* says which of them change. Where
    *new_url* or *new_title* are given, *rows* must have each page once.
    """
    return _KEEP.format(
        rows=rows,
        differs=differs,
        columns=", ".join(VERSIONED_COLUMNS),
        old=", ".join(f"pages.{name}" for name in VERSIONED_COLUMNS),
        url=f"CASE WHEN {new_url} <> pages.url THEN pages.url END" if new_url else "NULL",
        title=(
            f"CASE WHEN {new_title} IS DISTINCT FROM pages.title THEN coalesce(pages.title, '') END"
            if new_title
            else "NULL"
        ),
        conflict=_COMPLETE if new_url or new_title else "DO NOTHING",
    )


# A scan that was killed has renewed documents, too, and its pages were not looked at.
_LAST_ENDED: Final = """
SELECT coalesce(max(id), 0) FROM scans
WHERE site_id = {site} AND id < {scan} AND status IN ({ended_well})
"""
_IS_RENEWED: Final = "site_id = {site} AND (gone_scan_id > {since} OR content_scan_id > {since})"
_COUNT_RENEWED: Final = """
SELECT count(*), count(CASE WHEN kind <> 'page' THEN 1 END)
FROM documents WHERE kind <> 'robots_txt' AND {is_renewed}
"""
_IS_CURRENT: Final = """
EXISTS (
    SELECT 1 FROM documents AS d WHERE d.id = p.document_id AND d.gone_scan_id IS NULL
    AND p.seen_scan_id >= coalesce(d.content_scan_id, 0))
"""
_BEGIN: Final = """
INSERT INTO page_absences (page_id, from_scan_id, site_id)
SELECT p.id, {scan}, {site} FROM pages AS p
WHERE p.site_id = {site} AND {sources} AND p.seen_scan_id < {scan}
AND p.document_id IN (SELECT id FROM documents WHERE {is_renewed})
AND NOT {is_current}
AND NOT EXISTS (
    SELECT 1 FROM page_absences AS known
    WHERE known.page_id = p.id AND known.until_scan_id IS NULL)
ON CONFLICT (page_id, from_scan_id) DO UPDATE SET until_scan_id = NULL
"""
_IS_BACK: Final = """
site_id = {site} AND until_scan_id IS NULL AND EXISTS (
    SELECT 1 FROM pages AS p WHERE p.id = page_absences.page_id AND {is_current})
"""
_FORGET: Final = "DELETE FROM page_absences WHERE from_scan_id = {scan} AND {is_back}"
_END: Final = "UPDATE page_absences SET until_scan_id = {scan} WHERE {is_back}"


def record_absences(connection: Connection, scan: ScanHandle) -> None:
    """Note which pages no document lists any more, and which are listed again.

    To be called when every page whose own mention is stale has taken over a current one, if there
    is any.
    """
    names = {
        "site": literal(scan.site_id),
        "scan": literal(scan.scan_id),
        "ended_well": ", ".join(map(literal, ENDED_WELL)),
        "is_current": _IS_CURRENT,
    }
    since = connection.exec_driver_sql(_LAST_ENDED.format_map(names)).scalar_one()
    names["since"] = literal(since)
    for name, sql in (("is_renewed", _IS_RENEWED), ("is_back", _IS_BACK)):
        names[name] = sql.format_map(names)
    renewed, sitemaps = connection.exec_driver_sql(_COUNT_RENEWED.format_map(names)).one()
    if not renewed:
        return
    # What sitemaps list is found only by reading all pages; the rest has an index.
    sources = ["p.source <> 'sitemap'", *(["p.source = 'sitemap'"] if sitemaps else [])]
    for condition in sources:
        connection.exec_driver_sql(_BEGIN.format_map(names | {"sources": condition}))
    for statement in (_FORGET, _END):
        connection.exec_driver_sql(statement.format_map(names))
