"""Finds scans that can go on: those that did not come to their end."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import exists, func, or_, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.queries import scan_by_id
from sitecrawl.store.scan_register import mark_dead_scans
from sitecrawl.store.tables import scans, visits
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
    """The newest scan that was interrupted or is partial, and is the last one of its site.

    A failed scan counts if it has read a page: the site answers, and something else, such as the
    database, ended the scan.
    """
    newest_of_sites = select(func.max(scans.c.id)).group_by(scans.c.site_id)
    has_read = exists().where(visits.c.scan_id == scans.c.id, visits.c.outcome == FetchOutcome.OK)
    statement = select(func.max(scans.c.id)).where(
        scans.c.id.in_(newest_of_sites),
        or_(
            scans.c.status.in_(_UNFINISHED),
            (scans.c.status == ScanStatus.FAILED) & has_read,
        ),
    )
    with database.reading() as connection:
        scan_id = connection.scalar(statement)
    return scan_by_id(database, scan_id) if scan_id is not None else None
