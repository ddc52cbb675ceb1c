"""The tables of changes: what happened to a site, as it was proven, told and dealt with."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
)

from sitecrawl.store.schema.types import Json, RowNumber, UtcDateTime, metadata

# One row per scan whose changes have been looked for.
comparisons = Table(
    "comparisons",
    metadata,
    Column("scan_id", ForeignKey("scans.id"), primary_key=True, autoincrement=False),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    # The scan that it was compared with; NULL: a baseline.
    Column("before_scan_id", ForeignKey("scans.id")),
    # Why what it found is no change of the site: first_scan, settings, rules, ...
    Column("baseline", Text),
    # Removals wait until a second scan or a person confirms them.
    Column("is_holding", Boolean, nullable=False),
    # Whether the lastmod of the site could be trusted, and the measures that say so.
    Column("lastmod_trust", Json),
    # Numbers by kind.
    Column("counts", Json, nullable=False),
    # Pages with higher numbers are new to the next comparison.
    Column("last_page_number", BigInteger, nullable=False),
    Column("compared_at", UtcDateTime, nullable=False),
    # NULL: channels are still to be told of it.
    Column("announced_at", UtcDateTime),
    Index("ix_comparisons_site_id_scan_id", "site_id", "scan_id"),
    Index("ix_comparisons_announced_at", "announced_at"),
)

# Pages that are not simply there; a page without a row is present.
page_presence = Table(
    "page_presence",
    metadata,
    Column("page_id", BigInteger, primary_key=True, autoincrement=False),
    Column("site_id", Integer, nullable=False),
    # missing, removed, unlisted, unknown
    Column("state", String(20), nullable=False),
    Column("since_scan_id", BigInteger, nullable=False),
    # Scans in a row that say so.
    Column("scans", Integer, nullable=False),
    # How often it came and went lately, so that it is told once.
    Column("flaps", Integer, nullable=False),
    Column("evidence", Json, nullable=False),
    Index("ix_page_presence_site_id_state", "site_id", "state"),
    sqlite_with_rowid=False,
)

incidents = Table(
    "incidents",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    # The same trouble of the same site has the same key, so it is one incident.
    Column("key", Text, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("severity", String(20), nullable=False),
    Column("title", Text, nullable=False),
    # open, closed
    Column("status", String(20), nullable=False),
    Column("opened_scan_id", ForeignKey("scans.id"), nullable=False),
    Column("last_scan_id", ForeignKey("scans.id"), nullable=False),
    Column("closed_scan_id", ForeignKey("scans.id")),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("closed_at", UtcDateTime),
    Column("snoozed_until", UtcDateTime),
    Column("assignee", Text),
    Column("note", Text),
    Index("ix_incidents_site_id_status", "site_id", "status"),
    sqlite_autoincrement=True,
)

# Changes that belong together, as a person would tell them.
events = Table(
    "events",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("scan_id", ForeignKey("scans.id"), nullable=False),
    Column("incident_id", ForeignKey("incidents.id")),
    Column("kind", String(40), nullable=False),
    Column("severity", String(20), nullable=False),
    Column("title", Text, nullable=False),
    # Of how many pages it tells, and how many of them are important.
    Column("pages", Integer, nullable=False),
    Column("important_pages", Integer, nullable=False),
    # Section, examples, numbers: what is shown with the title.
    Column("detail", Json, nullable=False),
    # Stored for the record only: nobody is told (untrusted lastmod, flapping, a held removal).
    Column("is_silent", Boolean, nullable=False),
    Column("occurred_at", UtcDateTime, nullable=False),
    Index("ix_events_site_id_id", "site_id", "id"),
    Index("ix_events_scan_id", "scan_id"),
    sqlite_autoincrement=True,
)

changes = Table(
    "changes",
    metadata,
    Column("id", RowNumber, primary_key=True),
    Column("site_id", ForeignKey("sites.id"), nullable=False),
    Column("scan_id", ForeignKey("scans.id"), nullable=False),
    Column("event_id", ForeignKey("events.id")),
    # NULL: of the site or a document (robots.txt, a sitemap).
    Column("page_id", BigInteger),
    Column("document_id", ForeignKey("documents.id")),
    # The page that a moved one went to.
    Column("other_page_id", BigInteger),
    Column("kind", String(40), nullable=False),
    # Changed fields by name.
    Column("before", Json),
    Column("after", Json),
    # Why this is believed, in words and figures.
    Column("evidence", Json, nullable=False),
    Column("confidence", Float, nullable=False),
    # open, closed
    Column("status", String(20), nullable=False),
    Column("assignee", Text),
    Column("note", Text),
    Column("occurred_at", UtcDateTime, nullable=False),
    Index("ix_changes_site_id_id", "site_id", "id"),
    Index("ix_changes_scan_id", "scan_id"),
    Index("ix_changes_page_id", "page_id"),
    Index("ix_changes_event_id", "event_id"),
    sqlite_autoincrement=True,
)
