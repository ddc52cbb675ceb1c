"""What is done at the end of a scan, before it counts as ended.

Mentions, when the site had pages before:

- A further mention that its document has repeated at another position is removed; one that its
  document has dropped stays as history.
- Documents that are no longer part of the site are marked (``gone.py``).
- A page whose own mention is stale, or belongs to a document that is no longer part of the site,
  takes over a current one. Without this, a site that renames its sitemaps every day would add a
  mention per page and day.
- Pages that no document lists any more, or again, get their intervals (``history.py``).

The crawl: what visits found out goes into the pages. Until then the pages of a first scan have no
index, so that they can only be appended. Links to each page are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, func, select, update

from sitecrawl.html.links import Region
from sitecrawl.items import CHECK, DocumentKind, FetchOutcome
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.schema import page_facts, sites, visits
from sitecrawl.store.writers.bulk import insert_columns, literal
from sitecrawl.store.writers.gone import mark_gone
from sitecrawl.store.writers.history import keep_versions, record_absences
from sitecrawl.store.writers.index_pages import merge_index_pages
from sitecrawl.store.writers.mentions import remove_unused_contexts
from sitecrawl.urls.address import resolve
from sitecrawl.urls.canonical import KeyRules, page_key
from sitecrawl.urls.redirects import endless_redirects, shown_chain
from sitecrawl.urls.refusal import FOUND_BY_CRAWL, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.writers.records import ScanHandle

_REMOVE_SUPERSEDED = """
DELETE FROM other_mentions
WHERE scan_id < {scan}
AND document_id IN (
    SELECT id FROM documents WHERE site_id = {site} AND content_scan_id = {scan})
AND (
    EXISTS (
        SELECT 1 FROM other_mentions AS newer
        WHERE newer.page_id = other_mentions.page_id
        AND newer.document_id = other_mentions.document_id AND newer.scan_id = {scan})
    OR EXISTS (
        SELECT 1 FROM pages
        WHERE pages.id = other_mentions.page_id
        AND pages.document_id = other_mentions.document_id AND pages.seen_scan_id = {scan}))
"""

_ANY_EMPTIED = """
SELECT 1 FROM documents
WHERE site_id = {site} AND content_scan_id = {scan} AND entries = 0 AND first_scan_id < {scan}
AND found_by <> {check}
LIMIT 1
"""

_CREATE_PROMOTED = """
CREATE TEMPORARY TABLE promoted (
    document_id BIGINT, position INTEGER, page_id BIGINT, source TEXT, lastmod TEXT, details TEXT,
    scan_id BIGINT, region TEXT, anchor TEXT, rel TEXT, path TEXT, changefreq TEXT,
    sitemap_priority DOUBLE PRECISION)
"""

# Only a document that was read more than once, or is gone, can have left pages behind. Those are
# few, so their further mentions are looked up: a cross join, as SQLite would otherwise look at all
# further mentions of the site. Documents are asked for, not joined: where its statistics know few,
# SQLite would go through all of them for each page.
_FIND_PROMOTED = """
INSERT INTO promoted
SELECT document_id, position, page_id, source, lastmod, details, scan_id, region, anchor, rel, path,
    changefreq, sitemap_priority
FROM (
    SELECT m.*, pages.number, row_number() OVER (
        PARTITION BY m.page_id ORDER BY m.document_id, m.position) AS rank
    FROM pages CROSS JOIN further_mentions AS m
    WHERE pages.document_id IN (
        SELECT id FROM documents
        WHERE site_id = {site}
        AND (content_scan_id > first_scan_id OR gone_scan_id IS NOT NULL))
    AND EXISTS (
        SELECT 1 FROM documents AS own WHERE own.id = pages.document_id
        AND (pages.seen_scan_id < coalesce(own.content_scan_id, 0)
             OR own.gone_scan_id IS NOT NULL))
    AND m.page_id = pages.id
    AND EXISTS (
        SELECT 1 FROM documents AS named
        WHERE named.id = m.document_id AND named.gone_scan_id IS NULL
        AND m.scan_id >= coalesce(named.content_scan_id, 0))
) AS candidates
WHERE rank = 1
ORDER BY number
"""

_KEEP_PROMOTED = keep_versions(
    "FROM promoted JOIN pages ON pages.id = promoted.page_id WHERE 1 = 1", differs="1 = 1"
)
_PROMOTE = """
UPDATE pages SET
    document_id = promoted.document_id, position = promoted.position, source = promoted.source,
    lastmod = promoted.lastmod, details = promoted.details, changefreq = promoted.changefreq,
    sitemap_priority = promoted.sitemap_priority, seen_scan_id = promoted.scan_id,
    region = promoted.region, anchor = promoted.anchor, rel = promoted.rel, path = promoted.path
