"""Reads channels and what they are told, have been told, and could not be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, or_, select

from sitecrawl.store.schema import (
    announcements,
    channels,
    comparisons,
    deliveries,
    delivery_attempts,
    events,
    incidents,
    scans,
    site_groups,
    sites,
    watched_sites,
)
from sitecrawl.store.vocabulary import AnnouncementStatus, DeliveryStatus

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.engine import Connection, Row

# A transaction that reads so many stays short; the rest has its turn in the next minute.
_MAX_DUE = 5_000
_MAX_UNANNOUNCED = 500


@dataclass(frozen=True, slots=True)
class Listener:
    """A channel that is told of a watched site."""

    channel_id: int
    rules: dict[str, Any]
    snoozed_until: datetime | None
    created_at: datetime
    watched_site_id: int
    tags: list[str]


def listeners(connection: Connection, site_id: int) -> list[Listener]:
    """The enabled channels of the workspace that watches this inventory."""
    site = watched_sites.c
    # A site that was added before its first scan may not know its inventory yet.
    is_inventory = and_(
        sites.c.id == site_id,
        sites.c.workspace_id == site.workspace_id,
        or_(site.site_id == sites.c.id, site.key == sites.c.key),
    )
    is_for_all = and_(channels.c.watched_site_id.is_(None), channels.c.group_id.is_(None))
    statement = (
        select(
            channels.c.id.label("channel_id"),
            channels.c.rules,
            channels.c.snoozed_until,
            channels.c.created_at,
            site.id.label("watched_site_id"),
            site.tags,
        )
        .join(watched_sites, site.workspace_id == channels.c.workspace_id)
        .join(sites, is_inventory)
        .where(
            channels.c.enabled,
            or_(channels.c.watched_site_id == site.id, channels.c.group_id == site.group_id)
            | is_for_all,
        )
        .order_by(channels.c.id, site.id)
    )
    return [Listener(**row._asdict()) for row in connection.execute(statement)]


def site_of_scan(connection: Connection, scan_id: int) -> int | None:
    found = connection.scalar(select(scans.c.site_id).where(scans.c.id == scan_id))
    return None if found is None else int(found)


def unannounced_scans(
    connection: Connection, site_id: int | None = None, before_scan_id: int | None = None
) -> Sequence[Row[Any]]:
    """Compared scans that channels have not been told of, the oldest first."""
    statement: Select[Any] = (
        select(comparisons.c.scan_id, comparisons.c.site_id, scans.c.finished_at)
        .join(scans, scans.c.id == comparisons.c.scan_id)
        .where(comparisons.c.announced_at.is_(None))
        .order_by(comparisons.c.scan_id)
        .limit(_MAX_UNANNOUNCED)
    )
    if site_id is not None:
        statement = statement.where(comparisons.c.site_id == site_id)
    if before_scan_id is not None:
        statement = statement.where(comparisons.c.scan_id < before_scan_id)
    return connection.execute(statement).all()


def events_of_scan(connection: Connection, scan_id: int) -> Sequence[Row[Any]]:
    return connection.execute(
        select(events).where(events.c.scan_id == scan_id).order_by(events.c.id)
    ).all()


def incidents_of_scan(connection: Connection, site_id: int, scan_id: int) -> Sequence[Row[Any]]:
    """The incidents that the scan opened, found still open, or closed."""
    column = incidents.c
    touched = or_(
        column.opened_scan_id == scan_id,
        column.last_scan_id == scan_id,
        column.closed_scan_id == scan_id,
    )
    statement = select(incidents).where(column.site_id == site_id, touched).order_by(column.id)
    return connection.execute(statement).all()


def announcements_of_incidents(
    connection: Connection, incident_ids: Collection[int]
) -> Sequence[Row[Any]]:
    statement = select(announcements).where(announcements.c.incident_id.in_(incident_ids))
    return connection.execute(statement.order_by(announcements.c.id)).all()


def last_closings(
    connection: Connection, site_id: int, keys: Collection[str]
) -> dict[tuple[int, str], datetime]:
    """When the last incident with each key ended of which a channel had been told."""
    statement = (
        select(announcements.c.channel_id, incidents.c.key, func.max(incidents.c.closed_at))
        .join(incidents, incidents.c.id == announcements.c.incident_id)
        .where(
            incidents.c.site_id == site_id,
            incidents.c.key.in_(keys),
            incidents.c.closed_at.is_not(None),
            announcements.c.status == AnnouncementStatus.TOLD,
        )
        .group_by(announcements.c.channel_id, incidents.c.key)
    )
    return {(channel, key): moment for channel, key, moment in connection.execute(statement)}


def due_announcements(connection: Connection, now: datetime) -> Sequence[Row[Any]]:
    """What is waiting and due, with what matters of the channel; locked until the commit."""
    statement = (
        select(
            announcements,
            channels.c.workspace_id,
            channels.c.kind.label("channel_kind"),
            channels.c.target_hash,
            channels.c.enabled,
            channels.c.snoozed_until,
            incidents.c.status.label("incident_status"),
            incidents.c.snoozed_until.label("incident_snoozed_until"),
        )
        .join(channels, channels.c.id == announcements.c.channel_id)
        .join(incidents, incidents.c.id == announcements.c.incident_id, isouter=True)
        .where(announcements.c.status == AnnouncementStatus.WAITING, announcements.c.due_at <= now)
        .order_by(announcements.c.id)
        .limit(_MAX_DUE)
        .with_for_update(of=announcements)
    )
    return connection.execute(statement).all()


def has_due_announcements(connection: Connection, now: datetime) -> bool:
    statement = select(announcements.c.id).where(
        announcements.c.status == AnnouncementStatus.WAITING, announcements.c.due_at <= now
    )
    return connection.execute(statement.limit(1)).first() is not None


def told_to_target(
    connection: Connection, workspace_id: int, target_hash: str, keys: Collection[str]
) -> set[str]:
    """Which of these the recipient has been told by any channel."""
    statement = (
        select(announcements.c.key)
        .join(channels, channels.c.id == announcements.c.channel_id)
        .where(
            channels.c.workspace_id == workspace_id,
            channels.c.target_hash == target_hash,
            announcements.c.status == AnnouncementStatus.TOLD,
            announcements.c.key.in_(keys),
        )
    )
    return set(connection.scalars(statement))


def by_id(connection: Connection, table: Any, ids: Collection[int]) -> dict[int, Row[Any]]:
    """The rows of ``events``, ``incidents`` or ``watched_sites`` with these numbers."""
    return {row.id: row for row in connection.execute(select(table).where(table.c.id.in_(ids)))}


def counts_of_scans(connection: Connection, scan_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """How many changes of each kind a scan found."""
    statement = select(comparisons.c.scan_id, comparisons.c.counts)
    found = connection.execute(statement.where(comparisons.c.scan_id.in_(scan_ids)))
    return {scan_id: dict(counts) for scan_id, counts in found}


# --- Channels --------------------------------------------------------------------------------
def channel_rows(
    connection: Connection, workspace_id: int, channel_id: int | None = None
) -> Sequence[Row[Any]]:
    """The channels of a workspace with the names of what they are for, without their targets."""
    shown = [column for column in channels.c if column.name not in {"target", "target_hash"}]
    statement: Select[Any] = (
        select(
            *shown,
            watched_sites.c.name.label("site_name"),
            site_groups.c.name.label("group_name"),
        )
        .join(watched_sites, watched_sites.c.id == channels.c.watched_site_id, isouter=True)
        .join(site_groups, site_groups.c.id == channels.c.group_id, isouter=True)
        .where(channels.c.workspace_id == workspace_id)
        .order_by(channels.c.id)
    )
    if channel_id is not None:
        statement = statement.where(channels.c.id == channel_id)
    return connection.execute(statement).all()


def channel_row(connection: Connection, channel_id: int) -> Row[Any] | None:
    """All of a channel, also its encrypted target."""
    return connection.execute(select(channels).where(channels.c.id == channel_id)).first()


def channels_to_alert(
    connection: Connection, workspace_id: int, target_hash: str
) -> Sequence[Row[Any]]:
    """The enabled channels of a workspace that lead elsewhere, one for each recipient."""
    first = (
        select(func.min(channels.c.id))
        .where(
            channels.c.workspace_id == workspace_id,
            channels.c.enabled,
            channels.c.target_hash != target_hash,
        )
        .group_by(channels.c.target_hash)
    )
    statement: Select[Any] = select(channels).where(channels.c.id.in_(first))
    return connection.execute(statement.order_by(channels.c.id)).all()


# --- Deliveries ------------------------------------------------------------------------------
def due_delivery_ids(connection: Connection, now: datetime, limit: int) -> list[int]:
    """Those to be tried now, also those whose process died; the longest due first."""
    statement = (
        select(deliveries.c.id)
        .where(deliveries.c.status == DeliveryStatus.PENDING, deliveries.c.next_attempt_at <= now)
        .order_by(deliveries.c.next_attempt_at, deliveries.c.id)
        .limit(limit)
    )
    return list(connection.scalars(statement))


def delivery_rows(
    connection: Connection,
    workspace_id: int,
    *,
    channel_id: int | None,
    status: str,
    before_id: int | None,
    limit: int,
) -> Sequence[Row[Any]]:
    """The newest first, without what was sent."""
    statement = _deliveries(workspace_id, with_request=False)
    if channel_id is not None:
        statement = statement.where(deliveries.c.channel_id == channel_id)
    if status:
        statement = statement.where(deliveries.c.status == status)
    if before_id is not None:
        statement = statement.where(deliveries.c.id < before_id)
    return connection.execute(statement.order_by(deliveries.c.id.desc()).limit(limit)).all()


def delivery_row(connection: Connection, workspace_id: int, delivery_id: int) -> Row[Any] | None:
    statement = _deliveries(workspace_id, with_request=True)
    return connection.execute(statement.where(deliveries.c.id == delivery_id)).first()


def _deliveries(workspace_id: int, *, with_request: bool) -> Select[Any]:
    shown = [column for column in deliveries.c if with_request or column.name != "request"]
    return (
        select(
            *shown,
            channels.c.name.label("channel_name"),
            channels.c.kind.label("channel_kind"),
            channels.c.target_label,
        )
        .join(channels, channels.c.id == deliveries.c.channel_id)
        .where(channels.c.workspace_id == workspace_id)
    )


def attempt_rows(connection: Connection, delivery_ids: Collection[int]) -> Sequence[Row[Any]]:
    statement = select(delivery_attempts).where(delivery_attempts.c.delivery_id.in_(delivery_ids))
    order = (delivery_attempts.c.delivery_id, delivery_attempts.c.number)
    return connection.execute(statement.order_by(*order)).all()


def message_id_of(connection: Connection, delivery_id: int | None) -> str:
    """The id of a message; of none ``""``."""
    if delivery_id is None:
        return ""
    statement = select(deliveries.c.message_id).where(deliveries.c.id == delivery_id)
    return str(connection.scalar(statement) or "")


def is_of_workspace(connection: Connection, what: str, number: int, workspace_id: int) -> bool:
    """Whether a ``site`` or ``group`` belongs to the workspace."""
    table = {"site": watched_sites, "group": site_groups}[what]
    statement = select(table.c.id).where(table.c.id == number, table.c.workspace_id == workspace_id)
    return connection.execute(statement).first() is not None
