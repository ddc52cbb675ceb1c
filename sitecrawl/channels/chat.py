"""Messages for Slack, Discord and Teams, within their limits and escaped for each."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sitecrawl.channels.messages import EventNews, Message, SiteNews

_SHOWN_EVENTS = 15
_SHOWN_EXAMPLES = 3
_MARKS = {"critical": "🔴", "high": "🟠", "medium": "🟡", "low": "🔵", "info": "⚪"}
_COLOURS = {
    "critical": 0xC62828,
    "high": 0xE65100,
    "medium": 0xF9A825,
    "low": 0x1565C0,
    "info": 0x607D8B,
}
_OVER = "✅"


# --- Slack: docs.slack.dev, "Block Kit" ---------------------------------------------------
_SLACK_BLOCKS = 50
_SLACK_SECTION = 3_000
_SLACK_HEADER = 150
_SLACK_FALLBACK = 2_000


def slack_escaped(text: str) -> str:
    """
    >>> slack_escaped("a & <b>")
    'a &amp; &lt;b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def slack_body(message: Message) -> str:
    """Blocks for people, and a text for notifications."""
    title = {"type": "plain_text", "text": _cut(message.title, _SLACK_HEADER)}
    blocks: list[dict[str, Any]] = [{"type": "header", "text": title}]
    if message.text:
        blocks.append(_slack_section(slack_escaped(message.text)))
    shown = 0
    for site in message.sites:
        room = _SLACK_BLOCKS - len(blocks) - 2  # for the site and the footer
        if room < 1:
            break
        events = site.events[: min(room, _SHOWN_EVENTS)]
        blocks.append(_slack_section(_slack_site(site)))
        blocks += [_slack_section(_slack_event(event)) for event in events]
        shown += len(events)
    footer = {"type": "mrkdwn", "text": slack_escaped(_footer(message, shown))}
    blocks.append({"type": "context", "elements": [footer]})
    return _json(
        {
            "text": slack_escaped(_cut(message.title, _SLACK_FALLBACK)),
            "blocks": blocks,
            # Slack would load every page that is named.
            "unfurl_links": False,
            "unfurl_media": False,
        }
    )


def _slack_section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": _cut(text, _SLACK_SECTION)}}


def _slack_site(site: SiteNews) -> str:
    link = _slack_link(site.link or site.root_url, site.name)
    return f"*{link}*: {site.figures}"


def _slack_event(event: EventNews) -> str:
    lines = [f"{_mark(event)} {slack_escaped(_headline(event))}"]
    lines += [f"• {_slack_link(url, url)}" for url in event.examples[:_SHOWN_EXAMPLES]]
    return _cut_lines(lines, _SLACK_SECTION)


def _slack_link(url: str, words: str) -> str:
    words = slack_escaped(_cut(words, 200)).replace("|", "¦")
    if not re.match(r"https?://", url) or len(url) > 1_000:  # noqa: PLR2004  leaves room for others
        return words
    return f"<{slack_escaped(url).replace('|', '%7C')}|{words}>"


# --- Discord: docs.discord.com, "Execute Webhook" -------------------------------------------
_DISCORD_TITLE = 256
_DISCORD_DESCRIPTION = 4_096
_DISCORD_EMBEDS = 10
_DISCORD_TOTAL = 6_000
_DISCORD_FOOTER = 100
_DISCORD_SPECIAL = re.compile(r"([\\*_~`|>\[\]()#@<-])")


def discord_escaped(text: str) -> str:
    r"""
    >>> discord_escaped("**@everyone** <b>")
    '\\*\\*\\@everyone\\*\\* \\<b\\>'
    """
    return _DISCORD_SPECIAL.sub(r"\\\1", text)


