"""The tables of history: what pages were before later scans wrote over their rows.

Only what changed is kept, so a scan that finds nothing new adds nothing here.

- ``page_versions``: what the row of a page said until a scan. As of scan N a page is what its
  oldest version after N says; without such a version it is what its row says.
- ``page_absences``: from which scan until which a page belonged to no document of the site. Pages
  are there from their first scan on, except in these intervals.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Float, Index, Integer, Table, Text

from sitecrawl.store.schema.types import metadata

VERSIONED_COLUMNS: Final = (
    *("document_id", "source", "verdict_id", "lastmod", "reason", "rule"),
    *("changefreq", "sitemap_priority"),
)
"""Columns of ``pages`` that every version has."""

page_versions = Table(
    "page_versions",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    # The scan that wrote over it.
    Column("until_scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("document_id", BigInteger, nullable=False),
    Column("source", Text, nullable=False),
    Column("verdict_id", BigInteger),
    Column("lastmod", Text),
    Column("reason", Text),
    Column("rule", Text),
    Column("changefreq", Text),
    Column("sitemap_priority", Float),
    # NULL: that scan did not change it. These are long, and change least.
    Column("url", Text),
    # The same; an empty text is no title.
    Column("title", Text),
    Index("ix_page_versions_site_id_until_scan_id", "site_id", "until_scan_id"),
    sqlite_with_rowid=False,
)

page_absences = Table(
    "page_absences",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    # The first scan without it.
    Column("from_scan_id", BigInteger, primary_key=True, autoincrement=False),
    # The scan that found it again; NULL: none has.
    Column("until_scan_id", BigInteger),
    Column("site_id", Integer, nullable=False),
    Index("ix_page_absences_site_id_from_scan_id", "site_id", "from_scan_id"),
    Index("ix_page_absences_site_id_until_scan_id", "site_id", "until_scan_id"),
    sqlite_with_rowid=False,
)
