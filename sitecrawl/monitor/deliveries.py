"""Makes deliveries of due announcements, attempts them, and repeats attempts that failed.

All state is in the database, so a process may die at any point:

* Announcements and the delivery that contains them change in one transaction.
* An attempt is claimed for a minute. If its process dies, the delivery is due again afterwards,
  with the same message id: a receiver that remembers ids takes it once.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.channels.email import UNSUBSCRIBE_PATH, unsubscribe_token
from sitecrawl.channels.messages import Message, MessageType
from sitecrawl.channels.rendering import render
from sitecrawl.channels.targets import ChannelKind, Target
from sitecrawl.errors import SitecrawlError
from sitecrawl.monitor.announcements import announce_pending
from sitecrawl.monitor.message_builder import MessageBuilder
from sitecrawl.monitor.senders import Answer, OutgoingMessage, send
from sitecrawl.services.database import configured
from sitecrawl.services.secret_keys import secret_box
from sitecrawl.store.errors import StoreError
from sitecrawl.store.queries.channels import (
    channel_row,
    channels_to_alert,
    due_announcements,
    due_delivery_ids,
    has_due_announcements,
    message_id_of,
    told_to_target,
)
from sitecrawl.store.vocabulary import (
    AnnouncementBatch,
    DeliveryPurpose,
    DeliveryStatus,
)
from sitecrawl.store.writers import channels as writer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.config import Config
    from sitecrawl.safety.secrets import SecretBox
    from sitecrawl.store.engine import Database

logger = logging.getLogger(__name__)

# Longer than any attempt may take.
LEASE = timedelta(seconds=60)
MAX_DUE = 1_000
# A channel is disabled after so many deliveries in a row that failed for good.
_MAX_FAILURES = 3
_MAX_ALERTED = 5
_MINUTE, _HOUR = 60, 3600
# Pauses between attempts: together 68 hours, with the jitter at most three days.
DELAYS_SECONDS: Final = (
    *(10, _MINUTE, 5 * _MINUTE, 30 * _MINUTE),
    *(2 * _HOUR, 5 * _HOUR, 10 * _HOUR, 14 * _HOUR, 18 * _HOUR, 18 * _HOUR),
)
MAX_ATTEMPTS: Final = len(DELAYS_SECONDS) + 1
# A receiver that comes back does not get all deliveries at the same moment.
JITTER: Final = 0.05
_MAX_RETRY_AFTER_SECONDS: Final = 6 * _HOUR


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """Where a delivery stands after an attempt."""

    delivery_id: int
    status: DeliveryStatus
    answer: Answer | None = None
    """None: no attempt was made; it was not due, or another process has it."""
    next_attempt_at: datetime | None = None


# --- From announcements to deliveries --------------------------------------------------------
def prepare_due(database: Database, now: datetime, config: Config | None = None) -> list[int]:
    """Make deliveries of all announcements that are due, one for each recipient.

    Return the ids of all deliveries that are due: new ones and those that failed before.
    """
    config = config or configured()
    announce_pending(database, now)
    with database.reading() as connection:
        is_anything_due = has_due_announcements(connection, now)
    if is_anything_due:
        _prepare_all(database, now, config)
    return due_deliveries(database, now)


def _prepare_all(database: Database, now: datetime, config: Config) -> None:
    with database.writing() as connection:
        ready = _ready(connection, due_announcements(connection, now), now)
        builder = MessageBuilder.of(connection, ready, config.web_public_url)
        for rows in _by_recipient(ready):
            _prepare(connection, rows, builder, now)


def due_deliveries(database: Database, now: datetime, limit: int = MAX_DUE) -> list[int]:
    """The ids of the deliveries that are due, the longest due first."""
    with database.reading() as connection:
        return due_delivery_ids(connection, now, limit)


def _ready(connection: Connection, rows: Sequence[Row[Any]], now: datetime) -> list[Row[Any]]:
    """The announcements to send now; others are dropped, or wait for the end of a snooze."""
    ready = []
    for row in rows:
        if not row.enabled:
            writer.drop_announcements(connection, [row.id], "the channel is disabled")
        elif row.snoozed_until and row.snoozed_until > now:
            writer.postpone_announcements(
                connection, [row.id], row.snoozed_until, AnnouncementBatch.DIGEST
            )
        elif row.batch == AnnouncementBatch.DAMPED and row.incident_status != "open":
            writer.drop_announcements(connection, [row.id], "the incident is over")
        elif row.phase == "opened" and (row.incident_snoozed_until or now) > now:
            writer.postpone_announcements(
                connection, [row.id], row.incident_snoozed_until, AnnouncementBatch.DAMPED
            )
        else:
            ready.append(row)
    return ready


def _by_recipient(rows: Sequence[Row[Any]]) -> list[list[Row[Any]]]:
    """The announcements of each message: immediate ones by scan, all others together."""
    groups: dict[tuple[Any, ...], list[Row[Any]]] = {}
    for row in rows:
        is_at_once = row.batch == AnnouncementBatch.AT_ONCE
        scan = (row.scan_id, row.watched_site_id) if is_at_once else ()
        groups.setdefault((row.workspace_id, row.target_hash, *scan), []).append(row)
    return list(groups.values())


def _prepare(
    connection: Connection, rows: list[Row[Any]], builder: MessageBuilder, now: datetime
) -> None:
    first = rows[0]
    keys = {row.key for row in rows}
    known = told_to_target(connection, first.workspace_id, first.target_hash, keys)
    told_before = [row.id for row in rows if row.key in known]
    writer.drop_announcements(connection, told_before, "another channel told the same recipient")
    news = [row for row in rows if row.key not in known]
    if not news:
        return
    message = builder.build(news, now)
    request = render(ChannelKind(first.channel_kind), message)
    delivery_id = writer.add_delivery(
        connection, news[0].channel_id, DeliveryPurpose.NEWS, message.title, request, now
    )
    writer.mark_told(connection, [row.id for row in news], delivery_id)


# --- One attempt -----------------------------------------------------------------------------
def deliver(
    database: Database, delivery_id: int, now: datetime, config: Config | None = None
) -> DeliveryResult:
    """Make one attempt if the delivery is due, and record its result."""
    config = config or configured()
    with database.writing() as connection:
        delivery = writer.claim_delivery(connection, delivery_id, now, now + LEASE)
        if delivery is None:
            return DeliveryResult(delivery_id, DeliveryStatus.PENDING)
        channel = channel_row(connection, delivery.channel_id)
        replay_of = message_id_of(connection, delivery.replay_of)
        assert channel is not None  # deliveries go with their channel
        if not channel.enabled and delivery.purpose != DeliveryPurpose.TEST:
            writer.finish_delivery(connection, delivery_id, DeliveryStatus.CANCELLED, now)
            return DeliveryResult(delivery_id, DeliveryStatus.CANCELLED)
    started = time.monotonic()
    try:
        answer = _attempt(database, channel, delivery, replay_of, config, now)
    except StoreError:
        raise  # nothing can be recorded; the delivery is due again at the end of the lease
    except SitecrawlError as error:
        answer = Answer(error=str(error))
    except Exception as error:
        # Without a record it would be tried every minute for ever.
        logger.exception("delivery %d", delivery_id)
        answer = Answer(error=f"internal error: {type(error).__name__}; see the log")
    elapsed = timedelta(seconds=time.monotonic() - started)
    with database.writing() as connection:
        return _record(connection, channel, delivery, answer, now, elapsed)


def _attempt(
    database: Database,
    channel: Row[Any],
    delivery: Row[Any],
    replay_of: str,
    config: Config,
    now: datetime,
) -> Answer:
    box = secret_box(database, config)
    try:
        target = Target.from_json(box.decrypt(channel.target))
    except ValueError:
        words = "its target was encrypted with another key; see SITECRAWL_SECRET_KEY"
        return Answer(error=words)
    url, words = _unsubscribing(channel, box, config)
    message = OutgoingMessage(
        ChannelKind(channel.kind),
        target,
        delivery.message_id,
        delivery.request,
        replay_of,
        url,
        words,
    )
    return asyncio.run(send(message, config, now))


def _unsubscribing(channel: Row[Any], box: SecretBox, config: Config) -> tuple[str, str]:
    if channel.kind != ChannelKind.EMAIL:
        return "", ""
    if not config.web_public_url:
        return "", f"Sent by sitecrawl through channel {channel.id} ({channel.name})"
    token = unsubscribe_token(channel.id, box.derived_key("unsubscribe"))
    return (
        f"{config.web_public_url.rstrip('/')}{UNSUBSCRIBE_PATH}{token}",
        "Unsubscribe from these messages",
    )


def _record(
    connection: Connection,
    channel: Row[Any],
    delivery: Row[Any],
    answer: Answer,
    now: datetime,
    elapsed: timedelta,
) -> DeliveryResult:
    writer.record_attempt(
        connection,
        {
            "delivery_id": delivery.id,
            "number": delivery.attempts,
            "started_at": now,
            "elapsed_ms": round(elapsed / timedelta(milliseconds=1)),
            "code": answer.code,
            "answer": answer.text.replace("\0", ""),
            "error": answer.error,
        },
    )
    finished_at = now + elapsed
    if answer.error is None:
        writer.finish_delivery(connection, delivery.id, DeliveryStatus.SENT, finished_at)
        writer.clear_failures(connection, channel.id)
        return DeliveryResult(delivery.id, DeliveryStatus.SENT, answer)
    logger.warning(
        "channel %d (%s): delivery %d failed at attempt %d: %s",
        *(channel.id, channel.target_label, delivery.id, delivery.attempts, answer.error),
    )
    if delivery.purpose == DeliveryPurpose.TEST:
        writer.finish_delivery(connection, delivery.id, DeliveryStatus.FAILED, finished_at)
        return DeliveryResult(delivery.id, DeliveryStatus.FAILED, answer)
    delay = delay_before_next(delivery.attempts, random.random(), answer.retry_after_seconds)  # noqa: S311  spreads, hides nothing
    if delay is not None and not answer.is_final and not answer.is_gone:
        moment = finished_at + delay
        writer.retry_delivery(connection, delivery.id, moment)
        return DeliveryResult(delivery.id, DeliveryStatus.PENDING, answer, moment)
    writer.finish_delivery(connection, delivery.id, DeliveryStatus.FAILED, finished_at)
    _consider_disabling(connection, channel, delivery, answer, finished_at)
    return DeliveryResult(delivery.id, DeliveryStatus.FAILED, answer)


def delay_before_next(attempts: int, chance: float, retry_after: float = 0.0) -> timedelta | None:
    """How long to wait after so many failed attempts; None: give up.

    *chance* is a random number from 0 to 1. A receiver's ``Retry-After`` makes the pause longer.

    >>> delay_before_next(1, 0.5), delay_before_next(1, 0.5, retry_after=30)
    (datetime.timedelta(seconds=10), datetime.timedelta(seconds=30))
    >>> delay_before_next(MAX_ATTEMPTS, 0.5) is None
    True
    """
    if attempts >= MAX_ATTEMPTS:
        return None
    base = DELAYS_SECONDS[attempts - 1]
    seconds = base * (1 + JITTER * (2 * chance - 1))
    return timedelta(seconds=max(seconds, min(retry_after, _MAX_RETRY_AFTER_SECONDS)))


def forget_old_deliveries(database: Database, before: datetime) -> int:
    """Delete the deliveries that ended before; return how many."""
    with database.writing() as connection:
        return writer.delete_old_deliveries(connection, before)


# --- Channels that no longer work ----------------------------------------------------------
def _consider_disabling(
    connection: Connection,
    channel: Row[Any],
    delivery: Row[Any],
    answer: Answer,
    now: datetime,
) -> None:
    """Disable a channel that is gone, or that took nothing in the days a delivery was repeated."""
    failures = writer.count_failure(connection, channel.id)
    if answer.is_gone:
        reason = f"{answer.error}: it wants no more messages"
    elif answer.is_final:
        if failures < _MAX_FAILURES:
            return
        reason = f"{failures} deliveries in a row failed, the last as {answer.error}"
    elif not writer.has_sent_since(connection, channel.id, delivery.created_at):
        days = round((now - delivery.created_at) / timedelta(days=1))
        reason = f"it took nothing for {days} days, at last as {answer.error}"
    else:
        return
    if writer.disable_channel(connection, channel.id, reason, now):
        _alert(connection, channel, reason, now)


def _alert(connection: Connection, channel: Row[Any], reason: str, now: datetime) -> None:
    """Tell the owner through other channels: by email if there is one, else by any."""
    others = channels_to_alert(connection, channel.workspace_id, channel.target_hash)
    emails = [other for other in others if other.kind == ChannelKind.EMAIL]
    title = f"Channel {channel.id} is disabled: {channel.name}"
    text = (
        f"The {channel.kind} channel {channel.id} ({channel.name}, {channel.target_label}) was"
        f" disabled: {reason}.\nIt will be told nothing until it is enabled again:"
        f" sitecrawl channel edit {channel.id} --enable"
    )
    message = Message(MessageType.ALERT, title, now, text=text)
    for other in (emails or others)[:_MAX_ALERTED]:
        request = render(ChannelKind(other.kind), message)
        writer.add_delivery(connection, other.id, DeliveryPurpose.ALERT, title, request, now)
    if not others:
        logger.error("channel %d is disabled and there is no other one: %s", channel.id, reason)
