from __future__ import annotations

import pytest

from sitecrawl.cli.filters import (
    checked_pattern,
    checked_region,
    checked_source,
    checked_status,
    complete_region,
    complete_source,
)
from sitecrawl.config import ConfigError


@pytest.mark.parametrize(
    ("text", "statuses"),
    [("200", (200, 200)), ("4xx", (400, 499)), ("5XX", (500, 599)), ("", None)],
)
def test_statuses(text: str, statuses: tuple[int, int] | None) -> None:
    assert checked_status(text) == statuses


@pytest.mark.parametrize("text", ["0", "20", "2000", "xx", "4x", "600", "-1", "٤٠٤", "404 "])
def test_what_is_no_status(text: str) -> None:
    with pytest.raises(ConfigError, match="--status"):
        checked_status(text)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("/item/{n}", "/item/{n}"),
        ("/item/{n}/", "/item/{n}"),
        ("/", "/"),
        ("", ""),
        ("https://example.com/item/12?b=1&a=2", "/item/{n}?a={v}&b={v}"),
    ],
)
def test_patterns(text: str, pattern: str) -> None:
    assert checked_pattern(text) == pattern


def test_words_that_there_are_pass() -> None:
    assert [checked_source(word) for word in ("", "start", "sitemap", "onclick")] == [
        *("", "start", "sitemap", "onclick"),
    ]
    assert checked_region("content-link") == "content-link"


def test_words_are_completed() -> None:
    assert complete_source("site") == ["sitemap", "sitemap-alternate"]
    assert complete_region("f") == ["footer"]
