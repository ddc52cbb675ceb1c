"""Changes, events and incidents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime

revision = "changes_1"
down_revision = "monitor_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "page_presence",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("since_scan_id", sa.BigInteger(), nullable=False),
        sa.Column("scans", sa.Integer(), nullable=False),
        sa.Column("flaps", sa.Integer(), nullable=False),
        sa.Column("evidence", Json(), nullable=False),
        sa.PrimaryKeyConstraint("page_id", name="pk_page_presence"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_page_presence_site_id_state", "page_presence", ["site_id", "state"], unique=False
    )
    op.create_table(
        "page_versions",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("until_scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("verdict_id", sa.BigInteger(), nullable=True),
        sa.Column("lastmod", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=True),
        sa.Column("changefreq", sa.Text(), nullable=True),
        sa.Column("sitemap_priority", sa.Float(), nullable=True),
        sa.Column("url", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("page_id", "until_scan_id", name="pk_page_versions"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_page_versions_site_id_until_scan_id",
        "page_versions",
        ["site_id", "until_scan_id"],
        unique=False,
    )
    op.create_table(
        "page_absences",
        sa.Column("page_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("from_scan_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("until_scan_id", sa.BigInteger(), nullable=True),
        sa.Column("site_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("page_id", "from_scan_id", name="pk_page_absences"),
        sqlite_with_rowid=False,
    )
    for column in ("from_scan_id", "until_scan_id"):
        op.create_index(
            f"ix_page_absences_site_id_{column}",
            "page_absences",
            ["site_id", column],
            unique=False,
        )
    op.create_table(
        "comparisons",
        sa.Column("scan_id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("before_scan_id", RowNumber, nullable=True),
        sa.Column("baseline", sa.Text(), nullable=True),
        sa.Column("is_holding", sa.Boolean(), nullable=False),
        sa.Column("lastmod_trust", Json(), nullable=True),
        sa.Column("counts", Json(), nullable=False),
        sa.Column("last_page_number", sa.BigInteger(), nullable=False),
        sa.Column("compared_at", UtcDateTime(), nullable=False),
        sa.Column("announced_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["before_scan_id"], ["scans.id"], name="fk_comparisons_before_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_comparisons_scan_id_scans"),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_comparisons_site_id_sites"),
        sa.PrimaryKeyConstraint("scan_id", name="pk_comparisons"),
    )
    op.create_index("ix_comparisons_announced_at", "comparisons", ["announced_at"], unique=False)
    op.create_index(
        "ix_comparisons_site_id_scan_id", "comparisons", ["site_id", "scan_id"], unique=False
    )
    op.create_table(
        "incidents",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("severity", sa.String(length=20), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("opened_scan_id", RowNumber, nullable=False),
        sa.Column("last_scan_id", RowNumber, nullable=False),
        sa.Column("closed_scan_id", RowNumber, nullable=True),
        sa.Column("opened_at", UtcDateTime(), nullable=False),
        sa.Column("closed_at", UtcDateTime(), nullable=True),
        sa.Column("snoozed_until", UtcDateTime(), nullable=True),
        sa.Column("assignee", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["closed_scan_id"], ["scans.id"], name="fk_incidents_closed_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(
            ["last_scan_id"], ["scans.id"], name="fk_incidents_last_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(
            ["opened_scan_id"], ["scans.id"], name="fk_incidents_opened_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_incidents_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_incidents"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_incidents_site_id_status", "incidents", ["site_id", "status"], unique=False)
    op.create_table(
        "events",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.Column("incident_id", RowNumber, nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("severity", sa.String(length=20), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("important_pages", sa.Integer(), nullable=False),
        sa.Column("detail", Json(), nullable=False),
        sa.Column("is_silent", sa.Boolean(), nullable=False),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id"], ["incidents.id"], name="fk_events_incident_id_incidents"
        ),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_events_scan_id_scans"),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_events_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_scan_id", "events", ["scan_id"], unique=False)
    op.create_index("ix_events_site_id_id", "events", ["site_id", "id"], unique=False)
    op.create_table(
        "changes",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.Column("event_id", RowNumber, nullable=True),
        sa.Column("page_id", sa.BigInteger(), nullable=True),
        sa.Column("document_id", RowNumber, nullable=True),
        sa.Column("other_page_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("before", Json(), nullable=True),
        sa.Column("after", Json(), nullable=True),
        sa.Column("evidence", Json(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("assignee", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("occurred_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_changes_document_id_documents"
        ),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name="fk_changes_event_id_events"),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_changes_scan_id_scans"),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_changes_site_id_sites"),
        sa.PrimaryKeyConstraint("id", name="pk_changes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_changes_event_id", "changes", ["event_id"], unique=False)
    op.create_index("ix_changes_page_id", "changes", ["page_id"], unique=False)
    op.create_index("ix_changes_scan_id", "changes", ["scan_id"], unique=False)
    op.create_index("ix_changes_site_id_id", "changes", ["site_id", "id"], unique=False)
