"""The tables of the inventory: sites, scans, documents, pages, mentions, classes, evidence.

A *mention* is one page as one document gives it. The first mention of a page lies in the page's
own row, because most pages have no other; the further ones lie in ``other_mentions``; the views
show both alike.

- A document is part of the site until a scan finds that it is not (``gone_scan_id``): it answered
  404 or 410, no document names it any more, or a crawl that visited everything did not come to it.
  What a scan did not ask for or could not read stays as it was.
- A mention is *current* when its document is part of the site, and its scan is not older than the
  document's ``content_scan_id``, the scan in which the document was last read completely. So
  entries that a document has dropped become stale without being touched.
- A page belongs to the inventory when it has a current mention. So the inventory is the union of
  what all scans know, and an unchanged document (304) costs one row, however many pages it lists.
  ``queries/scans.py`` also says what belonged to it as of an earlier scan.

Foreign keys tie the small tables. The bulk tables have none: the writer computes their ids, and
checking each of a million rows would double the price of storing it.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    column,
    table,
)

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime, metadata

sites = Table(
    "sites",
    metadata,
    Column("id", RowNumber, primary_key=True),
    # Two workspaces that watch the same site have an inventory each.
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("root_url", Text, nullable=False),
    # Page ids are hashes under this seed, so that nobody can prepare two URLs that collide.
    Column("seed", BigInteger, nullable=False),
    Column("key_rules", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    UniqueConstraint("workspace_id", "key"),
    sqlite_autoincrement=True,
)

scans = Table(
    "scans",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("asked", Text, nullable=False),
    Column("root_url", Text, nullable=False),
    Column("status", String(20), nullable=False),
    Column("reason", Text),
    Column("profile", Text),
    Column("settings", Json, nullable=False),
    Column("summary", Json),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Column("heartbeat_at", UtcDateTime, nullable=False),
    # Since when somebody wants it to stop; its next heartbeat sees it.
    Column("stop_requested_at", UtcDateTime),
    Column("hostname", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    # Tells a process from a later one with the same number (pid 1 of a restarted container).
    Column("process_token", Text, nullable=False),
    # Feeds that are still to be written: the format of each file.
    Column("pending_feeds", Json),
    # Since when only that is left of it which other scans need (writers/prune.py).
    Column("pruned_at", UtcDateTime),
    Index("ix_scans_site_id", "site_id"),
    # Scans are compared by id, so an id must never be given twice.
    sqlite_autoincrement=True,
)

documents = Table(
    "documents",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("url", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("format", String(20)),
    Column("parent_id", ForeignKey("documents.id")),
    Column("depth", Integer, nullable=False),
    Column("found_by", Text, nullable=False),
    Column("first_scan_id", ForeignKey("scans.id"), nullable=False),
    Column("last_scan_id", ForeignKey("scans.id")),
    Column("content_scan_id", ForeignKey("scans.id")),
    # The scan that found that it is no longer part of the site.
    Column("gone_scan_id", ForeignKey("scans.id")),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("sha256", String(64)),
    # Of the settings that decide what is read from it: validators count only under the same.
    Column("content_fingerprint", Text),
    Column("entries", Integer),
    # By authority, the fingerprint of the robots rules that its pages were judged by.
    Column("policies", Json),
    # Pages of the site that it was the first to list in the scan that read it.
    Column("listed", Integer),
    UniqueConstraint("site_id", "url"),
    Index("ix_documents_site_id_kind", "site_id", "kind"),
    sqlite_autoincrement=True,
)

document_links = Table(
    "document_links",
    metadata,
    Column("parent_id", ForeignKey("documents.id"), primary_key=True),
    Column("child_id", ForeignKey("documents.id"), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("scan_id", ForeignKey("scans.id"), nullable=False),
)

fetches = Table(
    "fetches",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("scan_id", ForeignKey("scans.id"), nullable=False),
    Column("document_id", ForeignKey("documents.id"), nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("status", Integer),
    Column("error", Text),
    Column("content_type", Text),
    Column("received_bytes", BigInteger, nullable=False),
    Column("decompressed_bytes", BigInteger, nullable=False),
    Column("elapsed_ms", Integer, nullable=False),
    Column("fetched_at", UtcDateTime, nullable=False),
    Column("fresh_until", UtcDateTime),
    Column("final_url", Text),
    Column("redirects", Json, nullable=False),
    # What the page itself says to robots (X-Robots-Tag, meta robots).
    Column("directives", Json, nullable=False),
    Column("sha256", String(64)),
    Column("format", String(20)),
    Column("entries", Integer, nullable=False),
    Column("findings", Json, nullable=False),
    Column("truncated", Boolean, nullable=False),
    Column("complete", Boolean, nullable=False),
    Index("ix_fetches_scan_id", "scan_id"),
    Index("ix_fetches_document_id_scan_id", "document_id", "scan_id"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("encoding", String(20), nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

verdicts = Table(
    "verdicts",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    # The robots.txt that decided.
    Column("document_id", ForeignKey("documents.id")),
    Column("allowed", Boolean, nullable=False),
    Column("reason", String(40), nullable=False),
    Column("rule", Text),
    Column("line", Integer),
    Column("agents", Text),
    Column("crawl_delay", Float),
    Column("confidence", Float, nullable=False),
    Column("decided_at", UtcDateTime, nullable=False),
    Index("ix_verdicts_site_id", "site_id"),
)

pages = Table(
    "pages",
    metadata,
    # The order in which pages were first seen.
    Column("number", RowNumber, primary_key=True),
    # Signed 64-bit hash of the page's key under the site's seed.
    Column("id", BigInteger, nullable=False),
    Column("site_id", Integer, nullable=False),
    Column("document_id", BigInteger, nullable=False),
    # The scan in which the mention of this row was last read.
    Column("seen_scan_id", BigInteger, nullable=False),
    Column("first_scan_id", BigInteger, nullable=False),
    Column("position", Integer, nullable=False),
    Column("source", Text, nullable=False),
    # What robots.txt says of it; NULL where that was not asked.
    Column("verdict_id", BigInteger),
    Column("url", Text, nullable=False),
    Column("lastmod", Text),
    # From here on most pages have nothing: what SQLite need not skip costs it no time.
    # Why the page is refused; a page without a reason is listed.
    Column("reason", Text),
    Column("rule", Text),
    Column("changefreq", Text),
    Column("sitemap_priority", Float),
    Column("title", Text),
    Column("language", Text),
    Column("category", Text),
    Column("importance", Float),
    # JSON text: alternates, images, videos, published.
    Column("details", Text),
    # The link that this row's mention is.
    Column("region", Text),
    Column("anchor", Text),
    Column("rel", Text),
    Column("path", Text),
    # The last scan that visited it, by a crawl or by a check; written when the scan ends.
    Column("checked_scan_id", BigInteger),
)

other_mentions = Table(
    "other_mentions",
    metadata,
    Column("document_id", BigInteger, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("scan_id", BigInteger, nullable=False),
    Column("context_id", BigInteger, nullable=False),
    Column("anchor", Text),
    Column("lastmod", Text),
    Column("details", Text),
    # Of the entries of sitemaps.
    Column("changefreq", Text),
    Column("sitemap_priority", Float),
    sqlite_with_rowid=False,
)

# What further mentions share: a hundred links of every page stand where those of the page before
# stood. The anchor is not part of it: it differs too often.
link_contexts = Table(
    "link_contexts",
    metadata,
    # The number of the site in the upper half of its bits.
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("source", Text, nullable=False),
    Column("region", Text),
    Column("rel", Text),
    Column("path", Text),
    sqlite_with_rowid=False,
)

classifications = Table(
    "classifications",
    metadata,
    Column("site_id", ForeignKey("sites.id"), primary_key=True, autoincrement=False),
    Column("scan_id", ForeignKey("scans.id"), nullable=False),
    Column("last_page_number", BigInteger, nullable=False),
    Column("model", Json, nullable=False),
)

# The distinct classes of a site's pages, written at the end of a scan.
classes = Table(
    "classes",
    metadata,
    # The number of the site in the upper half of its bits.
    Column("id", RowNumber, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("template", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("type", Text, nullable=False),
    # NULL: not known.
    Column("language", Text),
    Column("language_source", Text),
    Column("priority", Float, nullable=False),
    # Path segments.
    Column("depth", Integer, nullable=False),
    # A list of keys of clusters, from the outermost section to the topics.
    Column("clusters", Json, nullable=False),
    Index("ix_classes_site_id", "site_id"),
)

# The class of each page, by the page's number: rows are appended in their order, and a page finds
# its class without a second index.
page_classes = Table(
    "page_classes",
    metadata,
    Column("page_number", RowNumber, primary_key=True, autoincrement=False),
    Column("class_id", BigInteger, nullable=False),
)

# Which pages are in a cluster is in ``classes.clusters``.
clusters = Table(
    "clusters",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("name", Text, nullable=False),
    Column("parent", Text),
    Column("pages", Integer, nullable=False),
    Column("sample", Json, nullable=False),
    Column("why", Text, nullable=False),
    UniqueConstraint("site_id", "key"),
)

# PostgreSQL gets these from the migration, SQLite when they are needed (writers/pages.py): random
# keys cost more than the row itself while a million rows are appended.
DEFERRED_INDEXES = (
    Index("uq_pages_id", pages.c.id, unique=True),
    Index("ix_other_mentions_page_id", other_mentions.c.page_id),
)
SITE_INDEX = Index("ix_pages_site_id", pages.c.site_id)

# As text, which is the same for both databases: SQLAlchemy would import the dialect of PostgreSQL
# to look at a condition for it, which takes as long as all these tables.
INVENTORY_INDEXES = {
    "uq_scans_site_id_running": (
        "CREATE UNIQUE INDEX uq_scans_site_id_running ON scans (site_id) WHERE status = 'running'"
    ),
    # Finds the links of a page; what a sitemap lists is never looked for by its document.
    "ix_pages_document_id": (
        "CREATE INDEX ix_pages_document_id ON pages (document_id) WHERE source <> 'sitemap'"
    ),
}

evidence = Table(
    "evidence",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("scan_id", ForeignKey("scans.id"), nullable=False),
    Column("document_id", ForeignKey("documents.id")),
    Column("type", String(40), nullable=False),
    Column("content", Text, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Index("ix_evidence_scan_id_type", "scan_id", "type"),
)


# A cross join keeps SQLite from beginning with the contexts and searching mentions of each.
_FURTHER_MENTIONS: Final = """
CREATE VIEW further_mentions AS
SELECT other.page_id, other.document_id, other.position, context.source, other.lastmod,
    other.details, other.scan_id, context.region, other.anchor, context.rel, context.path,
    other.changefreq, other.sitemap_priority
FROM other_mentions AS other CROSS JOIN link_contexts AS context
WHERE context.id = other.context_id
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
