"""``sitecrawl group``: groups of watched sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.options import DatabaseOption, command_group
from sitecrawl.cli.tables import JsonOption, print_json, print_table
from sitecrawl.config import ConfigError
from sitecrawl.safety.text import printable
from sitecrawl.store.vocabulary import FIRST_WORKSPACE

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

_GROUP = typer.Argument(help="Name or number of a group.")
_COLOUR = typer.Option("--colour", help="Such as #0ea5e9.")
_DESCRIPTION = typer.Option("--description", help="What belongs into it.")

app = command_group("group", "Groups of watched sites.")


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Name of the group.")],
    colour: Annotated[str, _COLOUR] = "#6b7280",
    description: Annotated[str, _DESCRIPTION] = "",
    database: DatabaseOption = "",
) -> None:
    """Make a group.

    \b
    sitecrawl group add Shops --colour '#0ea5e9'
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.groups import GroupInput, add_group

    with writing(database) as store:
        group = add_group(store, FIRST_WORKSPACE, GroupInput(name, colour, description))
    typer.echo(f"Group {group.id}: {printable(group.name)}")


@app.command("list")
def list_(
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """List the groups.

    \b
    sitecrawl group list
    """
    from sitecrawl.services.database import reading
    from sitecrawl.services.groups import list_groups

    with reading(database) as store:
        groups = list_groups(store, FIRST_WORKSPACE)
    if as_json:
        print_json(groups)
    elif not groups:
        typer.echo("There is no group; make one with: sitecrawl group add Shops")
    else:
        print_table(
            ("id", "name", "sites", "colour", "description"),
            [
                (str(each.id), each.name, f"{each.sites:,}", each.colour, each.description)
                for each in groups
            ],
        )


@app.command()
def edit(
    group: Annotated[str, _GROUP],
    name: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    colour: Annotated[str | None, _COLOUR] = None,
    description: Annotated[str | None, _DESCRIPTION] = None,
    database: DatabaseOption = "",
) -> None:
    """Change what is given of a group.

    \b
    sitecrawl group edit Shops --name Stores
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.groups import edit_group, group_named

    if name is None and colour is None and description is None:
        raise ConfigError("nothing to change; see: sitecrawl group edit --help")
    with writing(database) as store:
        number = group_named(store, FIRST_WORKSPACE, group).id
        changed = edit_group(
            store, FIRST_WORKSPACE, number, name=name, colour=colour, description=description
        )
    typer.echo(f"Group {changed.id} ({printable(changed.name)}) is changed.")


@app.command()
def remove(
    group: Annotated[str, _GROUP],
    database: DatabaseOption = "",
) -> None:
    """Remove a group; its sites stay.

    \b
    sitecrawl group remove Shops
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.groups import group_named, remove_group

    with writing(database) as store:
        gone = remove_group(store, FIRST_WORKSPACE, group_named(store, FIRST_WORKSPACE, group).id)
    typer.echo(f"Group {gone.id} ({printable(gone.name)}) is removed; {gone.sites} sites stay.")


def group_id(store: Database, text: str) -> int | None:
    """The number of the group with this name or number; None: none is named."""
    from sitecrawl.services.groups import group_named

    return group_named(store, FIRST_WORKSPACE, text).id if text else None
