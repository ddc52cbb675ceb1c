"""Channels of a site: who is told, what was delivered, and what can be sent again.

Who gets the messages can stop them by a link in an email, without signing in.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from sitecrawl.changes.kinds import Severity
from sitecrawl.channels.email import UNSUBSCRIBE_PATH
from sitecrawl.channels.rules import Cadence, Rules
from sitecrawl.channels.targets import ChannelKind
from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.monitor.deliveries import deliver
from sitecrawl.services import channels, sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.channels import ChannelChange, NewChannel
from sitecrawl.store.vocabulary import DeliveryStatus
from sitecrawl.web.auth import CurrentWeb, allowed, count_by_address
from sitecrawl.web.dependencies import QueryId
from sitecrawl.web.flash import redirect, redirect_after
from sitecrawl.web.pages.forms import ChannelForm
from sitecrawl.web.state import Web, web_of
from sitecrawl.web.templating import render

router = APIRouter(prefix="/sites/{site_id}/channels")

_PER_PAGE = 20
unsubscribe_router = APIRouter(
    prefix=UNSUBSCRIBE_PATH.rstrip("/"), dependencies=[Depends(count_by_address)]
)


@router.get("")
def channel_list(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.list_channels)],
) -> Response:
    return _list_page(request, web, caller, site_id)


def _list_page(
    request: Request, web: Web, caller: Caller, site_id: int, words: str = "", secret: str = ""
) -> Response:
    site = sites.get_site(web.database, caller.workspace_id, site_id)
    every = channels.list_channels(web.database, caller.workspace_id)
    values = {
        "site": site,
        "channels": [
            each
            for each in every
            if each.watched_site_id == site_id
            or (each.watched_site_id is None and each.group_id in {None, site.group_id})
        ],
        "kinds": list(ChannelKind),
        "severities": list(Severity),
        "words": words,
        "secret": secret,
    }
    return render(request, "channels.html", values)


@router.post("")
def add_channel(
    request: Request,
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.add_channel)],
    given: Annotated[ChannelForm, Form()],
) -> Response:
    """A secret is shown in this answer: a cookie for the next page would carry it once more."""
    site = sites.get_site(web.database, caller.workspace_id, site_id)
    path = f"/sites/{site_id}/channels"
    try:
        new = NewChannel(
            *(given.kind, given.target, given.name),
            watched_site_id=site_id if given.scope == "site" else None,
            group_id=site.group_id if given.scope == "group" else None,
            rules=given.rules(Rules()),
        )
        made = channels.add_channel(web.database, caller.workspace_id, new, web.config)
    except (ConflictError, InvalidInputError, NotFoundError) as error:
        return redirect(path, str(error), is_error=True)
    words = f"Channel {made.channel.name} is added"
    if not made.secret:
        return redirect(path, words)
    words = f"{words}. Its messages are signed with this secret, which is shown only now:"
    return _list_page(request, web, caller, site_id, words, made.secret)


@router.get("/{channel_id}")
def channel_page(
    request: Request,
    site_id: int,
    channel_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.show_channel)],
    before: QueryId = None,
) -> Response:
    """What the channel is told, and its deliveries with every attempt."""
    return _channel_page(request, web, caller, site_id, channel_id, before)


def _channel_page(
    request: Request,
    web: Web,
    caller: Caller,
    site_id: int,
    channel_id: int,
    before: int | None = None,
    secret: str = "",
) -> Response:
    found = channels.list_deliveries(
        web.database,
        caller.workspace_id,
        channel_id=channel_id,
        before_id=before,
        limit=_PER_PAGE + 1,
    )
    values: dict[str, Any] = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "channel": channels.show_channel(web.database, caller.workspace_id, channel_id),
        "deliveries": found[:_PER_PAGE],
        "next_before": found[_PER_PAGE - 1].id if len(found) > _PER_PAGE else None,
        "severities": list(Severity),
        "cadences": list(Cadence),
        "secret": secret,
    }
    return render(request, "channel.html", values)


@router.post("/{channel_id}")
def edit_channel(
    site_id: int,
    channel_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.edit_channel)],
    given: Annotated[ChannelForm, Form()],
) -> Response:
    """An empty target stays as it is: it is not shown, as it may be a secret."""

    def work() -> str:
        old = channels.show_channel(web.database, caller.workspace_id, channel_id)
        change = ChannelChange(
            name=given.name, target=given.target.strip() or None, rules=given.rules(old.rules)
        )
        channels.edit_channel(web.database, caller.workspace_id, channel_id, change, web.config)
        return "Saved"

    return redirect_after(f"/sites/{site_id}/channels/{channel_id}", work)


@router.post("/{channel_id}/secret")
def renew_secret(
    request: Request,
    site_id: int,
    channel_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.rotate_secret)],
) -> Response:
    """The new secret is shown in this answer only."""
    workspace = caller.workspace_id
    try:
        made = channels.rotate_secret(web.database, workspace, channel_id, web.config)
    except InvalidInputError as error:
        return redirect(f"/sites/{site_id}/channels/{channel_id}", str(error), is_error=True)
    return _channel_page(request, web, caller, site_id, channel_id, secret=made.secret)


@router.post("/{channel_id}/deliveries/{delivery_id}/replay")
def replay(
    site_id: int,
    channel_id: int,
    delivery_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.replay)],
) -> Response:
    def work() -> str:
        number = channels.replay(web.database, caller.workspace_id, delivery_id)
        return _sent(web, caller, number, "The message")

    return redirect_after(f"/sites/{site_id}/channels/{channel_id}", work)


@router.post("/{channel_id}/{action}")
def change_channel(
    site_id: int,
    channel_id: int,
    action: str,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(channels.edit_channel)],
) -> Response:
    """Test, enable, disable or delete."""
    workspace = caller.workspace_id

    def work() -> str:
        match action:
            case "test":
                number = channels.prepare_test(web.database, workspace, channel_id)
                return _sent(web, caller, number, "The test message")
            case "enable" | "disable":
                change = ChannelChange(enabled=action == "enable")
                changed = channels.edit_channel(
                    web.database, workspace, channel_id, change, web.config
                )
                return f"{changed.name} is {action}d"
            case "delete":
                channels.remove_channel(web.database, workspace, channel_id)
                return "The channel is deleted"
        raise InvalidInputError("action", f"{action!r}: expected test, enable, disable or delete")

    return redirect_after(f"/sites/{site_id}/channels", work)


def _sent(web: Web, caller: Caller, delivery_id: int, what: str) -> str:
    """Send a delivery now; return the message, or raise ``ConflictError`` with the reason."""
    deliver(web.database, delivery_id, datetime.now(UTC), web.config)
    found = channels.show_delivery(web.database, caller.workspace_id, delivery_id)
    if found.status is DeliveryStatus.SENT:
        return f"{what} was sent to {found.target_label}"
    last = found.log[-1] if found.log else None
    reason = (last.error or f"it was answered with {last.code}") if last else found.status
    raise ConflictError(f"{what} could not be sent: {reason}")


@unsubscribe_router.get("/{token}")
def unsubscribe_page(request: Request, token: str) -> Response:
    """Ask first: scanners of mail open links."""
    web = web_of(request)
    channel = channels.channel_to_unsubscribe(web.database, token, web.config)
    return render(request, "unsubscribe.html", {"channel": channel, "is_done": False})


@unsubscribe_router.post("/{token}")
def unsubscribe(request: Request, token: str) -> Response:
    """Also what a mail program sends by itself (RFC 8058)."""
    web = web_of(request)
    channel = channels.unsubscribe(web.database, token, web.config)
    return render(request, "unsubscribe.html", {"channel": channel, "is_done": True})
