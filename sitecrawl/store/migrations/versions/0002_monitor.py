"""The monitor: workspaces, groups, watched sites, jobs."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime

revision = "monitor_1"
down_revision = "inventory_3"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "workspaces",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workspaces"),
        sa.UniqueConstraint("name", name="uq_workspaces_name"),
        sqlite_autoincrement=True,
    )
    table = sa.table(
        "workspaces", sa.column("name", sa.Text()), sa.column("created_at", UtcDateTime())
    )
    op.bulk_insert(table, [{"name": "default", "created_at": datetime.now(UTC)}])
    op.create_table(
        "site_groups",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("workspace_id", RowNumber, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("colour", sa.String(length=7), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_site_groups_workspace_id_workspaces"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_site_groups"),
        sa.UniqueConstraint("workspace_id", "name", name="uq_site_groups_workspace_id_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "watched_sites",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("workspace_id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("root_url", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tags", Json(), nullable=False),
        sa.Column("group_id", RowNumber, nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("settings", Json(), nullable=False),
        sa.Column("allow_private", sa.Boolean(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("interval_minutes", sa.Integer(), nullable=False),
        sa.Column("cron", sa.Text(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("next_due_at", UtcDateTime(), nullable=True),
        sa.Column("last_scan_id", RowNumber, nullable=True),
        sa.Column("last_scan_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["site_groups.id"], name="fk_watched_sites_group_id_site_groups"
        ),
        sa.ForeignKeyConstraint(
            ["last_scan_id"], ["scans.id"], name="fk_watched_sites_last_scan_id_scans"
        ),
        sa.ForeignKeyConstraint(["site_id"], ["sites.id"], name="fk_watched_sites_site_id_sites"),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_watched_sites_workspace_id_workspaces"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_watched_sites"),
        sa.UniqueConstraint("workspace_id", "key", name="uq_watched_sites_workspace_id_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_watched_sites_group_id", "watched_sites", ["group_id"], unique=False)
    op.create_index("ix_watched_sites_next_due_at", "watched_sites", ["next_due_at"], unique=False)
    op.create_index("ix_watched_sites_site_id", "watched_sites", ["site_id"], unique=False)
    op.create_table(
        "site_inventories",
        sa.Column("watched_site_id", RowNumber, nullable=False),
        sa.Column("site_id", RowNumber, nullable=False),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["site_id"], ["sites.id"], name="fk_site_inventories_site_id_sites"
        ),
        sa.ForeignKeyConstraint(
            ["watched_site_id"],
            ["watched_sites.id"],
            name="fk_site_inventories_watched_site_id_watched_sites",
        ),
        sa.PrimaryKeyConstraint("watched_site_id", "site_id", name="pk_site_inventories"),
    )
    op.create_index("ix_site_inventories_site_id", "site_inventories", ["site_id"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("watched_site_id", RowNumber, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("trigger", sa.String(length=20), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("restarts", sa.Integer(), nullable=False),
        sa.Column("retry_of", RowNumber, nullable=True),
        sa.Column("scan_id", RowNumber, nullable=True),
        sa.Column("workflow_id", sa.Text(), nullable=True),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("queued_at", UtcDateTime(), nullable=False),
        sa.Column("not_before", UtcDateTime(), nullable=True),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.Column("cancel_requested_at", UtcDateTime(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("log_tail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["retry_of"], ["jobs.id"], name="fk_jobs_retry_of_jobs"),
        sa.ForeignKeyConstraint(["scan_id"], ["scans.id"], name="fk_jobs_scan_id_scans"),
        sa.ForeignKeyConstraint(
            ["watched_site_id"], ["watched_sites.id"], name="fk_jobs_watched_site_id_watched_sites"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("workflow_id", name="uq_jobs_workflow_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_scan_id", "jobs", ["scan_id"], unique=False)
    op.create_index("ix_jobs_status_id", "jobs", ["status", "id"], unique=False)
    op.create_index("ix_jobs_watched_site_id_id", "jobs", ["watched_site_id", "id"], unique=False)
    op.execute(
        "CREATE UNIQUE INDEX uq_jobs_watched_site_id_active ON jobs (watched_site_id)"
        " WHERE status IN ('queued', 'running')"
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hostname", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("process_token", sa.Text(), nullable=False),
        sa.Column("is_scheduler", sa.Boolean(), nullable=False),
        sa.Column("capacity", sa.Integer(), nullable=False),
        sa.Column("is_draining", sa.Boolean(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=False),
        sa.Column("last_tick_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )
