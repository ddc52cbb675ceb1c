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
    Column("watched_site_id", ForeignKey("watched_sites.id", ondelete="CASCADE")),
    Column("group_id", ForeignKey("site_groups.id", ondelete="CASCADE")),
    # webhook, email, slack, discord, teams, apprise
    Column("kind", String(20), nullable=False),
    Column("name", Text, nullable=False),
    # What may be shown of where it leads: an address of email, a host.
    Column("target_label", Text, nullable=False),
    # URL or address and secrets, encrypted.
    Column("target", Text, nullable=False),
    # The same for channels that lead to the same recipient.
    Column("target_hash", String(64), nullable=False),
    # Kinds, severity, numbers, quiet hours, digest, ...
    Column("rules", Json, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("disabled_reason", Text),
    Column("snoozed_until", UtcDateTime),
    # Deliveries in a row that failed for good.
    Column("failures", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Index("ix_channels_workspace_id", "workspace_id"),
    Index("ix_channels_watched_site_id", "watched_site_id"),
    Index("ix_channels_group_id", "group_id"),
    sqlite_autoincrement=True,
)

# What a channel is told: one row per event, and per phase of an incident.
announcements = Table(
    "announcements",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("channel_id", ForeignKey("channels.id", ondelete="CASCADE"), nullable=False),
    # What it tells, such as event:12 or incident:3:closed; a channel is told each once.
    Column("key", Text, nullable=False),
    # The watched site that it is about.
    Column("watched_site_id", ForeignKey("watched_sites.id", ondelete="CASCADE"), nullable=False),
    Column("event_id", ForeignKey("events.id", ondelete="CASCADE")),
    Column("incident_id", ForeignKey("incidents.id", ondelete="CASCADE")),
    # Of an incident: opened, still_open, closed.
    Column("phase", String(20)),
    Column("scan_id", ForeignKey("scans.id", ondelete="CASCADE"), nullable=False),
    # at_once: with what else the scan found; digest: with all that is due; damped: a digest, too,
    # unless the incident is over by then.
    Column("batch", String(20), nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    # waiting, told, dropped
    Column("status", String(20), nullable=False),
    # Why it was dropped.
    Column("reason", Text),
    Column("delivery_id", ForeignKey("deliveries.id", ondelete="CASCADE")),
    Index("uq_announcements_channel_id_key", "channel_id", "key", unique=True),
    Index("ix_announcements_status_due_at", "status", "due_at"),
    Index("ix_announcements_event_id", "event_id"),
    Index("ix_announcements_incident_id", "incident_id"),
    Index("ix_announcements_delivery_id", "delivery_id"),
    Index("ix_announcements_watched_site_id", "watched_site_id"),
    Index("ix_announcements_scan_id", "scan_id"),
    sqlite_autoincrement=True,
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("channel_id", ForeignKey("channels.id", ondelete="CASCADE"), nullable=False),
    # news, test, alert
    Column("purpose", String(20), nullable=False),
    # The same at every attempt, so that a receiver can tell a repetition.
    Column("message_id", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    # The delivery that this one repeats by hand.
    Column("replay_of", ForeignKey("deliveries.id", ondelete="SET NULL")),
    # pending, sent, failed, cancelled
    Column("status", String(20), nullable=False),
    # Attempts that have begun.
    Column("attempts", Integer, nullable=False),
    # During an attempt: when another process may take it over.
    Column("next_attempt_at", UtcDateTime),
    # What is sent, without secrets.
    Column("request", Json, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
    Index("ix_deliveries_channel_id_id", "channel_id", "id"),
    Index("ix_deliveries_status_next_attempt_at", "status", "next_attempt_at"),
    Index("ix_deliveries_replay_of", "replay_of"),
    sqlite_autoincrement=True,
)

# What came back at each attempt.
delivery_attempts = Table(
    "delivery_attempts",
    metadata,
    Column(
        "delivery_id",
        ForeignKey("deliveries.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("elapsed_ms", Integer, nullable=False),
    # Of HTTP or SMTP; NULL: no answer.
    Column("code", Integer),
    # The start of what the receiver said.
    Column("answer", Text, nullable=False),
    # Why it failed; NULL: it was sent.
    Column("error", Text),
)
