"""Reads comparisons, changes, events and incidents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Select, and_, exists, func, or_, select

from sitecrawl.changes.kinds import ChangeKind, EventKind, Severity
from sitecrawl.changes.presence import Presence, PresenceState
from sitecrawl.store.queries.cursors import ListPage, Order, list_page, page_of
from sitecrawl.store.queries.scans import HAS_LOOKED
from sitecrawl.store.schema import (
    changes,
    comparisons,
    documents,
    events,
    incidents,
    jobs,
    page_presence,
    pages,
    scans,
    sites,
    watched_sites,
)
from sitecrawl.store.vocabulary import ACTIVE_JOBS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Row
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

_other = pages.alias("other")
_IDS_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class ComparisonFact:
    """One scan that was compared with the one before."""

    scan_id: int
    site_id: int
    before_scan_id: int | None
    """None: a baseline."""
    baseline: str | None
    """Why what it found is no change of the site: the first scan, other settings."""
    is_holding: bool
    lastmod_trust: dict[str, Any] | None
    counts: dict[str, int]
    last_page_number: int
    compared_at: datetime
    announced_at: datetime | None
    """None: channels are still to be told of it."""


@dataclass(frozen=True, slots=True)
class ChangeFact:
    """One difference between two scans, with what people did about it."""

    id: int
    site_id: int
    scan_id: int
    event_id: int | None
    kind: ChangeKind
    page_id: int | None
    url: str | None
    """Of the page, or of the document."""
    other_url: str | None
    """Where a moved page went to."""
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    evidence: dict[str, Any]
    confidence: float
    status: str
    """``open`` or ``closed``."""
    assignee: str | None
    note: str | None
    occurred_at: datetime
    severity: Severity
    """Of its event."""
    is_silent: bool


@dataclass(frozen=True, slots=True)
class EventFact:
    """Changes that belong together, as a person would tell them."""

    id: int
    site_id: int
    scan_id: int
    incident_id: int | None
    kind: EventKind
    severity: Severity
    title: str
    pages: int
    important_pages: int
    detail: dict[str, Any]
    is_silent: bool
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class IncidentFact:
    """Trouble of a site until it is closed."""

    id: int
    site_id: int
    key: str
    kind: EventKind
    severity: Severity
    title: str
    status: str
    opened_scan_id: int
    last_scan_id: int
    closed_scan_id: int | None
    opened_at: datetime
    closed_at: datetime | None
    snoozed_until: datetime | None
    assignee: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class ChangeFilter:
    """Which changes, events or incidents are wanted: all of the site, unless more is said."""

    scan_id: int | None = None
    after_scan_id: int | None = None
    """Of later scans only."""
    until_scan_id: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Not at this moment any more."""
    kinds: tuple[str, ...] = ()
    min_severity: Severity | None = None
    status: str = ""
    page_id: int | None = None
    event_id: int | None = None
    with_silent: bool = True


def comparison_of(connection: Connection, scan_id: int) -> ComparisonFact | None:
    row = connection.execute(select(comparisons).where(comparisons.c.scan_id == scan_id)).first()
    return None if row is None else ComparisonFact(**row._asdict())


def comparison_list(connection: Connection, site_id: int, limit: int) -> list[ComparisonFact]:
    """The newest first."""
    wanted = (
        select(comparisons)
        .where(comparisons.c.site_id == site_id)
        .order_by(comparisons.c.scan_id.desc())
        .limit(limit)
    )
    return [ComparisonFact(**row._asdict()) for row in connection.execute(wanted)]


def uncompared_scans(connection: Connection, site_id: int, until: int) -> list[int]:
    """Scans of the whole site that ended in order and were not compared yet, in their order."""
    last = select(func.coalesce(func.max(comparisons.c.scan_id), 0)).where(
        comparisons.c.site_id == site_id
    )
    wanted = (
        select(scans.c.id)
        .where(
            scans.c.site_id == site_id,
            scans.c.id <= until,
            scans.c.id > last.scalar_subquery(),
            HAS_LOOKED,
        )
        .order_by(scans.c.id)
    )
    return list(connection.scalars(wanted))


