"""Writes what a comparison found, within its transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, insert, select, update

from sitecrawl.changes.kinds import ChangeKind, Severity
from sitecrawl.store.queries.page_changes import IS_UPDATED
from sitecrawl.store.schema import (
    changes,
    comparisons,
    events,
    incidents,
    page_presence,
    sites,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.changes.events import Event
    from sitecrawl.changes.kinds import Change
    from sitecrawl.changes.presence import Presence

_ROWS_AT_ONCE: Final = 1_000

_FIELDS: Final = (
    *(("lastmod", "r.{old}lastmod"), ("changefreq", "r.{old}changefreq")),
    ("sitemap_priority", "r.{old}priority"),
)
# Fields that do not differ are NULL in the table, and left out of the object.
_OBJECT: Final = {
    "sqlite": "json_patch('{{}}', json_object({pairs}))",
    "postgresql": "jsonb_strip_nulls(jsonb_build_object({pairs}))",
}
_ADD_UPDATES: Final = """
INSERT INTO changes (site_id, scan_id, event_id, page_id, kind, before, after, evidence,
    confidence, status, occurred_at)
SELECT {site}, {scan}, {event}, r.page_id, '{kind}', {before}, {after}, '{{}}', 1.0, 'open', {now}
FROM sitemap_updates AS r WHERE {condition} ORDER BY r.page_id
"""


def lock_site(connection: Connection, site_id: int) -> None:
    """Let one comparison of a site wait for the other."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(sites.c.id).where(sites.c.id == site_id).with_for_update())


def add_comparison(connection: Connection, values: Mapping[str, Any]) -> None:
    connection.execute(insert(comparisons).values(**values))


def save_presence(
    connection: Connection, site_id: int, presences: Mapping[int, Presence | None]
) -> None:
    """Replace what was known of these pages; None: they are present."""
    ids = sorted(presences)
    for first in range(0, len(ids), _ROWS_AT_ONCE):
        some = ids[first : first + _ROWS_AT_ONCE]
        connection.execute(delete(page_presence).where(page_presence.c.page_id.in_(some)))
    rows = [
        {
            "page_id": page_id,
            "site_id": site_id,
            "state": presence.state,
            "since_scan_id": presence.since_scan_id,
            "scans": presence.scans,
            "flaps": presence.flaps,
            "evidence": dict(presence.evidence),
        }
        for page_id, presence in presences.items()
        if presence is not None
    ]
    if rows:
        connection.execute(insert(page_presence), rows)


def add_event(
    connection: Connection,
    site_id: int,
    scan_id: int,
    event: Event,
    now: datetime,
    incident_id: int | None = None,
) -> int:
    """Store an event and its changes; give its number."""
    values = {
        "site_id": site_id,
        "scan_id": scan_id,
        "incident_id": incident_id,
        "kind": event.kind,
        "severity": event.severity,
        "title": event.title,
        "pages": event.pages,
        "important_pages": event.important,
        "detail": dict(event.detail),
        "is_silent": event.is_silent,
        "occurred_at": now,
    }
    event_id = int(
        connection.execute(insert(events).values(values).returning(events.c.id)).scalar_one()
    )
    rows = [_row(site_id, scan_id, event_id, change, now) for change in event.changes]
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        connection.execute(insert(changes), rows[first : first + _ROWS_AT_ONCE])
    return event_id


def _row(
    site_id: int, scan_id: int, event_id: int, change: Change, now: datetime
) -> dict[str, Any]:
    return {
        "site_id": site_id,
        "scan_id": scan_id,
        "event_id": event_id,
        "page_id": change.page.id if change.page is not None else None,
        "document_id": change.document_id,
        "other_page_id": change.other.id if change.other is not None else None,
        "kind": change.kind,
        "before": dict(change.before) if change.before is not None else None,
        "after": dict(change.after) if change.after is not None else None,
        "evidence": dict(change.evidence),
        "confidence": change.confidence,
        "status": "open",
        "occurred_at": now,
    }


def add_sitemap_updates(
    connection: Connection,
    site_id: int,
    scan_id: int,
    event_id: int,
    kind: ChangeKind,
    now: datetime,
) -> None:
    """Store the changes of ``sitemap_updates``: a million of them cost no object in Python."""
    is_update = kind is ChangeKind.UPDATED
    sides = {}
    for name, old in (("before", "old_"), ("after", "")):
        fields = _FIELDS if is_update else (("document_id", "r.{old}document_id"),)
        pairs = ", ".join(f"'{label}', {sql.format(old=old)}" for label, sql in fields)
        sides[name] = _OBJECT[connection.dialect.name].format(pairs=pairs)
    bound = changes.c.occurred_at.type.dialect_impl(connection.dialect)
    process = bound.bind_processor(connection.dialect)
    moment = process(now) if process is not None else now
    marker = "?" if connection.dialect.name == "sqlite" else "%s"
    condition = IS_UPDATED if is_update else "r.old_document_id <> r.document_id"
    statement = _ADD_UPDATES.format(
        site=int(site_id),
        scan=int(scan_id),
        event=int(event_id),
        kind=kind.value,
        condition=condition,
        now=marker,
        **sides,
    )
    connection.exec_driver_sql(statement, (moment,))


def open_incident(
    connection: Connection, site_id: int, scan_id: int, event: Event, now: datetime
) -> tuple[int, bool]:
    """The open incident with the event's key, or a new one; and whether that is news.

    An incident that was told is news again only if it is graver than before.
    """
    known = connection.execute(
        select(incidents.c.id, incidents.c.severity).where(
            incidents.c.site_id == site_id,
            incidents.c.key == event.incident,
            incidents.c.status == "open",
        )
    ).first()
    if known is not None:
        values: dict[str, Any] = {"last_scan_id": scan_id}
        is_graver = event.severity.rank > Severity(known.severity).rank
        if is_graver:
            values |= {"severity": event.severity, "title": event.title}
        connection.execute(update(incidents).where(incidents.c.id == known.id).values(values))
        return int(known.id), is_graver
    values = {
        "site_id": site_id,
        "key": event.incident,
        "kind": event.kind,
        "severity": event.severity,
        "title": event.title,
        "status": "open",
        "opened_scan_id": scan_id,
        "last_scan_id": scan_id,
        "opened_at": now,
    }
    number = connection.execute(insert(incidents).values(values).returning(incidents.c.id))
    return int(number.scalar_one()), True


def end_incident(
    connection: Connection, incident_id: int, scan_id: int | None, now: datetime
) -> None:
    connection.execute(
        update(incidents)
        .where(incidents.c.id == incident_id)
        .values(status="closed", closed_scan_id=scan_id, closed_at=now)
    )


def touch_incidents(connection: Connection, ids: Iterable[int], scan_id: int) -> None:
    """They are still open in this scan."""
    connection.execute(
        update(incidents).where(incidents.c.id.in_(sorted(ids))).values(last_scan_id=scan_id)
    )


def edit_rows(
    connection: Connection, table: Any, ids: Sequence[int], values: Mapping[str, Any]
) -> int:
    """Change status, assignee, note or the end of a snooze; give the number of rows."""
    statement = update(table).where(table.c.id.in_(list(ids))).values(**values)
    return int(connection.execute(statement).rowcount)


def announce_again(connection: Connection, scan_id: int) -> None:
    """The comparison has new events: channels are to be told of these."""
    connection.execute(
        update(comparisons).where(comparisons.c.scan_id == scan_id).values(announced_at=None)
    )
