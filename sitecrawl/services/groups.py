"""Groups of watched sites."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.text_input import checked_line
from sitecrawl.store.queries.watched_sites import SiteGroup, find_site_group, site_groups
from sitecrawl.store.writers.watched_sites import (
    delete_site_group,
    insert_site_group,
    update_site_group,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")
DEFAULT_COLOUR: Final = "#6b7280"
_MAX_NAME: Final = 100
_MAX_DESCRIPTION: Final = 2000


@dataclass(frozen=True, slots=True)
class GroupInput:
    """The fields of a group."""

    name: str
    colour: str = DEFAULT_COLOUR
    description: str = ""


@requires(Permission.READ)
def list_groups(database: Database, workspace_id: int) -> list[SiteGroup]:
    """By name, each with the number of its sites."""
    return site_groups(database, workspace_id)


@requires(Permission.READ)
def get_group(database: Database, workspace_id: int, number: int) -> SiteGroup:
    with database.reading() as connection:
        return _found(connection, workspace_id, number)


@requires(Permission.READ)
def group_named(database: Database, workspace_id: int, text: str) -> SiteGroup:
    """The group with this name or number, as a person types it."""
    with database.reading() as connection:
        group = find_site_group(connection, workspace_id, name=text)
        if group is None and text.isdecimal():
            group = find_site_group(connection, workspace_id, number=int(text))
    if group is None:
        known = ", ".join(each.name for each in site_groups(database, workspace_id)[:10])
        raise NotFoundError(f"there is no group {text!r}; there are: {known or 'none yet'}")
    return group


@requires(Permission.EDIT)
def add_group(database: Database, workspace_id: int, new: GroupInput) -> SiteGroup:
    values = _checked(new)
    with database.writing() as connection:
        _refuse_same_name(connection, workspace_id, values["name"])
        number = insert_site_group(
            connection, {"workspace_id": workspace_id, **values}, datetime.now(UTC)
        )
        return _found(connection, workspace_id, number)


@requires(Permission.EDIT)
def edit_group(
    database: Database,
    workspace_id: int,
    number: int,
    *,
    name: str | None = None,
    colour: str | None = None,
    description: str | None = None,
) -> SiteGroup:
    """Change what is given."""
    with database.writing() as connection:
        group = _found(connection, workspace_id, number)
        values = _checked(
            GroupInput(
                group.name if name is None else name,
                group.colour if colour is None else colour,
                group.description if description is None else description,
            )
        )
        if values["name"].lower() != group.name.lower():
            _refuse_same_name(connection, workspace_id, values["name"])
        update_site_group(connection, number, values, datetime.now(UTC))
        return _found(connection, workspace_id, number)


@requires(Permission.EDIT)
def remove_group(database: Database, workspace_id: int, number: int) -> SiteGroup:
    """Its sites stay, without a group; channels of the group are removed."""
    with database.writing() as connection:
        group = _found(connection, workspace_id, number)
        delete_site_group(connection, number)
        return group


def _found(connection: Connection, workspace_id: int, number: int) -> SiteGroup:
    group = find_site_group(connection, workspace_id, number=number)
    if group is None:
        raise NotFoundError(f"there is no group {number}")
    return group


def _refuse_same_name(connection: Connection, workspace_id: int, name: str) -> None:
    if same := find_site_group(connection, workspace_id, name=name):
        raise ConflictError(f"there is a group {same.name!r} already: group {same.id}")


def _checked(given: GroupInput) -> dict[str, Any]:
    name = checked_line("name", given.name, _MAX_NAME)
    if not name:
        raise InvalidInputError("name", "a group needs a name")
    colour = given.colour.strip().lower()
    if not _COLOUR.fullmatch(colour):
        raise InvalidInputError(
            "colour", f"{given.colour[:20]!r} is not a colour; write one such as {DEFAULT_COLOUR}"
        )
    if len(given.description) > _MAX_DESCRIPTION:
        raise InvalidInputError("description", f"it has more than {_MAX_DESCRIPTION:,} characters")
    return asdict(GroupInput(name, colour, given.description.strip()))
