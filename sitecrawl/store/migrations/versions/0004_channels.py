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
        sa.Column("rules", Json(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("snoozed_until", UtcDateTime(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["site_groups.id"], name="fk_channels_group_id_site_groups"
        ),
        sa.ForeignKeyConstraint(
            ["watched_site_id"],
            ["watched_sites.id"],
            name="fk_channels_watched_site_id_watched_sites",
        ),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspaces.id"], name="fk_channels_workspace_id_workspaces"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_channels"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_channels_watched_site_id", "channels", ["watched_site_id"], unique=False)
    op.create_index("ix_channels_workspace_id", "channels", ["workspace_id"], unique=False)
    op.create_table(
        "deliveries",
        sa.Column("id", RowNumber, nullable=False),
        sa.Column("channel_id", RowNumber, nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("replay_of", RowNumber, nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", UtcDateTime(), nullable=True),
        sa.Column("request", Json(), nullable=False),
        sa.Column("response", Json(), nullable=True),
        sa.Column("elapsed_ms", sa.Integer(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("finished_at", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channels.id"], name="fk_deliveries_channel_id_channels"
        ),
        sa.ForeignKeyConstraint(
            ["replay_of"], ["deliveries.id"], name="fk_deliveries_replay_of_deliveries"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_deliveries"),
        sa.UniqueConstraint("message_id", name="uq_deliveries_message_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_channel_id_id", "deliveries", ["channel_id", "id"], unique=False)
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
        sa.Column("event_id", RowNumber, nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("delivery_id", RowNumber, nullable=True),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channels.id"], name="fk_announcements_channel_id_channels"
        ),
        sa.ForeignKeyConstraint(
            ["delivery_id"], ["deliveries.id"], name="fk_announcements_delivery_id_deliveries"
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name="fk_announcements_event_id_events"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_announcements"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_announcements_due_at", "announcements", ["due_at"], unique=False)
    op.create_index(
        "uq_announcements_channel_id_event_id",
        "announcements",
        ["channel_id", "event_id"],
        unique=True,
    )
