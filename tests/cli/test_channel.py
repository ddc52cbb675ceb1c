from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.inprocess import run_inside
from tests.monitor.receivers import HttpReceiver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site.project import ProcessResult, Project


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with HttpReceiver() as running:
        yield running


@pytest.fixture
def channel(project: Project) -> Callable[..., ProcessResult]:
    allow = {"SITECRAWL_ADDRESS_ALLOW": "127.0.0.1"}
    return lambda *args: run_inside(project, "channel", *args, environment=allow)


def test_a_channel_from_its_adding_to_its_removal(
    channel: Callable[..., ProcessResult], receiver: HttpReceiver
) -> None:
    added = channel("add", "webhook", receiver.url, "--min-severity", "high", "--name", "Ops")
    secret = re.findall(r"whsec_\S+", added.stdout)[0]
    assert "Channel 1 tells" in added.stdout
    listed = channel("list")
    assert "Ops" in listed.stdout
    assert channel("test", "1").stdout == "Sent as delivery 1 (200).\n"
    assert receiver.received[0].json["type"] == "sitemap.test"
    assert "1 (webhook)" in channel("deliveries", "1").stdout
    detail = channel("delivery", "1").stdout
    assert '"type":"sitemap.test"' in detail
    assert "1. " in detail
    assert channel("replay", "1").stdout == "Sent as delivery 2 (200).\n"
    shown = channel("show", "1").stdout
    assert "min_severity         high" in shown
    edited = channel("edit", "1", "--cadence", "weekly", "--on", "friday", "--snooze", "3d")
    assert "snoozed until" in edited.stdout
    (as_json,) = json.loads(channel("list", "--json").stdout)
    assert as_json["rules"]["digest_weekday"] == 4
    assert as_json["rules"]["min_severity"] == "high"
    rotated = channel("rotate", "1").stdout
    assert "whsec_" in rotated
    assert channel("remove", "1", "--yes").stdout == "Channel 1 is removed.\n"
    assert "There is no channel" in channel("list").stdout
    for output in (listed, edited, detail, shown, str(as_json)):
        assert secret not in str(output)
        assert "s3cret-path" not in str(output)


def test_a_test_that_fails_says_why_once(
    channel: Callable[..., ProcessResult], receiver: HttpReceiver
) -> None:
    receiver.status, receiver.answer = 403, b"invalid_token \x1b[31m"
    channel("add", "slack", receiver.url)
    result = channel("test", "1")
    assert result.returncode == 1
    assert result.stderr == (
        "Delivery 1 failed: it answered 403 Forbidden\nThe receiver said: invalid_token \\x1b[31m\n"
    )


_WRONG: tuple[tuple[tuple[str, ...], str], ...] = (
    (("add", "fax", "1"), "kind: expected one of webhook, email"),
    (("add", "email", "anna"), "target: expected one email address"),
    (("add", "apprise", "ntfy://a/b"), "SITECRAWL_APPRISE_SCHEMES"),
    (("add", "webhook", "https://a.example/", "--quiet", "22"), "--quiet: expected"),
    (("add", "webhook", "https://a.example/", "--cadence", "yearly"), "cadence: expected"),
    (("add", "webhook", "https://a.example/", "--on", "someday"), "--on: expected"),
    (("add", "webhook", "https://a.example/", "--site", "x.example"), "is not watched"),
    (("edit", "7", "--snooze", "soon"), "there is no channel 7"),
    (("test", "7"), "there is no channel 7"),
    (("deliveries", "--status", "lost"), "--status: expected one of pending"),
    (("delivery", "7"), "there is no delivery 7"),
)


def test_wrong_usage_is_told(channel: Callable[..., ProcessResult]) -> None:
    channel("add", "email", "anna@example.com")
    for arguments, words in _WRONG:
        result = channel(*arguments)
        assert result.returncode == 2, arguments
        assert words in result.stderr
        assert result.stderr.startswith("sitecrawl: ")
    assert len(json.loads(channel("list", "--json").stdout)) == 1
