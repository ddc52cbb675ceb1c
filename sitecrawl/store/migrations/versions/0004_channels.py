"""Channels, announcements and deliveries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime

revision = "channels_1"
down_revision = "changes_1"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "channels",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("workspace_id", RowNumber, nullable=False),
        sa.Column("watched_site_id", RowNumber, nullable=True),
        sa.Column("group_id", RowNumber, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("target_label", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("target_hash", sa.String(length=64), nullable=False),
        sa.Column("rules", Json(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("snoozed_until", UtcDateTime(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["site_groups.id"],
            name="fk_channels_group_id_site_groups",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["watched_site_id"],
            ["watched_sites.id"],
            name="fk_channels_watched_site_id_watched_sites",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_channels_workspace_id_workspaces"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_channels"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_channels_group_id", "channels", ["group_id"], unique=False)
    op.create_index("ix_channels_watched_site_id", "channels", ["watched_site_id"], unique=False)
    op.create_index("ix_channels_workspace_id", "channels", ["workspace_id"], unique=False)
    op.create_table(
        "deliveries",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("channel_id", RowNumber, nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("replay_of", RowNumber, nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", UtcDateTime(), nullable=True),
        sa.Column("request", Json(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channels.id"],
            name="fk_deliveries_channel_id_channels",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["replay_of"],
            ["deliveries.id"],
            name="fk_deliveries_replay_of_deliveries",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint("message_id", name="uq_deliveries_message_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_channel_id_id", "deliveries", ["channel_id", "id"], unique=False)
    op.create_index("ix_deliveries_replay_of", "deliveries", ["replay_of"], unique=False)
    op.create_index(
        "ix_deliveries_status_next_attempt_at",
        "deliveries",
        ["status", "next_attempt_at"],
        unique=False,
    )
    op.create_table(
        "announcements",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("channel_id", RowNumber, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("watched_site_id", RowNumber, nullable=False),
        sa.Column("event_id", RowNumber, nullable=True),
        sa.Column("incident_id", RowNumber, nullable=True),
        sa.Column("phase", sa.String(length=20), nullable=True),
        sa.Column("scan_id", RowNumber, nullable=False),
        sa.Column("batch", sa.String(length=20), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("delivery_id", RowNumber, nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"],
            ["channels.id"],
            name="fk_announcements_channel_id_channels",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["deliveries.id"],
            name="fk_announcements_delivery_id_deliveries",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name="fk_announcements_event_id_events", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_announcements_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["scan_id"], ["scans.id"], name="fk_announcements_scan_id_scans", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["watched_site_id"],
            ["watched_sites.id"],
            name="fk_announcements_watched_site_id_watched_sites",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_announcements"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_announcements_delivery_id", "announcements", ["delivery_id"], unique=False)
    op.create_index("ix_announcements_event_id", "announcements", ["event_id"], unique=False)
    op.create_index("ix_announcements_incident_id", "announcements", ["incident_id"], unique=False)
    op.create_index("ix_announcements_scan_id", "announcements", ["scan_id"], unique=False)
    op.create_index(
        "ix_announcements_status_due_at", "announcements", ["status", "due_at"], unique=False
    )
    op.create_index(
        "ix_announcements_watched_site_id", "announcements", ["watched_site_id"], unique=False
    )
    op.create_index(
        "uq_announcements_channel_id_key", "announcements", ["channel_id", "key"], unique=True
    )
    op.create_table(
        "delivery_attempts",
        sa.Column("delivery_id", RowNumber, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("elapsed_ms", sa.Integer(), nullable=False),
        sa.Column("code", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["deliveries.id"],
            name="fk_delivery_attempts_delivery_id_deliveries",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("delivery_id", "number", name="pk_delivery_attempts"),
    )
