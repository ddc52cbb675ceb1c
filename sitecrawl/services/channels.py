"""Channels and their deliveries, as people deal with them. Nothing is sent from here.

A test and a replay are deliveries that are due at once; ``monitor.deliveries.deliver`` sends them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sitecrawl.channels.email import channel_of_token
from sitecrawl.channels.messages import Message, MessageType
from sitecrawl.channels.rendering import render
from sitecrawl.channels.rules import Rules
from sitecrawl.channels.targets import ChannelKind, Target, label_of, parse_target
from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.secret_keys import secret_box
from sitecrawl.services.sites import UNSET, Unset
from sitecrawl.store.queries import channels as queries
from sitecrawl.store.vocabulary import DeliveryPurpose, DeliveryStatus
from sitecrawl.store.writers import channels as writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.config import Config
    from sitecrawl.safety.secrets import SecretBox
    from sitecrawl.store.engine import Database

_MAX_NAME = 200
_MAX_LISTED = 200


@dataclass(frozen=True, slots=True)
class NewChannel:
    """What is given to add a channel."""

    kind: str
    target: str = field(repr=False)
    name: str = ""
    """Without one it is named after its target."""
    secret: str = field(default="", repr=False)
    """Of a webhook; without one it is made up."""
    watched_site_id: int | None = None
    """Neither site nor group: all sites."""
    group_id: int | None = None
    rules: Rules = field(default_factory=Rules)


@dataclass(frozen=True, slots=True)
class ChannelChange:
    """What is given to change a channel."""

    name: str | None = None
    target: str | None = field(default=None, repr=False)
    rules: Rules | None = None
    enabled: bool | None = None
    snoozed_until: datetime | Unset | None = UNSET
    watched_site_id: int | Unset | None = UNSET
    group_id: int | Unset | None = UNSET


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel as it may be shown."""

    id: int
    kind: ChannelKind
    name: str
    target_label: str
    watched_site_id: int | None
    site_name: str | None
    group_id: int | None
    group_name: str | None
    rules: Rules
    enabled: bool
    disabled_reason: str | None
    snoozed_until: datetime | None
    failures: int
    """Deliveries in a row that failed for good."""
    created_at: datetime
    updated_at: datetime

    @property
    def scope(self) -> str:
        """For whom it is, in words."""
        if self.watched_site_id is not None:
            return f"site {self.site_name}"
        return f"group {self.group_name}" if self.group_id is not None else "all sites"


