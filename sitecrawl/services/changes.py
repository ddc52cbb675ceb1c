"""What changed on a site: finds it after scans, lists it, and lets people deal with it.

A scan is compared with the one before it that ended in order. Whoever asks for changes gets the
comparisons made that are still due: a scan from the command line counts like one of the schedule,
and a scan that is killed at its end leaves nothing half done.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.changes.events import Event, group_pages
from sitecrawl.changes.kinds import Change, ChangeKind, EventKind, PageRef, Severity
from sitecrawl.changes.lastmod import LastmodTrust
from sitecrawl.changes.presence import Presence, PresenceState
from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.services.change_detection import COLLAPSE, Comparing, write
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries import changes as queries
from sitecrawl.store.queries import scan_difference, scan_pairs
from sitecrawl.store.queries.change_documents import map_states
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.documents import document_urls
from sitecrawl.store.queries.scan_pairs import Pair
from sitecrawl.store.queries.scans import latest_scan, scan_by_id
from sitecrawl.store.schema import changes, incidents
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.store.writers import changes as writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.changes.sitemap_changes import MapState
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import (
        ChangeFact,
        ComparisonFact,
        EventFact,
        IncidentFact,
    )
    from sitecrawl.store.queries.paging import ListPage
    from sitecrawl.store.queries.scans import Scan, Site

DEFAULT_LIMIT: Final = 100
_STATUSES: Final = frozenset({"open", "closed"})
_UNSET: Final = "\0"
_MAX_TEXT: Final = 10_000
_OPEN_STATES: Final = (PresenceState.MISSING, PresenceState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing a scan with the one before has found."""

    scan_id: int
    before_scan_id: int | None
    """None: there was nothing to compare with."""
    baseline: str
    """Why what came and went is no change of the site: ``first_scan``, other settings, ``""``."""
    is_holding: bool
    """Removals wait until the next scan or a person confirms them."""
    counts: dict[str, int]
    """Changes by kind, and ``pages``: how many the inventory has."""
    lastmod_is_trusted: bool
    is_new: bool
    """Whether this call made it."""


@requires(Permission.READ)
def detect_changes(database: Database, scan_id: int) -> Comparison | None:
    """Compare every scan of the site up to this one that was not compared yet, each with the one
    before it, and give the comparison of this one; None for a scan without a result.

    It can be called any number of times, by any number of processes. The first scan of a site is a
    silent baseline.
    """
    scan = scan_by_id(database, scan_id)
    if scan is None:
        raise NotFoundError(f"there is no scan {scan_id}; see: sitecrawl scans")
    with database.reading() as connection:
        due = queries.uncompared_scans(connection, scan.site_id, scan_id)
        known = queries.comparison_of(connection, scan_id)
    if not due:
        return None if known is None else _comparison(known, is_new=False)
    made: set[int] = set()
    with database.writing() as connection:
        writer.lock_site(connection, scan.site_id)
        for number in queries.uncompared_scans(connection, scan.site_id, scan_id):
            each = scan_by_id(database, number)
            if each is not None:
                _compare(connection, database, each)
                made.add(number)
        known = queries.comparison_of(connection, scan_id)
    return None if known is None else _comparison(known, is_new=scan_id in made)


def _comparison(known: ComparisonFact, *, is_new: bool) -> Comparison:
    return Comparison(
        known.scan_id,
        known.before_scan_id,
        known.baseline or "",
        known.is_holding,
        known.counts,
        LastmodTrust.of_dict(known.lastmod_trust).is_trusted,
        is_new,
    )


def _compare(connection: Connection, database: Database, scan: Scan) -> None:
    now = datetime.now(UTC)
    known = queries.comparison_list(connection, scan.site_id, 2)
    values = {
        "scan_id": scan.id,
        "site_id": scan.site_id,
        "last_page_number": scan_pairs.last_page_number(connection, scan),
        "compared_at": now,
    }
    before = scan_by_id(database, known[0].scan_id) if known else None
    if before is None:
        counts = {"pages": scan_pairs.count_known(connection, scan)}
        first = {"baseline": "first_scan", "is_holding": False, "counts": counts}
        writer.add_comparison(connection, {**values, **first})
        return
    last = known[0]
    pair = Pair(scan, before, last.last_page_number, known[-1].last_page_number)
    trust = LastmodTrust.of_dict(last.lastmod_trust)
    known_pages = int(last.counts.get("pages", 0))
    found = Comparing(connection, pair, known_pages, trust).run()
    write(connection, pair, found, now)
    _close_incidents(connection, pair, found.closed, now)
    counts = {str(kind): number for kind, number in found.counts.items()}
    counts["pages"] = known_pages + scan_pairs.count_more(connection, pair)
    writer.add_comparison(
        connection,
        {
            **values,
            "before_scan_id": before.id,
            "baseline": found.baseline or None,
            "is_holding": found.is_holding,
            "lastmod_trust": found.trust.as_dict(),
            "counts": counts,
        },
    )


def _close_incidents(
    connection: Connection, pair: Pair, closed: dict[str, str], now: datetime
) -> None:
    still_open = []
    for incident in queries.open_incidents(connection, pair.scan.site_id):
        words = closed.get(incident.key, "")
        if not words and incident.kind in {EventKind.BROKEN, EventKind.NOINDEX}:
            words = _mended(queries.incident_changes(connection, incident.id))
        if not words:
            still_open.append(incident.id)
            continue
        writer.end_incident(connection, incident.id, pair.scan.id, now)
        event = Event(
            EventKind.INCIDENT_CLOSED,
            Severity.INFO,
            words,
            detail={"incident": incident.title, "kind": incident.kind.value},
        )
        writer.add_event(connection, pair.scan.site_id, pair.scan.id, event, now, incident.id)
    writer.touch_incidents(connection, still_open, pair.scan.id)


