"""Reads watched sites and their groups: one, a page of a list, those that are due."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    JSON,
    and_,
    exists,
    func,
    literal,
    or_,
    select,
    type_coerce,
)

from sitecrawl.scheduling.schedule import Schedule
from sitecrawl.scheduling.worker_tags import split
from sitecrawl.store import schema as t
from sitecrawl.store.queries.cursors import ListPage, Order, list_page, page_of
from sitecrawl.store.vocabulary import ACTIVE_JOBS, JobStatus, SiteState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection, Row

    from sitecrawl.store.engine import Database

_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FAR_OFF: Final = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WatchedSite:
    """A site that is scanned on a schedule."""

    id: int
    workspace_id: int
    site_id: int | None
    """Its inventory; None before the first scan."""
    key: str
    root_url: str
    name: str
    tags: tuple[str, ...]
    group_id: int | None
    group_name: str | None
    group_colour: str | None
    enabled: bool
    profile: str
    settings: dict[str, Any]
    allow_private: bool
    """Whether its scans may connect to its root at a private address."""
    worker_tags: tuple[str, ...]
    """What a worker must have to scan it, as a person says."""
    needed_tags: tuple[str, ...]
    """The same with what its settings need."""
    priority: int
    interval_minutes: int
    cron: str | None
    timezone: str
    owner: str | None
    next_due_at: datetime | None
    last_scan_id: int | None
    last_scan_at: datetime | None
    last_scan_status: str | None
    """Of the newest scan: ``finished``, ``partial``, ``failed``, ..."""
    pages: int | None
    """Pages that the newest scan has listed."""
    active_job_id: int | None
    active_job_status: str | None
    """``queued`` or ``running``."""
    created_at: datetime
    updated_at: datetime
    version: int

    @property
    def schedule(self) -> Schedule:
        return Schedule(self.interval_minutes, self.cron, self.timezone)


@dataclass(frozen=True, slots=True)
class SiteFilter:
    """Which watched sites a list has; what is empty asks for nothing."""

    text: str = ""
    """Part of the name, the root URL or the owner."""
    tags: tuple[str, ...] = ()
    """All of them."""
    group_id: int | None = None
    without_group: bool = False
    state: SiteState | None = None
    ids: tuple[int, ...] = field(default=())


class SiteSort(StrEnum):
    """What a list of sites can be sorted by."""

    ADDED = "added"
    NAME = "name"
    URL = "url"
    PRIORITY = "priority"
    LAST_SCAN = "last_scan"
    NEXT_DUE = "next_due"


_SORTS: Final[dict[SiteSort, ColumnElement[Any]]] = {
    SiteSort.ADDED: t.watched_sites.c.id,
    SiteSort.NAME: func.lower(t.watched_sites.c.name),
    SiteSort.URL: t.watched_sites.c.key,
    SiteSort.PRIORITY: t.watched_sites.c.priority,
    SiteSort.LAST_SCAN: func.coalesce(
        t.watched_sites.c.last_scan_at, literal(_LONG_AGO, t.UtcDateTime())
    ),
    SiteSort.NEXT_DUE: func.coalesce(
        t.watched_sites.c.next_due_at, literal(_FAR_OFF, t.UtcDateTime())
    ),
}
_active = t.jobs.alias("active")
_WATCHED: Final = (
    select(
        t.watched_sites,
        t.site_groups.c.name.label("group_name"),
        t.site_groups.c.colour.label("group_colour"),
        t.scans.c.status.label("last_scan_status"),
        type_coerce(t.scans.c.summary, JSON)["known"].as_integer().label("pages"),
        _active.c.id.label("active_job_id"),
        _active.c.status.label("active_job_status"),
    )
    .outerjoin_from(t.watched_sites, t.site_groups)
    .outerjoin(t.scans, t.scans.c.id == t.watched_sites.c.last_scan_id)
    .outerjoin(
        _active,
        and_(_active.c.watched_site_id == t.watched_sites.c.id, _active.c.status.in_(ACTIVE_JOBS)),
    )
)


def find_watched_site(connection: Connection, workspace_id: int, number: int) -> WatchedSite | None:
    is_wanted = _of_workspace(workspace_id) & (t.watched_sites.c.id == number)
    row = connection.execute(_WATCHED.where(is_wanted)).first()
    return None if row is None else _site(row)


def find_watched_sites(
    connection: Connection, workspace_id: int, numbers: Sequence[int]
) -> list[WatchedSite]:
    """Those of the numbers that the workspace has, by number."""
    is_wanted = _of_workspace(workspace_id) & t.watched_sites.c.id.in_(numbers)
    rows = connection.execute(_WATCHED.where(is_wanted).order_by(t.watched_sites.c.id))
    return [_site(row) for row in rows]


def site_to_scan(connection: Connection, number: int) -> WatchedSite | None:
    """A site of any workspace, for the workers."""
    row = connection.execute(_WATCHED.where(t.watched_sites.c.id == number)).first()
    return None if row is None else _site(row)


def watched_site_by_key(database: Database, workspace_id: int, key: str) -> WatchedSite | None:
    is_wanted = _of_workspace(workspace_id) & (t.watched_sites.c.key == key)
    with database.reading() as connection:
        row = connection.execute(_WATCHED.where(is_wanted)).first()
    return None if row is None else _site(row)


def watched_sites_page(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter,
    sort: SiteSort,
    *,
    is_descending: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> ListPage[WatchedSite]:
    order = Order(_SORTS[sort], t.watched_sites.c.id, is_descending)
    with database.reading() as connection:
        statement = _WATCHED.where(*conditions(connection, workspace_id, wanted))
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _site)


def count_watched_sites(database: Database, workspace_id: int, wanted: SiteFilter) -> int:
    with database.reading() as connection:
        statement = select(func.count()).select_from(t.watched_sites)
        return (
            connection.scalar(statement.where(*conditions(connection, workspace_id, wanted))) or 0
        )


def watched_site_ids(connection: Connection, workspace_id: int, wanted: SiteFilter) -> list[int]:
    statement = select(t.watched_sites.c.id).order_by(t.watched_sites.c.id)
    found = connection.scalars(statement.where(*conditions(connection, workspace_id, wanted)))
    return list(found)


def known_keys(connection: Connection, workspace_id: int, keys: Sequence[str]) -> dict[str, int]:
    """Those of *keys* that are watched, each with the number of its site."""
    statement = select(t.watched_sites.c.key, t.watched_sites.c.id).where(
        _of_workspace(workspace_id), t.watched_sites.c.key.in_(keys)
    )
    return {row.key: row.id for row in connection.execute(statement)}


def inventories_of(connection: Connection, number: int) -> list[int]:
    """The inventories that the watched site has and has had."""
    statement = select(t.site_inventories.c.site_id).where(
        t.site_inventories.c.watched_site_id == number
    )
    return list(connection.scalars(statement.order_by(t.site_inventories.c.since)))


def tag_counts(database: Database, workspace_id: int) -> dict[str, int]:
    """How many sites have each tag."""
    counts: dict[str, int] = {}
    with database.reading() as connection:
        statement = select(t.watched_sites.c.tags).where(_of_workspace(workspace_id))
        for tags in connection.scalars(statement):
            for tag in tags:
                counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items()))


def conditions(
    connection: Connection, workspace_id: int, wanted: SiteFilter
) -> list[ColumnElement[bool]]:
    """What rows of ``watched_sites`` must meet."""
    table = t.watched_sites.c
    found = [_of_workspace(workspace_id)]
    if wanted.text:
        part = wanted.text.lower()
        columns = (table.name, table.root_url, func.coalesce(table.owner, ""))
        found.append(or_(*(func.lower(each).contains(part, autoescape=True) for each in columns)))
    found += [_has_tag(connection, tag) for tag in wanted.tags]
    if wanted.group_id is not None:
        found.append(table.group_id == wanted.group_id)
    if wanted.without_group:
        found.append(table.group_id.is_(None))
    if wanted.ids:
        found.append(table.id.in_(wanted.ids))
    if wanted.state is not None:
        found.append(_in_state(wanted.state))
    return found


def _has_tag(connection: Connection, tag: str) -> ColumnElement[bool]:
    if connection.dialect.name == "postgresql":
        return t.watched_sites.c.tags.op("@>")(type_coerce([tag], t.Json()))
    each = func.json_each(t.watched_sites.c.tags).table_valued("value")
    return exists(select(each.c.value).where(each.c.value == tag))


def _in_state(state: SiteState) -> ColumnElement[bool]:
    table = t.watched_sites.c
    match state:
        case SiteState.ENABLED:
            return table.enabled.is_(True)
        case SiteState.DISABLED:
            return table.enabled.is_(False)
        case SiteState.QUEUED | SiteState.RUNNING:
            is_it = (t.jobs.c.watched_site_id == table.id) & (t.jobs.c.status == state.value)
            return exists(select(t.jobs.c.id).where(is_it))
        case SiteState.NEW:
            return table.last_scan_at.is_(None)
        case SiteState.FAILING:
            newest = (
                select(t.jobs.c.status)
                .where(
                    t.jobs.c.watched_site_id == table.id,
                    t.jobs.c.status.not_in((*ACTIVE_JOBS, JobStatus.SKIPPED)),
                )
                .order_by(t.jobs.c.id.desc())
                .limit(1)
                .scalar_subquery()
            )
            return newest.in_((JobStatus.FAILED, JobStatus.INTERRUPTED))


def _of_workspace(workspace_id: int) -> ColumnElement[bool]:
    return t.watched_sites.c.workspace_id == workspace_id


def _site(row: Row[Any]) -> WatchedSite:
    values = row._asdict()
    values.pop("sort_value", None)
    values |= {"tags": tuple(row.tags), "worker_tags": tuple(row.worker_tags)}
    return WatchedSite(**values | {"needed_tags": split(row.needed_tags)})


@dataclass(frozen=True, slots=True)
class SiteGroup:
    """Watched sites that belong together."""

    id: int
    workspace_id: int
    name: str
    colour: str
    """As ``#rrggbb``."""
    description: str
    sites: int
    """How many are in it."""
    created_at: datetime
    updated_at: datetime


_GROUPS: Final = select(
    t.site_groups,
    select(func.count())
    .where(t.watched_sites.c.group_id == t.site_groups.c.id)
    .scalar_subquery()
    .label("sites"),
)


def site_groups(database: Database, workspace_id: int) -> list[SiteGroup]:
    """By name."""
    statement = _GROUPS.where(t.site_groups.c.workspace_id == workspace_id)
    with database.reading() as connection:
        rows = connection.execute(statement.order_by(func.lower(t.site_groups.c.name))).all()
    return [SiteGroup(**row._asdict()) for row in rows]


def find_site_group(
    connection: Connection, workspace_id: int, *, number: int | None = None, name: str = ""
) -> SiteGroup | None:
    """The group with this number, or with this name in any case."""
    is_it = (
        t.site_groups.c.id == number
        if number is not None
        else func.lower(t.site_groups.c.name) == name.lower()
    )
    is_own = t.site_groups.c.workspace_id == workspace_id
    row = connection.execute(_GROUPS.where(is_own, is_it)).first()
    return None if row is None else SiteGroup(**row._asdict())
