"""Sends messages, each as the kind of its channel asks for.

The address guard checks every connection before it is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parseaddr
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from sitecrawl.channels.email import EmailText, compose
from sitecrawl.channels.signing import signature_headers
from sitecrawl.channels.targets import ChannelKind
from sitecrawl.safety.policy import AddressPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sitecrawl.channels.targets import Target
    from sitecrawl.config import Config

# What is kept of an answer.
MAX_ANSWER_BYTES = 1_000
# These answer so when somebody has removed the webhook.
_GONE_WHEN_NOT_FOUND = frozenset({ChannelKind.SLACK, ChannelKind.DISCORD})


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one attempt; without an error the message was taken."""

    code: int | None = None
    text: str = ""
    error: str | None = None
    is_final: bool = False
    """It would fail again: no further attempt is made."""
    is_gone: bool = False
    """The receiver wants no more messages: the channel is disabled."""
    retry_after_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is to be sent, and where to."""

    kind: ChannelKind
    target: Target
    message_id: str
    request: Mapping[str, Any]
    replay_of: str = ""
    """The id of the message that this one repeats."""
    unsubscribe_url: str = ""
    unsubscribe_words: str = ""


async def send(parcel: Parcel, config: Config, now: datetime) -> Answer:
    """One attempt; it never raises for what a receiver does."""
    if parcel.kind is ChannelKind.EMAIL:
        return await _send_email(parcel, config, now)
    if parcel.kind is ChannelKind.APPRISE:
        from sitecrawl.monitor.senders.apprise import notify

        return await notify(parcel.target.address, parcel.request, config)
    from sitecrawl.monitor.senders.http import HttpRequest, post

    gone = {HTTPStatus.GONE}
    if parcel.kind in _GONE_WHEN_NOT_FOUND:
        gone.add(HTTPStatus.NOT_FOUND)
    request = HttpRequest(
        parcel.target.address, parcel.request["body"], _headers(parcel, now), frozenset(gone)
    )
    policy = AddressPolicy(allow=config.address_allow)
    return await post(request, policy, verify_certificates=config.verify_certificates)


def _headers(parcel: Parcel, now: datetime) -> dict[str, str]:
    if parcel.kind is not ChannelKind.WEBHOOK:
        return {}
    body = parcel.request["body"].encode()
    secrets = parcel.target.signing_secrets(now)
    headers = signature_headers(parcel.message_id, now, body, secrets)
    return headers | ({"X-Sitemap-Replay-Of": parcel.replay_of} if parcel.replay_of else {})


async def _send_email(parcel: Parcel, config: Config, now: datetime) -> Answer:
    from sitecrawl.monitor.senders.smtp import send_email

    if "@" not in parseaddr(config.email_from)[1]:
        return Answer(error="no sender is set: EMAIL_FROM=watch@example.com", is_final=True)
    email = compose(
        EmailText(**parcel.request),
        sender=config.email_from,
        recipient=parcel.target.address,
        message_id=parcel.message_id,
        moment=now,
        unsubscribe_url=parcel.unsubscribe_url,
        unsubscribe_words=parcel.unsubscribe_words,
    )
    return await send_email(email, config)
