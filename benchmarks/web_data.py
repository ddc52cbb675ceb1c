"""Fills a database as the server of a large team has it: many watched sites, one of them huge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from benchmarks.inventory_site import ROOT_URL, SITE, build_inventory
from sitecrawl.services import users
from sitecrawl.services.callers import SessionRules
from sitecrawl.services.permissions import Role
from sitecrawl.services.sessions import Client, sign_in
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store import schema as t
from sitecrawl.store.queries.scans import latest_scan, site_for
from sitecrawl.store.vocabulary import FIRST_WORKSPACE, JobKind, JobStatus, JobTrigger, ScanStatus
from sitecrawl.store.writers.page_index import index_pages
from sitecrawl.store.writers.scan_writer import ScanWriter
from sitecrawl.store.writers.watched_sites import link_inventory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.store.engine import Database

_EMAIL = "bench@example.com"
_PASSWORD = "a long password"
_EVENT_CHANGES = 50
_BATCH = 5_000
_SCANS_PER_SITE = 3


def fill(database: Database, *, pages: int, sites: int, changes: int) -> str:
    """Fill an empty database, and return the cookie of a session."""
    build_inventory(database, pages)
    large = site_for(database, SITE)
    scan = latest_scan(database, large.id) if large else None
    assert large is not None
    assert scan is not None
    index_pages(database, scan)
    watched = add_site(database, FIRST_WORKSPACE, NewSite(ROOT_URL, tags=("large",)))
    with database.writing() as connection:
        # The inventory has a key of its own.
        connection.execute(update(t.watched_sites).values(key=SITE, site_id=large.id))
        link_inventory(connection, watched.id, large.id, datetime.now(UTC))
    for number in range(1, sites):
        _small_site(database, number)
    _jobs(database)
    _changes(database, large.id, changes)
    with database.writing() as connection:
        if not database.is_sqlite:
            # Rows were filled in with their numbers, which PostgreSQL does not notice.
            for table in ("documents", "verdicts"):
                newest = f"(SELECT max(id) FROM {table})"
                sequence = f"pg_get_serial_sequence('{table}', 'id')"
                connection.exec_driver_sql(f"SELECT setval({sequence}, {newest})")
        connection.exec_driver_sql("ANALYZE")
    return _session(database)


def _small_site(database: Database, number: int) -> None:
    host = f"site-{number}.example.com"
    for _ in range(_SCANS_PER_SITE):
        writer = ScanWriter(database)
        writer.begin(site_key=host, asked=host, root_url=f"https://{host}/", profile="monitor")
        writer.finish(ScanStatus.FINISHED)
    tags = (f"team-{number % 7}", "shop" if number % 3 else "blog")
    add_site(database, FIRST_WORKSPACE, NewSite(f"https://{host}/", tags=tags))


def _jobs(database: Database) -> None:
    """The job of every scan; the new ones of the sites have ended, too."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        connection.execute(
            update(t.jobs).values(status=JobStatus.SUCCESS, started_at=now, finished_at=now)
        )
        scans = connection.execute(
            select(t.scans.c.id, t.watched_sites.c.id.label("watched_site_id")).join(
                t.watched_sites, t.watched_sites.c.site_id == t.scans.c.site_id
            )
        ).all()
        rows = [
            {
                "watched_site_id": scan.watched_site_id,
                "kind": JobKind.SCAN,
                "trigger": JobTrigger.SCHEDULE,
                "status": JobStatus.FAILED if scan.id % 20 == 0 else JobStatus.SUCCESS,
                "priority": 3,
                "attempt": 1,
                "restarts": 0,
                "scan_id": scan.id,
                "queued_at": now - timedelta(minutes=10),
                "started_at": now - timedelta(minutes=9),
                "finished_at": now - timedelta(minutes=5),
                "log_tail": "2026-01-01 00:00:00 [scrapy.core.engine] INFO: Spider opened\n" * 40,
            }
            for scan in scans
        ]
        connection.execute(insert(t.jobs), rows)


def _changes(database: Database, large: int, changes: int) -> None:
    """Nine tenths of them of the large site."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        scans = connection.execute(
            select(t.scans.c.id, t.scans.c.site_id).order_by(t.scans.c.id)
        ).all()
        connection.execute(
            insert(t.comparisons),
            [
                {
                    "scan_id": scan.id,
                    "site_id": scan.site_id,
                    "is_holding": False,
                    "counts": {"added": 1},
                    "last_page_number": 0,
                    "compared_at": now,
                    "announced_at": now,
                }
                for scan in scans
            ],
        )
        newest = max(scan.id for scan in scans if scan.site_id == large)
        others = [scan for scan in scans if scan.site_id != large]
        pages: Sequence[Any] = connection.scalars(
            select(t.pages.c.id).where(t.pages.c.site_id == large).limit(changes)
        ).all()
        for first in range(0, changes, _BATCH):
            rows = []
            for number in range(first, min(first + _BATCH, changes)):
                other = others[number % len(others)] if others and number % 10 == 0 else None
                rows.append(
                    {
                        "site_id": other.site_id if other else large,
                        "scan_id": other.id if other else newest,
                        "event_id": None,
                        "page_id": None if other else pages[number % len(pages)],
                        "kind": ("added", "removed", "updated", "returned")[number % 4],
                        "before": {"lastmod": "2025-01-01"},
                        "after": {"lastmod": "2025-02-01"},
                        "evidence": {"sitemap": f"{ROOT_URL}sitemap-1.xml"},
                        "confidence": 1.0,
                        "status": "open",
                        "occurred_at": now - timedelta(minutes=(changes - number) % 40_000),
                    }
                )
            _with_events(connection, rows, now)
            connection.execute(insert(t.changes), rows)


def _with_events(connection: Any, rows: list[dict[str, Any]], now: datetime) -> None:
    for first in range(0, len(rows), _EVENT_CHANGES):
        row = rows[first + 1]
        event = {
            "site_id": row["site_id"],
            "scan_id": row["scan_id"],
            "kind": "updated",
            "severity": "low",
            "title": "Pages of a section were updated",
            "pages": _EVENT_CHANGES,
            "important_pages": 1,
            "detail": {"section": "/s3/"},
            "is_silent": False,
            "occurred_at": now,
        }
        event_id = connection.scalar(insert(t.events).values(event).returning(t.events.c.id))
        for each in rows[first : first + _EVENT_CHANGES]:
            if each["site_id"] == row["site_id"]:
                each["event_id"] = event_id


def _session(database: Database) -> str:
    users.create_user(database, FIRST_WORKSPACE, _EMAIL, Role.OWNER, password=_PASSWORD)
    return sign_in(database, _EMAIL, _PASSWORD, Client("127.0.0.1", ""), SessionRules()).secret
