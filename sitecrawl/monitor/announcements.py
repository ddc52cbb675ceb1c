"""Decides after a scan which channels are told what, and when. Nothing is sent here."""

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
    """Write the announcements of a scan; return how many are new.

    A second call for the same scan adds nothing. Silent events are not announced. Of an incident
    these are announced: its opening, a higher severity, its end and, if a rule asks for them,
    reminders. Earlier scans of the site that were not announced, such as those from the command
    line, come first.
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
    findings = _Findings.of_scan(connection, site_id, scan_id)
    rows = [row for each in told for row in _Announcer(connection, each, findings, now).rows()]
    return add_announcements(connection, rows)


@dataclass(frozen=True, slots=True)
class _Findings:
    """What a scan found, and what was announced of its incidents before."""

    scan_id: int
    events: Sequence[Row[Any]]
    incidents: Sequence[Row[Any]]
    announced: dict[tuple[int, int], list[Row[Any]]]
    """By channel and incident."""
    closings: dict[tuple[int, str], datetime]
    """When an incident of this key was last closed, by channel and key."""

    @classmethod
    def of_scan(cls, connection: Connection, site_id: int, scan_id: int) -> _Findings:
        incidents = incidents_of_scan(connection, site_id, scan_id)
        announced: dict[tuple[int, int], list[Row[Any]]] = {}
        for row in announcements_of_incidents(connection, [each.id for each in incidents]):
            announced.setdefault((row.channel_id, row.incident_id), []).append(row)
        keys = [each.key for each in incidents if each.opened_scan_id == scan_id]
        closings = last_closings(connection, site_id, keys)
        return cls(scan_id, events_of_scan(connection, scan_id), incidents, announced, closings)

    def event_of(self, incident_id: int) -> Row[Any] | None:
        return next((each for each in self.events if each.incident_id == incident_id), None)


class _Announcer:
    """Decides what one channel is told of a scan."""

    def __init__(
        self, connection: Connection, listener: Listener, findings: _Findings, now: datetime
    ):
        self._connection = connection
        self._listener = listener
        self._rules = Rules.from_dict(listener.rules)
        self._findings = findings
        self._now = now

    def rows(self) -> Iterator[NewAnnouncement]:
        for event in self._findings.events:
            if not event.is_silent and event.incident_id is None and self._matches(event):
                yield self._new(f"event:{event.id}", self._due(event.severity), event=event)
        for incident in self._findings.incidents:
            earlier = self._findings.announced.get((self._listener.channel_id, incident.id), [])
            if row := self._of_incident(incident, earlier):
                yield row

    def _of_incident(
        self, incident: Row[Any], earlier: Sequence[Row[Any]]
    ) -> NewAnnouncement | None:
        event = self._findings.event_of(incident.id)
        if incident.opened_scan_id == self._findings.scan_id:
            is_silent = event is not None and event.is_silent
            is_told = not is_silent and self._matches(event or incident)
            return self._opened(incident, event) if is_told else None
        if incident.closed_scan_id == self._findings.scan_id:
            return self._closed(incident, event, earlier)
        if event is not None and not event.is_silent:
            return self._worsened(incident, event, earlier) if self._matches(event) else None
        return self._reminder(incident, earlier)

    def _matches(self, found: Row[Any]) -> bool:
        # An incident without an event of its own says nothing about numbers.
        pages = getattr(found, "pages", self._rules.min_pages)
        important = getattr(found, "important_pages", self._rules.min_important_pages)
        tags = self._listener.tags
        return self._rules.matches(found.kind, found.severity, pages, important, tags)

    def _opened(self, incident: Row[Any], event: Row[Any] | None) -> NewAnnouncement:
        when = self._due(incident.severity, incident.snoozed_until)
        batch = None
        closed = self._findings.closings.get((self._listener.channel_id, incident.key))
        damping = timedelta(hours=self._rules.damping_hours)
        if closed is not None and incident.opened_at - closed < damping:
            # It comes and goes: it is told again only if it stays.
            when = due(self._rules, self._now, held_until=self._now + damping)
            batch = AnnouncementBatch.DAMPED
        key = f"incident:{incident.id}:{Phase.OPENED}"
        return self._new(key, when, event, incident, Phase.OPENED, batch)

    def _worsened(
        self, incident: Row[Any], event: Row[Any], earlier: Sequence[Row[Any]]
    ) -> NewAnnouncement:
        """A higher severity; for those who do not know of the incident, this is its opening."""
        waiting = [each.id for each in earlier if each.status == AnnouncementStatus.WAITING]
        drop_announcements(self._connection, waiting, "the incident got worse before it was told")
        is_known = any(each.status == AnnouncementStatus.TOLD for each in earlier)
        phase = Phase.STILL_OPEN if is_known else Phase.OPENED
        when = self._due(event.severity, incident.snoozed_until)
        return self._new(f"incident:{incident.id}:{event.severity}", when, event, incident, phase)

    def _closed(
        self, incident: Row[Any], event: Row[Any] | None, earlier: Sequence[Row[Any]]
    ) -> NewAnnouncement | None:
        """The end of an incident is told to those who know of its opening, or will in a digest."""
        waiting = [each for each in earlier if each.status == AnnouncementStatus.WAITING]
        held = [
            each.id
            for each in waiting
            if each.batch == AnnouncementBatch.DAMPED or incident.snoozed_until is not None
        ]
        drop_announcements(self._connection, held, "the incident was over before it was told")
        is_known = any(
            each.phase == Phase.OPENED
            and each.id not in held
            and each.status != AnnouncementStatus.DROPPED
            for each in earlier
        )
        if not is_known or not self._rules.tell_closed:
            return None
        key = f"incident:{incident.id}:{Phase.CLOSED}"
        return self._new(key, self._due(incident.severity), event, incident, Phase.CLOSED)

    def _reminder(self, incident: Row[Any], earlier: Sequence[Row[Any]]) -> NewAnnouncement | None:
        is_snoozed = incident.snoozed_until is not None and incident.snoozed_until > self._now
        if not self._rules.remind_hours or is_snoozed or incident.closed_at is not None:
            return None
        told = [each for each in earlier if each.status == AnnouncementStatus.TOLD]
        is_waiting = any(each.status == AnnouncementStatus.WAITING for each in earlier)
        if not told or is_waiting:
            return None
        pause = timedelta(hours=self._rules.remind_hours)
        if self._now - max(each.due_at for each in told) < pause:
            return None
        key = f"incident:{incident.id}:{Phase.STILL_OPEN}:{self._findings.scan_id}"
        when = self._due(incident.severity)
        return self._new(key, when, incident=incident, phase=Phase.STILL_OPEN)

    def _due(self, severity: str, incident_snoozed_until: datetime | None = None) -> Due:
        snoozes = [each for each in (self._listener.snoozed_until, incident_snoozed_until) if each]
        is_urgent = self._rules.is_urgent(severity)
        held_until = max(snoozes, default=None)
        return due(self._rules, self._now, is_urgent=is_urgent, held_until=held_until)

    def _new(
        self,
        key: str,
        when: Due,
        event: Row[Any] | None = None,
        incident: Row[Any] | None = None,
        phase: Phase | None = None,
        batch: AnnouncementBatch | None = None,
    ) -> NewAnnouncement:
        usual = AnnouncementBatch.DIGEST if when.is_digest else AnnouncementBatch.AT_ONCE
        return NewAnnouncement(
            channel_id=self._listener.channel_id,
            key=key,
            watched_site_id=self._listener.watched_site_id,
            event_id=event.id if event is not None else None,
            incident_id=incident.id if incident is not None else None,
            phase=phase,
            scan_id=self._findings.scan_id,
            batch=batch or usual,
            due_at=when.at,
        )