def uncompared_watched_scans(connection: Connection, limit: int) -> list[int]:
    """Of watched sites the newest scan that nobody compared, unless a job of the site will."""
    watched = watched_sites.c
    newest = select(func.max(scans.c.id)).where(scans.c.site_id == sites.c.id, HAS_LOOKED)
    compared = select(func.coalesce(func.max(comparisons.c.scan_id), 0)).where(
        comparisons.c.site_id == sites.c.id
    )
    has_job = exists().where(jobs.c.watched_site_id == watched.id, jobs.c.status.in_(ACTIVE_JOBS))
    number = newest.scalar_subquery()
    wanted = (
        select(number)
        # A site that was added before its first scan may not know its inventory yet.
        .join_from(
            sites, watched_sites, or_(watched.site_id == sites.c.id, watched.key == sites.c.key)
        )
        .where(number > compared.scalar_subquery(), ~has_job)
        .distinct()
        .limit(limit)
    )
    return list(connection.scalars(wanted))


def change_page(
    database: Database, site_id: int, wanted: ChangeFilter, cursor: str | None, limit: int
) -> ListPage[ChangeFact]:
    """The newest first."""
    statement = _changes(site_id, wanted)
    order = Order(changes.c.id, changes.c.id, is_descending=True)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _change)


def all_changes(database: Database, site_id: int, wanted: ChangeFilter) -> Iterable[ChangeFact]:
    """In the order in which they were found, read as they are consumed."""
    statement = _changes(site_id, wanted).order_by(changes.c.id)
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        for rows in streamed.execute(statement).partitions(_IDS_AT_ONCE):
            yield from map(_change, rows)


def changes_by_id(connection: Connection, site_id: int, ids: Sequence[int]) -> list[ChangeFact]:
    statement = _changes(site_id, ChangeFilter()).where(changes.c.id.in_(list(ids)))
    return [_change(row) for row in connection.execute(statement.order_by(changes.c.id))]


def _changes(site_id: int, wanted: ChangeFilter) -> Select[Any]:
    statement = (
        select(
            *(
                column
                for column in changes.c
                if column.name not in {"document_id", "other_page_id"}
            ),
            func.coalesce(pages.c.url, documents.c.url).label("url"),
            _other.c.url.label("other_url"),
            events.c.severity,
            events.c.is_silent,
        )
        .join_from(changes, events, events.c.id == changes.c.event_id)
        .join(pages, pages.c.id == changes.c.page_id, isouter=True)
        .join(_other, _other.c.id == changes.c.other_page_id, isouter=True)
        .join(documents, documents.c.id == changes.c.document_id, isouter=True)
        .where(*_conditions(changes, site_id, wanted))
    )
    if wanted.kinds:
        # "noindex" and "broken" are kinds of events, "updated" one of changes.
        kinds = list(wanted.kinds)
        statement = statement.where(or_(changes.c.kind.in_(kinds), events.c.kind.in_(kinds)))
    if wanted.page_id is not None:
        own = (changes.c.page_id, changes.c.other_page_id)
        statement = statement.where(or_(*(column == wanted.page_id for column in own)))
    if wanted.event_id is not None:
        statement = statement.where(changes.c.event_id == wanted.event_id)
    if wanted.status:
        statement = statement.where(changes.c.status == wanted.status)
    if not wanted.with_silent:
        statement = statement.where(events.c.is_silent.is_(False))
    return statement.where(*_severe_enough(wanted))


def _conditions(table: Any, site_id: int, wanted: ChangeFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = [table.c.site_id == site_id]
    if wanted.scan_id is not None:
        found.append(table.c.scan_id == wanted.scan_id)
    if wanted.after_scan_id is not None:
        found.append(table.c.scan_id > wanted.after_scan_id)
    if wanted.until_scan_id is not None:
        found.append(table.c.scan_id <= wanted.until_scan_id)
    if wanted.since is not None:
        found.append(table.c.occurred_at >= wanted.since)
    if wanted.until is not None:
        found.append(table.c.occurred_at < wanted.until)
    return found


def _severe_enough(wanted: ChangeFilter, table: Any = events) -> list[ColumnElement[bool]]:
    if wanted.min_severity is None:
        return []
    least = wanted.min_severity.rank
    return [table.c.severity.in_([each for each in Severity if each.rank >= least])]


def _change(row: Row[Any]) -> ChangeFact:
    values = {name: getattr(row, name) for name in ChangeFact.__slots__}
    values["kind"], values["severity"] = ChangeKind(row.kind), Severity(row.severity)
    return ChangeFact(**values)


def event_page(
    database: Database, site_id: int, wanted: ChangeFilter, cursor: str | None, limit: int
) -> ListPage[EventFact]:
    """The newest first."""
    statement = select(events).where(*_conditions(events, site_id, wanted), *_severe_enough(wanted))
    if wanted.kinds:
        statement = statement.where(events.c.kind.in_(list(wanted.kinds)))
    if not wanted.with_silent:
        statement = statement.where(events.c.is_silent.is_(False))
    order = Order(events.c.id, events.c.id, is_descending=True)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _event)