FROM promoted WHERE pages.id = promoted.page_id
"""

_REMOVE_PROMOTED = """
DELETE FROM other_mentions WHERE (document_id, position, page_id) IN (
    SELECT document_id, position, page_id FROM promoted)
"""

# From the part of a page that matters most to the one that matters least.
_REGIONS: Final = (
    *(Region.NAVIGATION, Region.HEADER, Region.BREADCRUMB, Region.CONTENT),
    *(Region.ASIDE, Region.PAGINATION, Region.FOOTER),
)

_FORGET_LINKS = """
UPDATE page_signals SET inlinks = NULL, link_region = NULL
WHERE site_id = {site} AND inlinks IS NOT NULL
"""

# A page that links to another twice counts once.
_COUNT_LINKS = """
INSERT INTO page_signals (page_id, site_id, inlinks, link_region)
SELECT page_id, {site}, count(DISTINCT document_id), CASE min(rank) {names} END
FROM (
    SELECT p.id AS page_id, p.document_id, CASE p.region {ranks} END AS rank
    FROM pages AS p
    JOIN documents AS linking ON linking.id = p.document_id AND linking.kind = {page}
    WHERE p.site_id = {site} AND {own_counts}
    UNION ALL
    SELECT other.page_id, other.document_id, CASE other.region {ranks} END
    FROM further_mentions AS other
    JOIN documents AS linking ON linking.id = other.document_id
        AND linking.site_id = {site} AND linking.kind = {page}
    WHERE {other_counts}
) AS links
GROUP BY page_id
ON CONFLICT (page_id) DO UPDATE SET inlinks = excluded.inlinks, link_region = excluded.link_region
"""


def finalize_mentions(
    connection: Connection, scan: ScanHandle, *, wrote_pages: bool, is_exhaustive: bool
) -> None:
    """Put the mentions in order; *is_exhaustive*: the crawl has visited all that it could."""
    ids = {"site": scan.site_id, "scan": scan.scan_id, "check": f"'{CHECK}'"}
    has_gone = mark_gone(connection, scan, is_exhaustive=is_exhaustive)
    # A document that has become empty writes no page, and drops all of its own.
    has_emptied = connection.exec_driver_sql(_ANY_EMPTIED.format_map(ids)).first() is not None
    if not wrote_pages and not has_gone and not has_emptied:
        return
    connection.exec_driver_sql(_REMOVE_SUPERSEDED.format_map(ids))
    connection.exec_driver_sql(_CREATE_PROMOTED)
    for statement in (_FIND_PROMOTED, _KEEP_PROMOTED, _PROMOTE, _REMOVE_PROMOTED):
        connection.exec_driver_sql(statement.format_map(ids))
    connection.exec_driver_sql("DROP TABLE promoted")
    remove_unused_contexts(connection, scan)
    record_absences(connection, scan)


_OF_CRAWL = visits.c.checked_for.is_(None)
_OF_REDIRECTS = (Reason.REDIRECTED, Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS)
_THEN = " -> "

# The first page with a text is the original of the others. Tables with keys: joins of the visits
# with themselves would take a time that grows with the square of their number.
_CREATE_ORIGINALS = """
CREATE TEMPORARY TABLE originals (text_hash TEXT PRIMARY KEY, page_id BIGINT)
"""
_FIND_ORIGINALS = """
INSERT INTO originals
SELECT text_hash, page_id FROM (
    SELECT page_id, text_hash, row_number() OVER (
        PARTITION BY text_hash ORDER BY number) AS rank
    FROM visits WHERE scan_id = {scan} AND text_hash IS NOT NULL AND reason IS NULL
) AS ordered WHERE rank = 1
"""
_MARK_DUPLICATES = """
UPDATE visits SET duplicate_of = originals.page_id
FROM originals
WHERE visits.scan_id = {scan} AND visits.reason IS NULL
AND visits.text_hash = originals.text_hash AND visits.page_id <> originals.page_id
"""

_CREATE_CUT = "CREATE TEMPORARY TABLE cut (family TEXT PRIMARY KEY, reason TEXT)"
_CUT_HELD = """
UPDATE visits SET reason = cut.reason, rule = cut.family
FROM cut
WHERE visits.scan_id = {scan} AND visits.number IS NULL AND visits.family = cut.family
"""
_CREATE_COPIES = "CREATE TEMPORARY TABLE copies (url TEXT PRIMARY KEY, original TEXT)"
_REFUSE_COPIES = """
UPDATE visits SET reason = {of_copies}, rule = copies.original
FROM copies
WHERE visits.scan_id = {scan} AND visits.url = copies.url AND visits.reason IS NULL
"""

# Of several visits of one page the greatest text stands for what changes, and any will do.
_KEEP_VISITED = keep_versions(
    """
    FROM (
        SELECT page_id, max(title) AS title, max(reason) AS reason,
            max(CASE WHEN outcome IN ({read}) THEN 1 ELSE 0 END) AS is_read
        FROM visits
        WHERE scan_id = {scan} AND outcome IS NOT NULL OR scan_id = {scan} AND reason IS NOT NULL
        GROUP BY page_id
    ) AS v JOIN pages ON pages.id = v.page_id WHERE 1 = 1""",
    differs="""
    coalesce(v.title, pages.title) IS DISTINCT FROM pages.title
    OR v.reason IS NOT NULL AND v.reason IS DISTINCT FROM pages.reason
    OR v.reason IS NULL AND v.is_read = 1 AND pages.reason IN ({found_by_crawl})""",
    new_title="coalesce(v.title, pages.title)",
)
_APPLY_VISITS = """
UPDATE pages SET
    title = coalesce(v.title, pages.title),
    category = coalesce(v.category, pages.category),
    reason = coalesce(v.reason, pages.reason),
    rule = coalesce(v.rule, pages.rule),
    checked_scan_id = CASE WHEN v.outcome IS NULL THEN pages.checked_scan_id ELSE {scan} END
