"""Puts the mentions of a site in order at the end of a scan that found earlier pages.

- A further mention that its document has repeated at another place is removed; one that its
  document has dropped stays as history.
- A page whose own mention is stale, or belongs to a document that is no longer part of the site,
  takes over a mention that this scan confirmed. Without this, a site that renames its sitemaps
  every day would add a mention per page and day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.store.look_writer import remove_unused_looks

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.records import ScanHandle

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

_GONE = """
documents.site_id = {site} AND documents.last_scan_id < {scan}
AND NOT EXISTS (
    SELECT 1 FROM fetches
    WHERE fetches.scan_id = {scan} AND fetches.document_id = documents.id)
"""

_ANY_GONE = "SELECT 1 FROM documents WHERE {gone} LIMIT 1"

_CREATE_PROMOTED = """
CREATE TEMPORARY TABLE promoted (
    document_id BIGINT, position INTEGER, page_id BIGINT, source TEXT, lastmod TEXT, details TEXT,
    scan_id BIGINT, region TEXT, anchor TEXT, rel TEXT, path TEXT)
"""

# Only a document that was read more than once, or is gone, can have left pages behind. Those are
# few, so their further mentions are looked up: a cross join, as SQLite would otherwise look at all
# further mentions of the site. Documents are asked for, not joined: where its statistics know few,
# SQLite would go through all of them for each page.
_FIND_PROMOTED = """
INSERT INTO promoted
SELECT document_id, position, page_id, source, lastmod, details, scan_id, region, anchor, rel, path
FROM (
    SELECT m.*, pages.number, row_number() OVER (
        PARTITION BY m.page_id ORDER BY m.document_id, m.position) AS place
    FROM pages CROSS JOIN further_mentions AS m
    WHERE pages.document_id IN (
        SELECT id FROM documents
        WHERE (site_id = {site} AND content_scan_id > first_scan_id) OR ({gone}))
    AND EXISTS (
        SELECT 1 FROM documents WHERE documents.id = pages.document_id
        AND (pages.seen_scan_id < coalesce(documents.content_scan_id, 0) OR ({gone})))
    AND m.page_id = pages.id
    AND EXISTS (
        SELECT 1 FROM documents AS confirmed
        WHERE confirmed.id = m.document_id AND confirmed.site_id = {site}
        AND confirmed.last_scan_id = {scan} AND m.scan_id >= coalesce(confirmed.content_scan_id, 0))
) AS candidates
WHERE place = 1
ORDER BY number
"""

_PROMOTE = """
UPDATE pages SET
    document_id = promoted.document_id, position = promoted.position, source = promoted.source,
    lastmod = promoted.lastmod, details = promoted.details, changefreq = NULL,
    sitemap_priority = NULL, seen_scan_id = promoted.scan_id, region = promoted.region,
    anchor = promoted.anchor, rel = promoted.rel, path = promoted.path
FROM promoted WHERE pages.id = promoted.page_id
"""

_REMOVE_PROMOTED = """
DELETE FROM other_mentions WHERE (document_id, position, page_id) IN (
    SELECT document_id, position, page_id FROM promoted)
"""

# Its pages may have been taken over: should it come back, it has to be read again.
_FORGET_GONE = "UPDATE documents SET content_fingerprint = NULL WHERE {gone}"


def settle_mentions(
    connection: Connection, scan: ScanHandle, *, wrote_pages: bool, is_whole: bool
) -> None:
    """Put the mentions in order; only a whole scan can tell that a document is gone."""
    ids = {"site": scan.site_id, "scan": scan.scan_id}
    gone = _GONE.format_map(ids) if is_whole else "1 = 0"
    has_gone = connection.exec_driver_sql(_ANY_GONE.format(gone=gone)).first()
    if not wrote_pages and not has_gone:
        return
    connection.exec_driver_sql(_REMOVE_SUPERSEDED.format_map(ids))
    connection.exec_driver_sql(_CREATE_PROMOTED)
    for statement in (_FIND_PROMOTED, _PROMOTE, _REMOVE_PROMOTED, _FORGET_GONE):
        connection.exec_driver_sql(statement.format(**ids, gone=gone))
    connection.exec_driver_sql("DROP TABLE promoted")
    remove_unused_looks(connection, scan)
