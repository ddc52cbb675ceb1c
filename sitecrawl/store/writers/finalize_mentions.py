"""Puts the mentions in order at the end of a scan, before it counts as ended.

When the site had pages before:

- A further mention that its document has repeated at another position is removed; one that its
  document has dropped stays as history.
- Documents that are no longer part of the site are marked.
- A page whose own mention is stale, or belongs to a document that is no longer part of the site,
  takes over a current one. Without this, a site that renames its sitemaps every day would add a
  mention per page and day.
- Pages that no document lists any more, or again, get their intervals (``page_absences``).

Which documents are no longer part of the site, as far as a scan can tell:

- A document that answered 404 or 410 is gone.
- A sitemap is gone when it was named before, and no document that is part of the site names it
  any more. What nobody ever named (a common place, an argument of the spider) is gone only when it
  answers so.
- A page is gone when a crawl that visited everything did not come to it, and no page or sitemap
  leads to it any more. Pages that only lead to each other are gone together.

What the scan has asked for and could not read is not gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.items import CHECK, DocumentKind, FetchOutcome
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.store.writers.bulk import literal
from sitecrawl.store.writers.link_contexts import remove_unused_contexts
from sitecrawl.store.writers.pages import keep_versions

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

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


# Its pages may be taken over by other documents: should it come back, it has to be read again.
_MARK = "UPDATE documents SET gone_scan_id = {scan}, content_fingerprint = NULL"

_MARK_NOT_FOUND = """
{mark}
WHERE site_id = {site} AND gone_scan_id IS NULL AND coalesce(last_scan_id, 0) < {scan}
AND id IN (
    SELECT document_id FROM fetches WHERE scan_id = {scan} AND outcome = {not_found})
"""

# A page that was only checked lists nothing. The marks may be those of an interrupted run.
_ANY_THAT_LISTED = """
SELECT 1 FROM documents
WHERE site_id = {site} AND gone_scan_id = {scan}
AND (entries > 0 OR (entries IS NULL AND last_scan_id IS NOT NULL)) LIMIT 1
"""

_MARK_UNNAMED = """
WITH RECURSIVE named (id) AS (
    SELECT id FROM documents
    WHERE site_id = {site} AND gone_scan_id IS NULL AND (
        (kind <> {sitemap} AND id IN (SELECT parent_id FROM document_links))
        OR (kind = {sitemap} AND (
            id IN (SELECT document_id FROM fetches WHERE scan_id = {scan})
            OR id NOT IN (SELECT child_id FROM document_links))))
    UNION
    SELECT child.id FROM named
    JOIN documents AS parent ON parent.id = named.id
    JOIN document_links AS link ON link.parent_id = parent.id
        AND link.scan_id >= coalesce(parent.content_scan_id, 0)
    JOIN documents AS child ON child.id = link.child_id AND child.gone_scan_id IS NULL
)
{mark}
WHERE site_id = {site} AND kind = {sitemap} AND gone_scan_id IS NULL
AND id NOT IN (SELECT id FROM named)
"""

_CREATE_UNVISITED = """
CREATE TEMPORARY TABLE unvisited (
    document_id BIGINT, page_id BIGINT, PRIMARY KEY (document_id, page_id))
"""
# Only scans that were the last to read a page are looked at. Few: those that this one has missed.
_FIND_UNVISITED = """
INSERT INTO unvisited
SELECT DISTINCT d.id, v.page_id
FROM visits AS v JOIN documents AS d ON d.id = v.document_id AND d.last_scan_id = v.scan_id
WHERE v.scan_id IN (
    SELECT last_scan_id FROM documents
    WHERE site_id = {site} AND kind = {page} AND gone_scan_id IS NULL AND last_scan_id < {scan})
AND d.kind = {page} AND d.gone_scan_id IS NULL
AND d.id NOT IN (SELECT document_id FROM fetches WHERE scan_id = {scan})
"""
_CREATE_NAMING = """
CREATE TEMPORARY TABLE naming (
    document_id BIGINT, named_id BIGINT, PRIMARY KEY (document_id, named_id))
"""
_FIND_NAMING = """
INSERT INTO naming
SELECT p.document_id, u.document_id
FROM unvisited AS u JOIN pages AS p ON p.id = u.page_id
JOIN documents AS d ON d.id = p.document_id AND d.gone_scan_id IS NULL
WHERE p.seen_scan_id >= coalesce(d.content_scan_id, 0)
UNION
SELECT other.document_id, u.document_id
FROM unvisited AS u CROSS JOIN other_mentions AS other
JOIN documents AS d ON d.id = other.document_id AND d.gone_scan_id IS NULL
WHERE other.page_id = u.page_id AND other.scan_id >= coalesce(d.content_scan_id, 0)
"""
_MARK_UNREACHED = """
WITH RECURSIVE reached (id) AS (
    SELECT named_id FROM naming WHERE document_id NOT IN (SELECT document_id FROM unvisited)
    UNION
    SELECT naming.named_id FROM reached JOIN naming ON naming.document_id = reached.id
)
{mark}
WHERE id IN (SELECT document_id FROM unvisited) AND id NOT IN (SELECT id FROM reached)
"""


def mark_gone(connection: Connection, scan: ScanHandle, *, is_exhaustive: bool) -> bool:
    """Mark what is gone, and say whether anything is that has listed pages.

    *is_exhaustive*: the crawl has visited every page that it could come to.
    """
    names = {
        "site": literal(scan.site_id),
        "scan": literal(scan.scan_id),
        "page": literal(DocumentKind.PAGE),
        "sitemap": literal(DocumentKind.SITEMAP),
        "not_found": literal(FetchOutcome.NOT_FOUND),
    }
    names["mark"] = _MARK.format_map(names)
    marking = [_MARK_NOT_FOUND, _MARK_UNNAMED]
    if is_exhaustive:
        for statement in (_CREATE_UNVISITED, _FIND_UNVISITED, _CREATE_NAMING, _FIND_NAMING):
            connection.exec_driver_sql(statement.format_map(names))
        marking.append(_MARK_UNREACHED)
    for each in marking:
        connection.exec_driver_sql(each.format_map(names))
    if is_exhaustive:
        connection.exec_driver_sql("DROP TABLE unvisited")
        connection.exec_driver_sql("DROP TABLE naming")
    return connection.exec_driver_sql(_ANY_THAT_LISTED.format_map(names)).first() is not None


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
