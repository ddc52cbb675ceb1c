"""Writes watched sites and groups, within the caller's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, select, update

from sitecrawl.store import schema as t
from sitecrawl.store.writers.bulk import upserting_insert

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection


def insert_watched_site(
    connection: Connection, values: Mapping[str, Any], now: datetime
) -> int | None:
    """The number of the new site; None: its key is watched in the workspace already.

    What is known of a site with this key from scans by hand becomes its inventory.
    """
    known = _inventory(connection, values["workspace_id"], values["key"])
    statement = upserting_insert(connection.dialect)(t.watched_sites).values(
        **values, site_id=known, created_at=now, updated_at=now, version=1
    )
    unless_there = statement.on_conflict_do_nothing(
        index_elements=[t.watched_sites.c.workspace_id, t.watched_sites.c.key]
    )
    number: int | None = connection.scalar(unless_there.returning(t.watched_sites.c.id))
    if number is not None and known is not None:
        link_inventory(connection, number, known, now)
    return number


def update_watched_site(
    connection: Connection,
    number: int,
    values: Mapping[str, Any],
    now: datetime,
    expected_version: int | None = None,
) -> bool:
    """Whether the site still had the expected version, and has the new values now."""
    is_it = t.watched_sites.c.id == number
    if expected_version is not None:
        is_it &= t.watched_sites.c.version == expected_version
    changed = connection.execute(
        update(t.watched_sites)
        .where(is_it)
        .values(**values, updated_at=now, version=t.watched_sites.c.version + 1)
    )
    return changed.rowcount == 1


def update_watched_sites(
    connection: Connection, values: Mapping[int, Mapping[str, Any]], now: datetime
) -> None:
    """Give many sites new values, by number; all have values of the same columns."""
    if not values:
        return
    columns = next(iter(values.values()))
    statement = (
        update(t.watched_sites)
        .where(t.watched_sites.c.id == bindparam("number"))
        .values(
            **{name: bindparam(f"new_{name}") for name in columns},
            updated_at=now,
            version=t.watched_sites.c.version + 1,
        )
    )
    rows = [
        {"number": number, **{f"new_{name}": value for name, value in new.items()}}
        for number, new in values.items()
    ]
    connection.execute(statement, rows)


def point_to_inventory(
    connection: Connection, workspace_id: int, number: int, key: str, now: datetime
) -> int | None:
    """Let the site have the workspace's inventory with this key, if there is one already."""
    known = _inventory(connection, workspace_id, key)
    connection.execute(
        update(t.watched_sites)
        .where(t.watched_sites.c.id == number)
        .values(site_id=known, last_scan_id=None, last_scan_at=None)
    )
    if known is not None:
        link_inventory(connection, number, known, now)
    return known


def _inventory(connection: Connection, workspace_id: int, key: str) -> int | None:
    is_it = (t.sites.c.workspace_id == workspace_id) & (t.sites.c.key == key)
    found: int | None = connection.scalar(select(t.sites.c.id).where(is_it))
    return found


def link_inventory(connection: Connection, number: int, site_id: int, now: datetime) -> None:
    """Remember that the watched site has, or had, this inventory."""
    statement = upserting_insert(connection.dialect)(t.site_inventories).values(
        watched_site_id=number, site_id=site_id, since=now
    )
    connection.execute(statement.on_conflict_do_nothing())


def insert_site_group(connection: Connection, values: Mapping[str, Any], now: datetime) -> int:
    statement = insert(t.site_groups).values(**values, created_at=now, updated_at=now)
    number: int = connection.execute(statement.returning(t.site_groups.c.id)).scalar_one()
    return number


def update_site_group(
    connection: Connection, number: int, values: Mapping[str, Any], now: datetime
) -> None:
    connection.execute(
        update(t.site_groups).where(t.site_groups.c.id == number).values(**values, updated_at=now)
    )


def delete_site_group(connection: Connection, number: int) -> None:
    """Its sites stay, without a group; the channels of the group go."""
    connection.execute(
        update(t.watched_sites).where(t.watched_sites.c.group_id == number).values(group_id=None)
    )
    of_group = select(t.channels.c.id).where(t.channels.c.group_id == number)
    for table in (t.announcements, t.deliveries):
        connection.execute(delete(table).where(table.c.channel_id.in_(of_group)))
    connection.execute(delete(t.channels).where(t.channels.c.group_id == number))
    connection.execute(delete(t.site_groups).where(t.site_groups.c.id == number))
