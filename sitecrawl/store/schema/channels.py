"""The tables of announcements: where people are told, by which rules, and what was sent."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime, metadata

channels = Table(
    "channels",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    # Of one site or one group; both NULL: of all sites.
    Column("watched_site_id", ForeignKey("watched_sites.id")),
    Column("group_id", ForeignKey("site_groups.id")),
    # webhook, email, slack, discord, teams, apprise
    Column("kind", String(20), nullable=False),
    Column("name", Text, nullable=False),
    # What may be shown of where it leads: an address of email, a host.
    Column("target_label", Text, nullable=False),
    # URL or address and secrets, encrypted.
    Column("target", Text, nullable=False),
    # Kinds, severity, numbers, quiet hours, digest, ...
    Column("rules", Json, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("disabled_reason", Text),
    Column("snoozed_until", UtcDateTime),
    # Failed deliveries in a row.
    Column("failures", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("ix_channels_workspace_id", "workspace_id"),
    Index("ix_channels_watched_site_id", "watched_site_id"),
    sqlite_autoincrement=True,
)

# What a channel is still to be told, one row per event; those of a digest wait for its hour.
announcements = Table(
    "announcements",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("channel_id", ForeignKey("channels.id"), nullable=False),
    Column("event_id", ForeignKey("events.id"), nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    # The delivery that has told it; NULL: not yet.
    Column("delivery_id", ForeignKey("deliveries.id")),
    Index("uq_announcements_channel_id_event_id", "channel_id", "event_id", unique=True),
    Index("ix_announcements_due_at", "due_at"),
    sqlite_autoincrement=True,
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("channel_id", ForeignKey("channels.id"), nullable=False),
    # The same at every attempt, so that a receiver can tell a repetition.
    Column("message_id", Text, nullable=False, unique=True),
    # The delivery that this one repeats by hand.
    Column("replay_of", ForeignKey("deliveries.id")),
    # pending, sent, failed
    Column("status", String(20), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_attempt_at", UtcDateTime),
    # What is sent, without secrets.
    Column("request", Json, nullable=False),
    # What came back at the last attempt: status, the start of the body, an error.
    Column("response", Json),
    Column("elapsed_ms", Integer),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Index("ix_deliveries_channel_id_id", "channel_id", "id"),
    Index("ix_deliveries_status_next_attempt_at", "status", "next_attempt_at"),
    sqlite_autoincrement=True,
)
