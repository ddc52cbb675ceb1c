"""Writes watched sites and groups, and removes one with everything that belongs to it.

All of it within the caller's transaction. Which rows belong to a site follows from the tables
themselves: those that name the site or one of its scans, and those that cannot be without a row
that goes (a foreign key that is never NULL). So a new table is included without a word here, unless
it names neither; a test looks at each table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import Column, ColumnElement, Table, bindparam, delete, insert, or_, select, update

from sitecrawl.store import schema as t
from sitecrawl.store.writers.bulk import upserting_insert

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
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


_Rows: TypeAlias = dict[Table, ColumnElement[bool]]

# What only refers to a row that goes is kept, without the reference, ...
_REFERRING = (t.watched_sites.c.site_id, t.watched_sites.c.last_scan_id, t.jobs.c.scan_id)
# ... and these belong to the row although they may be NULL.
_BELONGING: tuple[Column[int], ...] = (t.channels.c.watched_site_id,)


def remove_watched_site(connection: Connection, number: int) -> None:
    """Remove the site, its jobs and channels, and the inventories that nobody else watches."""
    own = select(t.site_inventories.c.site_id).where(t.site_inventories.c.watched_site_id == number)
    of_others = select(t.site_inventories.c.site_id).where(
        t.site_inventories.c.watched_site_id != number
    )
    inventories = connection.scalars(own.except_(of_others)).all()
    _delete(connection, rows_of(t.watched_sites.c.id == number, ()))
    for site_id in inventories:
        remove_inventory(connection, site_id)


def remove_inventory(connection: Connection, site_id: int) -> None:
    """Remove everything that is known of a site."""
    rows = rows_of(None, (site_id,))
    for column in _REFERRING:
        (reference,) = column.foreign_keys
        gone = select(reference.column).where(rows[reference.column.table])
        connection.execute(update(column.table).where(column.in_(gone)).values({column: None}))
    _delete(connection, rows)
    used = select(t.fetches.c.sha256).where(t.fetches.c.sha256.is_not(None))
    connection.execute(delete(t.blobs).where(t.blobs.c.sha256.not_in(used)))


# Rows of other tables are found by these, also without a foreign key: they go last.
_LAST = (t.pages, t.documents, t.scans, t.sites)


def _delete(connection: Connection, rows: _Rows) -> None:
    others = (table for table in reversed(t.metadata.sorted_tables) if table not in _LAST)
    for table in (*others, *_LAST):
        if table in rows:
            connection.execute(delete(table).where(rows[table]))


def rows_of(watched: ColumnElement[bool] | None, site_ids: tuple[int, ...]) -> _Rows:
    """By table, which rows belong to the watched site, or to the inventories."""
    rows: _Rows = {} if watched is None else {t.watched_sites: watched}
    if site_ids:
        rows[t.sites] = t.sites.c.id.in_(site_ids)
        rows[t.scans] = t.scans.c.site_id.in_(site_ids)
    for table in t.metadata.sorted_tables:
        found = [*_by_reference(table, rows)]
        if site_ids and table not in {t.watched_sites, t.jobs}:
            found += _by_name(table, site_ids)
        if found and table not in rows:
            rows[table] = or_(*found)
    return rows


def _by_reference(table: Table, rows: _Rows) -> Iterator[ColumnElement[bool]]:
    for reference in table.foreign_keys:
        owner, column = reference.column.table, reference.parent
        if owner is table or owner not in rows:
            continue
        if not column.nullable or column in _BELONGING:
            yield column.in_(select(reference.column).where(rows[owner]))


def _by_name(table: Table, site_ids: tuple[int, ...]) -> Iterator[ColumnElement[bool]]:
    columns = table.c
    scans = select(t.scans.c.id).where(t.scans.c.site_id.in_(site_ids))
    if "site_id" in columns:
        yield columns.site_id.in_(site_ids)
    elif "scan_id" in columns and table is not t.other_mentions:
        yield columns.scan_id.in_(scans)
    elif table is t.other_mentions:
        of_site = select(t.documents.c.id).where(t.documents.c.site_id.in_(site_ids))
        yield columns.document_id.in_(of_site)
    elif table is t.page_classes:
        yield columns.page_number.in_(
            select(t.pages.c.number).where(t.pages.c.site_id.in_(site_ids))
        )
    elif table is t.link_contexts:
        # The number of the site is in the upper half of the bits.
        yield or_(*(columns.id.between(each << 32, (each + 1 << 32) - 1) for each in site_ids))
