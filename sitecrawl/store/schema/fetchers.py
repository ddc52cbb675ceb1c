"""What the processes that crawl one site together share; PostgreSQL only."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, Table, Text, false

from sitecrawl.store.schema.types import Json, UtcDateTime, metadata

# Which process fetches the pages of a host, in a scan with fetchers. A token is given out once: who
# holds an older one may no longer write.
host_queues = Table(
    "host_queues",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("queue", Text, primary_key=True),
    Column("token", Integer, nullable=False),
    # NULL: nobody.
    Column("holder", Text),
    Column("expires_at", UtcDateTime),
    # Whether one of its pages was to be rendered: it belongs to fetchers with a browser since.
    Column("needs_browser", Boolean, nullable=False, server_default=false()),
)

# A scan that has, or had, fetchers.
shared_frontiers = Table(
    "shared_frontiers",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    # Whether fetchers may ask the site now: before and afterwards the scan's own process does.
    Column("is_open", Boolean, nullable=False),
    # By all of its processes; they count against the budget of pages.
    Column("page_requests", BigInteger, nullable=False),
    # When its time is up, or when it was closed; NULL: never.
    Column("ends_at", UtcDateTime),
    # Whether pages wait for a fetcher with a browser, also if none is there.
    Column("has_browser", Boolean, nullable=False, server_default=false()),
)

# The processes that fetch for a scan.
scan_fetchers = Table(
    "scan_fetchers",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    # As in host_queues.
    Column("holder", Text, primary_key=True),
    # NULL: it has ended.
    Column("seen_at", UtcDateTime),
    # What it has sent and counted; NULL: nothing yet.
    Column("report", Json),
    Column("has_browser", Boolean, nullable=False, server_default=false()),
)

# What a fetcher has read from the page of a visit, until the scan takes it.
visit_answers = Table(
    "visit_answers",
    metadata,
    Column("scan_id", BigInteger, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    # The page was not sent for: nor are those behind it.
    Column("ends_crawl", Boolean, nullable=False),
    # A RenderingStep that is still to be done; NULL: the page is as it counts.
    Column("rendering", Text),
    Column("content", LargeBinary, nullable=False),
)
# As text: see ``INVENTORY_INDEXES``.
FETCHER_INDEXES = {
    "ix_visit_answers_wanted": (
        "CREATE INDEX ix_visit_answers_wanted ON visit_answers (scan_id, number)"
        " WHERE rendering = 'wanted'"
    ),
}
