"""Writes channels, announcements and deliveries, within the connection's transaction."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, TypedDict

from sqlalchemy import delete, insert, select, update

from sitecrawl.store.schema import (
    announcements,
    channels,
    comparisons,
    deliveries,
    delivery_attempts,
    incidents,
)
from sitecrawl.store.vocabulary import AnnouncementStatus, DeliveryPurpose, DeliveryStatus
from sitecrawl.store.writers.bulk import upserting_insert

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

_MAX_TITLE = 500


class NewAnnouncement(TypedDict):
    """A row of ``announcements`` that is to wait."""

    channel_id: int
    key: str
    watched_site_id: int
    event_id: int | None
    incident_id: int | None
    phase: str | None
    scan_id: int
    batch: str
    due_at: datetime


def add_announcements(connection: Connection, rows: Sequence[NewAnnouncement]) -> int:
    """Add those that are not there yet; return how many that were."""
    if not rows:
        return 0
    statement = upserting_insert(connection.dialect)(announcements).values(
        [{**row, "status": AnnouncementStatus.WAITING} for row in rows]
    )
    statement = statement.on_conflict_do_nothing(
        index_elements=[announcements.c.channel_id, announcements.c.key]
    )
    return len(connection.execute(statement.returning(announcements.c.id)).all())


def mark_announced(connection: Connection, scan_ids: Collection[int], now: datetime) -> None:
    """It is decided who is told what of these scans."""
    connection.execute(
        update(comparisons)
        .where(comparisons.c.scan_id.in_(scan_ids), comparisons.c.announced_at.is_(None))
        .values(announced_at=now)
    )


def drop_announcements(connection: Connection, ids: Collection[int], reason: str) -> None:
    """They will not be told."""
    connection.execute(
        update(announcements)
        .where(announcements.c.id.in_(ids))
        .values(status=AnnouncementStatus.DROPPED, reason=reason)
    )


def postpone_announcements(
    connection: Connection, ids: Collection[int], due_at: datetime, batch: str
) -> None:
    connection.execute(
        update(announcements).where(announcements.c.id.in_(ids)).values(due_at=due_at, batch=batch)
    )


def mark_told(connection: Connection, ids: Collection[int], delivery_id: int) -> None:
    connection.execute(
        update(announcements)
        .where(announcements.c.id.in_(ids))
        .values(status=AnnouncementStatus.TOLD, delivery_id=delivery_id)
    )


def add_channel(connection: Connection, values: Mapping[str, Any]) -> int:
    statement = insert(channels).values(dict(values)).returning(channels.c.id)
    return int(connection.execute(statement).scalar_one())


def change_channel(connection: Connection, channel_id: int, values: Mapping[str, Any]) -> None:
    connection.execute(update(channels).where(channels.c.id == channel_id).values(dict(values)))


def disable_channel(connection: Connection, channel_id: int, reason: str, now: datetime) -> bool:
    """Disable it and cancel what it was still to be told; False: it was disabled already."""
    enabled = (channels.c.id == channel_id) & channels.c.enabled
    changed = connection.execute(
        update(channels)
        .where(enabled)
        .values(enabled=False, disabled_reason=reason, updated_at=now)
    )
    connection.execute(
        update(deliveries)
        .where(deliveries.c.channel_id == channel_id, deliveries.c.status == DeliveryStatus.PENDING)
        .values(status=DeliveryStatus.CANCELLED, finished_at=now, next_attempt_at=None)
    )
    return changed.rowcount == 1


def remove_channel(connection: Connection, channel_id: int) -> None:
    """Remove it with its announcements and deliveries, which refer to it."""
    connection.execute(delete(channels).where(channels.c.id == channel_id))


def add_delivery(
    connection: Connection,
    channel_id: int,
    purpose: DeliveryPurpose,
    title: str,
    request: Mapping[str, Any],
    now: datetime,
    replay_of: int | None = None,
) -> int:
    """A message that is due now, with an id that stays the same at every attempt."""
    statement = insert(deliveries).values(
        channel_id=channel_id,
        purpose=purpose,
        message_id=f"msg_{secrets.token_hex(16)}",
        title=title[:_MAX_TITLE],
        replay_of=replay_of,
        status=DeliveryStatus.PENDING,
        attempts=0,
        next_attempt_at=now,
        request=dict(request),
        created_at=now,
    )
    return int(connection.execute(statement.returning(deliveries.c.id)).scalar_one())


def claim_delivery(
    connection: Connection, delivery_id: int, now: datetime, lease_until: datetime
) -> Row[Any] | None:
    """Begin an attempt; None: it is not due, or another process has it.

    If this process dies, the delivery is due again at the end of the lease.
    """
    statement = (
        update(deliveries)
        .where(
            deliveries.c.id == delivery_id,
            deliveries.c.status == DeliveryStatus.PENDING,
            deliveries.c.next_attempt_at <= now,
        )
        .values(attempts=deliveries.c.attempts + 1, next_attempt_at=lease_until)
        .returning(deliveries)
    )
    return connection.execute(statement).first()


def record_attempt(connection: Connection, values: Mapping[str, Any]) -> None:
    connection.execute(insert(delivery_attempts).values(dict(values)))


def finish_delivery(
    connection: Connection, delivery_id: int, status: DeliveryStatus, now: datetime
) -> None:
    _change_pending(
        connection, delivery_id, {"status": status, "finished_at": now, "next_attempt_at": None}
    )


def retry_delivery(connection: Connection, delivery_id: int, moment: datetime) -> None:
    _change_pending(connection, delivery_id, {"next_attempt_at": moment})


def _change_pending(connection: Connection, delivery_id: int, values: Mapping[str, Any]) -> None:
    # It may have been cancelled while the attempt was under way; a cancelled one that was sent
    # nevertheless says so.
    sendable = [DeliveryStatus.PENDING]
    if values.get("status") == DeliveryStatus.SENT:
        sendable.append(DeliveryStatus.CANCELLED)
    connection.execute(
        update(deliveries)
        .where(deliveries.c.id == delivery_id, deliveries.c.status.in_(sendable))
        .values(dict(values))
    )


def count_failure(connection: Connection, channel_id: int) -> int:
    """One more delivery failed for good; return how many in a row."""
    statement = (
        update(channels)
        .where(channels.c.id == channel_id)
        .values(failures=channels.c.failures + 1)
        .returning(channels.c.failures)
    )
    return int(connection.execute(statement).scalar_one())


def clear_failures(connection: Connection, channel_id: int) -> None:
    failing = (channels.c.id == channel_id) & (channels.c.failures > 0)
    connection.execute(update(channels).where(failing).values(failures=0))


def has_sent_since(connection: Connection, channel_id: int, moment: datetime) -> bool:
    """Whether the channel took anything since *moment*."""
    statement = select(deliveries.c.id).where(
        deliveries.c.channel_id == channel_id,
        deliveries.c.status == DeliveryStatus.SENT,
        deliveries.c.finished_at >= moment,
    )
    return connection.execute(statement.limit(1)).first() is not None


def delete_old_deliveries(connection: Connection, before: datetime) -> int:
    """Delete what ended before, with its announcements; not what was told of open incidents."""
    of_open_incidents = (
        select(announcements.c.delivery_id)
        .join(incidents, incidents.c.id == announcements.c.incident_id)
        .where(incidents.c.status == "open", announcements.c.delivery_id.is_not(None))
    )
    connection.execute(
        delete(announcements).where(
            announcements.c.status == AnnouncementStatus.DROPPED, announcements.c.due_at < before
        )
    )
    deleted = connection.execute(
        delete(deliveries).where(
            deliveries.c.finished_at < before, deliveries.c.id.not_in(of_open_incidents)
        )
    )
    return deleted.rowcount
