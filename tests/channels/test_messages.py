"""Messages in the form of each kind of channel: within limits, and with nothing left to inject."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.channels.messages import (
    EventNews,
    Message,
    MessageType,
    SiteNews,
    change_message,
    digest_message,
)
from sitecrawl.channels.rendering import render
from sitecrawl.channels.rules import Phase
from sitecrawl.channels.targets import ChannelKind

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
HOSTILE = "<!channel> @everyone <script>alert(1)</script> & [x](http://evil.example) *b*"


def event(number: int = 1, **values: Any) -> EventNews:
    return EventNews(
        **{
            "id": number,
            "kind": "added",
            "severity": "medium",
            "title": "/blog: 2 new articles",
            "pages": 2,
            "important_pages": 0,
            "examples": ("https://example.com/blog/a",),
            "occurred_at": NOW,
            **values,
        }
    )


def site(*events: EventNews, number: int = 1, name: str = "Example") -> SiteNews:
    root = "https://example.com/"
    return SiteNews(number, name, root, 7, 5, 2, 3, events, "https://watch.example.com/sites/1")


def body(kind: ChannelKind, message: Message) -> Any:
    return json.loads(render(kind, message)["body"])


def test_titles_name_the_site_and_the_first_thing() -> None:
    assert change_message(site(event()), NOW).title == "Example: /blog: 2 new articles"
    two = site(event(1), event(2, severity="critical", title="robots.txt blocks all"))
    assert change_message(two, NOW).title == "Example: robots.txt blocks all (and 1 more)"
    over = site(event(incident_id=1, phase=Phase.CLOSED))
    assert change_message(over, NOW).title == "Example: Over: /blog: 2 new articles"
    both = [site(event(1)), site(event(2), number=2)]
    assert digest_message(both, NOW).title == "2 changes on 2 sites"


def test_of_too_many_events_the_most_important_are_told_and_the_others_counted() -> None:
    many = [event(number, pages=number) for number in range(1, 301)]
    message = change_message(site(*many, event(999, severity="critical")), NOW)
    assert [each.id for each in message.sites[0].events][:2] == [999, 300]
    assert len(message.sites[0].events) == 100
    assert message.omitted_events == 201
    assert body(ChannelKind.WEBHOOK, message)["eventsOmitted"] >= 201


def test_a_webhook_stays_below_20_kb() -> None:
    long = [
        event(number, title="ä" * 500, examples=("https://example.com/" + "x" * 1_900,) * 5)
        for number in range(100)
    ]
    text = render(ChannelKind.WEBHOOK, change_message(site(*long), NOW))["body"]
    assert 10_000 < len(text.encode()) <= 20_000
    told = json.loads(text)
    assert len(told["events"]) + told["eventsOmitted"] == 100


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def test_slack_gets_its_three_characters_escaped_and_nobody_is_called() -> None:
    message = change_message(site(event(title=HOSTILE, examples=("https://e.example/|x>",))), NOW)
    told = body(ChannelKind.SLACK, message)
    section = told["blocks"][2]["text"]["text"]
    assert "&lt;!channel&gt;" in section
    assert "&amp;" in section
    assert "<https://e.example/%7Cx&gt;|https://e.example/¦x&gt;>" in section
    assert "<!channel>" not in told["text"]


@given(st.integers(1, 130), st.integers(1, 60), st.text(max_size=3_000))
def test_slack_stays_within_its_limits(events: int, sites: int, title: str) -> None:
    news = [
        site(*(event(number, title=title or "x") for number in range(events)), number=each)
        for each in range(1, sites + 1)
    ]
    told = body(ChannelKind.SLACK, digest_message(news, NOW))
    assert len(told["blocks"]) <= 50
    assert len(told["blocks"][0]["text"]["text"]) <= 150
    for block in told["blocks"][1:-1]:
        assert 0 < len(block["text"]["text"]) <= 3_000


@given(st.integers(1, 130), st.integers(1, 30), st.text(max_size=1_000))
def test_discord_stays_within_its_limits(events: int, sites: int, title: str) -> None:
    news = [
        site(*(event(number, title=title or "x") for number in range(events)), number=each)
        for each in range(1, sites + 1)
    ]
    told = body(ChannelKind.DISCORD, digest_message(news, NOW))
    assert len(told["content"]) <= 2_000
    assert 1 <= len(told["embeds"]) <= 10
    assert all(len(each["description"]) <= 4_096 for each in told["embeds"])
    assert sum(len(text) for text in _texts(told["embeds"]) if "watch.example" not in text) <= 6_000
    assert told["allowed_mentions"] == {"parse": []}


def test_discord_and_teams_get_their_markdown_escaped() -> None:
    message = change_message(site(event(title=HOSTILE)), NOW)
    embed = body(ChannelKind.DISCORD, message)["embeds"][0]
    assert r"\[x\]\(http://evil.example\)" in embed["description"]
    assert r"\@everyone" in embed["description"]
    card = body(ChannelKind.TEAMS, message)["attachments"][0]["content"]
    assert r"\[x\]\(http://evil.example\)" in card["body"][2]["text"]


def test_teams_stays_below_28_kb() -> None:
    long = [event(number, title="ä" * 500, examples=("x" * 1_900,) * 5) for number in range(100)]
    text = render(ChannelKind.TEAMS, change_message(site(*long), NOW))["body"]
    assert len(text.encode()) <= 28_000
    shown = json.loads(text)["attachments"][0]["content"]["body"]
    assert "more not shown" in shown[-1]["text"]


def test_an_email_escapes_what_a_site_says() -> None:
    hostile = event(title=HOSTILE, examples=("javascript:alert(1)", 'https://e.example/"onx'))
    content = render(ChannelKind.EMAIL, change_message(site(hostile), NOW))
    assert "<script>" not in content["html"]
    assert "&lt;script&gt;" in content["html"]
    assert 'href="javascript' not in content["html"]
    assert 'href="https://e.example/&quot;onx"' in content["html"]
    assert "https://watch.example.com/sites/1" in content["text"]


def test_a_subject_is_one_short_line() -> None:
    message = change_message(site(event(title="a\r\nBcc: x@example.com\r\n" + "b" * 500)), NOW)
    subject = render(ChannelKind.EMAIL, message)["subject"]
    assert subject.isprintable()
    assert len(subject) <= 150


@pytest.mark.parametrize("kind", ChannelKind)
def test_every_kind_can_tell_every_type(kind: ChannelKind) -> None:
    for message in (
        change_message(site(event()), NOW),
        digest_message([site(event())], NOW),
        Message(MessageType.TEST, "Test", NOW, text="It works."),
        Message(MessageType.ALERT, "Channel 1 is disabled", NOW, text="It is gone."),
    ):
        text = json.dumps(render(kind, message))
        assert message.text in text
        assert message.title in text
