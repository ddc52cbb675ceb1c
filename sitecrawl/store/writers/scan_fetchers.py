"""The fetchers of one scan: whether they may work, who is there, what they share and report.

PostgreSQL only. Times are those of the database server, so the clocks of the machines need not
agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import delete, func, null, select, update

from sitecrawl.store.schema import scan_fetchers, shared_frontiers, visit_answers
from sitecrawl.store.writers.bulk import upserting_insert

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

# A process that was not seen for so long is taken for dead.
LEASE_SECONDS: Final = 20.0
IS_OPEN: Final = "EXISTS (SELECT 1 FROM shared_frontiers WHERE scan_id = %(scan)s AND is_open)"
_OPEN: Final = """
INSERT INTO shared_frontiers (scan_id, is_open, page_requests, ends_at, has_browser)
VALUES (%(scan)s, true, %(pages)s, now() + %(seconds)s * interval '1 second', %(has_browser)s)
ON CONFLICT (scan_id) DO UPDATE SET is_open = true, page_requests = excluded.page_requests,
    ends_at = excluded.ends_at, has_browser = excluded.has_browser
"""
_STATE: Final = """
SELECT page_requests, CAST(extract(epoch FROM ends_at - now()) AS double precision),
    shared.has_browser, count(own.holder), count(own.holder) FILTER (WHERE own.has_browser)
FROM shared_frontiers AS shared LEFT JOIN scan_fetchers AS own
    ON own.scan_id = shared.scan_id AND own.seen_at > now() - %(seconds)s * interval '1 second'
WHERE shared.scan_id = %(scan)s AND is_open GROUP BY shared.scan_id
"""
_SILENT: Final = """
SELECT 1 FROM scan_fetchers AS own JOIN shared_frontiers USING (scan_id)
WHERE scan_id = %(scan)s AND own.seen_at <= ends_at
    AND own.seen_at > now() - %(seconds)s * interval '1 second'
"""


class FrontierState(NamedTuple):
    """What fetchers need to know of the frontier that they work on."""

    page_requests: int
    seconds_left: float | None
    """Until the time of the scan is up; None: there is no limit."""
    has_browser: bool
    """Whether pages wait for a fetcher with a browser, also if none is there."""
    fetchers: int
    """How many are there."""
    renderers: int
    """How many of them have a browser."""


class FetchersResult(NamedTuple):
    """What all fetchers of a scan have done."""

    page_requests: int
    """Those of the scan's own process before them included."""
    reports: Mapping[str, Mapping[str, Any]]
    """By fetcher."""


# --- the scan's own process --------------------------------------------------------------------


def open_frontier(
    connection: Connection,
    scan_id: int,
    page_requests: int,
    seconds_left: float | None,
    *,
    has_browser: bool,
) -> None:
    """From now on fetchers may ask the site; what those of an interrupted run said is forgotten.

    With a browser of the scan's own process, pages that need one wait for a fetcher that has one.
    """
    own = scan_fetchers.c.scan_id == scan_id
    connection.execute(delete(scan_fetchers).where(own))
    ends = (visit_answers.c.scan_id == scan_id) & visit_answers.c.ends_crawl
    connection.execute(delete(visit_answers).where(ends))
    values = {"scan": scan_id, "pages": page_requests, "seconds": seconds_left}
    connection.exec_driver_sql(_OPEN, {**values, "has_browser": has_browser})


def close_frontier(connection: Connection, scan_id: int) -> bool:
    """The time of the fetchers is up; return whether all have said what they did until then."""
    own = shared_frontiers.c.scan_id == scan_id
    closed = update(shared_frontiers).where(own, shared_frontiers.c.is_open)
    connection.execute(closed.values(is_open=False, ends_at=func.now()))
    values = {"scan": scan_id, "seconds": LEASE_SECONDS}
    return connection.exec_driver_sql(_SILENT, values).first() is None


def fetchers_result(connection: Connection, scan_id: int) -> FetchersResult:
    """What they have done, as far as they have said so."""
    pages = select(shared_frontiers.c.page_requests).where(shared_frontiers.c.scan_id == scan_id)
    reports = select(scan_fetchers.c.holder, scan_fetchers.c.report).where(
        scan_fetchers.c.scan_id == scan_id, scan_fetchers.c.report.is_not(null())
    )
    found = connection.execute(reports.order_by(scan_fetchers.c.holder))
    return FetchersResult(connection.scalar(pages) or 0, {row.holder: row.report for row in found})


# --- fetchers ----------------------------------------------------------------------------------


def frontier_state(connection: Connection, scan_id: int) -> FrontierState | None:
    """None: fetchers must not ask the site."""
    values = {"scan": scan_id, "seconds": LEASE_SECONDS}
    row = connection.exec_driver_sql(_STATE, values).first()
    return None if row is None else FrontierState(*row)


def take_pages(connection: Connection, scan_id: int, wanted: int, max_pages: int) -> int:
    """Take so many requests for pages from the budget, or what is left of it."""
    own = (shared_frontiers.c.scan_id == scan_id) & shared_frontiers.c.is_open
    locked = select(shared_frontiers.c.page_requests).where(own).with_for_update()
    used: int | None = connection.scalar(locked)
    if used is None:
        return 0
    taken = max(min(wanted, max_pages - used), 0)
    connection.execute(update(shared_frontiers).where(own).values(page_requests=used + taken))
    return taken


def note_fetcher(
    connection: Connection,
    scan_id: int,
    holder: str,
    report: Mapping[str, Any] | None,
    *,
    has_browser: bool,
) -> None:
    """The fetcher is there, and this is what it has done so far."""
    values: dict[str, Any] = {"seen_at": func.now(), "has_browser": has_browser}
    values["report"] = null() if report is None else report
    statement = upserting_insert(connection.dialect)(scan_fetchers)
    connection.execute(
        statement.values(scan_id=scan_id, holder=holder, **values).on_conflict_do_update(
            index_elements=["scan_id", "holder"], set_=values
        )
    )


def end_fetcher(connection: Connection, scan_id: int, holder: str) -> None:
    """The fetcher has ended: others share its work."""
    own = (scan_fetchers.c.scan_id == scan_id) & (scan_fetchers.c.holder == holder)
    connection.execute(update(scan_fetchers).where(own).values(seen_at=None))
