"""Which documents are no longer part of the site, as far as a scan can tell.

- A document that answered 404 or 410 is gone.
- A sitemap is gone when it was named before, and no document that is part of the site names it
  any more. What nobody ever named (a common place, an argument of the spider) is gone only when it
  answers so.
- A page is gone when a crawl that visited everything did not come to it, and no page or sitemap
  leads to it any more. Pages that only lead to each other are gone together.

What the scan has asked for and could not read is not gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.writers.bulk import literal

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import ScanHandle

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
