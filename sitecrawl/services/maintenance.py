"""What an operator does with a whole database: copy it, put a copy back, migrate it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store import backup
from sitecrawl.store.engine import open_database, schema_revision, without_password
from sitecrawl.store.migrations.upgrade import HEAD_REVISION, can_upgrade
from sitecrawl.store.writers import partitions

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was written, or put back."""

    database: str
    """Its URL without the password."""
    file: Path
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Migration:
    """The version of the schema before and after; None: the database had no tables."""

    database: str
    before: str | None
    after: str
    copy: Path | None = None
    """As it was before."""

    @property
    def is_needed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Partitioned:
    """The largest tables, split."""

    database: str
    rows: int
    """So many were copied."""
    seconds: float


@requires(Permission.MANAGE)
def back_up(url: str, file: Path, programs: Path | None = None) -> Copied:
    """Write a copy of the database, also while it is used; *programs* is the folder of pg_dump."""
    started = time.monotonic()
    backup.back_up(url, file, programs)
    return _copied(url, file, started)


@requires(Permission.MANAGE)
def restore(url: str, file: Path, programs: Path | None = None, *, replace: bool = False) -> Copied:
    """Put a copy in the place of the database, and bring it to the newest schema."""
    started = time.monotonic()
    backup.restore(url, file, programs, replace=replace)
    open_database(url).close()
    return _copied(url, file, started)


def _copied(url: str, file: Path, started: float) -> Copied:
    seconds = time.monotonic() - started
    return Copied(without_password(url), file, file.stat().st_size, seconds)


@requires(Permission.MANAGE)
def pending_migration(url: str) -> Migration:
    """What :func:`migrate` would do."""
    return Migration(without_password(url), schema_revision(url), HEAD_REVISION)


@requires(Permission.MANAGE)
def migrate(url: str, *, keep_copy: bool = False) -> Migration:
    """Bring the database to the newest schema, and create it if there is none.

    Every command does that when it opens the database; for a large one it is better done alone.
    With *keep_copy* a SQLite database that has older tables is copied to a file beside it first;
    PostgreSQL has its own ways of going back.
    """
    found = pending_migration(url)
    if keep_copy and found.is_needed and can_upgrade(found.before):
        found = replace(found, copy=backup.copy_beside(url, f"-{found.before}"))
    open_database(url).close()
    return found


@requires(Permission.MANAGE)
def partition(url: str, count: int) -> Partitioned:
    """Split pages and mentions of a PostgreSQL database; nobody else can use them meanwhile."""
    started = time.monotonic()
    with open_database(url) as database:
        rows = partitions.partition(database, count, datetime.now(UTC))
        return Partitioned(database.label, rows, time.monotonic() - started)