def _mended(history: Iterable[tuple[int, str, Any, Any]]) -> str:
    """What is to be said if no page of an incident is broken or hidden any more."""
    is_broken: dict[int, bool] = {}
    for page_id, kind, _before, after in history:
        if kind in {ChangeKind.REMOVED, ChangeKind.MOVED}:
            is_broken[page_id] = False
        elif kind == ChangeKind.UPDATED and after and "status" in after:
            is_broken[page_id] = (after["status"] or 0) >= 400  # noqa: PLR2004
        elif kind == ChangeKind.UPDATED and after and "indexable" in after:
            is_broken[page_id] = not after["indexable"]
    if not is_broken or any(is_broken.values()):
        return ""
    noun = "page is" if len(is_broken) == 1 else "pages are"
    return f"{len(is_broken):,} {noun} in order again, or gone"


# --- lists ----------------------------------------------------------------------------------------


@requires(Permission.READ)
def catch_up(database: Database, site: Site) -> Comparison | None:
    """Make the comparisons of the site that are still due; give the newest one."""
    scan = latest_scan(database, site.id)
    if scan is None or scan.status not in ENDED_WELL:
        return None
    return detect_changes(database, scan.id)


@requires(Permission.READ)
def scan_counts(database: Database, scan: Scan) -> dict[str, int]:
    """Changes that the scan has found, by kind; none if it was not compared."""
    with database.reading() as connection:
        known = queries.comparison_of(connection, scan.id)
    return known.counts if known else {}


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
    """Where a page stands that is not simply there; None: it is."""
    with database.reading() as connection:
        return queries.presence_of(connection, page_id)


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
    """Close it by hand; should the trouble come again, that is a new incident."""
    values: dict[str, Any] = {"status": "closed", "closed_at": datetime.now(UTC)}
    return _edit_incident(database, site, incident_id, values | _edited(None, _UNSET, note))


@requires(Permission.EDIT)
def snooze_incident(
    database: Database, site: Site, incident_id: int, until: datetime | None
) -> IncidentFact:
    """Say nothing of it until then; None ends the snooze."""
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


# --- any two scans --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageDifference:
    """A page that is not the same as of two scans."""

    kind: str
    """``added``, ``removed`` or ``updated``."""
    url: str
    before: dict[str, Any]
    after: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between the inventories as of two scans."""

    before: Scan
    after: Scan
    pages: tuple[PageDifference, ...]

    def count(self, kind: str) -> int:
        return sum(page.kind == kind for page in self.pages)


@requires(Permission.READ)
def diff(
    database: Database, site: Site, before_id: int | None = None, after_id: int | None = None
) -> Diff:
    """Compare the inventories as of two kept scans; by default the newest and the one before."""
    before, after = _two_scans(database, site, before_id, after_id)
    with database.reading() as connection:
        rows = scan_difference.difference(connection, before, after)
        return Diff(before, after, tuple(PageDifference(*row) for row in rows))


@requires(Permission.READ)
def sitemap_states(
    database: Database, site: Site, before_id: int, after_id: int
) -> list[tuple[MapState | None, MapState | None]]:
    """Each sitemap as of two kept scans; None: it was not known then, or it is gone."""
    before, after = _two_scans(database, site, before_id, after_id)
    with database.reading() as connection:
        return map_states(connection, Pair(after, before, 0, 0))


@requires(Permission.READ)
def sitemap_pages(
    database: Database, site: Site, before_id: int, after_id: int
) -> dict[int, list[tuple[str, str]]]:
    """By the document that listed them first: kind and URL of the pages that came or went."""
    before, after = _two_scans(database, site, before_id, after_id)
    found: dict[int, list[tuple[str, str]]] = {}
    with database.reading() as connection:
        for document_id, kind, url in scan_difference.listed_differently(connection, before, after):
            found.setdefault(document_id, []).append((kind, url))
    return found


@requires(Permission.READ)
def documents_named_by(database: Database, rows: Iterable[ChangeFact]) -> dict[int, str]:
    """The URLs of the documents that changes speak of by their number."""
    sides = [side for each in rows for side in (each.before, each.after) if side]
    numbers = {side["document_id"] for side in sides if "document_id" in side}
    with database.reading() as connection:
        return document_urls(connection, numbers)


def _two_scans(
    database: Database, site: Site, before_id: int | None, after_id: int | None
) -> tuple[Scan, Scan]:
    """The older of them first."""
    after = latest_scan(database, site.id) if after_id is None else scan_by_id(database, after_id)
    if after is None or after.site_id != site.id:
        raise NotFoundError(f"{site.key} has no scan {after_id or 'yet'}; see: sitecrawl scans")
    with database.reading() as connection:
        if before_id is None:
            before_id = scan_difference.scan_before(connection, after)
    before = scan_by_id(database, before_id) if before_id is not None else None
    if before is None or before.site_id != site.id:
        name = "before it" if before_id is None else str(before_id)
        raise NotFoundError(f"{site.key} has no scan {name}; see: sitecrawl scans")
    return (after, before) if before.id > after.id else (before, after)