@dataclass(frozen=True, slots=True)
class ChannelWithSecret:
    """A channel whose secret is new: this is the only time that it is shown."""

    channel: Channel
    secret: str = field(repr=False)
    """``""``: the kind has none, or the caller gave it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of a delivery."""

    number: int
    started_at: datetime
    elapsed_ms: int
    code: int | None
    answer: str
    error: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message of a channel."""

    id: int
    channel_id: int
    channel_name: str
    channel_kind: ChannelKind
    target_label: str
    purpose: DeliveryPurpose
    message_id: str
    title: str
    replay_of: int | None
    status: DeliveryStatus
    attempts: int
    next_attempt_at: datetime | None
    created_at: datetime
    finished_at: datetime | None
    log: tuple[Attempt, ...]
    request: dict[str, Any] | None = None
    """What was sent, without secrets; only of one that is asked for by its number."""


# --- Channels --------------------------------------------------------------------------------
@requires(Permission.NOTIFY)
def add_channel(
    database: Database, workspace_id: int, new: NewChannel, config: Config
) -> ChannelWithSecret:
    kind = _kind(new.kind)
    target = parse_target(kind, new.target, new.secret, apprise_schemes=config.apprise_schemes)
    box = secret_box(database, config)
    now = datetime.now(UTC)
    with database.writing() as connection:
        _check_scope(connection, workspace_id, new.watched_site_id, new.group_id)
        channel_id = writer.add_channel(
            connection,
            {
                "workspace_id": workspace_id,
                "watched_site_id": new.watched_site_id,
                "group_id": new.group_id,
                "kind": kind,
                "name": _name(new.name) or label_of(kind, target),
                **_target_columns(kind, target, box),
                "rules": new.rules.as_dict(),
                "enabled": True,
                "failures": 0,
                "created_at": now,
                "updated_at": now,
            },
        )
        channel = _channel(connection, workspace_id, channel_id)
    return ChannelWithSecret(channel, "" if new.secret else target.secret)


@requires(Permission.READ)
def list_channels(database: Database, workspace_id: int) -> list[Channel]:
    with database.reading() as connection:
        return [_shown(row) for row in queries.channel_rows(connection, workspace_id)]


@requires(Permission.READ)
def show_channel(database: Database, workspace_id: int, channel_id: int) -> Channel:
    with database.reading() as connection:
        return _channel(connection, workspace_id, channel_id)


@requires(Permission.NOTIFY)
def edit_channel(
    database: Database, workspace_id: int, channel_id: int, change: ChannelChange, config: Config
) -> Channel:
    """Change what is given; enabling a channel resets its failures and sends nothing it missed."""
    with database.writing() as connection:
        channel = _channel(connection, workspace_id, channel_id)
        values: dict[str, Any] = {"updated_at": datetime.now(UTC)}
        if change.name is not None:
            values["name"] = _name(change.name) or channel.target_label
        if change.target is not None:
            values |= _retargeted(database, connection, channel, change.target, config)
        if change.rules is not None:
            values["rules"] = change.rules.as_dict()
        if change.enabled is not None and change.enabled != channel.enabled:
            values |= {"enabled": change.enabled, "failures": 0, "disabled_reason": None}
        if change.snoozed_until is not UNSET:
            values["snoozed_until"] = change.snoozed_until
        site_id, group_id = (
            old if new is UNSET else new
            for old, new in (
                (channel.watched_site_id, change.watched_site_id),
                (channel.group_id, change.group_id),
            )
        )
        _check_scope(connection, workspace_id, site_id, group_id)
        values |= {"watched_site_id": site_id, "group_id": group_id}
        writer.change_channel(connection, channel_id, values)
        return _channel(connection, workspace_id, channel_id)


@requires(Permission.NOTIFY)
def rotate_secret(
    database: Database, workspace_id: int, channel_id: int, config: Config, secret: str = ""
) -> ChannelWithSecret:
    """Give a webhook another secret; for a day its messages are signed with both."""
    box = secret_box(database, config)
    now = datetime.now(UTC)
    with database.writing() as connection:
        channel = _channel(connection, workspace_id, channel_id)
        if channel.kind is not ChannelKind.WEBHOOK:
            raise InvalidInputError("secret", f"only webhooks are signed, not {channel.kind}")
        target = _target(connection, channel_id, box).rotated(secret, now)
        values = _target_columns(channel.kind, target, box) | {"updated_at": now}
        writer.change_channel(connection, channel_id, values)
        channel = _channel(connection, workspace_id, channel_id)
    return ChannelWithSecret(channel, "" if secret else target.secret)


@requires(Permission.NOTIFY)
def remove_channel(database: Database, workspace_id: int, channel_id: int) -> None:
    """Remove it with its announcements and deliveries."""
    with database.writing() as connection:
        _channel(connection, workspace_id, channel_id)
        writer.remove_channel(connection, channel_id)


@requires(Permission.NOTIFY)
def prepare_test(database: Database, workspace_id: int, channel_id: int) -> int:
    """Make a test message that is due now; it is tried once, also if the channel is disabled."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        channel = _channel(connection, workspace_id, channel_id)
        title = f"Test of channel {channel.id}: {channel.name}"
        text = f"This is a test. The channel is for {channel.scope}, and it works."
        message = Message(MessageType.TEST, title, now, text=text)
        request = render(channel.kind, message)
        return writer.add_delivery(
            connection, channel_id, DeliveryPurpose.TEST, title, request, now
        )


# --- Deliveries ------------------------------------------------------------------------------
@requires(Permission.READ)
def list_deliveries(
    database: Database,
    workspace_id: int,
    *,
    channel_id: int | None = None,
    status: DeliveryStatus | None = None,
    before_id: int | None = None,
    limit: int = 50,
) -> list[Delivery]:
    """The newest first; *before_id* is the last one of the page before."""
    with database.reading() as connection:
        if channel_id is not None:
            _channel(connection, workspace_id, channel_id)
        rows = queries.delivery_rows(
            connection,
            workspace_id,
            channel_id=channel_id,
            status=status or "",
            before_id=before_id,
            limit=min(limit, _MAX_LISTED),
        )
        return _deliveries(connection, rows)


@requires(Permission.READ)
def show_delivery(database: Database, workspace_id: int, delivery_id: int) -> Delivery:
    with database.reading() as connection:
        (delivery,) = _deliveries(connection, [_delivery(connection, workspace_id, delivery_id)])
    return delivery


@requires(Permission.NOTIFY)
def replay(database: Database, workspace_id: int, delivery_id: int) -> int:
    """Make a delivery that repeats another, with an id of its own; it is due now."""
    with database.writing() as connection:
        old = _delivery(connection, workspace_id, delivery_id)
        if not _channel(connection, workspace_id, old.channel_id).enabled:
            raise InvalidInputError("channel", f"channel {old.channel_id} is disabled; enable it")
        return writer.add_delivery(
            connection,
            old.channel_id,
            DeliveryPurpose(old.purpose),
            old.title,
            old.request,
            datetime.now(UTC),
            replay_of=delivery_id,
        )


