"""The tables of this version.

Names of constraints come from the convention of the metadata, which ``env.py`` hands to Alembic.
"""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, PlainText, RowNumber, UtcDateTime

revision = "0001_initial"
down_revision = None
branch_labels = None
depends_on = None

# Of the largest tables: PostgreSQL would wait until a fifth of their rows have changed.
_EARLY_VACUUM = {
    "autovacuum_vacuum_scale_factor": 0.02,
    "autovacuum_analyze_scale_factor": 0.02,
}
_VIEWS = (
    """
CREATE VIEW further_mentions AS
SELECT other.page_id, other.document_id, other.position, context.source, other.lastmod,
    other.details, other.scan_id, context.region, other.anchor, context.rel, context.path,
    other.changefreq, other.sitemap_priority
FROM other_mentions AS other CROSS JOIN link_contexts AS context
WHERE context.id = other.context_id
""",
    """
CREATE VIEW mentions AS
SELECT id AS page_id, document_id, position, source, lastmod, details, seen_scan_id AS scan_id,
    region, anchor, rel, path FROM pages
UNION ALL SELECT page_id, document_id, position, source, lastmod, details, scan_id,
    region, anchor, rel, path FROM further_mentions
""",
)


def upgrade() -> None:
    _create_workspaces()
    _create_inventory()
    _create_history()
    _create_page_index()
    _create_fetchers()
    _create_monitor()
    _create_changes()
    _create_channels()
    _create_users()
    _create_dives()


def _create_partial_index(
    name: str, table: str, columns: list[str], where: str, *, unique: bool = False
) -> None:
    condition = sa.text(where)
    op.create_index(
        name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition
    )


