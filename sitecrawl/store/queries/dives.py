"""Reads dives: one, those of a site, and how far each has come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from sitecrawl.store import schema as t
from sitecrawl.store.queries.paging import ListPage, Order, list_page, page_of
from sitecrawl.store.vocabulary import DiveStatus

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.store.engine import Database

_ACTIVE: Final = frozenset({DiveStatus.QUEUED, DiveStatus.RUNNING})


@dataclass(frozen=True, slots=True)
class Dive:
    """One run that makes pages of a site searchable."""

    id: int
    site_id: int
    scan_id: int | None
    wanted: dict[str, Any]
    """Which pages, by the fields of the filter that differ from its defaults."""
    job_id: int | None
    status: str
    reason: str | None
    counts: dict[str, int]
    started_at: datetime
    finished_at: datetime | None

    @property
    def is_active(self) -> bool:
        return self.status in _ACTIVE


@dataclass(frozen=True, slots=True)
class Searchable:
    """How much of a site can be searched."""

    pages: int
    passages: int


_DIVES: Final = select(t.dives)


def find_dive(connection: Connection, site_id: int, dive_id: int) -> Dive | None:
    own = _DIVES.where(t.dives.c.id == dive_id, t.dives.c.site_id == site_id)
    row = connection.execute(own).first()
    return None if row is None else _dive(row)


def dive_of_job(connection: Connection, job_id: int) -> Dive | None:
    row = connection.execute(_DIVES.where(t.dives.c.job_id == job_id)).first()
    return None if row is None else _dive(row)


def dives_page(database: Database, site_id: int, cursor: str | None, limit: int) -> ListPage[Dive]:
    """The newest first."""
    order = Order(t.dives.c.id, t.dives.c.id, is_descending=True)
    statement = _DIVES.where(t.dives.c.site_id == site_id)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _dive)


def searchable(connection: Connection, site_id: int) -> Searchable:
    has_text = (t.page_contents.c.site_id == site_id) & (t.page_contents.c.passages > 0)
    row = connection.execute(
        select(func.count(), func.coalesce(func.sum(t.page_contents.c.passages), 0)).where(has_text)
    ).one()
    return Searchable(*row)


def _dive(row: Row[Any]) -> Dive:
    values = row._asdict()
    values.pop("sort_value", None)
    return Dive(**values)
