"""The tables of the monitor: who watches which site, how often, and the jobs that do it."""

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
    UniqueConstraint,
)

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime, metadata

# Whose sites and channels these are. Every database has one, number 1, from the start.
workspaces = Table(
    "workspaces",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,
)

site_groups = Table(
    "site_groups",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    Column("name", Text, nullable=False),
    # As #rrggbb.
    Column("colour", String(7), nullable=False),
    Column("description", Text, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("workspace_id", "name"),
    sqlite_autoincrement=True,
)

watched_sites = Table(
    "watched_sites",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("workspace_id", ForeignKey("workspaces.id"), nullable=False),
    # The inventory, once a scan has begun; a change of the root URL may lead to another one.
    Column("site_id", ForeignKey("sites.id")),
    # The key that the inventory has or will have.
    Column("key", Text, nullable=False),
    Column("root_url", Text, nullable=False),
    Column("name", Text, nullable=False),
    # A list of texts.
    Column("tags", Json, nullable=False),
    Column("group_id", ForeignKey("site_groups.id")),
    Column("enabled", Boolean, nullable=False),
    Column("profile", Text, nullable=False),
    # Settings of its scans by name.
    Column("settings", Json, nullable=False),
    # Its scans may connect to its root at a private address; only the command line sets it.
    Column("allow_private", Boolean, nullable=False),
    # Tags that a worker must have to scan it: a list of texts, and with what its settings need the
    # same in order, separated by commas, so that equal ones can be found.
    Column("worker_tags", Json, nullable=False),
    Column("needed_tags", Text, nullable=False),
    # 1 to 5; 5 goes first.
    Column("priority", Integer, nullable=False),
    Column("interval_minutes", Integer, nullable=False),
    # Instead of the interval, in the time zone.
    Column("cron", Text),
    Column("timezone", Text, nullable=False),
    # The person who is responsible, in whatever words the team uses.
    Column("owner", Text),
    # NULL: never (disabled).
    Column("next_due_at", UtcDateTime),
    Column("last_scan_id", ForeignKey("scans.id")),
    Column("last_scan_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    # Counts edits, so that two people do not overwrite each other.
    Column("version", Integer, nullable=False),
    UniqueConstraint("workspace_id", "key"),
    Index("ix_watched_sites_next_due_at", "next_due_at"),
    Index("ix_watched_sites_site_id", "site_id"),
    Index("ix_watched_sites_group_id", "group_id"),
    sqlite_autoincrement=True,
)

# Every inventory that a watched site has had: a change of the root URL leads to another one, and
# the history of the one before is kept.
site_inventories = Table(
    "site_inventories",
    metadata,
    Column("watched_site_id", ForeignKey("watched_sites.id"), primary_key=True),
    Column("site_id", ForeignKey("sites.id"), primary_key=True),
    Column("since", UtcDateTime, nullable=False),
    Index("ix_site_inventories_site_id", "site_id"),
)

# The history of what was to be done; the queue itself is the job engine's. A site has at most one
# job that is queued or running (``uq_jobs_watched_site_id_active``).
jobs = Table(
    "jobs",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("watched_site_id", ForeignKey("watched_sites.id"), nullable=False),
    Column("kind", String(20), nullable=False),
    # What asked for it: schedule, person, import, retry, ...
    Column("trigger", String(20), nullable=False),
    Column("status", String(20), nullable=False),
    # Why it ended so, or was skipped.
    Column("reason", Text),
    Column("priority", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    # How often it was taken up again because its process had died.
    Column("restarts", Integer, nullable=False),
    # The job that this one tries again.
    Column("retry_of", ForeignKey("jobs.id")),
    Column("scan_id", ForeignKey("scans.id")),
    # Of the job engine; NULL: it has not been handed to it yet.
    Column("workflow_id", Text, unique=True),
    # Who runs it, or did: ``workers.name``.
    Column("worker", Text),
    Column("queued_at", UtcDateTime, nullable=False),
    # A retry waits until then.
    Column("not_before", UtcDateTime),
    Column("started_at", UtcDateTime),
    Column("finished_at", UtcDateTime),
    Column("cancel_requested_at", UtcDateTime),
    Column("exit_code", Integer),
    # The end of what the scan has logged.
    Column("log_tail", Text),
    Index("ix_jobs_watched_site_id_id", "watched_site_id", "id"),
    Index("ix_jobs_status_id", "status", "id"),
    Index("ix_jobs_scan_id", "scan_id"),
    sqlite_autoincrement=True,
)

# As text: see ``INVENTORY_INDEXES``.
JOB_INDEXES = {
    "uq_jobs_watched_site_id_active": (
        "CREATE UNIQUE INDEX uq_jobs_watched_site_id_active ON jobs (watched_site_id)"
        " WHERE status IN ('queued', 'running')"
    ),
}

# The processes that run jobs. One that ends in order removes its row.
workers = Table(
    "workers",
    metadata,
    # Host, process and a token that no other process has.
    Column("name", Text, primary_key=True),
    Column("hostname", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("process_token", Text, nullable=False),
    # Whether it also makes jobs of what is due.
    Column("is_scheduler", Boolean, nullable=False),
    # Scans at once.
    Column("capacity", Integer, nullable=False),
    # A list of texts.
    Column("tags", Json, nullable=False),
    # It takes no further jobs and ends with those that it has.
    Column("is_draining", Boolean, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("heartbeat_at", UtcDateTime, nullable=False),
    # When a scheduler last looked for what is due.
    Column("last_tick_at", UtcDateTime),
)
