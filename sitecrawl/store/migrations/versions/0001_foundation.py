"""The foundation: sites, scans, documents, pages, mentions, evidence and changes to be."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema import Json, RowNumber, UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_MENTIONS = """
CREATE VIEW mentions AS
SELECT id AS page_id, document_id, position, source, lastmod, details, seen_scan_id AS scan_id
FROM pages
UNION ALL
SELECT page_id, document_id, position, source, lastmod, details, scan_id
FROM other_mentions
"""


def upgrade() -> None:
    _create_scans()
    _create_documents()
    _create_pages()
    _create_findings()


def _create_scans() -> None:
    op.create_table(
        "sites",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("key", sa.Text(), nullable=False, unique=True),
        sa.Column("root_url", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("key_rules", Json, nullable=False),
        sa.Column("page_columns", Json, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "scans",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("root_url", sa.Text(), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("profile", sa.Text()),
        sa.Column("settings", Json, nullable=False),
        sa.Column("summary", Json),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime()),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=False),
        sa.Column("hostname", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("process_token", sa.Text(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_scans_site_id", "scans", ["site_id"])
    running = sa.text("status = 'running'")
    op.create_index(
        "uq_scans_site_id_running",
        "scans",
        ["site_id"],
        unique=True,
        sqlite_where=running,
        postgresql_where=running,
    )


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("format", sa.String(20)),
        sa.Column("parent_id", RowNumber, sa.ForeignKey("documents.id")),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("found_by", sa.Text(), nullable=False),
        sa.Column("first_scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("last_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("content_scan_id", RowNumber, sa.ForeignKey("scans.id")),
        sa.Column("etag", sa.Text()),
        sa.Column("last_modified", sa.Text()),
        sa.Column("sha256", sa.String(64)),
        sa.Column("content_fingerprint", sa.Text()),
        sa.Column("entries", sa.Integer()),
        sa.Column("policies", Json),
        sa.Column("listed", sa.Integer()),
        sa.UniqueConstraint("site_id", "url"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "document_links",
        sa.Column("parent_id", RowNumber, sa.ForeignKey("documents.id"), primary_key=True),
        sa.Column("child_id", RowNumber, sa.ForeignKey("documents.id"), primary_key=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
    )
    op.create_table(
        "fetches",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("document_id", RowNumber, sa.ForeignKey("documents.id"), nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("error", sa.Text()),
        sa.Column("content_type", sa.Text()),
        sa.Column("received_bytes", sa.BigInteger(), nullable=False),
        sa.Column("decompressed_bytes", sa.BigInteger(), nullable=False),
        sa.Column("elapsed_ms", sa.Integer(), nullable=False),
        sa.Column("fetched_at", UtcDateTime(), nullable=False),
        sa.Column("fresh_until", UtcDateTime()),
        sa.Column("final_url", sa.Text()),
        sa.Column("redirects", Json, nullable=False),
        sa.Column("directives", Json, nullable=False),
        sa.Column("sha256", sa.String(64)),
        sa.Column("format", sa.String(20)),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("findings", Json, nullable=False),
        sa.Column("truncated", sa.Boolean(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_fetches_scan_id", "fetches", ["scan_id"])
    op.create_index("ix_fetches_document_id", "fetches", ["document_id"])
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("encoding", sa.String(20), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
    )


def _create_pages() -> None:
    op.create_table(
        "verdicts",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("document_id", RowNumber, sa.ForeignKey("documents.id")),
        sa.Column("allowed", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(40), nullable=False),
        sa.Column("rule", sa.Text()),
        sa.Column("line", sa.Integer()),
        sa.Column("agents", sa.Text()),
        sa.Column("crawl_delay", sa.Float()),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("decided_at", UtcDateTime(), nullable=False),
    )
    op.create_index("ix_verdicts_site_id", "verdicts", ["site_id"])
    op.create_table(
        "pages",
        sa.Column("number", RowNumber, primary_key=True),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.BigInteger(), nullable=False),
        sa.Column("seen_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("first_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verdict_id", sa.BigInteger()),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("lastmod", sa.Text()),
        sa.Column("depth", sa.Integer()),
        sa.Column("reason", sa.Text()),
        sa.Column("rule", sa.Text()),
        sa.Column("changefreq", sa.Text()),
        sa.Column("sitemap_priority", sa.Float()),
        sa.Column("title", sa.Text()),
        sa.Column("language", sa.Text()),
        sa.Column("category", sa.Text()),
        sa.Column("importance", sa.Float()),
        sa.Column("priority", sa.Float()),
        sa.Column("details", sa.Text()),
    )
    op.create_table(
        "other_mentions",
        sa.Column("document_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("position", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("page_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("lastmod", sa.Text()),
        sa.Column("details", sa.Text()),
        sa.Column("scan_id", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.execute(_MENTIONS)
    # SQLite gets these when they are needed: sitecrawl/store/indexes.py.
    if op.get_bind().dialect.name != "sqlite":
        op.create_index("uq_pages_id", "pages", ["id"], unique=True)
        op.create_index("ix_pages_site_id", "pages", ["site_id"])
        op.create_index("ix_other_mentions_page_id", "other_mentions", ["page_id"])


def _create_findings() -> None:
    op.create_table(
        "evidence",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("document_id", RowNumber, sa.ForeignKey("documents.id")),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
    )
    op.create_index("ix_evidence_scan_id_type", "evidence", ["scan_id", "type"])
    op.create_table(
        "changes",
        sa.Column("id", RowNumber, primary_key=True),
        sa.Column("site_id", RowNumber, sa.ForeignKey("sites.id"), nullable=False),
        sa.Column("scan_id", RowNumber, sa.ForeignKey("scans.id"), nullable=False),
        sa.Column("page_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("detail", Json, nullable=False),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
    )
    op.create_index("ix_changes_site_id_occurred_at", "changes", ["site_id", "occurred_at"])
    op.create_index("ix_changes_page_id", "changes", ["page_id"])