FROM visits AS v
WHERE v.scan_id = {scan} AND pages.id = v.page_id
AND (v.outcome IS NOT NULL OR v.reason IS NOT NULL)
"""

# What an earlier visit had found out about a page stands until another one has read it.
_FORGET_REASONS = """
UPDATE pages SET reason = NULL, rule = NULL
FROM visits AS v
WHERE v.scan_id = {scan} AND v.outcome IN ({read}) AND v.reason IS NULL AND pages.id = v.page_id
AND pages.reason IN ({found_by_crawl})
"""

# Pages that have not changed since an earlier scan: they are what that scan has read.
_CARRY_FACTS = """
INSERT INTO page_facts (scan_id, page_id, {columns})
SELECT {scan}, v.page_id, {known_columns}
FROM visits AS v JOIN documents AS d ON d.id = v.document_id
JOIN page_facts AS known ON known.scan_id = d.content_scan_id AND known.page_id = v.page_id
WHERE v.scan_id = {scan} AND v.outcome = {not_modified}
ON CONFLICT DO NOTHING
"""

_APPLY_MENU = """
UPDATE pages SET importance = 1.0, title = coalesce(pages.title, m.title)
FROM (
    SELECT page_id, title, row_number() OVER (PARTITION BY page_id ORDER BY position) AS rank
    FROM menu_entries WHERE scan_id = {scan}
) AS m
WHERE m.rank = 1 AND pages.id = m.page_id
"""

# Only a scan that has read the root knows the menu. Nothing but a menu makes a page important, so
# the pages of earlier menus are all that has to be looked at.
_FORGET_MENU = """
UPDATE pages SET importance = NULL
WHERE id IN (
    SELECT page_id FROM menu_entries
    WHERE scan_id IN (SELECT id FROM scans WHERE site_id = {site} AND id < {scan}))
