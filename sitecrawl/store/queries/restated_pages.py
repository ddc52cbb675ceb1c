"""What sitemaps say of pages otherwise than before: lastmod, changefreq, priority."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from sitecrawl.changes.lastmod import LastmodFigures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scan_pairs import Pair

_CREATE_RESTATED: Final = """
CREATE TEMPORARY TABLE restated_pages (
    page_id BIGINT PRIMARY KEY, url TEXT, old_url TEXT, old_document_id BIGINT,
    document_id BIGINT, old_lastmod TEXT, lastmod TEXT, old_changefreq TEXT, changefreq TEXT,
    old_priority DOUBLE PRECISION, priority DOUBLE PRECISION)
"""
# A page that another document lists now may have less said of it, which is no change of the page.
_RESTATED: Final = """
INSERT INTO restated_pages
SELECT p.id, p.url, coalesce((
        SELECT named.url FROM page_versions AS named
        WHERE named.page_id = p.id AND named.until_scan_id >= was.until_scan_id
        AND named.url IS NOT NULL ORDER BY named.until_scan_id LIMIT 1), p.url),
    was.document_id, p.document_id,
    CASE WHEN {lastmod} THEN was.lastmod END, CASE WHEN {lastmod} THEN p.lastmod END,
    CASE WHEN {changefreq} THEN was.changefreq END, CASE WHEN {changefreq} THEN p.changefreq END,
    CASE WHEN {priority} THEN was.sitemap_priority END,
    CASE WHEN {priority} THEN p.sitemap_priority END
FROM (
    SELECT page_id, min(until_scan_id) AS until_scan_id FROM page_versions
    WHERE site_id = {site} AND until_scan_id > {before} AND until_scan_id <= {scan}
    GROUP BY page_id
) AS changed CROSS JOIN page_versions AS was CROSS JOIN {pages} AS p
WHERE was.page_id = changed.page_id AND was.until_scan_id = changed.until_scan_id
AND p.id = changed.page_id AND {is_of_site}
AND ({lastmod} OR {changefreq} OR {priority} OR was.document_id <> p.document_id
    OR was.url IS NOT NULL)
"""
_DIFFERS: Final = (
    "(was.{name} IS DISTINCT FROM p.{name}"
    " AND (p.{name} IS NOT NULL OR was.document_id = p.document_id))"
)
IS_RESTATED: Final = """
(r.old_lastmod IS DISTINCT FROM r.lastmod OR r.old_changefreq IS DISTINCT FROM r.changefreq
    OR r.old_priority IS DISTINCT FROM r.priority)
"""
_COUNT_RESTATED: Final = """
SELECT count(CASE WHEN {is_restated} THEN 1 END),
    count(CASE WHEN r.old_document_id <> r.document_id THEN 1 END),
    count(CASE WHEN r.old_lastmod IS DISTINCT FROM r.lastmod THEN 1 END),
    count(CASE WHEN r.lastmod IS NOT NULL AND substr(r.lastmod, 1, 10) > '{tomorrow}' THEN 1 END)
FROM restated_pages AS r
"""
_EQUAL_STAMPS: Final = """
SELECT count(*) FROM restated_pages AS r WHERE r.lastmod IS NOT NULL
GROUP BY r.lastmod ORDER BY 1 DESC LIMIT 1
"""
_NEW_URLS: Final = "SELECT r.old_url, r.url FROM restated_pages AS r WHERE r.old_url <> r.url"
_EXAMPLES: Final = "SELECT r.url FROM restated_pages AS r WHERE {condition} LIMIT {limit}"
_TEXTS_AND_STAMPS: Final = """
SELECT r.page_id IS NOT NULL AND r.lastmod IS DISTINCT FROM r.old_lastmod,
    v.text_hash IS DISTINCT FROM b.text_hash, count(*)
FROM visits AS v JOIN visits AS b ON b.page_id = v.page_id AND b.scan_id = (
    SELECT max(e.scan_id) FROM visits AS e
    WHERE e.page_id = v.page_id AND e.scan_id < {scan} AND e.text_hash IS NOT NULL)
JOIN pages AS p ON p.id = v.page_id AND p.lastmod IS NOT NULL
LEFT JOIN restated_pages AS r ON r.page_id = v.page_id
WHERE v.scan_id = {scan} AND v.text_hash IS NOT NULL AND b.text_hash IS NOT NULL
GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class Restated:
    """How many pages the documents speak of otherwise."""

    updated: int
    """By lastmod, changefreq or priority."""
    relisted: int
    """By another document."""
    figures: LastmodFigures
    new_urls: Sequence[tuple[str, str]]


def restated(connection: Connection, pair: Pair, known: int, moment: datetime) -> Restated:
    """Leaves them in the temporary table ``restated_pages``."""
    names = pair.names()
    names |= {
        "lastmod": _DIFFERS.format(name="lastmod"),
        "changefreq": _DIFFERS.format(name="changefreq"),
        "priority": _DIFFERS.format(name="sitemap_priority"),
        "is_restated": IS_RESTATED,
        "tomorrow": f"{moment + timedelta(days=1):%Y-%m-%d}",
    }
    connection.exec_driver_sql("DROP TABLE IF EXISTS restated_pages")
    for statement in (_CREATE_RESTATED, _RESTATED):
        connection.exec_driver_sql(statement.format_map(names))
    updated, relisted, changed, future = connection.exec_driver_sql(
        _COUNT_RESTATED.format_map(names)
    ).one()
    equal = connection.exec_driver_sql(_EQUAL_STAMPS).scalar() or 0
    texts: dict[tuple[bool, bool], int] = {}
    for new_stamp, new_text, number in connection.exec_driver_sql(
        _TEXTS_AND_STAMPS.format_map(names)
    ):
        texts[bool(new_stamp), bool(new_text)] = number
    figures = LastmodFigures(
        known=known,
        changed=changed,
        equal=equal,
        future=future,
        checked_same_text=texts.get((True, False), 0),
        checked_new_text=texts.get((True, True), 0),
        text_changed=texts.get((True, True), 0) + texts.get((False, True), 0),
        text_changed_silently=texts.get((False, True), 0),
    )
    rows = connection.exec_driver_sql(_NEW_URLS)
    return Restated(updated, relisted, figures, [(old, new) for old, new in rows])


def examples(connection: Connection, condition: str, limit: int) -> list[str]:
    """URLs of rows of ``restated_pages AS r`` that the condition holds for."""
    statement = _EXAMPLES.format(condition=condition, limit=int(limit))
    return list(connection.exec_driver_sql(statement).scalars())
