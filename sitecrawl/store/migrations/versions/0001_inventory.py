"""The inventory: sites, scans, documents, pages with their mentions and classes, evidence."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, PlainText, RowNumber, UtcDateTime

revision = "inventory_3"
down_revision = None
branch_labels = None
depends_on = None

_PARTIAL_INDEXES = (
    """
    CREATE UNIQUE INDEX uq_scans_site_id_running ON scans (site_id) WHERE status = 'running'
    """,
    """
    CREATE INDEX ix_visits_scan_id_family ON visits (scan_id, family) WHERE family IS NOT NULL
    """,
    """
    CREATE INDEX ix_pages_document_id ON pages (document_id) WHERE source <> 'sitemap'
    """,
)
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
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("encoding", sa.String(length=20), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_blobs"),
    )
    op.create_table(
        "classes",
        sa.Column("id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("language_source", sa.Text(), nullable=True),
        sa.Column("priority", sa.Float(), nullable=False),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("clusters", Json(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_classes"),
    )
    op.create_index("ix_classes_site_id", "classes", ["site_id"])
    op.create_table(
        "link_contexts",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("region", sa.Text(), nullable=True),
        sa.Column("rel", sa.Text(), nullable=True),
        sa.Column("path", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_link_contexts"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "menu_entries",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("scan_id", "position", name="pk_menu_entries"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "other_mentions",
        sa.Column("document_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("scan_id", sa.BigInteger(), nullable=False),
        sa.Column("context_id", sa.BigInteger(), nullable=False),
        sa.Column("anchor", sa.Text(), nullable=True),
        sa.Column("lastmod", sa.Text(), nullable=True),
        sa.Column("details", sa.Text(), nullable=True),
        sa.Column("changefreq", sa.Text(), nullable=True),
        sa.Column("sitemap_priority", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("document_id", "position", "page_id", name="pk_other_mentions"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_other_mentions_page_id", "other_mentions", ["page_id"])
    op.create_table(
        "page_classes",
        sa.Column("page_number", RowNumber, autoincrement=False, nullable=False),
        sa.Column("class_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("page_number", name="pk_page_classes"),
    )
    op.create_table(
        "page_signals",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("inlinks", sa.Integer(), nullable=True),
        sa.Column("own_language", sa.Text(), nullable=True),
        sa.Column("text_language", sa.Text(), nullable=True),
        sa.Column("declared_type", sa.Text(), nullable=True),
        sa.Column("link_region", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("page_id", name="pk_page_signals"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "page_texts",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("text_hash", sa.String(length=16), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("page_id", name="pk_page_texts"),
    )
    op.create_table(
        "pages",
        sa.Column("number", RowNumber, nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.BigInteger(), nullable=False),
        sa.Column("seen_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("first_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verdict_id", sa.BigInteger(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("lastmod", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("changefreq", sa.Text(), nullable=True),
        sa.Column("sitemap_priority", sa.Float(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("importance", sa.Float(), nullable=True),
        sa.Column("details", sa.Text(), nullable=True),
        sa.Column("region", sa.Text(), nullable=True),
        sa.Column("anchor", sa.Text(), nullable=True),
        sa.Column("rel", sa.Text(), nullable=True),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("checked_scan_id", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_pages"),
    )
    op.create_index("ix_pages_site_id", "pages", ["site_id"])
    op.create_index("uq_pages_id", "pages", ["id"], unique=True)
    op.create_table(
        "sites",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("root_url", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("key_rules", Json(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sites"),
        sa.UniqueConstraint("key", name="uq_sites_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "page_facts",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("read_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("elapsed_ms", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("is_noindex", sa.Boolean(), nullable=False),
        sa.Column("is_nofollow", sa.Boolean(), nullable=False),
        sa.Column("canonical_id", sa.BigInteger(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("h1", sa.Text(), nullable=True),
        sa.Column("h1_count", sa.Integer(), nullable=False),
        sa.Column("images", sa.Integer(), nullable=False),
        sa.Column("images_without_alt", sa.Integer(), nullable=False),
        sa.Column("insecure_resources", sa.Integer(), nullable=False),
        sa.Column("insecure_example", sa.Text(), nullable=True),
        sa.Column("bad_hreflang", sa.Text(), nullable=True),
        sa.Column("robots_meta", sa.Text(), nullable=True),
        sa.Column("robots_header", sa.Text(), nullable=True),
        sa.Column("alternates_hash", sa.String(length=16), nullable=True),
        sa.Column("is_indexable", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("scan_id", "page_id", name="pk_page_facts"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "page_alternates",
        sa.Column("scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("alternate_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("scan_id", "page_id", "alternate_id", name="pk_page_alternates"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "visits",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("scan_id", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("family", sa.Text(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("clicks", sa.Integer(), nullable=True),
        sa.Column("external_hops", sa.Integer(), nullable=False),
        sa.Column("found_by", sa.Integer(), nullable=True),
        sa.Column("redirected_from", sa.Text(), nullable=True),
        sa.Column("outcome", sa.String(length=20), nullable=True),
        sa.Column("document_id", sa.BigInteger(), nullable=True),
        sa.Column("is_productive", sa.Boolean(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("canonical", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("text_hash", sa.String(length=16), nullable=True),
        sa.Column("fingerprint", sa.BigInteger(), nullable=True),
        sa.Column("duplicate_of", sa.BigInteger(), nullable=True),
        sa.Column("rendered", sa.String(length=20), nullable=True),
        sa.Column("only_rendered", sa.Integer(), nullable=True),
        sa.Column("redirect_target", sa.Text(), nullable=True),
        sa.Column("checked_for", sa.String(length=20), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_visits"),
    )
    op.create_index("ix_visits_page_id_scan_id", "visits", ["page_id", "scan_id"])
    op.create_index("uq_visits_scan_id_number", "visits", ["scan_id", "number"], unique=True)
    op.create_table(
        "clusters",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("parent", sa.Text(), nullable=True),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("sample", Json(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_clusters_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_clusters"),
        sa.UniqueConstraint("site_id", "key", name="uq_clusters_site_id_key"),
    )
    op.create_table(
        "scans",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("root_url", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("profile", sa.Text(), nullable=True),
        sa.Column("settings", Json(), nullable=False),
        sa.Column("summary", Json(), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=False),
        sa.Column("stop_requested_at", UtcDateTime()),
        sa.Column("hostname", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("process_token", sa.Text(), nullable=False),
        sa.Column("pending_feeds", Json(), nullable=True),
        sa.Column("pruned_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_scans_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_scans"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_scans_site_id", "scans", ["site_id"])
    op.create_table(
        "classifications",
        sa.Column("site_id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.Column("last_page_number", sa.BigInteger(), nullable=False),
        sa.Column("model", Json(), nullable=False),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_classifications_scan_id_scans"),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_classifications_site_id_sites"),
        sa.PrimaryKeyConstraint("site_id", name="pk_classifications"),
    )
    op.create_table(
        "documents",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("format", sa.String(length=20), nullable=True),
        sa.Column("parent_id", RowNumber, nullable=True),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("found_by", sa.Text(), nullable=False),
        sa.Column("first_scan_id", RowNumber, nullable=False),
        sa.Column("last_scan_id", RowNumber, nullable=True),
        sa.Column("content_scan_id", RowNumber, nullable=True),
        sa.Column("gone_scan_id", RowNumber, nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("content_fingerprint", sa.Text(), nullable=True),
        sa.Column("entries", sa.Integer(), nullable=True),
        sa.Column("policies", Json(), nullable=True),
        sa.Column("listed", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["content_scan_id"], ["scans.id"], name="fk_documents_content_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(
            ["first_scan_id"], ["scans.id"], name="fk_documents_first_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(
            ["gone_scan_id"], ["scans.id"], name="fk_documents_gone_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(
            ["last_scan_id"], ["scans.id"], name="fk_documents_last_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["documents.id"], name="fk_documents_parent_id_documents"
        ),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_documents_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_documents"),
        sa.UniqueConstraint("site_id", "url", name="uq_documents_site_id_url"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "document_links",
        sa.Column("parent_id", RowNumber, nullable=False),
        sa.Column("child_id", RowNumber, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.ForeignKeyConstraint(
            ["child_id"], ["documents.id"], name="fk_document_links_child_id_documents"
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["documents.id"], name="fk_document_links_parent_id_documents"
        ),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_document_links_scan_id_scans"),
        sa.PrimaryKeyConstraint("parent_id", "child_id", name="pk_document_links"),
    )
    op.create_table(
        "evidence",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.Column("document_id", RowNumber, nullable=True),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("metadata", Json(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_evidence_document_id_documents"
        ),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_evidence_scan_id_scans"),
        sa.PrimaryKeyConstraint("id", name="pk_evidence"),
    )
    op.create_index("ix_evidence_scan_id_type", "evidence", ["scan_id", "type"])
    op.create_table(
        "fetches",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.Column("document_id", RowNumber, nullable=False),
        sa.Column("outcome", sa.String(length=20), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("received_bytes", sa.BigInteger(), nullable=False),
        sa.Column("decompressed_bytes", sa.BigInteger(), nullable=False),
        sa.Column("elapsed_ms", sa.Integer(), nullable=False),
        sa.Column("fetched_at", UtcDateTime(), nullable=False),
        sa.Column("fresh_until", UtcDateTime(), nullable=True),
        sa.Column("final_url", sa.Text(), nullable=True),
        sa.Column("redirects", Json(), nullable=False),
        sa.Column("directives", Json(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("format", sa.String(length=20), nullable=True),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("findings", Json(), nullable=False),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_fetches_document_id_documents"
        ),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_fetches_scan_id_scans"),
        sa.PrimaryKeyConstraint("id", name="pk_fetches"),
    )
    op.create_index("ix_fetches_document_id_scan_id", "fetches", ["document_id", "scan_id"])
    op.create_index("ix_fetches_scan_id", "fetches", ["scan_id"])
    op.create_table(
        "verdicts",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("document_id", RowNumber, nullable=True),
        sa.Column("allowed", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("line", sa.Integer(), nullable=True),
        sa.Column("agents", sa.Text(), nullable=True),
        sa.Column("crawl_delay", sa.Float(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("decided_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_verdicts_document_id_documents"
        ),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_verdicts_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_verdicts"),
    )
    op.create_index("ix_verdicts_site_id", "verdicts", ["site_id"])
    op.create_table(
        "indexed_sites",
        sa.Column("site_id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.Column("texts_until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_indexed_sites_scan_id_scans"),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_indexed_sites_site_id_sites"),
        sa.PrimaryKeyConstraint("site_id", name="pk_indexed_sites"),
    )
    op.create_table(
        "page_facets",
        sa.Column("id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("sources", Json(), nullable=False),
        sa.Column("robots_allowed", sa.Boolean(), nullable=True),
        sa.Column("visited", sa.Boolean(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("clicks", sa.Integer(), nullable=True),
        sa.Column("indexable", sa.Boolean(), nullable=False),
        sa.Column("orphan", sa.Boolean(), nullable=False),
        sa.Column("last_scan_id", sa.BigInteger(), nullable=True),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("category", sa.String(length=20), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("priority", sa.Float(), nullable=False),
        sa.Column("clusters", Json(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_page_facets"),
    )
    op.create_index("ix_page_facets_site_id", "page_facets", ["site_id"])
    op.create_table(
        "page_index",
        sa.Column("number", RowNumber, autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("facet_id", sa.BigInteger(), nullable=False),
        sa.Column("first_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("lastmod", PlainText, nullable=False),
        sa.Column("url", PlainText, nullable=False),
        sa.Column("title", PlainText, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_page_index"),
    )
    for columns in (
        ["facet_id", "number"],
        ["facet_id", "url", "number"],
        ["facet_id", "title", "number"],
        ["facet_id", "lastmod", "number"],
        ["site_id", "first_scan_id", "number"],
    ):
        op.create_index(f"ix_page_index_{'_'.join(columns)}", "page_index", columns)
    for statement in (*_PARTIAL_INDEXES, *_VIEWS):
        op.execute(statement)