AND importance IS NOT NULL
AND id NOT IN (SELECT page_id FROM menu_entries WHERE scan_id = {scan})
AND EXISTS (SELECT 1 FROM visits WHERE scan_id = {scan} AND number = 1 AND outcome IS NOT NULL)
"""

_UNCUT_PAGES = """
UPDATE pages SET reason = NULL, rule = NULL
FROM visits AS v
WHERE v.scan_id = {scan} AND v.reason IS NOT NULL AND pages.id = v.page_id
AND (v.number IS NULL OR v.reason = {of_copies})
"""
_UNCUT_VISITS = """
UPDATE visits SET reason = NULL, rule = NULL
WHERE scan_id = {scan} AND (number IS NULL OR reason = {of_copies})
"""


def finalize_crawl(
    connection: Connection, scan: ScanHandle, cut: Mapping[str, str], copies: Mapping[str, str]
) -> None:
    """Write down what the crawl found out.

    *cut* are the patterns it gave up, with the reason; *copies* are visited URLs that are the same
    page as another, with the URL of that one.
    """
    has_visits = select(visits.c.id).where(visits.c.scan_id == scan.scan_id).limit(1)
    if connection.execute(has_visits).first() is None:
        return
    _cut_held(connection, scan, cut)
    _refuse_copies(connection, scan, copies)
    _mark_endless_redirects(connection, scan)
    _resolve_canonicals(connection, scan)
    merge_index_pages(connection, scan)
    statements = [
        *(_CREATE_ORIGINALS, _FIND_ORIGINALS, _MARK_DUPLICATES, "DROP TABLE originals"),
        *(_KEEP_VISITED, _FORGET_REASONS, _APPLY_VISITS, _APPLY_MENU, _FORGET_MENU),
    ]
    values = {
        "scan": literal(scan.scan_id),
        "site": literal(scan.site_id),
        "read": ", ".join(map(literal, (FetchOutcome.OK, FetchOutcome.NOT_MODIFIED))),
        "found_by_crawl": ", ".join(map(literal, sorted(FOUND_BY_CRAWL))),
    }
    for statement in statements:
        connection.exec_driver_sql(statement.format_map(values))
    _carry_facts(connection, scan)


def _carry_facts(connection: Connection, scan: ScanHandle) -> None:
    """Take the facts of unchanged pages from the scan that has read them."""
    columns = [each.name for each in page_facts.c if each.name not in {"scan_id", "page_id"}]
    names = {
        "scan": literal(scan.scan_id),
        "not_modified": literal(FetchOutcome.NOT_MODIFIED),
        "columns": ", ".join(columns),
        "known_columns": ", ".join(f"known.{name}" for name in columns),
    }
    connection.exec_driver_sql(_CARRY_FACTS.format_map(names))


def finalize_inlinks(connection: Connection, scan: Scan) -> None:
    """Count the links to each page, and note the most prominent region that they stand in."""
    ids = membership(scan)
    own = (visits.c.scan_id == scan.id) & visits.c.outcome.is_not(None) & _OF_CRAWL
    visited = connection.scalar(select(func.count()).where(own)) or 0
    if not visited:
        return
    connection.exec_driver_sql(_FORGET_LINKS.format_map(ids))
    # One page alone says nothing of how much others are linked.
    if visited > 1:
        order = list(enumerate(map(literal, _REGIONS), 1))
        connection.exec_driver_sql(
            _COUNT_LINKS.format_map(
                ids
                | {
                    "page": literal(DocumentKind.PAGE),
                    "ranks": " ".join(f"WHEN {name} THEN {rank}" for rank, name in order),
                    "names": " ".join(f"WHEN {rank} THEN {name}" for rank, name in order),
                }
            )
        )


def reopen_crawl(connection: Connection, scan: ScanHandle) -> None:
    """Before a crawl goes on: what was given up may be visited after all."""
    of_copies = literal(Reason.TRAP_PARAMETER)
    for statement in (_UNCUT_PAGES, _UNCUT_VISITS):
        sql = statement.format(scan=int(scan.scan_id), of_copies=of_copies)
        connection.exec_driver_sql(sql)


def _mark_endless_redirects(connection: Connection, scan: ScanHandle) -> None:
    """Redirects that lead to each other are found by links as well, and not one by the other."""
    recorded = select(sites.c.key_rules).where(sites.c.id == scan.site_id)
    rules = KeyRules(**connection.scalars(recorded).one())
    own = (visits.c.scan_id == scan.scan_id) & visits.c.reason.in_(_OF_REDIRECTS)
    columns = (visits.c.id, visits.c.url, visits.c.outcome, visits.c.reason, visits.c.rule)
    ids: dict[str, int] = {}
    targets: dict[str, str] = {}
    shown: dict[str, str] = {}
    refused: dict[str, Reason] = {}
    for visit_id, url, outcome, reason, rule in connection.execute(select(*columns).where(own)):
        key = page_key(url, rules)
        shown[key] = url
        if reason != Reason.REDIRECTED:
            refused[key] = Reason(reason)
        if outcome == FetchOutcome.REDIRECTED:
            # In a crawl that goes on it may be a chain that was written here, from this address on.
            following = rule.split(_THEN)[:2][-1]
            ids[key], targets[key] = visit_id, page_key(following, rules)
            shown.setdefault(targets[key], following)
    endless = endless_redirects(targets, refused)
    refusals = [
        {"visit": ids[key], "reason": reason, "rule": _THEN.join(map(shown.__getitem__, chain))}
        for key, reason in endless.items()
        for chain in [shown_chain(key, targets)]
    ]
    if refusals:
        connection.execute(update(visits).where(visits.c.id == bindparam("visit")), refusals)


def _resolve_canonicals(connection: Connection, scan: ScanHandle) -> None:
    """Make the canonical addresses absolute, which pages may name by a path."""
    own = (visits.c.scan_id == scan.scan_id) & visits.c.canonical.is_not(None)
    columns = (visits.c.id, visits.c.url, visits.c.canonical)
    resolved = [
        {"visit": visit_id, "canonical": address}
        for visit_id, url, canonical in connection.execute(select(*columns).where(own))
        if (address := resolve(canonical, url)) and address != canonical
    ]
    if resolved:
        connection.execute(update(visits).where(visits.c.id == bindparam("visit")), resolved)


def _cut_held(connection: Connection, scan: ScanHandle, cut: Mapping[str, str]) -> None:
    if not cut:
        return
    connection.exec_driver_sql(_CREATE_CUT)
    insert_columns(
        connection, "cut", {"family": list(cut), "reason": [str(each) for each in cut.values()]}, {}
    )
    connection.exec_driver_sql(_CUT_HELD.format(scan=int(scan.scan_id)))
    connection.exec_driver_sql("DROP TABLE cut")


def _refuse_copies(connection: Connection, scan: ScanHandle, copies: Mapping[str, str]) -> None:
    if not copies:
        return
    connection.exec_driver_sql(_CREATE_COPIES)
    columns = {"url": list(copies), "original": list(copies.values())}
    insert_columns(connection, "copies", columns, {})
    of_copies = literal(Reason.TRAP_PARAMETER)
    sql = _REFUSE_COPIES.format(scan=int(scan.scan_id), of_copies=of_copies)
    connection.exec_driver_sql(sql)
    connection.exec_driver_sql("DROP TABLE copies")
