"""What an operator, or a system that watches the monitor, wants to know of a database."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, select, text

from sitecrawl.store import schema as t
from sitecrawl.store.migrations.upgrade import current_revision
from sitecrawl.store.processes import is_alive
from sitecrawl.store.queries.jobs import waiting_reasons, workers
from sitecrawl.store.vocabulary import ACTIVE_JOBS, DeliveryStatus, JobStatus, ScanStatus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

# A site that is due this long has been forgotten, or the workers are too few.
OVERDUE: Final = timedelta(hours=1)
RECENT: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Health:
    """Numbers at one moment."""

    revision: str | None
    bytes: int
    """Size of the database with its indexes; of SQLite also of its journal."""
    free_bytes: int | None
    """Room left on the disk of a SQLite file."""
    sites: int
    scans: Mapping[str, int]
    """By status."""
    dead_scans: int
    """Running ones whose process is gone."""
    most_scans: int
    """Of the site with the most."""
    watched_sites: int
    overdue_sites: int
    jobs: Mapping[str, int]
    """By status: queued and running ones, and those that ended within the last day."""
    oldest_queued_at: datetime | None
    schedulers: int
    workers: int
    capacity: int
    """Scans that the workers can run at once."""
    waiting: Mapping[str, int]
    """Why jobs wait that no worker can run, with how many there are."""
    failed_deliveries: int
    """Within the last day."""
    disabled_channels: int
    """Those that were switched off because their deliveries failed."""
    channels: int


def health(database: Database, now: datetime) -> Health:
    """Cheap enough to be asked every few seconds: no table of pages or mentions is read."""
    alive = [worker for worker in workers(database) if worker.is_alive]
    waiting = waiting_reasons(database)
    with database.reading() as connection:
        running = connection.execute(
            select(t.scans).where(t.scans.c.status == ScanStatus.RUNNING)
        ).all()
        watched = t.watched_sites.c
        is_overdue = watched.enabled.is_(True) & (watched.next_due_at <= now - OVERDUE)
        is_off = t.channels.c.disabled_reason.is_not(None)
        return Health(
            revision=current_revision(connection),
            bytes=_size(connection),
            free_bytes=_free(connection),
            sites=_count(connection, select(func.count()).select_from(t.sites)),
            scans=_by_status(connection, t.scans.c.status, t.scans.c.pruned_at.is_(None)),
            dead_scans=sum(not is_alive(scan, now) for scan in running),
            most_scans=_most_scans(connection),
            watched_sites=_count(connection, select(func.count()).where(watched.enabled)),
            overdue_sites=_count(connection, select(func.count()).where(is_overdue)),
            jobs=_jobs(connection, now),
            oldest_queued_at=connection.scalar(
                select(func.min(t.jobs.c.queued_at)).where(t.jobs.c.status == JobStatus.QUEUED)
            ),
            schedulers=sum(worker.is_scheduler for worker in alive),
            workers=len(alive),
            capacity=sum(worker.capacity for worker in alive),
            waiting=waiting,
            failed_deliveries=_failed_deliveries(connection, now),
            disabled_channels=_count(connection, select(func.count()).where(is_off)),
            channels=_count(connection, select(func.count()).select_from(t.channels)),
        )


def _count(connection: Connection, statement: Select[int]) -> int:
    return connection.scalar(statement) or 0


def _by_status(
    connection: Connection, status: ColumnElement[str], *conditions: ColumnElement[bool]
) -> dict[str, int]:
    statement = select(status, func.count()).where(*conditions).group_by(status)
    return {row[0]: row[1] for row in connection.execute(statement)}


def _most_scans(connection: Connection) -> int:
    of_sites = select(func.count()).where(t.scans.c.pruned_at.is_(None)).group_by(t.scans.c.site_id)
    return max(connection.scalars(of_sites), default=0)


def _jobs(connection: Connection, now: datetime) -> dict[str, int]:
    is_active = t.jobs.c.status.in_(ACTIVE_JOBS)
    is_recent = t.jobs.c.finished_at >= now - RECENT
    return _by_status(connection, t.jobs.c.status, is_active | is_recent)


def _failed_deliveries(connection: Connection, now: datetime) -> int:
    deliveries = t.deliveries.c
    return _count(
        connection,
        select(func.count()).where(
            deliveries.status == DeliveryStatus.FAILED, deliveries.finished_at >= now - RECENT
        ),
    )


def _size(connection: Connection) -> int:
    if connection.dialect.name == "postgresql":
        return connection.scalar(text("SELECT pg_database_size(current_database())")) or 0
    path = _path(connection)
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _free(connection: Connection) -> int | None:
    if connection.dialect.name == "postgresql":
        return None
    return shutil.disk_usage(_path(connection).parent).free


def _path(connection: Connection) -> Path:
    return Path(connection.engine.url.database or "")