def event_by_id(connection: Connection, event_id: int) -> EventFact | None:
    row = connection.execute(select(events).where(events.c.id == event_id)).first()
    return None if row is None else _event(row)


def events_of_incident(connection: Connection, incident_id: int) -> list[EventFact]:
    """The newest first."""
    wanted = select(events).where(events.c.incident_id == incident_id)
    return [_event(row) for row in connection.execute(wanted.order_by(events.c.id.desc()))]


def _event(row: Row[Any]) -> EventFact:
    values = {name: getattr(row, name) for name in EventFact.__slots__}
    values["kind"], values["severity"] = EventKind(row.kind), Severity(row.severity)
    return EventFact(**values)


def incident_page(
    database: Database, site_id: int, wanted: ChangeFilter, cursor: str | None, limit: int
) -> ListPage[IncidentFact]:
    """The newest first."""
    statement = select(incidents).where(
        incidents.c.site_id == site_id, *_severe_enough(wanted, incidents)
    )
    if wanted.kinds:
        statement = statement.where(incidents.c.kind.in_(list(wanted.kinds)))
    if wanted.status:
        statement = statement.where(incidents.c.status == wanted.status)
    if wanted.since is not None:
        statement = statement.where(incidents.c.opened_at >= wanted.since)
    if wanted.until is not None:
        statement = statement.where(incidents.c.opened_at < wanted.until)
    order = Order(incidents.c.id, incidents.c.id, is_descending=True)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, incident_of)


def open_incidents(connection: Connection, site_id: int) -> list[IncidentFact]:
    wanted = select(incidents).where(incidents.c.site_id == site_id, incidents.c.status == "open")
    return [incident_of(row) for row in connection.execute(wanted.order_by(incidents.c.id))]


def incident_by_id(connection: Connection, incident_id: int) -> IncidentFact | None:
    row = connection.execute(select(incidents).where(incidents.c.id == incident_id)).first()
    return None if row is None else incident_of(row)


def incident_of(row: Row[Any]) -> IncidentFact:
    values = {name: getattr(row, name) for name in IncidentFact.__slots__}
    values["kind"], values["severity"] = EventKind(row.kind), Severity(row.severity)
    return IncidentFact(**values)


def incident_changes(connection: Connection, incident_id: int) -> list[tuple[int, str, Any, Any]]:
    """Of every page of an incident all its later changes: page, kind, before, after."""
    own = (
        select(changes.c.page_id, func.min(changes.c.id).label("first"))
        .join_from(changes, events, events.c.id == changes.c.event_id)
        .where(events.c.incident_id == incident_id, changes.c.page_id.is_not(None))
        .group_by(changes.c.page_id)
        .subquery()
    )
    wanted = (
        select(changes.c.page_id, changes.c.kind, changes.c.before, changes.c.after)
        .join_from(
            changes, own, and_(changes.c.page_id == own.c.page_id, changes.c.id >= own.c.first)
        )
        .order_by(changes.c.id)
    )
    return [tuple(row) for row in connection.execute(wanted)]


def presence_of(connection: Connection, page_id: int) -> Presence | None:
    row = connection.execute(
        select(page_presence).where(page_presence.c.page_id == page_id)
    ).first()
    return None if row is None else _presence(row)


def presences_in(
    connection: Connection, site_id: int, states: Collection[PresenceState]
) -> dict[int, Presence]:
    wanted = select(page_presence).where(
        page_presence.c.site_id == site_id, page_presence.c.state.in_(list(states))
    )
    return {row.page_id: _presence(row) for row in connection.execute(wanted)}


def _presence(row: Row[Any]) -> Presence:
    return Presence(
        PresenceState(row.state), row.since_scan_id, row.scans, row.flaps, row.evidence or {}
    )
