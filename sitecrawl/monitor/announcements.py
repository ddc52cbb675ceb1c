"""Decides after a scan which channel is told what, and when; nothing is sent here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.channels.rules import Due, Phase, Rules, due
from sitecrawl.services.change_detection import detect_changes
from sitecrawl.store.queries.changes import uncompared_watched_scans
from sitecrawl.store.queries.channels import (
    announcements_of_incidents,
    events_of_scan,
    incidents_of_scan,
    last_closings,
    listeners,
    site_of_scan,
    unannounced_scans,
)
from sitecrawl.store.vocabulary import AnnouncementBatch, AnnouncementStatus
from sitecrawl.store.writers.channels import (
    NewAnnouncement,
    add_announcements,
    drop_announcements,
    mark_announced,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.channels import Listener

_COMPARED_AT_ONCE: Final = 20


def announce(database: Database, scan_id: int, now: datetime) -> int:
    """Write down what channels are to be told of a scan; return how many announcements are new.

    Called again for the same scan it adds nothing. Silent events are not announced. Of an incident
    its opening, that it got graver, its end and, if a rule asks for it, reminders are announced.
    Earlier scans of the site that nobody was told of, such as those from the command line, come
    first.
    """
    with database.writing() as connection:
        site_id = site_of_scan(connection, scan_id)
        if site_id is None:
            return 0
        earlier = unannounced_scans(connection, site_id, before_scan_id=scan_id)
        number = sum(_announce_scan(connection, row, now) for row in earlier)
        told = listeners(connection, site_id)
        return number + _announce_to(connection, told, site_id, scan_id, now)


def compare_pending(database: Database) -> int:
    """Find the changes of scans of watched sites that no job made, such as from the command line.

    They are announced by :func:`announce_pending`.
    """
    with database.reading() as connection:
        pending = uncompared_watched_scans(connection, _COMPARED_AT_ONCE)
    for scan_id in pending:
        detect_changes(database, scan_id)
    return len(pending)


def announce_pending(database: Database, now: datetime) -> int:
    """Announce what has been compared and not announced: after a crash, or a person's decision."""
    with database.reading() as connection:
        if not unannounced_scans(connection):
            return 0
    with database.writing() as connection:
        return sum(_announce_scan(connection, row, now) for row in unannounced_scans(connection))


def _announce_scan(connection: Connection, scan: Row[Any], now: datetime) -> int:
    """Announce an earlier scan; a channel is not told of what was before it."""
    told = [
        each
        for each in listeners(connection, scan.site_id)
        if scan.finished_at is not None and scan.finished_at >= each.created_at
    ]
    return _announce_to(connection, told, scan.site_id, scan.scan_id, now)


def _announce_to(
    connection: Connection, told: Sequence[Listener], site_id: int, scan_id: int, now: datetime
) -> int:
    mark_announced(connection, [scan_id], now)
    if not told:
        return 0
    news = _News.of_scan(connection, site_id, scan_id)
    rows = [row for each in told for row in _for_listener(connection, each, news, now)]
    return add_announcements(connection, rows)


@dataclass(frozen=True, slots=True)
class _News:
    """What a scan found, and what was told of its incidents before."""

    scan_id: int
    events: Sequence[Row[Any]]
    incidents: Sequence[Row[Any]]
    announced: dict[tuple[int, int], list[Row[Any]]]
    """By channel and incident."""
    closings: dict[tuple[int, str], datetime]

    @classmethod
    def of_scan(cls, connection: Connection, site_id: int, scan_id: int) -> _News:
        incidents = incidents_of_scan(connection, site_id, scan_id)
        announced: dict[tuple[int, int], list[Row[Any]]] = {}
        for row in announcements_of_incidents(connection, [each.id for each in incidents]):
            announced.setdefault((row.channel_id, row.incident_id), []).append(row)
        keys = [each.key for each in incidents if each.opened_scan_id == scan_id]
        closings = last_closings(connection, site_id, keys)
        return cls(scan_id, events_of_scan(connection, scan_id), incidents, announced, closings)

    def event_of(self, incident_id: int) -> Row[Any] | None:
        return next((each for each in self.events if each.incident_id == incident_id), None)


def _for_listener(
    connection: Connection, listener: Listener, news: _News, now: datetime
) -> Iterator[NewAnnouncement]:
    rules = Rules.from_dict(listener.rules)
    for event in news.events:
        if event.is_silent or event.incident_id is not None or not _matches(rules, event, listener):
            continue
        yield _announcement(
            listener,
            news.scan_id,
            f"event:{event.id}",
            _due(rules, listener, event.severity, now),
            event_id=event.id,
        )
    for incident in news.incidents:
        first = news.event_of(incident.id)
        earlier = news.announced.get((listener.channel_id, incident.id), [])
        if incident.opened_scan_id == news.scan_id:
            is_silent = first is not None and first.is_silent
            if not is_silent and _matches(rules, first or incident, listener):
                yield _opening(listener, rules, incident, first, news, now)
        elif incident.closed_scan_id == news.scan_id:
            if row := _closing(connection, listener, rules, incident, earlier, news, now):
                yield row
        elif first is not None and not first.is_silent:
            if _matches(rules, first, listener):
                yield _graver(connection, listener, rules, incident, first, earlier, news, now)
        elif row := _reminder(listener, rules, incident, earlier, news, now):
            yield row


