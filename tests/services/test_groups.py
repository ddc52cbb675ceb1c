"""Groups of watched sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.groups import (
    GroupInput,
    add_group,
    edit_group,
    group_named,
    list_groups,
    remove_group,
)
from sitecrawl.services.sites import NewSite, add_site, get_site

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database


def test_groups_come_and_go_and_their_sites_stay(database: Database) -> None:
    shops = add_group(database, 1, GroupInput(" Shops ", "#FF0000", "All shops"))
    add_group(database, 1, GroupInput("blogs"))
    site = add_site(database, 1, NewSite("example.com", group_id=shops.id))
    assert [(each.name, each.colour, each.sites) for each in list_groups(database, 1)] == [
        ("blogs", "#6b7280", 0),
        ("Shops", "#ff0000", 1),
    ]
    assert group_named(database, 1, "SHOPS").id == group_named(database, 1, "1").id == shops.id
    changed = edit_group(database, 1, shops.id, colour="#00ff00")
    assert (changed.name, changed.colour, changed.description) == ("Shops", "#00ff00", "All shops")
    remove_group(database, 1, shops.id)
    assert get_site(database, 1, site.id).group_id is None
    with pytest.raises(NotFoundError, match="there are: blogs"):
        group_named(database, 1, "Shops")


def test_names_are_unique_in_any_case(sqlite_database: Database) -> None:
    shops = add_group(sqlite_database, 1, GroupInput("Shops"))
    other = add_group(sqlite_database, 1, GroupInput("Other"))
    with pytest.raises(ConflictError, match=f"group {shops.id}"):
        add_group(sqlite_database, 1, GroupInput("shops"))
    with pytest.raises(ConflictError):
        edit_group(sqlite_database, 1, other.id, name="SHOPS")
    assert edit_group(sqlite_database, 1, shops.id, name="SHOPS").name == "SHOPS"


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("name", GroupInput("  ")),
        ("name", GroupInput("a\tb")),
        ("colour", GroupInput("x", "red")),
        ("description", GroupInput("x", description="x" * 2001)),
    ],
)
def test_what_is_no_group_is_refused(
    sqlite_database: Database, field: str, given: GroupInput
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        add_group(sqlite_database, 1, given)
    assert caught.value.field == field
