"""The index of the inventory: what lists of pages are filtered, sorted and counted by.

It repeats what other tables say, as of the newest scan, and is written on demand after a scan
(``writers/page_index.py``); whoever finds none reads the other tables.

- All that few values describe (class, status, source, answer, ...) is one row of ``page_facets``
  for each combination that occurs, with its number of pages. So counts by any of it, and by several
  at once, are sums over some thousand rows.
- ``page_index`` has the combination of each page, and what differs from page to page. Its indexes
  begin with the combination: a list is a merge of few sorted runs, whatever it is filtered by.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from sitecrawl.store.schema.types import Json, PlainText, RowNumber, UtcDateTime, metadata

# The inventory of a site that is indexed.
indexed_sites = Table(
    "indexed_sites",
    metadata,
    Column("site_id", ForeignKey("sites.id"), primary_key=True, autoincrement=False),
    Column("scan_id", ForeignKey("scans.id"), nullable=False),
    # Of the scan: one that went on later has another. NULL: the index is being written.
    Column("finished_at", UtcDateTime),
    # The texts of pages up to this number are indexed.
    Column("texts_until", BigInteger, nullable=False),
)

page_facets = Table(
    "page_facets",
    metadata,
    # The number of the site in the upper half of its bits.
    Column("id", RowNumber, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("reason", Text),
    Column("source", Text, nullable=False),
    # A list of all, the first one first.
    Column("sources", Json, nullable=False),
    Column("robots_allowed", Boolean),
    Column("visited", Boolean, nullable=False),
    Column("http_status", Integer),
    Column("clicks", Integer),
    Column("indexable", Boolean, nullable=False),
    Column("orphan", Boolean, nullable=False),
    # NULL: the scan of the index. So what every scan confirms need not be written again.
    Column("last_scan_id", BigInteger),
    Column("template", Text, nullable=False),
    Column("category", String(20), nullable=False),
    Column("type", String(40), nullable=False),
    Column("language", Text),
    Column("depth", Integer, nullable=False),
    Column("priority", Float, nullable=False),
    Column("clusters", Json, nullable=False),
    Index("ix_page_facets_site_id", "site_id"),
)

# Texts that a page does not have are empty.
page_index = Table(
    "page_index",
    metadata,
    Column("number", RowNumber, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("facet_id", BigInteger, nullable=False),
    Column("first_scan_id", BigInteger, nullable=False),
    Column("lastmod", PlainText, nullable=False),
    Column("url", PlainText, nullable=False),
    Column("title", PlainText, nullable=False),
    Index("ix_page_index_facet_id_number", "facet_id", "number"),
    Index("ix_page_index_facet_id_url_number", "facet_id", "url", "number"),
    Index("ix_page_index_facet_id_title_number", "facet_id", "title", "number"),
    Index("ix_page_index_facet_id_lastmod_number", "facet_id", "lastmod", "number"),
    Index("ix_page_index_site_id_first_scan_id_number", "site_id", "first_scan_id", "number"),
)