def discord_body(message: Message) -> str:
    """One embed per site; nobody is mentioned, whatever the texts hold."""
    embeds: list[dict[str, Any]] = []
    room = _DISCORD_TOTAL - _DISCORD_FOOTER
    shown = 0
    if message.text:
        embeds.append({"description": _cut(discord_escaped(message.text), _DISCORD_DESCRIPTION)})
    for site in message.sites[:_DISCORD_EMBEDS]:
        title = _cut(site.name, _DISCORD_TITLE)
        parts = [site.figures, *map(_discord_event, site.events[:_SHOWN_EVENTS])]
        limit = min(_DISCORD_DESCRIPTION, room - len(title))
        description = _cut_lines(parts, limit)
        if not description:
            break
        room -= len(title) + len(description)
        shown += sum(part in description for part in parts[1:])
        colour = _COLOURS.get(site.events[0].severity if site.events else "info", 0)
        embed = {"title": title, "description": description, "color": colour}
        embeds.append(embed | ({"url": site.link} if site.link else {}))
    if embeds:
        embeds[-1]["footer"] = {"text": _footer(message, shown)}
    return _json(
        {
            "content": _cut(discord_escaped(_cut(message.title, 500)), 2_000),
            "embeds": embeds,
            "allowed_mentions": {"parse": []},
        }
    )


def _discord_event(event: EventNews) -> str:
    lines = [f"{_mark(event)} {discord_escaped(_headline(event))}"]
    lines += [f"- {_discord_url(_cut(url, 500))}" for url in event.examples[:_SHOWN_EXAMPLES]]
    return "\n".join(lines)


def _discord_url(url: str) -> str:
    # Within <> there is neither a preview nor markdown.
    return f"<{url}>" if re.fullmatch(r"https?://[^\s<>]+", url) else discord_escaped(url)


# --- Teams: an Adaptive Card for "Workflows", at most 28 KB ------------------------------
_TEAMS_BYTES = 25_000
_TEAMS_SPECIAL = re.compile(r"([\\*_~`\[\]()#>-])")


def teams_body(message: Message) -> str:
    """As many events as fit."""
    for shown in (_SHOWN_EVENTS, 8, 4, 2, 1):
        body = _teams_card(message, shown)
        if len(body.encode()) <= _TEAMS_BYTES:
            break
    else:
        body = _teams_card(message, 0)
    return body


def _teams_card(message: Message, shown: int) -> str:
    blocks: list[dict[str, Any]] = [
        _teams_text(_cut(message.title, 300), size="Medium", weight="Bolder")
    ]
    if message.text:
        blocks.append(_teams_text(message.text))
    for site in message.sites[: max(shown, 1)]:
        blocks.append(_teams_text(f"{_cut(site.name, 200)}: {site.figures}", weight="Bolder"))
        for event in site.events[:shown]:
            blocks.append(_teams_text(f"{_mark(event)} {_headline(event)}"))
            blocks += [
                _teams_text(_cut(url, 500), isSubtle=True, spacing="None")
                for url in event.examples[:_SHOWN_EXAMPLES]
            ]
    told = sum(len(site.events[:shown]) for site in message.sites[: max(shown, 1)])
    blocks.append(_teams_text(_footer(message, told), isSubtle=True, size="Small"))
    links = [site.link for site in message.sites if site.link]
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "msteams": {"width": "Full"},
        "body": blocks,
        "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": url} for url in links[:1]],
    }
    return _json(
        {
            "type": "message",
            "attachments": [
                {
                    "contentType": "application/vnd.microsoft.card.adaptive",
                    "contentUrl": None,
                    "content": card,
                }
            ],
        }
    )


def _teams_text(text: str, **options: Any) -> dict[str, Any]:
    escaped = _TEAMS_SPECIAL.sub(r"\\\1", text)
    return {"type": "TextBlock", "text": escaped, "wrap": True, **options}


# --- Shared ----------------------------------------------------------------------------------
def _headline(event: EventNews) -> str:
    title = _cut(event.title, 500)
    return f"{event.phase_words}: {title}" if event.phase_words else title


def _mark(event: EventNews) -> str:
    return _OVER if event.phase_words == "Over" else _MARKS.get(event.severity, "🟠")


def _footer(message: Message, shown: int) -> str:
    hidden = message.omitted_events + sum(len(site.events) for site in message.sites) - shown
    more = f"{hidden:,} more not shown · " if hidden else ""
    return f"{more}sitecrawl · {message.moment:%Y-%m-%d %H:%M} UTC"


def _cut(text: str, length: int) -> str:
    """
    >>> _cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= length else text[: length - 1] + "…"


def _cut_lines(parts: Iterable[str], length: int) -> str:
    """Whole parts, one per line, as many as fit.

    >>> _cut_lines(["ab", "cd", "ef"], 7)
    'ab\\ncd'
    """
    text = ""
    for part in parts:
        if len(text) + len(part) + 1 > length:
            break
        text += f"\n{part}" if text else part
    return text


def _json(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
