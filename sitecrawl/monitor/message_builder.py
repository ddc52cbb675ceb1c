"""Builds messages from announcements that are due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sitecrawl.channels.messages import (
    MAX_EXAMPLES,
    EventNews,
    SiteNews,
    change_message,
    digest_message,
    importance,
)
from sitecrawl.channels.rules import Phase
from sitecrawl.store import schema as t
from sitecrawl.store.queries.channels import by_id, counts_of_scans
from sitecrawl.store.vocabulary import AnnouncementBatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.channels.messages import Message

_MAX_TITLE = 500
_MAX_URL = 2_000


@dataclass(frozen=True, slots=True)
class MessageBuilder:
    """Knows the rows that the announcements of one transaction refer to, read at once."""

    events: Mapping[int, Row[Any]]
    incidents: Mapping[int, Row[Any]]
    sites: Mapping[int, Row[Any]]
    counts: Mapping[int, Mapping[str, int]]
    public_url: str

    @classmethod
    def of(
        cls, connection: Connection, announcements: Iterable[Row[Any]], public_url: str
    ) -> MessageBuilder:
        rows = list(announcements)
        return cls(
            by_id(connection, t.events, {row.event_id for row in rows} - {None}),
            by_id(connection, t.incidents, {row.incident_id for row in rows} - {None}),
            by_id(connection, t.watched_sites, {row.watched_site_id for row in rows}),
            counts_of_scans(connection, {row.scan_id for row in rows}),
            public_url.rstrip("/"),
        )

    def build(self, announcements: Sequence[Row[Any]], moment: datetime) -> Message:
        """The message to one recipient; it tells each event or incident once."""
        by_site: dict[int, list[Row[Any]]] = {}
        for row in announcements:
            by_site.setdefault(row.watched_site_id, []).append(row)
        sites = [self._site(number, rows) for number, rows in by_site.items()]
        if all(row.batch == AnnouncementBatch.AT_ONCE for row in announcements):
            return change_message(sites[0], moment)
        return digest_message(sites, moment)

    def _site(self, number: int, rows: Sequence[Row[Any]]) -> SiteNews:
        site = self.sites[number]
        scans = {row.scan_id for row in rows}
        told: dict[str, EventNews] = {}
        for row in sorted(rows, key=lambda row: row.id):
            # The end of an incident replaces its opening.
            subject = f"i{row.incident_id}" if row.incident_id is not None else f"e{row.event_id}"
            told[subject] = self._event(row)
        return SiteNews(
            site_id=number,
            name=site.name,
            root_url=site.root_url,
            scan_id=max(scans),
            added=self._count(scans, "added"),
            removed=self._count(scans, "removed"),
            updated=self._count(scans, "updated"),
            events=tuple(sorted(told.values(), key=importance)),
            link=f"{self.public_url}/sites/{number}" if self.public_url else "",
        )

    def _count(self, scans: Iterable[int], kind: str) -> int:
        return sum(int(self.counts.get(scan, {}).get(kind, 0)) for scan in scans)

    def _event(self, row: Row[Any]) -> EventNews:
        event = self.events.get(row.event_id)
        incident = self.incidents.get(row.incident_id)
        is_incident = event is None or row.phase == Phase.CLOSED
        told = incident if is_incident else event
        assert told is not None  # announcements go with what they tell
        return EventNews(
            id=told.id,
            kind=told.kind,
            severity=incident.severity if incident is not None else told.severity,
            title=_title(row, event, incident)[:_MAX_TITLE],
            pages=event.pages if event is not None else 0,
            important_pages=event.important_pages if event is not None else 0,
            examples=_examples(event.detail) if event is not None else (),
            occurred_at=_moment(row, event, incident),
            incident_id=row.incident_id,
            phase=Phase(row.phase) if row.phase else None,
            opened_at=incident.opened_at if incident is not None else None,
        )


def _title(row: Row[Any], event: Row[Any] | None, incident: Row[Any] | None) -> str:
    if incident is None or (event is not None and row.phase != Phase.CLOSED):
        assert event is not None
        return str(event.title)
    return f"{incident.title} ({event.title})" if event is not None else str(incident.title)


def _moment(row: Row[Any], event: Row[Any] | None, incident: Row[Any] | None) -> datetime:
    if row.phase == Phase.CLOSED and incident is not None and incident.closed_at:
        moment: datetime = incident.closed_at
    elif event is not None:
        moment = event.occurred_at
    else:
        assert incident is not None
        moment = incident.opened_at
    return moment


def _examples(detail: Mapping[str, Any]) -> tuple[str, ...]:
    found = detail.get("examples", [])
    urls = [each.get("url") if isinstance(each, dict) else each for each in found]
    return tuple(url[:_MAX_URL] for url in urls[:MAX_EXAMPLES] if isinstance(url, str))
