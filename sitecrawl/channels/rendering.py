"""Renders a message for a kind of channel: what is stored with a delivery, and sent."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sitecrawl.channels.chat import discord_body, slack_body, teams_body
from sitecrawl.channels.email import email_text
from sitecrawl.channels.targets import ChannelKind
from sitecrawl.channels.webhook import webhook_body

if TYPE_CHECKING:
    from sitecrawl.channels.messages import Message

_BODIES = {
    ChannelKind.WEBHOOK: webhook_body,
    ChannelKind.SLACK: slack_body,
    ChannelKind.DISCORD: discord_body,
    ChannelKind.TEAMS: teams_body,
}


def render(kind: ChannelKind, message: Message) -> dict[str, Any]:
    """``subject``, ``text`` and ``html``, or the ``body`` of a request; no secrets."""
    if kind in _BODIES:
        return {"body": _BODIES[kind](message)}
    content = asdict(email_text(message))
    if kind is ChannelKind.APPRISE:
        del content["html"]
    return content
