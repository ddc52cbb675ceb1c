"""Which pages a scan checks, in which order, and how the last check of a page ended.

1. Pages that the scan before had and that nothing lists any more, although what listed them was
   read completely in this scan, or is gone; those with the highest priority first.
2. With up to half of what is left, pages that are missing or unknown since an earlier scan
   (``page_presence``), those with the oldest check first.
3. The rest goes around among the listed pages, and those that are unlisted but answer. The next one
   is always that with the largest product of

   - its age: scans of the site since its last visit, or since it was first seen;
   - its weight: 2 ** (10 * priority), so that each tenth of priority doubles how often a page is
     checked. Pages of the menu count as priority 1, pages without a class as priority 0.5.

Every page's age grows until it is its turn. Of equal ones those that were never checked come first,
then those that were seen first. The choice depends on nothing but the database.

Pages that the scan has visited, that a rule or robots.txt does not allow, or that are read as
another kind of document (a sitemap) are not checked. What an earlier visit has found (not found,
redirected) is checked again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import case, func, literal_column, select

from sitecrawl.items import DocumentKind
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.schema import documents, fetches, visits
from sitecrawl.store.vocabulary import CheckCause
from sitecrawl.store.writers.bulk import literal
from sitecrawl.urls.refusal import FOUND_BY_VISIT, Reason

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

_HIGHEST: Final = 10
_UNCLASSIFIED: Final = 5
_PAGES_AT_ONCE: Final = 1_000

# The documents that this scan has found changed or gone, and the oldest scan whose mentions counted
# until then.
_DROPPING: Final = """
dropping AS MATERIALIZED (
    SELECT d.id, coalesce(CASE WHEN d.gone_scan_id = {scan} THEN d.content_scan_id ELSE (
        SELECT max(earlier.scan_id) FROM fetches AS earlier
        WHERE earlier.document_id = d.id AND earlier.complete AND earlier.scan_id < {scan}
    ) END, 0) AS since
    FROM documents AS d
    WHERE d.site_id = {site} AND d.first_scan_id < {scan}
    AND (d.gone_scan_id = {scan} OR (d.content_scan_id = {scan} AND d.gone_scan_id IS NULL)))
"""
_IS_WANTED: Final = """
(p.reason IS NULL OR p.reason IN ({reasons}))
AND coalesce(p.verdict_id, 0) NOT IN (
    SELECT id FROM verdicts WHERE site_id = {site} AND NOT allowed)
AND p.id NOT IN (SELECT page_id FROM visits WHERE scan_id = {scan} AND outcome IS NOT NULL)
"""
_EXPONENT: Final = """
CASE WHEN p.importance IS NOT NULL THEN {highest}
    ELSE coalesce(CAST(round(k.priority * {highest}) AS BIGINT), {unclassified}) END
"""
# Cross joins keep the order. What a sitemap lists is not found by its document, so that all pages
# are read once; what pages link to is (ix_pages_document_id).
_ALL_PAGES: Final = "pages AS p CROSS JOIN dropping"
_LINKED_PAGES: Final = "dropping CROSS JOIN pages AS p"
_IS_LINKED: Final = "AND p.source <> 'sitemap'"
_DROPPING_KINDS: Final = """
WITH {dropping}
SELECT DISTINCT d.kind FROM dropping JOIN documents AS d ON d.id = dropping.id
"""
_MISSING: Final = """
WITH {dropping}
SELECT p.id, p.url
FROM {tables}
LEFT JOIN page_classes AS pc ON pc.page_number = p.number
LEFT JOIN classes AS k ON k.id = pc.class_id
WHERE p.document_id = dropping.id AND p.site_id = {site} {is_linked}
AND p.seen_scan_id < {scan} AND p.seen_scan_id >= dropping.since
AND {is_wanted}
AND NOT EXISTS (
    SELECT 1 FROM other_mentions AS other JOIN documents AS d ON d.id = other.document_id
    WHERE other.page_id = p.id AND d.gone_scan_id IS NULL
    AND other.scan_id >= coalesce(d.content_scan_id, 0))
ORDER BY {exponent} DESC, p.number LIMIT {limit}
"""
_UNSETTLED: Final = """
SELECT p.id, p.url
FROM page_presence AS presence JOIN pages AS p ON p.id = presence.page_id
WHERE presence.site_id = {site} AND presence.state IN ('missing', 'unknown') AND {is_wanted}
ORDER BY coalesce(p.checked_scan_id, 0), p.number LIMIT {limit}
"""
_DUE: Final = """
WITH turns AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY id) AS turn FROM scans WHERE site_id = {site}),
unlisted AS MATERIALIZED (
    SELECT page_id FROM page_presence WHERE site_id = {site} AND state = 'unlisted')
SELECT p.id, p.url
FROM pages AS p
LEFT JOIN page_classes AS pc ON pc.page_number = p.number
LEFT JOIN classes AS k ON k.id = pc.class_id
LEFT JOIN turns AS last ON last.id = p.checked_scan_id
LEFT JOIN turns AS first ON first.id = p.first_scan_id
WHERE p.site_id = {site} AND ({own_counts} OR p.id IN (SELECT page_id FROM unlisted))
AND {is_wanted}
ORDER BY
    ((SELECT max(turn) FROM turns) - coalesce(last.turn, first.turn - 1, 0))
    << CAST({exponent} AS INTEGER) DESC,
    p.checked_scan_id IS NOT NULL, p.number
