"""The views: mentions with all that is known of them, wherever it lies."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Integer, Text, column, table

# A cross join, as SQLite would otherwise begin with the looks and look for mentions of each.
_FURTHER_MENTIONS: Final = """
CREATE VIEW further_mentions AS
SELECT other.page_id, other.document_id, other.position, look.source, other.lastmod, other.details,
    other.scan_id, look.region, other.anchor, look.rel, look.path
FROM other_mentions AS other CROSS JOIN mention_looks AS look WHERE look.id = other.look_id
"""
_MENTIONS: Final = """
CREATE VIEW mentions AS
SELECT id AS page_id, document_id, position, source, lastmod, details, seen_scan_id AS scan_id,
    region, anchor, rel, path FROM pages
UNION ALL SELECT page_id, document_id, position, source, lastmod, details, scan_id,
    region, anchor, rel, path FROM further_mentions
"""
VIEWS: Final = (_FURTHER_MENTIONS, _MENTIONS)
"""In the order in which they can be created."""

mentions = table(
    "mentions",
    column("page_id", BigInteger),
    column("document_id", BigInteger),
    column("position", Integer),
    column("source", Text),
    column("lastmod", Text),
    column("details", Text),
    column("scan_id", BigInteger),
    column("region", Text),
    column("anchor", Text),
    column("rel", Text),
    column("path", Text),
)
