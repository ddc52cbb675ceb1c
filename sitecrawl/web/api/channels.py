"""``/api/channels``, ``/api/deliveries`` and the notifications of one site."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field
from pydantic.alias_generators import to_camel, to_snake

from sitecrawl.channels.rules import Rules
from sitecrawl.channels.targets import ChannelKind
from sitecrawl.errors import NotFoundError
from sitecrawl.monitor.deliveries import deliver
from sitecrawl.services import channels, sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.channels import Channel, ChannelChange, Delivery, NewChannel
from sitecrawl.services.sites import UNSET
from sitecrawl.store.vocabulary import DeliveryPurpose, DeliveryStatus
from sitecrawl.web.api.models import BeforeId, Body, Model, Moment
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import BodyId, Id, QueryId
from sitecrawl.web.state import Web

router = APIRouter(tags=["channels"])

_HIDDEN = "***"
RuleValues = Annotated[
    dict[str, Any],
    Field(
        description="Which events it is told, and when; what is left out is as by default.",
        examples=[{"minSeverity": "high", "cadence": "daily"}],
    ),
]
_MAX_TARGET = 2_000


class ChannelRequest(Body):
    type: ChannelKind = Field(examples=["webhook"])
    target: str = Field(
        min_length=1, max_length=_MAX_TARGET, examples=["https://hooks.example.com/sitecrawl"]
    )
    secret: str = Field(
        default="", max_length=500, description="Of a webhook; without one it is made up."
    )
    name: str = Field(default="", max_length=200)
    rules: RuleValues = Field(default_factory=dict)


class ChannelRequestAnywhere(ChannelRequest):
    site_id: BodyId | None = None
    group_id: BodyId | None = Field(default=None, description="Neither site nor group: all sites.")


class ChannelUpdate(Body):
    """What is not given stays as it is."""

    name: str | None = Field(default=None, max_length=200)
    target: str | None = Field(default=None, min_length=1, max_length=_MAX_TARGET)
    rules: RuleValues | None = None
    enabled: bool | None = None
    snoozed_until: Moment | None = None
    site_id: BodyId | None = None
    group_id: BodyId | None = None


class ChannelAnswer(Model):
    id: int
    type: ChannelKind
    name: str
    target: str = Field(description="What may be shown of it: an email address, or a host.")
    secret: str | None = Field(description="Hidden, but when it is new.")
    site_id: int | None
    group_id: int | None
    scope: str
    rules: dict[str, Any]
    enabled: bool
    disabled_reason: str | None
    snoozed_until: Moment | None
    failures: int
    created_at: Moment
    updated_at: Moment


class ChannelList(Model):
    channels: list[ChannelAnswer]


class Attempt(Model):
    number: int
    started_at: Moment
    elapsed_ms: int
    code: int | None
    answer: str
    error: str | None


class DeliveryAnswer(Model):
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
    next_attempt_at: Moment | None
    created_at: Moment
    finished_at: Moment | None
    log: list[Attempt]


class DeliveryDetail(DeliveryAnswer):
    request: dict[str, Any] | None


class DeliveryList(Model):
    deliveries: list[DeliveryAnswer]
    next_before: int | None


class TestAnswer(Model):
    ok: bool = Field(description="Whether every channel took it.")
    deliveries: list[DeliveryAnswer]


def _answer(channel: Channel, secret: str = "") -> ChannelAnswer:
    hidden = _HIDDEN if channel.kind is ChannelKind.WEBHOOK else None
    return ChannelAnswer(
        id=channel.id,
        type=channel.kind,
        name=channel.name,
        target=channel.target_label,
        secret=secret or hidden,
        site_id=channel.watched_site_id,
        group_id=channel.group_id,
        scope=channel.scope,
        rules={to_camel(name): value for name, value in channel.rules.as_dict().items()},
        enabled=channel.enabled,
        disabled_reason=channel.disabled_reason,
        snoozed_until=channel.snoozed_until,
        failures=channel.failures,
        created_at=channel.created_at,
        updated_at=channel.updated_at,
    )


def _rules(values: dict[str, Any]) -> Rules:
    return Rules.from_dict({to_snake(name): value for name, value in values.items()})


def _add(web: Web, caller: Caller, given: ChannelRequest, **scope: int | None) -> ChannelAnswer:
    new = NewChannel(
        kind=given.type,
        target=given.target,
        name=given.name,
        secret=given.secret,
        rules=_rules(given.rules),
        **scope,
    )
    made = channels.add_channel(web.database, caller.workspace_id, new, web.config)
    return _answer(made.channel, made.secret)


@router.get("/channels", operation_id="listChannels")
def list_channels(
    web: CurrentWeb, caller: Annotated[Caller, allowed(channels.list_channels)]
) -> ChannelList:
    """Those of the workspace, of groups and of sites."""
    found = channels.list_channels(web.database, caller.workspace_id)
    return ChannelList(channels=[_answer(each) for each in found])


@router.post("/channels", operation_id="createChannel", status_code=201)
def create_channel(
    response: Response,
    given: ChannelRequestAnywhere,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.add_channel)],
) -> ChannelAnswer:
    """Tell somebody of changes; the secret that a webhook is signed with is shown this once."""
    made = _add(web, caller, given, watched_site_id=given.site_id, group_id=given.group_id)
    response.headers["Location"] = f"/api/channels/{made.id}"
    return made


@router.get("/channels/{channel_id}", operation_id="getChannel")
def get_channel(
    channel_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(channels.show_channel)]
) -> ChannelAnswer:
    return _answer(channels.show_channel(web.database, caller.workspace_id, channel_id))


@router.patch("/channels/{channel_id}", operation_id="updateChannel")
def update_channel(
    channel_id: Id,
    given: ChannelUpdate,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.edit_channel)],
) -> ChannelAnswer:
    """Enabling a channel forgets its failures; what it missed is not told."""
    is_given = given.model_fields_set
    change = ChannelChange(
        name=given.name,
        target=given.target,
        rules=None if given.rules is None else _rules(given.rules),
        enabled=given.enabled,
        snoozed_until=given.snoozed_until if "snoozed_until" in is_given else UNSET,
        watched_site_id=given.site_id if "site_id" in is_given else UNSET,
        group_id=given.group_id if "group_id" in is_given else UNSET,
    )
    changed = channels.edit_channel(
        web.database, caller.workspace_id, channel_id, change, web.config
    )
    return _answer(changed)


@router.delete("/channels/{channel_id}", operation_id="deleteChannel", status_code=204)
def delete_channel(
    channel_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(channels.remove_channel)]
) -> None:
    """With its deliveries."""
    channels.remove_channel(web.database, caller.workspace_id, channel_id)


@router.post("/channels/{channel_id}/secret", operation_id="rotateChannelSecret")
def rotate_secret(
    channel_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(channels.rotate_secret)]
) -> ChannelAnswer:
    """Give a webhook another secret; for a day its messages are signed with both."""
    made = channels.rotate_secret(web.database, caller.workspace_id, channel_id, web.config)
    return _answer(made.channel, made.secret)


@router.post("/channels/{channel_id}/test", operation_id="testChannel")
def test_channel(
    channel_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(channels.prepare_test)]
) -> TestAnswer:
    """Send a test message now, and say what came of it."""
    return _test(web, caller, [channel_id])


def _test(web: Web, caller: Caller, channel_ids: list[int]) -> TestAnswer:
    made = []
    for channel_id in channel_ids:
        number = channels.prepare_test(web.database, caller.workspace_id, channel_id)
        deliver(web.database, number, datetime.now(UTC), web.config)
        made.append(channels.show_delivery(web.database, caller.workspace_id, number))
    return TestAnswer(
        ok=all(each.status is DeliveryStatus.SENT for each in made),
        deliveries=[DeliveryAnswer.model_validate(each) for each in made],
    )


# --- Deliveries ------------------------------------------------------------------------------
@router.get("/deliveries", operation_id="listDeliveries")
def list_deliveries(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.list_deliveries)],
    channel: QueryId = None,
    status: DeliveryStatus | None = None,
    before: BeforeId = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> DeliveryList:
    """The newest first."""
    found = channels.list_deliveries(
        web.database,
        caller.workspace_id,
        channel_id=channel,
        status=status,
        before_id=before,
        limit=limit,
    )
    return DeliveryList(
        deliveries=[DeliveryAnswer.model_validate(each) for each in found],
        next_before=found[-1].id if len(found) == limit else None,
    )


@router.get("/deliveries/{delivery_id}", operation_id="getDelivery")
def get_delivery(
    delivery_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(channels.show_delivery)]
) -> DeliveryDetail:
    """With what was sent, and what came back at each attempt."""
    return _delivery(channels.show_delivery(web.database, caller.workspace_id, delivery_id))


@router.post("/deliveries/{delivery_id}/replay", operation_id="replayDelivery", status_code=202)
def replay_delivery(
    delivery_id: Id,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.replay)],
) -> DeliveryDetail:
    """Send it again, with an id of its own; `Location` is the new delivery."""
    number = channels.replay(web.database, caller.workspace_id, delivery_id)
    response.headers["Location"] = f"/api/deliveries/{number}"
    return _delivery(channels.show_delivery(web.database, caller.workspace_id, number))


def _delivery(found: Delivery) -> DeliveryDetail:
    return DeliveryDetail.model_validate(found)


# --- Of one site -----------------------------------------------------------------------------
@router.get("/sites/{site_id}/notifications", operation_id="listSiteNotifications")
def list_site_notifications(
    site_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(channels.list_channels)]
) -> ChannelList:
    """The channels of this site alone."""
    return ChannelList(channels=[_answer(each) for each in _of_site(web, caller, site_id)])


@router.post(
    "/sites/{site_id}/notifications", operation_id="createSiteNotification", status_code=201
)
def create_site_notification(
    site_id: Id,
    given: ChannelRequest,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.add_channel)],
) -> ChannelAnswer:
    """Tell somebody of changes of this site."""
    sites.get_site(web.database, caller.workspace_id, site_id)
    made = _add(web, caller, given, watched_site_id=site_id)
    response.headers["Location"] = f"/api/channels/{made.id}"
    return made


@router.delete(
    "/sites/{site_id}/notifications/{channel_id}",
    operation_id="deleteSiteNotification",
    status_code=204,
)
def delete_site_notification(
    site_id: Id,
    channel_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.remove_channel)],
) -> None:
    if channel_id not in {each.id for each in _of_site(web, caller, site_id)}:
        raise NotFoundError(f"site {site_id} has no channel {channel_id}")
    channels.remove_channel(web.database, caller.workspace_id, channel_id)


@router.post("/sites/{site_id}/test-webhook", operation_id="testSiteNotifications")
def test_site_notifications(
    site_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(channels.prepare_test)]
) -> TestAnswer:
    """Send a test message to every channel of this site, and say what came of it."""
    found = _of_site(web, caller, site_id)
    return _test(web, caller, [each.id for each in found])


def _of_site(web: Web, caller: Caller, site_id: int) -> list[Channel]:
    sites.get_site(web.database, caller.workspace_id, site_id)
    every = channels.list_channels(web.database, caller.workspace_id)
    return [each for each in every if each.watched_site_id == site_id]