LIMIT {limit}
"""
_OF_DIVE: Final = """
SELECT p.id, p.url
FROM dive_pages AS chosen JOIN pages AS p ON p.id = chosen.page_id
WHERE chosen.dive_id = {dive} AND p.site_id = {site} AND {is_wanted}
ORDER BY p.number
"""


class DuePage(NamedTuple):
    """A page that a scan is to check, and why."""

    page_id: int
    url: str
    cause: CheckCause


def missing_pages(connection: Connection, scan: Scan, limit: int) -> list[DuePage]:
    """Pages that were listed until this scan; those with the highest priority first.

    Documents that are gone have to be marked.
    """
    names = _names(scan, limit)
    kinds = set(connection.exec_driver_sql(_DROPPING_KINDS.format_map(names)).scalars())
    if not kinds:
        return []
    is_of_pages = kinds == {DocumentKind.PAGE.value}
    names["tables"] = _LINKED_PAGES if is_of_pages else _ALL_PAGES
    names["is_linked"] = _IS_LINKED if is_of_pages else ""
    return _pages(connection, scan, _MISSING.format_map(names), CheckCause.MISSING)


def unsettled_pages(connection: Connection, scan: Scan, limit: int) -> list[DuePage]:
    """Pages of which earlier scans could not tell whether they are removed."""
    statement = _UNSETTLED.format_map(_names(scan, limit))
    return _pages(connection, scan, statement, CheckCause.MISSING)


def dive_pages_of(connection: Connection, scan: Scan, dive_id: int) -> list[DuePage]:
    """The pages that a dive of the site wants to have fetched; files that scans skip, too."""
    names = _names(scan, 0, FOUND_BY_VISIT | {Reason.SKIPPED_FILE_TYPE})
    statement = _OF_DIVE.format_map(names | {"dive": str(int(dive_id))})
    return _pages(connection, scan, statement, CheckCause.DIVE)


def due_pages(connection: Connection, scan: Scan, limit: int) -> list[DuePage]:
    """The next pages of the rotation."""
    statement = _DUE.format_map(_names(scan, limit))
    return _pages(connection, scan, statement, CheckCause.ROTATION)


def _names(scan: Scan, limit: int, reasons: frozenset[Reason] = FOUND_BY_VISIT) -> dict[str, str]:
    """*reasons*: refused pages that are wanted nevertheless."""
    names = membership(scan) | {
        "limit": str(int(limit)),
        "highest": str(_HIGHEST),
        "unclassified": str(_UNCLASSIFIED),
        "reasons": ", ".join(map(literal, sorted(reasons))),
    }
    for name, part in (
        ("dropping", _DROPPING),
        ("is_wanted", _IS_WANTED),
        ("exponent", _EXPONENT),
    ):
        names[name] = part.format_map(names)
    return names


def _pages(connection: Connection, scan: Scan, statement: str, cause: CheckCause) -> list[DuePage]:
    """What the statement finds, without addresses that are read as sitemaps or the like."""
    found = connection.exec_driver_sql(statement)
    due = [DuePage(page_id, url, cause) for page_id, url in found]
    is_other = (documents.c.site_id == scan.site_id) & (documents.c.kind != DocumentKind.PAGE)
    others: set[str] = set()
    for first in range(0, len(due), _PAGES_AT_ONCE):
        urls = [page.url for page in due[first : first + _PAGES_AT_ONCE]]
        named = select(documents.c.url).where(is_other, documents.c.url.in_(urls))
        others.update(connection.scalars(named))
    return [page for page in due if page.url not in others]


class LastCheck(NamedTuple):
    """How the last visit of a page ended, by a crawl or by a check."""

    scan_id: int
    cause: str | None
    """Why it was checked; None: a crawl visited it."""
    outcome: str
    reason: str | None
    """Why it is no page after all."""
    status: int | None
    error: str | None
    redirect_target: str | None
    checked_at: datetime | None


def last_check(database: Database, page_id: int) -> LastCheck | None:
    """The newest visit that was made of a page; None: none was."""
    with database.reading() as connection:
        return last_check_of(connection, page_id)


def last_check_of(connection: Connection, page_id: int) -> LastCheck | None:
    """As :func:`last_check`, on an open connection."""
    statement = (
        select(
            *(visits.c[name] for name in ("scan_id", "checked_for", "outcome", "reason")),
            *(fetches.c[name] for name in ("status", "error")),
            visits.c.redirect_target,
            fetches.c.fetched_at,
        )
        .join_from(
            visits,
            fetches,
            (fetches.c.document_id == visits.c.document_id)
            & (fetches.c.scan_id == visits.c.scan_id),
            isouter=True,
        )
        .where(visits.c.page_id == page_id, visits.c.outcome.is_not(None))
        .order_by(visits.c.scan_id.desc(), visits.c.id.desc(), fetches.c.id.desc())
        .limit(1)
    )
    row = connection.execute(statement).first()
    return LastCheck._make(row) if row else None


def check_results(connection: Connection, scan_id: int) -> dict[str, int]:
    """How many checks of the scan ended so, by what ``ScanCounters.checks`` counts."""
    is_error_page = visits.c.reason == Reason.SOFT_404
    result = case((is_error_page, literal_column(f"'{Reason.SOFT_404}'")), else_=visits.c.outcome)
    statement = (
        select(result, func.count())
        .where(
            visits.c.scan_id == scan_id,
            visits.c.checked_for.is_not(None),
            visits.c.outcome.is_not(None),
        )
        .group_by(result)
    )
    return {row[0]: row[1] for row in connection.execute(statement)}
