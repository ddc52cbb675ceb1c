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

What a page answered and said of itself when a scan visited it, by a crawl or by a check, stands
under ``(scan_id, page_id)``. A visit that is still to be made has no ``outcome``.

- last visit: ``visits``, the greatest ``scan_id`` of the ``page_id`` with an ``outcome``;
  ``checked_for`` says that it was a check, and why;
- outcome: ``visits.outcome`` (``ok``, ``not_modified``, ``redirected``, ``not_found``, ...), and
  why it is no page after all: ``visits.reason``;
- status, error, time: ``fetches.status``, ``error``, ``fetched_at`` of the visit's ``document_id``
  and ``scan_id``; the last one, if there are two. A 304 has the status of what still holds;
- redirect target: ``visits.redirect_target``, if it is another page; redirects within the page
  (https, a slash) are followed, to ``fetches.final_url``;
- title, canonical: ``visits.title``, ``visits.canonical`` (absolute once the scan has ended);
- main text: ``visits.text_hash``; the newest text itself in ``page_texts``. Titles and texts of two
  visits can be compared if ``visits.rendered`` is the same;
- h1, description: ``page_facts.h1``, ``page_facts.description``;
- robots: ``page_facts.robots_meta``, ``page_facts.robots_header``; both together, of files as well,
  in ``fetches.directives``;
- indexability: ``page_facts.is_indexable``;
- hreflang: ``page_facts.alternates_hash``; the set in ``page_alternates``, under the scan
  ``page_facts.read_scan_id``.

A visit that answers 304 repeats what the visit that read the page has: its own row of ``visits``
has title, canonical and text hash, and its row of ``page_facts`` is copied when the scan ends. A
page that was not read as HTML (an error, a redirect, a file) has no row of ``page_facts``.

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

# The frontier of each crawl and the pages that a scan checks; once a page was visited, what it said
# of itself.
visits = Table(
    "visits",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("scan_id", BigInteger, nullable=False),
    Column("page_id", BigInteger, nullable=False),
    # The order of visits; NULL while the page is held because its pattern has had its share.
    Column("number", Integer),
    Column("family", Text),
    Column("url", Text, nullable=False),
    # NULL: of a check, whose page no crawl has come to.
    Column("clicks", Integer),
    Column("external_hops", Integer, nullable=False),
    # The visit that found it, back to where the crawl started (NULL); 0: a sitemap did.
    Column("found_by", Integer),
    # JSON text: the chain of redirects that led here.
    Column("redirected_from", Text),
    # How the visit ended; NULL: it is still to be made.
    Column("outcome", String(20)),
    Column("document_id", BigInteger),
    Column("is_productive", Boolean),
    # Why the page does not count after all.
    Column("reason", Text),
    Column("rule", Text),
    Column("title", Text),
    Column("language", Text),
    Column("canonical", Text),
    Column("category", Text),
    # Of the main text: equal for texts that differ in white space only.
    Column("text_hash", String(16)),
    # Simhash of the words of the whole page, without digits: pages of a trap differ in few bits.
    Column("fingerprint", BigInteger),
    # The first page of the crawl with the same text.
    Column("duplicate_of", BigInteger),
    # How its rendering went, and how many pages are known only for that; NULL: not rendered.
    Column("rendered", String(20)),
    Column("only_rendered", Integer),
    # Where the page redirects to, if that is another page; absolute.
    Column("redirect_target", Text),
    # Why it is checked: missing, rotation; NULL: the crawl visits it.
    Column("checked_for", String(20)),
    # Of a scan with fetchers: the host, or the share of a host, that the page belongs to.
    Column("queue", Text),
    Index("uq_visits_scan_id_number", "scan_id", "number", unique=True),
    Index("ix_visits_page_id_scan_id", "page_id", "scan_id"),
)

# What an audit asks of the pages that a scan has visited and read as HTML.
page_facts = Table(
    "page_facts",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    # The scan whose visit read the page: an earlier one if it has not changed since.
    Column("read_scan_id", BigInteger, nullable=False),
    Column("elapsed_ms", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("is_noindex", Boolean, nullable=False),
    Column("is_nofollow", Boolean, nullable=False),
    # The page that it names as canonical, which may be itself.
    Column("canonical_id", BigInteger),
    Column("description", Text),
    Column("h1", Text),
    Column("h1_count", Integer, nullable=False),
    Column("images", Integer, nullable=False),
    Column("images_without_alt", Integer, nullable=False),
    # Loaded by http on a page with https.
    Column("insecure_resources", Integer, nullable=False),
    Column("insecure_example", Text),
    # The first value of hreflang that is no language tag.
    Column("bad_hreflang", Text),
    # What it says to robots, in its order: "noindex, nofollow"; NULL: nothing.
    Column("robots_meta", Text),
    Column("robots_header", Text),
    # Equal for equal sets of versions in other languages; NULL: it names none.
    Column("alternates_hash", String(16)),
    # It does not say noindex, and names no other page as canonical.
    Column("is_indexable", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

# Versions of visited pages in other languages, as the pages name them (hreflang).
page_alternates = Table(
    "page_alternates",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("alternate_id", BigInteger, primary_key=True, autoincrement=False),
    Column("language", Text, nullable=False),
    sqlite_with_rowid=False,
)

menu_entries = Table(
    "menu_entries",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("level", Integer, nullable=False),
    Column("page_id", BigInteger, nullable=False),
    Column("title", Text, nullable=False),
    Column("region", Text, nullable=False),
    sqlite_with_rowid=False,
)

# What classification needs of few pages: links to it, what it says of itself, how its text reads.
page_signals = Table(
    "page_signals",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("inlinks", Integer),
    *(Column(f"{name}_language", Text) for name in ("own", "text")),
    *(Column(name, Text) for name in ("declared_type", "link_region")),
    sqlite_with_rowid=False,
)

# The main text of visited pages, to compare them: of each page the newest.
page_texts = Table(
    "page_texts",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    Column("text_hash", String(16), nullable=False),
    # UTF-8, compressed with zlib.
    Column("content", LargeBinary, nullable=False),
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
    "ix_visits_scan_id_family": (
        "CREATE INDEX ix_visits_scan_id_family ON visits (scan_id, family) WHERE family IS NOT NULL"
    ),
    # What a fetcher looks for.
    "ix_visits_scan_id_queue_number": (
        "CREATE INDEX ix_visits_scan_id_queue_number ON visits (scan_id, queue, number)"
        " WHERE queue IS NOT NULL AND outcome IS NULL"
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

# By default PostgreSQL vacuums a table once a fifth of its rows have changed, and analyses it once
# a tenth has: long after one large scan, where the table has the rows of many sites. As text:
# ``postgresql_with`` of a table would import the dialect wherever the schema is imported.
POSTGRESQL_STORAGE: Final = tuple(
    f"ALTER TABLE {table.name} SET (autovacuum_vacuum_scale_factor = 0.02,"
    " autovacuum_analyze_scale_factor = 0.02)"
    for table in (pages, other_mentions, visits)
)
