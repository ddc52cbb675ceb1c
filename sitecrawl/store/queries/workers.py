"""Reads the processes that run jobs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from sitecrawl.scheduling.worker_tags import WorkerKind
from sitecrawl.store import schema as t
from sitecrawl.store.processes import is_alive
from sitecrawl.store.vocabulary import JobStatus

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

# A worker says that it is there every five seconds; on another host only that tells. Its scans are
# to go on within a minute, and somebody has to be free for them.
WORKER_DEAD_AFTER_SECONDS = 25


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that runs jobs."""

    name: str
    hostname: str
    pid: int
    process_token: str
    is_scheduler: bool
    capacity: int
    """Scans at once."""
    tags: tuple[str, ...]
    is_draining: bool
    started_at: datetime
    heartbeat_at: datetime
    last_tick_at: datetime | None
    running: int
    """Jobs that it runs now."""

    @property
    def is_alive(self) -> bool:
        return is_alive(self, datetime.now(UTC), WORKER_DEAD_AFTER_SECONDS)

    @property
    def kind(self) -> WorkerKind:
        return WorkerKind(self.capacity, self.tags)


_RUNNING = (
    select(func.count())
    .where(t.jobs.c.worker == t.workers.c.name, t.jobs.c.status == JobStatus.RUNNING)
    .scalar_subquery()
)


def workers(database: Database) -> list[Worker]:
    """Also those that have died and that nobody has noticed yet."""
    statement = select(t.workers, _RUNNING.label("running")).order_by(t.workers.c.started_at)
    with database.reading() as connection:
        rows = connection.execute(statement).all()
    return [Worker(**row._asdict() | {"tags": tuple(row.tags)}) for row in rows]


def worker_is_alive(connection: Connection, name: str) -> bool:
    """Whether the worker with this name is known, and its process there."""
    row = connection.execute(select(t.workers).where(t.workers.c.name == name)).first()
    return row is not None and is_alive(row, datetime.now(UTC), WORKER_DEAD_AFTER_SECONDS)


def running_workers(connection: Connection) -> set[str]:
    """The workers that have a job, whether they are known or not."""
    is_running = t.jobs.c.status == JobStatus.RUNNING
    found = connection.scalars(select(t.jobs.c.worker).where(is_running).distinct())
    return {name for name in found if name is not None}
