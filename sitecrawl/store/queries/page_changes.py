"""Reads in what pages differ between two scans that are compared.

What sitemaps say of them (lastmod, changefreq, priority), what they say of themselves when they are
visited, and where they have moved to.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import select

from sitecrawl.changes.lastmod import LastmodFigures
from sitecrawl.changes.moves import MovingPage
from sitecrawl.store import schema as t
from sitecrawl.store.queries.scan_pairs import in_lists, page_ref
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.changes.kinds import PageRef
    from sitecrawl.store.queries.scan_pairs import Pair

_CREATE_UPDATES: Final = """
CREATE TEMPORARY TABLE sitemap_updates (
    page_id BIGINT PRIMARY KEY, url TEXT, old_url TEXT, old_document_id BIGINT,
    document_id BIGINT, old_lastmod TEXT, lastmod TEXT, old_changefreq TEXT, changefreq TEXT,
    old_priority DOUBLE PRECISION, priority DOUBLE PRECISION)
"""
# A page that another document lists now may have more or less said of it than by the one before,
# such as a link and a sitemap, which is no change of the page.
_FIND_UPDATES: Final = """
INSERT INTO sitemap_updates
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
    " AND (was.document_id = p.document_id"
    " OR (was.{name} IS NOT NULL AND p.{name} IS NOT NULL)))"
)
IS_UPDATED: Final = """
(r.old_lastmod IS DISTINCT FROM r.lastmod OR r.old_changefreq IS DISTINCT FROM r.changefreq
    OR r.old_priority IS DISTINCT FROM r.priority)
"""
_COUNT_UPDATES: Final = """
SELECT count(CASE WHEN {is_updated} THEN 1 END),
    count(CASE WHEN r.old_document_id <> r.document_id THEN 1 END),
    count(CASE WHEN r.old_lastmod IS DISTINCT FROM r.lastmod THEN 1 END),
    count(CASE WHEN r.lastmod IS NOT NULL AND substr(r.lastmod, 1, 10) > '{tomorrow}' THEN 1 END)
FROM sitemap_updates AS r
"""
_EQUAL_STAMPS: Final = """
SELECT count(*) FROM sitemap_updates AS r WHERE r.lastmod IS NOT NULL
GROUP BY r.lastmod ORDER BY 1 DESC LIMIT 1
"""
_NEW_URLS: Final = "SELECT r.old_url, r.url FROM sitemap_updates AS r WHERE r.old_url <> r.url"
_EXAMPLES: Final = "SELECT r.url FROM sitemap_updates AS r WHERE {condition} LIMIT {limit}"
_TEXTS_AND_STAMPS: Final = """
SELECT r.page_id IS NOT NULL AND r.lastmod IS DISTINCT FROM r.old_lastmod,
    v.text_hash IS DISTINCT FROM b.text_hash, count(*)
FROM visits AS v JOIN visits AS b ON b.page_id = v.page_id AND b.scan_id = (
    SELECT max(e.scan_id) FROM visits AS e
    WHERE e.page_id = v.page_id AND e.scan_id < {scan} AND e.text_hash IS NOT NULL)
JOIN pages AS p ON p.id = v.page_id AND p.lastmod IS NOT NULL
LEFT JOIN sitemap_updates AS r ON r.page_id = v.page_id
WHERE v.scan_id = {scan} AND v.text_hash IS NOT NULL AND b.text_hash IS NOT NULL
GROUP BY 1, 2
"""


@dataclass(frozen=True, slots=True)
class SitemapUpdates:
    """How many pages the documents speak of otherwise."""

    updated: int
    """By lastmod, changefreq or priority."""
    relisted: int
    """By another document."""
    figures: LastmodFigures
    new_urls: Sequence[tuple[str, str]]


