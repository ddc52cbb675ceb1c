"""Renders a message for a kind of channel: what is stored with a delivery, and sent.

The body of a webhook holds as many events as fit into 20 KB.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sitecrawl.channels.chat import discord_body, slack_body, teams_body
from sitecrawl.channels.email import email_text
from sitecrawl.channels.messages import MessageType
from sitecrawl.channels.targets import ChannelKind

if TYPE_CHECKING:
    from sitecrawl.channels.messages import EventNews, Message, SiteNews

MAX_BODY_BYTES = 20_000
_MAX_TITLE = 300


def render(kind: ChannelKind, message: Message) -> dict[str, Any]:
    """``subject``, ``text`` and ``html``, or the ``body`` of a request; no secrets."""
    if kind in _BODIES:
        return {"body": _BODIES[kind](message)}
    content = asdict(email_text(message))
    if kind is ChannelKind.APPRISE:
        del content["html"]
    return content


def _webhook_body(message: Message) -> str:
    """The JSON text; what did not fit is counted in ``eventsOmitted``."""
    events = sum(len(site.events) for site in message.sites)
    low, high = 0, events
    body = _webhook_json(message, high, with_examples=True)
    if _size(body) <= MAX_BODY_BYTES:
        return body
    while low < high:  # the most events that fit
        middle = (low + high + 1) // 2
        if _size(_webhook_json(message, middle, with_examples=False)) <= MAX_BODY_BYTES:
            low = middle
        else:
            high = middle - 1
    return _webhook_json(message, low, with_examples=False)


def _size(body: str) -> int:
    return len(body.encode())


def _webhook_json(message: Message, max_events: int, *, with_examples: bool) -> str:
    sites = []
    left = max_events
    for site in message.sites:
        shown = site.events[:left]
        left -= len(shown)
        if shown or not site.events or message.type is MessageType.CHANGE:
            events = [_event(event, with_examples=with_examples) for event in shown]
            sites.append(_site(site) | {"events": events})
    omitted = message.omitted_events + sum(len(site.events) for site in message.sites)
    omitted -= max_events - left
    body: dict[str, Any] = {"type": message.type, "title": message.title[:_MAX_TITLE]}
    body["ts"] = int(message.moment.timestamp())
    if message.type is MessageType.CHANGE:
        body |= sites[0]
    elif message.type is MessageType.DIGEST:
        body |= {"sites": sites}
    else:
        body |= {"text": message.text}
    if omitted:
        body["eventsOmitted"] = omitted
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def _site(site: SiteNews) -> dict[str, Any]:
    return {
        "siteId": site.site_id,
        "siteSlug": site.root_url,
        "siteName": site.name[:_MAX_TITLE],
        "scanId": site.scan_id,
        "added": site.added,
        "removed": site.removed,
        "updated": site.updated,
        **({"url": site.link} if site.link else {}),
    }


def _event(event: EventNews, *, with_examples: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "id": event.id,
        "kind": event.kind,
        "severity": event.severity,
        "title": event.title[:_MAX_TITLE],
        "pages": event.pages,
        "importantPages": event.important_pages,
        "occurredAt": event.occurred_at.isoformat(timespec="seconds"),
    }
    if with_examples:
        told["examples"] = list(event.examples)
    if event.incident_id is not None:
        told["incident"] = {"id": event.incident_id, "phase": event.phase}
    return told


_BODIES = {
    ChannelKind.WEBHOOK: _webhook_body,
    ChannelKind.SLACK: slack_body,
    ChannelKind.DISCORD: discord_body,
    ChannelKind.TEAMS: teams_body,
}
