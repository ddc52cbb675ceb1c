"""What is done to many watched sites at once: those of a filter, some hundred at a time.

What could not be done is told for each site, and keeps nothing else from being done.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.jobs import queue_scan
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import (
    check_group,
    checked_tags,
    next_due,
    picked_site_ids,
    remove_site,
)
from sitecrawl.store.queries.watched_sites import find_watched_sites
from sitecrawl.store.writers.watched_sites import update_watched_sites

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.watched_sites import SiteFilter, WatchedSite

_MAX_SITES: Final = 100_000
# In one transaction: others wait for it.
_AT_ONCE: Final = 500


class BulkAction(StrEnum):
    """What can be done to many sites at once."""

    ENABLE = "enable"
    DISABLE = "disable"
    DELETE = "delete"
    GROUP = "group"
    """Put them into a group, or into none."""
    TAG = "tag"
    UNTAG = "untag"


@dataclass(frozen=True, slots=True)
class BulkResult:
    """What was done, and what was not."""

    done: tuple[int, ...]
    """Numbers of sites."""
    failed: dict[int, str]
    """By number of the site, why not."""


@requires(Permission.EDIT)
def change_sites(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter,
    action: BulkAction,
    *,
    group_id: int | None = None,
    tags: Sequence[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> BulkResult:
    """Do *action* to every site that *wanted* picks; *progress* gets done and total."""
    names = checked_tags(tags)
    if action in {BulkAction.TAG, BulkAction.UNTAG} and not names:
        raise InvalidInputError("tags", f"{action}: name at least one tag")
    if action is BulkAction.DELETE:
        return _remove(database, workspace_id, wanted, progress)
    now = datetime.now(UTC)

    def new_values(site: WatchedSite) -> dict[str, Any]:
        match action:
            case BulkAction.ENABLE | BulkAction.DISABLE:
                is_enabled = action is BulkAction.ENABLE
                due = next_due(site, site.schedule, now) if is_enabled else None
                return {"enabled": is_enabled, "next_due_at": due}
            case BulkAction.GROUP:
                return {"group_id": group_id}
            case BulkAction.TAG:
                return {"tags": list(checked_tags((*site.tags, *names)))}
        return {"tags": [tag for tag in site.tags if tag not in names]}

    def change(connection: Connection, found: Sequence[WatchedSite]) -> dict[int, str]:
        if action is BulkAction.GROUP:
            check_group(connection, workspace_id, group_id)
        values: dict[int, dict[str, Any]] = {}
        failed = _failures(found, lambda site: values.update({site.id: new_values(site)}))
        update_watched_sites(connection, values, now)
        return failed

    return _in_batches(database, workspace_id, wanted, change, progress)


@requires(Permission.SCAN)
def scan_sites(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter,
    progress: Callable[[int, int], None] | None = None,
) -> BulkResult:
    """Queue a scan of every site that *wanted* picks."""
    now = datetime.now(UTC)

    def change(connection: Connection, found: Sequence[WatchedSite]) -> dict[int, str]:
        return _failures(found, lambda site: queue_scan(connection, site, now))

    return _in_batches(database, workspace_id, wanted, change, progress)


def _in_batches(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter,
    change: Callable[[Connection, Sequence[WatchedSite]], dict[int, str]],
    progress: Callable[[int, int], None] | None,
) -> BulkResult:
    """Call *change* for batches of sites; it returns the failures by site."""
    numbers = picked_site_ids(database, workspace_id, wanted)[:_MAX_SITES]
    done: list[int] = []
    failed: dict[int, str] = {}
    for position in range(0, len(numbers), _AT_ONCE):
        some = numbers[position : position + _AT_ONCE]
        with database.writing() as connection:
            found = find_watched_sites(connection, workspace_id, some)
            failed |= change(connection, found)
        done += [site.id for site in found if site.id not in failed]
        if progress is not None:
            progress(position + len(some), len(numbers))
    return BulkResult(tuple(done), failed)


def _failures(
    found: Sequence[WatchedSite], change: Callable[[WatchedSite], object]
) -> dict[int, str]:
    failed = {}
    for site in found:
        try:
            change(site)
        except (ConflictError, NotFoundError, InvalidInputError) as error:
            failed[site.id] = str(error)
    return failed


def _remove(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter,
    progress: Callable[[int, int], None] | None,
) -> BulkResult:
    """Remove each site in a transaction of its own: an inventory may be large."""
    numbers = picked_site_ids(database, workspace_id, wanted)[:_MAX_SITES]
    failed: dict[int, str] = {}
    for position, number in enumerate(numbers, 1):
        try:
            remove_site(database, workspace_id, number)
        except (ConflictError, NotFoundError) as error:
            failed[number] = str(error)
        if progress is not None:
            progress(position, len(numbers))
    return BulkResult(tuple(each for each in numbers if each not in failed), failed)