def sitemap_updates(
    connection: Connection, pair: Pair, known: int, moment: datetime
) -> SitemapUpdates:
    """Leaves them in the temporary table ``sitemap_updates``."""
    names = pair.names()
    names |= {
        "lastmod": _DIFFERS.format(name="lastmod"),
        "changefreq": _DIFFERS.format(name="changefreq"),
        "priority": _DIFFERS.format(name="sitemap_priority"),
        "is_updated": IS_UPDATED,
        "tomorrow": f"{moment + timedelta(days=1):%Y-%m-%d}",
    }
    connection.exec_driver_sql("DROP TABLE IF EXISTS sitemap_updates")
    for statement in (_CREATE_UPDATES, _FIND_UPDATES):
        connection.exec_driver_sql(statement.format_map(names))
    updated, relisted, changed, future = connection.exec_driver_sql(
        _COUNT_UPDATES.format_map(names)
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
    return SitemapUpdates(updated, relisted, figures, [(old, new) for old, new in rows])


def examples(connection: Connection, condition: str, limit: int) -> list[str]:
    """URLs of rows of ``sitemap_updates AS r`` that the condition holds for."""
    statement = _EXAMPLES.format(condition=condition, limit=int(limit))
    return list(connection.exec_driver_sql(statement).scalars())


_STATUS: Final = """
CASE WHEN {v}.reason = 'soft_404' THEN 404 ELSE (
    SELECT f.status FROM fetches AS f
    WHERE f.document_id = {v}.document_id AND f.scan_id = {v}.scan_id ORDER BY f.id DESC LIMIT 1
) END
"""
_VISIT_FIELDS: Final = {
    "redirect_target": "{v}.redirect_target",
    "title": "{v}.title",
    "canonical": "{v}.canonical",
    "text": "{v}.text_hash",
    "h1": "{v}f.h1",
    "description": "{v}f.description",
    "robots_meta": "{v}f.robots_meta",
    "robots_header": "{v}f.robots_header",
    "hreflang": "{v}f.alternates_hash",
    "indexable": "{v}f.is_indexable",
}
_COMPARED: Final = """
SELECT {ref}, v.reason, {columns}
FROM visits AS v JOIN visits AS b ON b.page_id = v.page_id AND b.scan_id = (
    SELECT max(e.scan_id) FROM visits AS e
    WHERE e.page_id = v.page_id AND e.scan_id < {scan} AND e.outcome IS NOT NULL
    AND e.outcome NOT IN ({not_answered}))
JOIN pages AS p ON p.id = v.page_id
LEFT JOIN page_facts AS vf ON vf.scan_id = v.scan_id AND vf.page_id = v.page_id
LEFT JOIN page_facts AS bf ON bf.scan_id = b.scan_id AND bf.page_id = b.page_id
{class}
WHERE v.scan_id = {scan} AND v.outcome IS NOT NULL AND v.outcome NOT IN ({not_answered})
AND b.outcome IS NOT NULL
AND (v.outcome <> b.outcome OR coalesce(v.reason, '') <> coalesce(b.reason, '') OR {differs})
ORDER BY p.number, v.id, b.id
"""


class VisitChange(NamedTuple):
    """A visited page that is not what it was when it answered last."""

    page: PageRef
    reason: str | None
    """Why it is no page after all."""
    before: dict[str, Any]
    after: dict[str, Any]


def changed_visits(connection: Connection, pair: Pair) -> Iterator[VisitChange]:
    """Each page once, with the fields that differ; content only where both visits read it."""
    columns = [_STATUS.format(v=visit) for visit in "bv"]
    columns += [f"{visit}f.page_id IS NOT NULL" for visit in "bv"]
    columns += [sql.format(v=visit) for sql in _VISIT_FIELDS.values() for visit in "bv"]
    differs = " OR ".join(
        f"{sql.format(v='v')} IS DISTINCT FROM {sql.format(v='b')}"
        for sql in _VISIT_FIELDS.values()
    )
    names = pair.names() | {
        "columns": ", ".join(columns),
        "differs": differs,
    }
    last_id = None
    for row in connection.exec_driver_sql(_COMPARED.format_map(names)):
        page = page_ref(row)
        if page.id == last_id:
            continue
        last_id = page.id
        before, after = _visit_difference(row[8:])
        if before or after:
            yield VisitChange(page, row[7], before, after)


def _visit_difference(values: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    old_status, new_status, old_is_read, new_is_read, *fields = values
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    if old_status != new_status:
        before["status"], after["status"] = old_status, new_status
    for index, name in enumerate(_VISIT_FIELDS):
        old, new = fields[2 * index : 2 * index + 2]
        is_comparable = name == "redirect_target" or (old_is_read and new_is_read)
        if old != new and is_comparable:
            if name == "indexable":
                old, new = bool(old), bool(new)
            before[name], after[name] = old, new
    return before, after


_ADDED: Final = """
SELECT {ref}, p.document_id, p.number, p.title FROM {pages} AS p {class}
WHERE p.site_id = {site} AND p.number > {earlier} AND p.first_scan_id <= {scan}
AND NOT EXISTS (
    SELECT 1 FROM page_absences AS absent
    WHERE absent.page_id = p.id AND absent.from_scan_id <= {scan}
    AND (absent.until_scan_id IS NULL OR absent.until_scan_id > {scan}))
AND ({is_of_site} OR p.reason = '{offsite}')
ORDER BY p.number
"""


class AddedPage(NamedTuple):
    page: PageRef
    document_id: int
    is_new: bool
    """Otherwise the comparison before has told of it."""
    title: str


def added_pages(connection: Connection, pair: Pair) -> list[AddedPage]:
    """Pages that the scan knows and the one before did not, and those of the comparison before.

    Pages of other hosts are among them.
    """
    names = pair.names() | {
        "earlier": str(int(pair.earlier_page_number)),
        "offsite": Reason.OFFSITE.value,
    }
    rows = connection.exec_driver_sql(_ADDED.format_map(names))
    return [
        AddedPage(page_ref(row), row[7], row[8] > pair.last_page_number, row[9] or "")
        for row in rows
    ]


_LAST_VISITS: Final = """
SELECT v.page_id, v.text_hash, v.fingerprint, v.title FROM visits AS v
WHERE v.page_id IN ({ids}) AND v.scan_id <= {scan} AND v.outcome IN ('ok', 'not_modified')
AND v.reason IS NULL
ORDER BY v.page_id, v.scan_id
"""


def visited_texts(
    connection: Connection, pair: Pair, ids: Iterable[int]
) -> dict[int, tuple[str, int | None, str]]:
    """By page, the hash of its text, its fingerprint and its title when it last answered."""
    found: dict[int, tuple[str, int | None, str]] = {}
    for some in in_lists(ids):
        statement = _LAST_VISITS.format(ids=some, scan=int(pair.scan.id))
        for page_id, text_hash, fingerprint, title in connection.exec_driver_sql(statement):
            found[page_id] = text_hash or "", fingerprint, title or ""
    return found


_URLS_AT_ONCE: Final = 500


def pages_of_urls(connection: Connection, site_id: int, urls: Iterable[str]) -> dict[str, int]:
    """The ids of pages by the exact URLs that are asked for."""
    wanted = sorted(set(urls))
    found: dict[str, int] = {}
    for first in range(0, len(wanted), _URLS_AT_ONCE):
        some = wanted[first : first + _URLS_AT_ONCE]
        is_one = (t.pages.c.site_id == site_id) & t.pages.c.url.in_(some)
        rows = connection.execute(select(t.pages.c.id, t.pages.c.url).where(is_one))
        found |= {row.url: row.id for row in rows}
    return found


def moving_page(
    page: PageRef,
    title: str,
    texts: Mapping[int, tuple[str, int | None, str]],
    redirects_to: int | None = None,
    canonical_id: int | None = None,
) -> MovingPage:
    text_hash, fingerprint, own_title = texts.get(page.id, ("", None, ""))
    return MovingPage(
        page.id,
        page.url,
        page.template,
        page.type,
        title or own_title,
        text_hash,
        fingerprint,
        redirects_to,
        canonical_id,
    )
