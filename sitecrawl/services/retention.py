"""Removes what is not to be kept: old scans with all that only they need, and old bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.config.environment import apply_environment
from sitecrawl.config.profiles import load_settings
from sitecrawl.errors import InvalidInputError
from sitecrawl.services.database import known_site
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.writers.prune import Removal, Retention, pruning
from sitecrawl.store.writers.prune import vacuum as rewrite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.store.engine import Database


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
    """That of the environment, or of the default settings."""
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
