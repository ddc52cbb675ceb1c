"""Finds scans that can go on: those that did not come to their end."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from sitecrawl.store.queries import scan_by_id
from sitecrawl.store.scan_register import mark_dead_scans
from sitecrawl.store.tables import scans
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan

_UNFINISHED = (ScanStatus.INTERRUPTED, ScanStatus.PARTIAL)


def find_dead_scans(database: Database) -> None:
    """Mark the scans whose process is gone, so that they are known as interrupted."""
    with database.writing() as connection:
        mark_dead_scans(connection, datetime.now(UTC))


def newest_unfinished_scan(database: Database) -> Scan | None:
    """The newest scan that was interrupted or is partial, and is the last one of its site."""
    newest_of_sites = select(func.max(scans.c.id)).group_by(scans.c.site_id)
    statement = select(func.max(scans.c.id)).where(
        scans.c.id.in_(newest_of_sites), scans.c.status.in_(_UNFINISHED)
    )
    with database.reading() as connection:
        scan_id = connection.scalar(statement)
    return scan_by_id(database, scan_id) if scan_id is not None else None