# --- Unsubscribing: no permission is needed, the link proves the right -----------------------
def channel_to_unsubscribe(database: Database, token: str, config: Config) -> Channel:
    """The channel of a link in an email; looking at it changes nothing."""
    with database.reading() as connection:
        return _channel_of_token(database, connection, token, config)


def unsubscribe(database: Database, token: str, config: Config) -> Channel:
    """Disable the channel of a link in an email. Only for a POST: scanners of mail open links."""
    now = datetime.now(UTC)
    with database.writing() as connection:
        channel = _channel_of_token(database, connection, token, config)
        writer.disable_channel(connection, channel.id, "the recipient has unsubscribed", now)
        return replace(channel, enabled=False)


def _channel_of_token(
    database: Database, connection: Connection, token: str, config: Config
) -> Channel:
    key = secret_box(database, config).derived_key("unsubscribe")
    channel_id = channel_of_token(token, key)
    row = None if channel_id is None else queries.channel_row(connection, channel_id)
    if row is None:
        raise NotFoundError("the link is not valid, or the channel has been removed")
    return _channel(connection, row.workspace_id, row.id)


# --- Shared ----------------------------------------------------------------------------------
def _kind(text: str) -> ChannelKind:
    if text not in {*ChannelKind}:
        raise InvalidInputError("kind", f"expected one of {', '.join(ChannelKind)}, not {text!r}")
    return ChannelKind(text)


def _name(text: str) -> str:
    name = " ".join(text.split())
    if len(name) > _MAX_NAME or not name.isprintable():
        raise InvalidInputError("name", f"expected at most {_MAX_NAME} printable characters")
    return name


def _target_columns(kind: ChannelKind, target: Target, box: SecretBox) -> dict[str, str]:
    return {
        "target": box.encrypt(target.to_json()),
        "target_label": label_of(kind, target),
        "target_hash": target.fingerprint(kind, box.derived_key("targets")),
    }


def _retargeted(
    database: Database, connection: Connection, channel: Channel, address: str, config: Config
) -> dict[str, str]:
    """The columns of another address with the same secrets."""
    box = secret_box(database, config)
    checked = parse_target(channel.kind, address, apprise_schemes=config.apprise_schemes)
    target = replace(_target(connection, channel.id, box), address=checked.address)
    return _target_columns(channel.kind, target, box)


def _target(connection: Connection, channel_id: int, box: SecretBox) -> Target:
    row = queries.channel_row(connection, channel_id)
    assert row is not None
    try:
        return Target.from_json(box.decrypt(row.target))
    except ValueError:
        raise InvalidInputError(
            "secret",
            f"channel {channel_id} was encrypted with another key; see SITECRAWL_SECRET_KEY",
        ) from None


def _check_scope(
    connection: Connection, workspace_id: int, site_id: int | None, group_id: int | None
) -> None:
    if site_id is not None and group_id is not None:
        raise InvalidInputError("group_id", "a channel is for one site, for one group or for all")
    if site_id is not None and not queries.is_of_workspace(
        connection, "site", site_id, workspace_id
    ):
        raise NotFoundError(f"there is no watched site {site_id}")
    if group_id is not None and not queries.is_of_workspace(
        connection, "group", group_id, workspace_id
    ):
        raise NotFoundError(f"there is no group {group_id}")


def _channel(connection: Connection, workspace_id: int, channel_id: int) -> Channel:
    rows = queries.channel_rows(connection, workspace_id, channel_id)
    if not rows:
        raise NotFoundError(f"there is no channel {channel_id}")
    return _shown(rows[0])


def _shown(row: Row[Any]) -> Channel:
    values = row._asdict()
    del values["workspace_id"]
    values |= {"kind": ChannelKind(row.kind), "rules": Rules.from_dict(row.rules)}
    return Channel(**values)


def _delivery(connection: Connection, workspace_id: int, delivery_id: int) -> Row[Any]:
    row = queries.delivery_row(connection, workspace_id, delivery_id)
    if row is None:
        raise NotFoundError(f"there is no delivery {delivery_id}")
    return row


def _deliveries(connection: Connection, rows: Sequence[Row[Any]]) -> list[Delivery]:
    log: dict[int, list[Attempt]] = {row.id: [] for row in rows}
    for row in queries.attempt_rows(connection, log.keys()):
        values = row._asdict()
        log[values.pop("delivery_id")].append(Attempt(**values))
    found = []
    for row in rows:
        values = row._asdict() | {
            "purpose": DeliveryPurpose(row.purpose),
            "status": DeliveryStatus(row.status),
            "channel_kind": ChannelKind(row.channel_kind),
        }
        found.append(Delivery(**values, log=tuple(log[row.id])))
    return found
