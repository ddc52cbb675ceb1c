"""What is done to many watched sites at once: those of a filter, one after another.

Each site is changed in a transaction of its own. What could not be done is told for each, and
keeps nothing else from being done.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.jobs import scan_site
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import (
    SiteEdit,
    checked_tags,
    edit_site,
    get_site,
    picked_site_ids,
    remove_site,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.watched_sites import SiteFilter

_MAX_SITES: Final = 100_000


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
    return _for_each(
        database,
        workspace_id,
        wanted,
        lambda number: _change(database, workspace_id, number, action, group_id, names),
        progress,
    )


@requires(Permission.SCAN)
def scan_sites(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter,
    progress: Callable[[int, int], None] | None = None,
) -> BulkResult:
    """Queue a scan of every site that *wanted* picks."""
    return _for_each(
        database,
        workspace_id,
        wanted,
        lambda number: scan_site(database, workspace_id, number),
        progress,
    )


def _for_each(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter,
    change: Callable[[int], object],
    progress: Callable[[int, int], None] | None,
) -> BulkResult:
    numbers = picked_site_ids(database, workspace_id, wanted)[:_MAX_SITES]
    done: list[int] = []
    failed: dict[int, str] = {}
    for position, number in enumerate(numbers, 1):
        try:
            change(number)
            done.append(number)
        except (ConflictError, NotFoundError, InvalidInputError) as error:
            failed[number] = str(error)
        if progress is not None:
            progress(position, len(numbers))
    return BulkResult(tuple(done), failed)


def _change(
    database: Database,
    workspace_id: int,
    number: int,
    action: BulkAction,
    group_id: int | None,
    tags: tuple[str, ...],
) -> None:
    match action:
        case BulkAction.ENABLE | BulkAction.DISABLE:
            edit = SiteEdit(enabled=action is BulkAction.ENABLE)
        case BulkAction.DELETE:
            remove_site(database, workspace_id, number)
            return
        case BulkAction.GROUP:
            edit = SiteEdit(group_id=group_id)
        case BulkAction.TAG:
            site = get_site(database, workspace_id, number)
            edit = SiteEdit(tags=tuple(dict.fromkeys((*site.tags, *tags))))
        case BulkAction.UNTAG:
            site = get_site(database, workspace_id, number)
            edit = SiteEdit(tags=tuple(tag for tag in site.tags if tag not in tags))
    edit_site(database, workspace_id, number, edit)
