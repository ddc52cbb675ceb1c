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

# So much of an answer is kept.
MAX_ANSWER_BYTES = 1_000
# These answer 404 when the webhook was removed.
_GONE_WHEN_NOT_FOUND = frozenset({ChannelKind.SLACK, ChannelKind.DISCORD})


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one attempt; without an error the message was taken."""

    code: int | None = None
    text: str = ""
    error: str | None = None
    is_final: bool = False
    """Another attempt would fail, too: none is made."""
    is_gone: bool = False
    """The receiver wants no more messages: the channel is disabled."""
    retry_after_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One message with its recipient."""

    kind: ChannelKind
    target: Target
    message_id: str
    request: Mapping[str, Any]
    replay_of: str = ""
    """The id of the message that this one repeats."""
    unsubscribe_url: str = ""
    unsubscribe_words: str = ""


async def send(message: OutgoingMessage, config: Config, now: datetime) -> Answer:
    """One attempt; it never raises for what a receiver does."""
    if message.kind is ChannelKind.EMAIL:
        return await _send_email(message, config, now)
    if message.kind is ChannelKind.APPRISE:
        from sitecrawl.monitor.senders.apprise import notify

        return await notify(message.target.address, message.request, config)
    from sitecrawl.monitor.senders.http import HttpRequest, post

    gone = {HTTPStatus.GONE}
    if message.kind in _GONE_WHEN_NOT_FOUND:
        gone.add(HTTPStatus.NOT_FOUND)
    request = HttpRequest(
        message.target.address, message.request["body"], _headers(message, now), frozenset(gone)
    )
    policy = AddressPolicy(allow=config.address_allow)
    return await post(request, policy, verify_certificates=config.verify_certificates)


def _headers(message: OutgoingMessage, now: datetime) -> dict[str, str]:
    if message.kind is not ChannelKind.WEBHOOK:
        return {}
    body = message.request["body"].encode()
    secrets = message.target.signing_secrets(now)
    headers = signature_headers(message.message_id, now, body, secrets)
    return headers | ({"X-Sitemap-Replay-Of": message.replay_of} if message.replay_of else {})


async def _send_email(message: OutgoingMessage, config: Config, now: datetime) -> Answer:
    from sitecrawl.monitor.senders.smtp import send_email

    if "@" not in parseaddr(config.email_from)[1]:
        return Answer(error="no sender is set: EMAIL_FROM=watch@example.com", is_final=True)
    email = compose(
        EmailText(**message.request),
        sender=config.email_from,
        recipient=message.target.address,
        message_id=message.message_id,
        moment=now,
        unsubscribe_url=message.unsubscribe_url,
        unsubscribe_words=message.unsubscribe_words,
    )
    return await send_email(email, config)
