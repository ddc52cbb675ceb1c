"""Lists what changed on a site, and lets people deal with it: changes, events and incidents."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.changes.events import group_pages
from sitecrawl.changes.kinds import Change, ChangeKind, PageRef
from sitecrawl.changes.presence import Presence, PresenceState
from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.page_comparison import COLLAPSE
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries import changes as queries
from sitecrawl.store.queries import scan_pairs
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.documents import document_urls
from sitecrawl.store.schema import changes, incidents
from sitecrawl.store.writers import changes as writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import ChangeFact, EventFact, IncidentFact
    from sitecrawl.store.queries.cursors import ListPage
    from sitecrawl.store.queries.scans import Scan, Site

DEFAULT_LIMIT: Final = 100
_STATUSES: Final = frozenset({"open", "closed"})
_UNSET: Final = "\0"
_MAX_TEXT: Final = 10_000
_OPEN_STATES: Final = (PresenceState.MISSING, PresenceState.UNKNOWN)


@requires(Permission.READ)
def list_changes(
    database: Database,
    site: Site,
    wanted: ChangeFilter = ChangeFilter(),  # noqa: B008  frozen
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> ListPage[ChangeFact]:
    """The newest first."""
    return queries.change_page(database, site.id, wanted, cursor, limit)


@requires(Permission.READ)
def iter_changes(
    database: Database,
    site: Site,
    wanted: ChangeFilter = ChangeFilter(),  # noqa: B008  frozen
) -> Iterable[ChangeFact]:
    """All of them, the oldest first, read as they are consumed."""
    return queries.all_changes(database, site.id, wanted)


@requires(Permission.READ)
def list_events(
    database: Database,
    site: Site,
    wanted: ChangeFilter = ChangeFilter(),  # noqa: B008  frozen
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> ListPage[EventFact]:
    """The newest first."""
    return queries.event_page(database, site.id, wanted, cursor, limit)


@requires(Permission.READ)
def list_incidents(
    database: Database,
    site: Site,
    wanted: ChangeFilter = ChangeFilter(),  # noqa: B008  frozen
    cursor: str | None = None,
    limit: int = DEFAULT_LIMIT,
) -> ListPage[IncidentFact]:
    """The newest first."""
    return queries.incident_page(database, site.id, wanted, cursor, limit)


@requires(Permission.READ)
def get_event(database: Database, site: Site, event_id: int) -> EventFact:
    with database.reading() as connection:
        event = queries.event_by_id(connection, event_id)
    if event is None or event.site_id != site.id:
        raise NotFoundError(f"{site.key} has no event {event_id}")
    return event


@requires(Permission.READ)
def get_incident(
    database: Database, site: Site, incident_id: int
) -> tuple[IncidentFact, list[EventFact]]:
    """An incident with its events, the newest first."""
    with database.reading() as connection:
        incident = queries.incident_by_id(connection, incident_id)
        if incident is None or incident.site_id != site.id:
            raise NotFoundError(f"{site.key} has no incident {incident_id}")
        return incident, queries.events_of_incident(connection, incident_id)


@requires(Permission.READ)
def page_history(database: Database, site: Site, page_id: int) -> list[ChangeFact]:
    """Everything that happened to a page, the newest first."""
    return list(list_changes(database, site, ChangeFilter(page_id=page_id)).rows)


@requires(Permission.READ)
def page_presence(database: Database, page_id: int) -> Presence | None:
    """The state of a page that is missing, removed or doubted; None: it is present."""
    with database.reading() as connection:
        return queries.presence_of(connection, page_id)


@requires(Permission.READ)
def documents_named_by(database: Database, rows: Iterable[ChangeFact]) -> dict[int, str]:
    """The URLs of the documents that changes speak of by their number."""
    sides = [side for each in rows for side in (each.before, each.after) if side]
    numbers = {side["document_id"] for side in sides if "document_id" in side}
    with database.reading() as connection:
        return document_urls(connection, numbers)


@requires(Permission.READ)
def scan_counts(database: Database, scan: Scan) -> dict[str, int]:
    """Changes that the scan has found, by kind; none if it was not compared."""
    with database.reading() as connection:
        known = queries.comparison_of(connection, scan.id)
    return known.counts if known else {}


# --- what people do about it ----------------------------------------------------------------------


@requires(Permission.EDIT)
def edit_change(
    database: Database,
    site: Site,
    change_id: int,
    *,
    status: str | None = None,
    assignee: str | None = _UNSET,
    note: str | None = _UNSET,
) -> ChangeFact:
    """Change what is given; None for assignee and note removes them."""
    [edited] = edit_changes(
        database, site, [change_id], status=status, assignee=assignee, note=note
    )
    return edited


@requires(Permission.EDIT)
def edit_changes(
    database: Database,
    site: Site,
    change_ids: Sequence[int],
    *,
    status: str | None = None,
    assignee: str | None = _UNSET,
    note: str | None = _UNSET,
) -> list[ChangeFact]:
    """As :func:`edit_change`, for several at once: all of them or none."""
    values = _edited(status, assignee, note)
    with database.writing() as connection:
        found = queries.changes_by_id(connection, site.id, change_ids)
        if missing := set(change_ids) - {each.id for each in found}:
            raise NotFoundError(f"{site.key} has no change {min(missing)}")
        if values:
            writer.edit_rows(connection, changes, change_ids, values)
        return queries.changes_by_id(connection, site.id, change_ids)


def _edited(status: str | None, assignee: str | None, note: str | None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if status is not None:
        if status not in _STATUSES:
            raise InvalidInputError("status", f"{status!r} is neither open nor closed")
        values["status"] = status
    for name, text in (("assignee", assignee), ("note", note)):
        if text == _UNSET:
            continue
        if text is not None and len(text) > _MAX_TEXT:
            raise InvalidInputError(name, f"longer than {_MAX_TEXT:,} characters")
        values[name] = text or None
    return values


@requires(Permission.EDIT)
def edit_incident(
    database: Database,
    site: Site,
    incident_id: int,
    *,
    assignee: str | None = _UNSET,
    note: str | None = _UNSET,
) -> IncidentFact:
    """Change what is given; None removes it."""
    return _edit_incident(database, site, incident_id, _edited(None, assignee, note))


@requires(Permission.EDIT)
def close_incident(
    database: Database, site: Site, incident_id: int, note: str | None = _UNSET
) -> IncidentFact:
    """Close an incident by hand; if the trouble comes again, a new incident is opened."""
    values: dict[str, Any] = {"status": "closed", "closed_at": datetime.now(UTC)}
    return _edit_incident(database, site, incident_id, values | _edited(None, _UNSET, note))


@requires(Permission.EDIT)
def snooze_incident(
    database: Database, site: Site, incident_id: int, until: datetime | None
) -> IncidentFact:
    """Announce nothing of it until then; None ends the snooze."""
    if until is not None and until.tzinfo is None:
        raise InvalidInputError("until", "it needs a time zone")
    return _edit_incident(database, site, incident_id, {"snoozed_until": until})


def _edit_incident(
    database: Database, site: Site, incident_id: int, values: dict[str, Any]
) -> IncidentFact:
    with database.writing() as connection:
        incident = queries.incident_by_id(connection, incident_id)
        if incident is None or incident.site_id != site.id:
            raise NotFoundError(f"{site.key} has no incident {incident_id}")
        if values.get("status") == "closed" and incident.status == "closed":
            raise ConflictError(f"incident {incident_id} is closed already")
        writer.edit_rows(connection, incidents, [incident_id], values)
        edited = queries.incident_by_id(connection, incident_id)
    assert edited is not None
    return edited


@requires(Permission.EDIT)
def confirm_removals(database: Database, site: Site, scan_id: int) -> int:
    """A person confirms that pages which went missing are gone; give their number.

    *scan_id* is the newest comparison that the person has looked at: if there is a newer one, the
    pages may be others.
    """
    now = datetime.now(UTC)
    with database.writing() as connection:
        writer.lock_site(connection, site.id)
        last = next(iter(queries.comparison_list(connection, site.id, 1)), None)
        if last is None or last.scan_id != scan_id:
            newest = "none yet" if last is None else str(last.scan_id)
            raise ConflictError(f"the newest compared scan of {site.key} is {newest}; look at it")
        waiting = queries.presences_in(connection, site.id, _OPEN_STATES)
        if not waiting:
            raise ConflictError(f"no page of {site.key} waits for a confirmation")
        refs = scan_pairs.page_refs(connection, waiting)
        confirmed = [
            Change(ChangeKind.REMOVED, refs.get(page_id, PageRef(page_id, "")), evidence=evidence)
            for page_id, presence in waiting.items()
            for evidence in [{**presence.evidence, "confirmed": "by a person"}]
        ]
        presences: dict[int, Presence | None] = {
            page_id: Presence(
                PresenceState.REMOVED, scan_id, 1, presence.flaps, {**presence.evidence}
            )
            for page_id, presence in waiting.items()
        }
        writer.save_presence(connection, site.id, presences)
        for event in group_pages(confirmed):
            writer.add_event(connection, site.id, scan_id, event, now)
        writer.announce_again(connection, scan_id)
        for incident in queries.open_incidents(connection, site.id):
            if incident.key == COLLAPSE:
                writer.end_incident(connection, incident.id, scan_id, now)
    return len(confirmed)