def _create_workspaces() -> None:
    workspaces = op.create_table(
        "workspaces",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.bulk_insert(workspaces, [{"name": "default", "created_at": datetime.now(UTC)}])


def _create_inventory() -> None:
    op.create_table(
        "sites",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("root_url", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("key_rules", Json, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("workspace_id", "key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "scans",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("root_url", sa.Text, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("profile", sa.Text),
        sa.Column("settings", Json, nullable=False),
        sa.Column("summary", Json),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("heartbeat_at", UtcDateTime, nullable=False),
        sa.Column("stop_requested_at", UtcDateTime),
        sa.Column("hostname", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("process_token", sa.Text, nullable=False),
        sa.Column("pending_feeds", Json),
        sa.Column("pruned_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_scans_site_id", "scans", ["site_id"])
    _create_partial_index(
        "uq_scans_site_id_running", "scans", ["site_id"], "status = 'running'", unique=True
    )
    op.create_table(
        "documents",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("format", sa.String(20)),
        sa.Column("parent_id", RowNumber, sa.ForeignKey("documents.id")),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("found_by", sa.Text, nullable=False),
        sa.Column("first_scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("last_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("content_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("gone_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("etag", sa.Text),
        sa.Column("last_modified", sa.Text),
        sa.Column("sha256", sa.String(64)),
        sa.Column("content_fingerprint", sa.Text),
        sa.Column("entries", sa.Integer),
        sa.Column("policies", Json),
        sa.Column("listed", sa.Integer),
        sa.UniqueConstraint("site_id", "url"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_documents_site_id_kind", "documents", ["site_id", "kind"])
    op.create_table(
        "document_links",
        sa.Column("parent_id", RowNumber, sa.ForeignKey("documents.id"), primary_key=True),
        sa.Column("child_id", RowNumber, sa.ForeignKey("documents.id"), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
    )
    op.create_table(
        "fetches",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("document_id", RowNumber, sa.ForeignKey("documents.id"), nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("error", sa.Text),
        sa.Column("content_type", sa.Text),
        sa.Column("received_bytes", sa.BigInteger, nullable=False),
        sa.Column("decompressed_bytes", sa.BigInteger, nullable=False),
        sa.Column("elapsed_ms", sa.Integer, nullable=False),
        sa.Column("fetched_at", UtcDateTime, nullable=False),
        sa.Column("fresh_until", UtcDateTime),
        sa.Column("final_url", sa.Text),
        sa.Column("redirects", Json, nullable=False),
        sa.Column("directives", Json, nullable=False),
        sa.Column("sha256", sa.String(64)),
        sa.Column("format", sa.String(20)),
        sa.Column("entries", sa.Integer, nullable=False),
        sa.Column("findings", Json, nullable=False),
        sa.Column("truncated", sa.Boolean, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
    )
    op.create_index("ix_fetches_document_id_scan_id", "fetches", ["document_id", "scan_id"])
    op.create_index("ix_fetches_scan_id", "fetches", ["scan_id"])
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("encoding", sa.String(20), nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "verdicts",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("document_id", RowNumber, sa.ForeignKey("documents.id")),
        sa.Column("allowed", sa.Boolean, nullable=False),
        sa.Column("reason", sa.String(40), nullable=False),
        sa.Column("rule", sa.Text),
        sa.Column("line", sa.Integer),
        sa.Column("agents", sa.Text),
        sa.Column("crawl_delay", sa.Float),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("decided_at", UtcDateTime, nullable=False),
    )
    op.create_index("ix_verdicts_site_id", "verdicts", ["site_id"])
    op.create_table(
        "pages",
        sa.Column("number", RowNumber, primary_key=True),
        sa.Column("id", sa.BigInteger, nullable=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("seen_scan_id", sa.BigInteger, nullable=False),
        sa.Column("first_scan_id", sa.BigInteger, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("verdict_id", sa.BigInteger),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("lastmod", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("rule", sa.Text),
        sa.Column("changefreq", sa.Text),
        sa.Column("sitemap_priority", sa.Float),
        sa.Column("title", sa.Text),
        sa.Column("language", sa.Text),
        sa.Column("category", sa.Text),
        sa.Column("importance", sa.Float),
        sa.Column("details", sa.Text),
        sa.Column("region", sa.Text),
        sa.Column("anchor", sa.Text),
        sa.Column("rel", sa.Text),
        sa.Column("path", sa.Text),
        sa.Column("checked_scan_id", sa.BigInteger),
        postgresql_with=_EARLY_VACUUM,
    )
    op.create_index("ix_pages_site_id", "pages", ["site_id"])
    op.create_index("uq_pages_id", "pages", ["id"], unique=True)
    _create_partial_index("ix_pages_document_id", "pages", ["document_id"], "source <> 'sitemap'")
    op.create_table(
        "other_mentions",
        sa.Column("document_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("scan_id", sa.BigInteger, nullable=False),
        sa.Column("context_id", sa.BigInteger, nullable=False),
        sa.Column("anchor", sa.Text),
        sa.Column("lastmod", sa.Text),
        sa.Column("details", sa.Text),
        sa.Column("changefreq", sa.Text),
        sa.Column("sitemap_priority", sa.Float),
        sqlite_with_rowid=False,
        postgresql_with=_EARLY_VACUUM,
    )
    op.create_index("ix_other_mentions_page_id", "other_mentions", ["page_id"])
    op.create_table(
        "link_contexts",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("region", sa.Text),
        sa.Column("rel", sa.Text),
        sa.Column("path", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "visits",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("scan_id", sa.BigInteger, nullable=False),
        sa.Column("page_id", sa.BigInteger, nullable=False),
        sa.Column("number", sa.Integer),
        sa.Column("family", sa.Text),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("clicks", sa.Integer),
        sa.Column("external_hops", sa.Integer, nullable=False),
        sa.Column("found_by", sa.Integer),
        sa.Column("redirected_from", sa.Text),
        sa.Column("outcome", sa.String(20)),
        sa.Column("document_id", sa.BigInteger),
        sa.Column("is_productive", sa.Boolean),
        sa.Column("reason", sa.Text),
        sa.Column("rule", sa.Text),
        sa.Column("title", sa.Text),
        sa.Column("language", sa.Text),
        sa.Column("canonical", sa.Text),
        sa.Column("category", sa.Text),
        sa.Column("text_hash", sa.String(16)),
        sa.Column("fingerprint", sa.BigInteger),
        sa.Column("duplicate_of", sa.BigInteger),
        sa.Column("rendered", sa.String(20)),
        sa.Column("only_rendered", sa.Integer),
        sa.Column("redirect_target", sa.Text),
        sa.Column("checked_for", sa.String(20)),
        sa.Column("queue", sa.Text),
        postgresql_with=_EARLY_VACUUM,
    )
    op.create_index("ix_visits_page_id_scan_id", "visits", ["page_id", "scan_id"])
    op.create_index("uq_visits_scan_id_number", "visits", ["scan_id", "number"], unique=True)
    _create_partial_index(
        "ix_visits_scan_id_family", "visits", ["scan_id", "family"], "family IS NOT NULL"
    )
    _create_partial_index(
        "ix_visits_scan_id_queue_number",
        "visits",
        ["scan_id", "queue", "number"],
        "queue IS NOT NULL AND outcome IS NULL",
    )
    op.create_table(
        "page_facts",
        sa.Column("scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("read_scan_id", sa.BigInteger, nullable=False),
        sa.Column("elapsed_ms", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("is_noindex", sa.Boolean, nullable=False),
        sa.Column("is_nofollow", sa.Boolean, nullable=False),
        sa.Column("canonical_id", sa.BigInteger),
        sa.Column("description", sa.Text),
        sa.Column("h1", sa.Text),
        sa.Column("h1_count", sa.Integer, nullable=False),
        sa.Column("images", sa.Integer, nullable=False),
        sa.Column("images_without_alt", sa.Integer, nullable=False),
        sa.Column("insecure_resources", sa.Integer, nullable=False),
        sa.Column("insecure_example", sa.Text),
        sa.Column("bad_hreflang", sa.Text),
        sa.Column("robots_meta", sa.Text),
        sa.Column("robots_header", sa.Text),
        sa.Column("alternates_hash", sa.String(16)),
        sa.Column("is_indexable", sa.Boolean, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "page_alternates",
        sa.Column("scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("alternate_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("language", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "menu_entries",
        sa.Column("scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("page_id", sa.BigInteger, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("region", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "page_signals",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("inlinks", sa.Integer),
        sa.Column("own_language", sa.Text),
        sa.Column("text_language", sa.Text),
        sa.Column("declared_type", sa.Text),
        sa.Column("link_region", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "page_texts",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("text_hash", sa.String(16), nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "classifications",
        sa.Column(
            "site_id", RowNumber, sa.ForeignKey("sites.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("last_page_number", sa.BigInteger, nullable=False),
        sa.Column("model", Json, nullable=False),
    )
    op.create_table(
        "classes",
        sa.Column("id", RowNumber, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("category", sa.Text, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("language", sa.Text),
        sa.Column("language_source", sa.Text),
        sa.Column("priority", sa.Float, nullable=False),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("clusters", Json, nullable=False),
    )
    op.create_index("ix_classes_site_id", "classes", ["site_id"])
    op.create_table(
        "page_classes",
        sa.Column("page_number", RowNumber, primary_key=True, autoincrement=False),
        sa.Column("class_id", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "clusters",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("parent", sa.Text),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("sample", Json, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.UniqueConstraint("site_id", "key"),
    )
    op.create_table(
        "evidence",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("document_id", RowNumber, sa.ForeignKey("documents.id")),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_index("ix_evidence_scan_id_type", "evidence", ["scan_id", "type"])
    for view in _VIEWS:
        op.execute(view)


def _create_history() -> None:
    op.create_table(
        "page_versions",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("until_scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("document_id", sa.BigInteger, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("verdict_id", sa.BigInteger),
        sa.Column("lastmod", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("rule", sa.Text),
        sa.Column("changefreq", sa.Text),
        sa.Column("sitemap_priority", sa.Float),
        sa.Column("url", sa.Text),
        sa.Column("title", sa.Text),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_page_versions_site_id_until_scan_id", "page_versions", ["site_id", "until_scan_id"]
    )
    op.create_table(
        "page_absences",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("from_scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("until_scan_id", sa.BigInteger),
        sa.Column("site_id", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_page_absences_site_id_from_scan_id", "page_absences", ["site_id", "from_scan_id"]
    )
    op.create_index(
        "ix_page_absences_site_id_until_scan_id", "page_absences", ["site_id", "until_scan_id"]
    )


def _create_page_index() -> None:
    op.create_table(
        "indexed_sites",
        sa.Column(
            "site_id", RowNumber, sa.ForeignKey("sites.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("texts_until", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "page_facets",
        sa.Column("id", RowNumber, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("sources", Json, nullable=False),
        sa.Column("robots_allowed", sa.Boolean),
        sa.Column("visited", sa.Boolean, nullable=False),
        sa.Column("http_status", sa.Integer),
        sa.Column("clicks", sa.Integer),
        sa.Column("indexable", sa.Boolean, nullable=False),
        sa.Column("orphan", sa.Boolean, nullable=False),
        sa.Column("last_scan_id", sa.BigInteger),
        sa.Column("template", sa.Text, nullable=False),
        sa.Column("category", sa.String(20), nullable=False),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("language", sa.Text),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("priority", sa.Float, nullable=False),
        sa.Column("clusters", Json, nullable=False),
    )
    op.create_index("ix_page_facets_site_id", "page_facets", ["site_id"])
    op.create_table(
        "page_index",
        sa.Column("number", RowNumber, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("facet_id", sa.BigInteger, nullable=False),
        sa.Column("first_scan_id", sa.BigInteger, nullable=False),
        sa.Column("lastmod", PlainText, nullable=False),
        sa.Column("url", PlainText, nullable=False),
        sa.Column("title", PlainText, nullable=False),
    )
    op.create_index(
        "ix_page_index_facet_id_lastmod_number", "page_index", ["facet_id", "lastmod", "number"]
    )
    op.create_index("ix_page_index_facet_id_number", "page_index", ["facet_id", "number"])
    op.create_index(
        "ix_page_index_facet_id_title_number", "page_index", ["facet_id", "title", "number"]
    )
    op.create_index(
        "ix_page_index_facet_id_url_number", "page_index", ["facet_id", "url", "number"]
    )
    op.create_index(
        "ix_page_index_site_id_first_scan_id_number",
        "page_index",
        ["site_id", "first_scan_id", "number"],
    )


def _create_fetchers() -> None:
    op.create_table(
        "host_queues",
        sa.Column("scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("queue", sa.Text, primary_key=True),
        sa.Column("token", sa.Integer, nullable=False),
        sa.Column("holder", sa.Text),
        sa.Column("expires_at", UtcDateTime),
        sa.Column("needs_browser", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "shared_frontiers",
        sa.Column("scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("page_requests", sa.BigInteger, nullable=False),
        sa.Column("ends_at", UtcDateTime),
        sa.Column("has_browser", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "scan_fetchers",
        sa.Column("scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("holder", sa.Text, primary_key=True),
        sa.Column("seen_at", UtcDateTime),
        sa.Column("report", Json),
        sa.Column("has_browser", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "visit_answers",
        sa.Column("scan_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("ends_crawl", sa.Boolean, nullable=False),
        sa.Column("rendering", sa.Text),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    _create_partial_index(
        "ix_visit_answers_wanted", "visit_answers", ["scan_id", "number"], "rendering = 'wanted'"
    )


def _create_monitor() -> None:
    op.create_table(
        "site_groups",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("colour", sa.String(7), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("workspace_id", "name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "watched_sites",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id")),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("root_url", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("group_id", RowNumber, sa.ForeignKey("site_groups.id")),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("profile", sa.Text, nullable=False),
        sa.Column("settings", Json, nullable=False),
        sa.Column("allow_private", sa.Boolean, nullable=False),
        sa.Column("worker_tags", Json, nullable=False),
        sa.Column("needed_tags", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("interval_minutes", sa.Integer, nullable=False),
        sa.Column("cron", sa.Text),
        sa.Column("timezone", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("next_due_at", UtcDateTime),
        sa.Column("last_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("last_scan_at", UtcDateTime),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.UniqueConstraint("workspace_id", "key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_watched_sites_group_id", "watched_sites", ["group_id"])
    op.create_index("ix_watched_sites_next_due_at", "watched_sites", ["next_due_at"])
    op.create_index("ix_watched_sites_site_id", "watched_sites", ["site_id"])
    op.create_table(
        "site_inventories",
        sa.Column(
            "watched_site_id", RowNumber, sa.ForeignKey("watched_sites.id"), primary_key=True
        ),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), primary_key=True),
        sa.Column("since", UtcDateTime, nullable=False),
    )
    op.create_index("ix_site_inventories_site_id", "site_inventories", ["site_id"])
    op.create_table(
        "jobs",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("watched_site_id", RowNumber, sa.ForeignKey("watched_sites.id"), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("trigger", sa.String(20), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("restarts", sa.Integer, nullable=False),
        sa.Column("retry_of", RowNumber, sa.ForeignKey("jobs.id")),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("workflow_id", sa.Text, unique=True),
        sa.Column("worker", sa.Text),
        sa.Column("queued_at", UtcDateTime, nullable=False),
        sa.Column("not_before", UtcDateTime),
        sa.Column("started_at", UtcDateTime),
        sa.Column("finished_at", UtcDateTime),
        sa.Column("cancel_requested_at", UtcDateTime),
        sa.Column("exit_code", sa.Integer),
        sa.Column("log_tail", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_scan_id", "jobs", ["scan_id"])
    op.create_index("ix_jobs_status_id", "jobs", ["status", "id"])
    op.create_index("ix_jobs_watched_site_id_id", "jobs", ["watched_site_id", "id"])
    _create_partial_index(
        "uq_jobs_watched_site_id_active",
        "jobs",
        ["watched_site_id"],
        "status IN ('queued', 'running')",
        unique=True,
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("hostname", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("process_token", sa.Text, nullable=False),
        sa.Column("is_scheduler", sa.Boolean, nullable=False),
        sa.Column("capacity", sa.Integer, nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("is_draining", sa.Boolean, nullable=False),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("heartbeat_at", UtcDateTime, nullable=False),
        sa.Column("last_tick_at", UtcDateTime),
    )


def _create_changes() -> None:
    op.create_table(
        "comparisons",
        sa.Column(
            "scan_id", RowNumber, sa.ForeignKey("scans.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("before_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("baseline", sa.Text),
        sa.Column("is_holding", sa.Boolean, nullable=False),
        sa.Column("lastmod_trust", Json),
        sa.Column("counts", Json, nullable=False),
        sa.Column("last_page_number", sa.BigInteger, nullable=False),
        sa.Column("compared_at", UtcDateTime, nullable=False),
        sa.Column("announced_at", UtcDateTime),
    )
    op.create_index("ix_comparisons_announced_at", "comparisons", ["announced_at"])
    op.create_index("ix_comparisons_site_id_scan_id", "comparisons", ["site_id", "scan_id"])
    op.create_table(
        "page_presence",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("since_scan_id", sa.BigInteger, nullable=False),
        sa.Column("scans", sa.Integer, nullable=False),
        sa.Column("flaps", sa.Integer, nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_page_presence_site_id_state", "page_presence", ["site_id", "state"])
    op.create_table(
        "incidents",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("severity", sa.String(20), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("opened_scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("last_scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("closed_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("opened_at", UtcDateTime, nullable=False),
        sa.Column("closed_at", UtcDateTime),
        sa.Column("snoozed_until", UtcDateTime),
        sa.Column("assignee", sa.Text),
        sa.Column("note", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_incidents_site_id_status", "incidents", ["site_id", "status"])
    op.create_table(
        "events",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("incident_id", RowNumber, sa.ForeignKey("incidents.id")),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("severity", sa.String(20), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("important_pages", sa.Integer, nullable=False),
        sa.Column("detail", Json, nullable=False),
        sa.Column("is_silent", sa.Boolean, nullable=False),
        sa.Column("occurred_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_scan_id", "events", ["scan_id"])
    op.create_index("ix_events_site_id_id", "events", ["site_id", "id"])
    op.create_table(
        "changes",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("event_id", RowNumber, sa.ForeignKey("events.id")),
        sa.Column("page_id", sa.BigInteger),
        sa.Column("document_id", RowNumber, sa.ForeignKey("documents.id")),
        sa.Column("other_page_id", sa.BigInteger),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("before", Json),
        sa.Column("after", Json),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("assignee", sa.Text),
        sa.Column("note", sa.Text),
        sa.Column("occurred_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_event_id", "changes", ["event_id"])
    op.create_index("ix_changes_page_id", "changes", ["page_id"])
    op.create_index("ix_changes_scan_id", "changes", ["scan_id"])
    op.create_index("ix_changes_site_id_id", "changes", ["site_id", "id"])


def _create_channels() -> None:
    op.create_table(
        "channels",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column(
            "watched_site_id", RowNumber, sa.ForeignKey("watched_sites.id", ondelete="CASCADE")
        ),
        sa.Column("group_id", RowNumber, sa.ForeignKey("site_groups.id", ondelete="CASCADE")),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("target_label", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("target_hash", sa.String(64), nullable=False),
        sa.Column("rules", Json, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("disabled_reason", sa.Text),
        sa.Column("snoozed_until", UtcDateTime),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_channels_group_id", "channels", ["group_id"])
    op.create_index("ix_channels_watched_site_id", "channels", ["watched_site_id"])
    op.create_index("ix_channels_workspace_id", "channels", ["workspace_id"])
    op.create_table(
        "deliveries",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column(
            "channel_id",
            RowNumber,
            sa.ForeignKey("channels.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("message_id", sa.Text, nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("replay_of", RowNumber, sa.ForeignKey("deliveries.id", ondelete="SET NULL")),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_attempt_at", UtcDateTime),
        sa.Column("request", Json, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("finished_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_channel_id_id", "deliveries", ["channel_id", "id"])
    op.create_index("ix_deliveries_replay_of", "deliveries", ["replay_of"])
    op.create_index(
        "ix_deliveries_status_next_attempt_at", "deliveries", ["status", "next_attempt_at"]
    )
    op.create_table(
        "announcements",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column(
            "channel_id",
            RowNumber,
            sa.ForeignKey("channels.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column(
            "watched_site_id",
            RowNumber,
            sa.ForeignKey("watched_sites.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("event_id", RowNumber, sa.ForeignKey("events.id", ondelete="CASCADE")),
        sa.Column("incident_id", RowNumber, sa.ForeignKey("incidents.id", ondelete="CASCADE")),
        sa.Column("phase", sa.String(20)),
        sa.Column(
            "scan_id", RowNumber, sa.ForeignKey("scans.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("batch", sa.String(20), nullable=False),
        sa.Column("due_at", UtcDateTime, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("delivery_id", RowNumber, sa.ForeignKey("deliveries.id", ondelete="CASCADE")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_announcements_delivery_id", "announcements", ["delivery_id"])
    op.create_index("ix_announcements_event_id", "announcements", ["event_id"])
    op.create_index("ix_announcements_incident_id", "announcements", ["incident_id"])
    op.create_index("ix_announcements_scan_id", "announcements", ["scan_id"])
    op.create_index("ix_announcements_status_due_at", "announcements", ["status", "due_at"])
    op.create_index("ix_announcements_watched_site_id", "announcements", ["watched_site_id"])
    op.create_index(
        "uq_announcements_channel_id_key", "announcements", ["channel_id", "key"], unique=True
    )
    op.create_table(
        "delivery_attempts",
        sa.Column(
            "delivery_id",
            RowNumber,
            sa.ForeignKey("deliveries.id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("elapsed_ms", sa.Integer, nullable=False),
        sa.Column("code", sa.Integer),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
    )


def _create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("email", sa.Text, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("last_login_at", UtcDateTime),
        sa.Column("disabled_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_index("ix_identities_user_id", "identities", ["user_id"])
    op.create_table(
        "memberships",
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), primary_key=True),
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_index("ix_memberships_user_id", "memberships", ["user_id"])
    op.create_table(
        "sessions",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("secret_hash", sa.String(64), nullable=False, unique=True),
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("user_agent", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("last_used_at", UtcDateTime, nullable=False),
        sa.Column("expires_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_table(
        "api_tokens",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scopes", Json, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("expires_at", UtcDateTime),
        sa.Column("last_used_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_api_tokens_user_id", "api_tokens", ["user_id"])
    op.create_index("ix_api_tokens_workspace_id", "api_tokens", ["workspace_id"])
    op.create_table(
        "one_time_links",
        sa.Column("secret_hash", sa.String(64), primary_key=True),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id")),
        sa.Column("expires_at", UtcDateTime, nullable=False),
    )
    op.create_index("ix_one_time_links_user_id", "one_time_links", ["user_id"])
    op.create_table(
        "login_failures",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_failed_at", UtcDateTime, nullable=False),
        sa.Column("blocked_until", UtcDateTime),
    )
    op.create_table(
        "known_addresses",
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("address", sa.Text, primary_key=True),
        sa.Column("last_used_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("caller", sa.String(40), primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("request_hash", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("headers", Json),
        sa.Column("body", sa.LargeBinary),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])
    op.create_table(
        "audit_log",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id")),
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id")),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.String(60), nullable=False),
        sa.Column("detail", Json, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("occurred_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_log_user_id", "audit_log", ["user_id"])
    op.create_index("ix_audit_log_workspace_id_id", "audit_log", ["workspace_id", "id"])
    op.create_table(
        "saved_views",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("workspace_id", RowNumber, sa.ForeignKey("workspaces.id"), nullable=False),
        sa.Column("user_id", RowNumber, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("query", Json, nullable=False),
        sa.Column("is_shared", sa.Boolean, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("workspace_id", "user_id", "kind", "name"),
        sqlite_autoincrement=True,
    )


def _create_dives() -> None:
    op.create_table(
        "dives",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("wanted", Json, nullable=False),
        sa.Column("job_id", sa.BigInteger),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("counts", Json, nullable=False),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("finished_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dives_job_id", "dives", ["job_id"])
    op.create_index("ix_dives_site_id_id", "dives", ["site_id", "id"])
    op.create_table(
        "dive_pages",
        sa.Column("dive_id", RowNumber, sa.ForeignKey("dives.id"), primary_key=True),
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
    )
    op.create_table(
        "page_contents",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("dive_id", RowNumber, sa.ForeignKey("dives.id"), nullable=False),
        sa.Column("body_sha256", sa.String(64), nullable=False),
        sa.Column("reader", sa.Text, nullable=False),
        sa.Column("format", sa.String(10), nullable=False),
        sa.Column("problem", sa.String(20)),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("published", sa.String(10), nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("passages", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_page_contents_site_id", "page_contents", ["site_id"])
    op.create_table(
        "passages",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("page_id", sa.BigInteger, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("headings", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("text_hash", sa.String(16), nullable=False),
        sa.Column("file_page", sa.Integer),
        sa.Column("is_repeated", sa.Boolean, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passages_site_id_text_hash", "passages", ["site_id", "text_hash"])
    op.create_index(
        "uq_passages_page_id_position", "passages", ["page_id", "position"], unique=True
    )
    op.create_table(
        "embedding_models",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("dimensions", sa.Integer, nullable=False),
    )
    op.create_table(
        "passage_vectors",
        sa.Column("model_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("passage_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_passage_vectors_passage_id", "passage_vectors", ["passage_id"])
    op.create_index(
        "ix_passage_vectors_site_id_model_id", "passage_vectors", ["site_id", "model_id"]
    )
    op.create_table(
        "vector_versions",
        sa.Column(
            "site_id", RowNumber, sa.ForeignKey("sites.id"), primary_key=True, autoincrement=False
        ),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_table(
        "topics",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_topics_site_id", "topics", ["site_id"])
    op.create_table(
        "page_topics",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("topic_id", RowNumber, sa.ForeignKey("topics.id"), nullable=False),
        sa.Column("x", sa.Float, nullable=False),
        sa.Column("y", sa.Float, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_page_topics_site_id", "page_topics", ["site_id"])
    op.create_index("ix_page_topics_topic_id", "page_topics", ["topic_id"])
    op.create_table(
        "competing_pages",
        sa.Column("page_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("other_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("site_id", sa.Integer, nullable=False),
        sa.Column("cosine", sa.Float, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_competing_pages_site_id", "competing_pages", ["site_id"])
    op.create_table(
        "conversations",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("user_id", sa.BigInteger),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_conversations_site_id_id", "conversations", ["site_id", "id"])
    op.create_table(
        "conversation_turns",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("conversation_id", RowNumber, sa.ForeignKey("conversations.id"), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("model", sa.Text),
        sa.Column("citations", Json, nullable=False),
        sa.Column("unsupported", Json, nullable=False),
        sa.Column("prompt_tokens", sa.Integer, nullable=False),
        sa.Column("answer_tokens", sa.Integer, nullable=False),
        sa.Column("asked_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_conversation_turns_conversation_id", "conversation_turns", ["conversation_id"]
    )
    op.create_table(
        "content_gaps",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("last_asked_at", UtcDateTime, nullable=False),
        sa.UniqueConstraint("site_id", "key"),
        sqlite_autoincrement=True,
    )
