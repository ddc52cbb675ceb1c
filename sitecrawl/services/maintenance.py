"""What an operator does with a whole database: back it up, restore, migrate and prune it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.config.environment import apply_environment
from sitecrawl.config.profiles import load_settings
from sitecrawl.errors import InvalidInputError
from sitecrawl.services.database import known_site
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store import backup
from sitecrawl.store.engine import open_database, schema_revision, without_password
from sitecrawl.store.migrations.upgrade import HEAD_REVISION, check_revision
from sitecrawl.store.writers import partitions
from sitecrawl.store.writers.prune import Removal, Retention, pruning
from sitecrawl.store.writers.prune import vacuum as rewrite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sitecrawl.store.engine import Database


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was written or restored."""

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
    """The result of splitting the largest tables."""

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
    found = Migration(without_password(url), schema_revision(url), HEAD_REVISION)
    check_revision(found.before, found.database)
    return found


@requires(Permission.MANAGE)
def migrate(url: str, *, keep_copy: bool = False) -> Migration:
    """Bring the database to the newest schema, and create it if there is none.

    Every command does that when it opens the database; for a large one it is better done alone.
    With *keep_copy* a SQLite database that has older tables is copied to a file beside it first;
    PostgreSQL has its own ways of going back.
    """
    found = pending_migration(url)
    if keep_copy and found.before and found.is_needed:
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


# --- retention ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What was removed, or would be."""

    is_done: bool
    scans: int
    kept_scans: int
    """Scans that can be asked for afterwards."""
    removals: Sequence[Removal]
    """By table; those that nothing is removed of are left out."""

    @property
    def bytes(self) -> int:
        return sum(removal.bytes for removal in self.removals)


@requires(Permission.MANAGE)
def configured_retention() -> Retention:
    """The retention of the environment, or of the default settings."""
    settings = load_settings("default")
    apply_environment(settings)
    return _retention_of(Config.from_settings(settings))


@requires(Permission.MANAGE)
def prune_by_itself(database: Database, config: Config) -> PruneReport | None:
    """Remove what the settings do not keep; None: they keep everything."""
    retention = _retention_of(config)
    return prune(database, retention, dry_run=False) if retention != Retention() else None


@requires(Permission.MANAGE)
def prune(
    database: Database, retention: Retention, site: str = "", *, dry_run: bool = True
) -> PruneReport:
    """Remove what the retention does not keep, of one site or of all; every scan that is kept
    gives the same answers as before.

    With *dry_run* nothing is removed: the report says what would be.
    """
    if retention == Retention():
        raise InvalidInputError(
            "retention",
            "nothing says what to keep; give a number of scans or bytes, or SITECRAWL_KEEP_SCANS",
        )
    site_id = known_site(database, site).id if site else None
    with pruning(database, retention, site_id) as found:
        removals = [removal for removal in found.removals() if removal.rows]
        if not dry_run:
            found.remove()
        return PruneReport(
            is_done=not dry_run,
            scans=found.scans,
            kept_scans=found.kept_scans,
            removals=removals,
        )


@requires(Permission.MANAGE)
def vacuum(database: Database) -> None:
    """Give the space of removed rows back to the disk, instead of leaving it to the next scans.

    It takes as much free space as the database, and waits until nobody else uses it.
    """
    rewrite(database)


def _retention_of(config: Config) -> Retention:
    return Retention(
        scans=config.keep_scans,
        body_scans=config.keep_bodies_scans,
        body_bytes=config.keep_bodies_total_bytes,
    )