def _matches(rules: Rules, told: Row[Any], listener: Listener) -> bool:
    # An incident without an event of its own says nothing about numbers.
    pages = getattr(told, "pages", rules.min_pages)
    important = getattr(told, "important_pages", rules.min_important_pages)
    return rules.matches(told.kind, told.severity, pages, important, listener.tags)


def _opening(
    listener: Listener,
    rules: Rules,
    incident: Row[Any],
    event: Row[Any] | None,
    news: _News,
    now: datetime,
) -> NewAnnouncement:
    when = _due(rules, listener, incident.severity, now, incident.snoozed_until)
    batch = None
    closed = news.closings.get((listener.channel_id, incident.key))
    damping = timedelta(hours=rules.damping_hours)
    if closed is not None and incident.opened_at - closed < damping:
        # It comes and goes: it is told again only if it stays.
        when = due(rules, now, held_until=now + damping)
        batch = AnnouncementBatch.DAMPED
    return _announcement(
        listener,
        news.scan_id,
        f"incident:{incident.id}:{Phase.OPENED}",
        when,
        event_id=event.id if event else None,
        incident_id=incident.id,
        phase=Phase.OPENED,
        batch=batch,
    )


def _graver(
    connection: Connection,
    listener: Listener,
    rules: Rules,
    incident: Row[Any],
    event: Row[Any],
    earlier: Sequence[Row[Any]],
    news: _News,
    now: datetime,
) -> NewAnnouncement:
    """An incident got graver; to who was not told of it yet, that is its opening."""
    waiting = [each.id for each in earlier if each.status == AnnouncementStatus.WAITING]
    drop_announcements(connection, waiting, "the incident got graver before it was told")
    is_known = any(each.status == AnnouncementStatus.TOLD for each in earlier)
    return _announcement(
        listener,
        news.scan_id,
        f"incident:{incident.id}:{event.severity}",
        _due(rules, listener, event.severity, now, incident.snoozed_until),
        event_id=event.id,
        incident_id=incident.id,
        phase=Phase.STILL_OPEN if is_known else Phase.OPENED,
    )


def _closing(
    connection: Connection,
    listener: Listener,
    rules: Rules,
    incident: Row[Any],
    earlier: Sequence[Row[Any]],
    news: _News,
    now: datetime,
) -> NewAnnouncement | None:
    """The end of an incident is told to those who know of its opening, or will in a digest."""
    event = news.event_of(incident.id)
    waiting = [each for each in earlier if each.status == AnnouncementStatus.WAITING]
    held = [
        each.id
        for each in waiting
        if each.batch == AnnouncementBatch.DAMPED or incident.snoozed_until is not None
    ]
    drop_announcements(connection, held, "the incident was over before it was told")
    is_known = any(
        each.phase == Phase.OPENED
        and each.id not in held
        and each.status != AnnouncementStatus.DROPPED
        for each in earlier
    )
    if not is_known or not rules.tell_closed:
        return None
    return _announcement(
        listener,
        news.scan_id,
        f"incident:{incident.id}:{Phase.CLOSED}",
        _due(rules, listener, incident.severity, now),
        event_id=event.id if event else None,
        incident_id=incident.id,
        phase=Phase.CLOSED,
    )


def _reminder(
    listener: Listener,
    rules: Rules,
    incident: Row[Any],
    earlier: Sequence[Row[Any]],
    news: _News,
    now: datetime,
) -> NewAnnouncement | None:
    is_snoozed = incident.snoozed_until is not None and incident.snoozed_until > now
    if not rules.remind_hours or is_snoozed or incident.closed_at is not None:
        return None
    told = [each for each in earlier if each.status == AnnouncementStatus.TOLD]
    is_waiting = any(each.status == AnnouncementStatus.WAITING for each in earlier)
    if not told or is_waiting:
        return None
    if now - max(each.due_at for each in told) < timedelta(hours=rules.remind_hours):
        return None
    return _announcement(
        listener,
        news.scan_id,
        f"incident:{incident.id}:{Phase.STILL_OPEN}:{news.scan_id}",
        _due(rules, listener, incident.severity, now),
        incident_id=incident.id,
        phase=Phase.STILL_OPEN,
    )


def _due(
    rules: Rules,
    listener: Listener,
    severity: str,
    now: datetime,
    incident_snoozed_until: datetime | None = None,
) -> Due:
    snoozes = [each for each in (listener.snoozed_until, incident_snoozed_until) if each]
    held_until = max(snoozes, default=None)
    return due(rules, now, is_urgent=rules.is_urgent(severity), held_until=held_until)


def _announcement(
    listener: Listener,
    scan_id: int,
    key: str,
    when: Due,
    *,
    event_id: int | None = None,
    incident_id: int | None = None,
    phase: Phase | None = None,
    batch: AnnouncementBatch | None = None,
) -> NewAnnouncement:
    usual = AnnouncementBatch.DIGEST if when.is_digest else AnnouncementBatch.AT_ONCE
    return NewAnnouncement(
        channel_id=listener.channel_id,
        key=key,
        watched_site_id=listener.watched_site_id,
        event_id=event_id,
        incident_id=incident_id,
        phase=phase,
        scan_id=scan_id,
        batch=batch or usual,
        due_at=when.at,
    )
