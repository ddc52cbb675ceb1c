from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecrawl.classify.paths import (
    _IDENTIFIERS,
    MONTH,
    YEAR,
    compact_word,
    path_depth,
    placeholder,
    section,
    split_extension,
)
from sitecrawl.urls.canonical import canonicalize
from tests.urls.nasty import nasty_urls

_ORIGIN = "https://a.example"


@pytest.mark.parametrize(
    ("path", "depth"),
    [
        ("/", 0),
        ("/a", 1),
        ("/a/", 1),
        ("/a/b.html", 2),
        ("/a/b/c/", 3),
        ("/?q=/x/y", 0),
        ("/a?q=/x/y", 1),
        ("/a/?q=/", 1),
        ("/#/x/y", 0),
        ("/a#!/x", 1),
        ("/a/b?x#/y?z", 2),
    ],
)
def test_depth_counts_the_segments_of_the_path(path: str, depth: int) -> None:
    assert path_depth(_ORIGIN + path) == depth


@pytest.mark.parametrize("text", ["mailto:joe", "", "//"])
def test_other_text_has_no_depth(text: str) -> None:
    assert path_depth(text) == 0


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", ""),
        ("/about", ""),
        ("/about?x=/y/", ""),
        ("/about#/x/", ""),
        ("/?a=/b/c", ""),
        ("/blog/", "/blog"),
        ("/blog/a", "/blog"),
        ("/blog/a/b?c=/d", "/blog"),
        ("/Blog/a", "/Blog"),
        ("/%C3%BCber/a", "/%C3%BCber"),
    ],
)
def test_section_is_the_first_segment_of_pages_below_it(path: str, expected: str) -> None:
    assert section(_ORIGIN + path) == expected


@given(st.text() | nasty_urls())
def test_any_text_has_a_depth_and_a_section(text: str) -> None:
    assert path_depth(text) >= 0
    assert section(text)[:1] in {"", "/"}


@given(nasty_urls())
def test_depth_of_a_page_is_that_of_its_segments(url: str) -> None:
    canonical = canonicalize(url, "https://a.example/b/")
    if canonical is None:
        return
    path = canonical.split("?")[0].split("#")[0].split("/", 3)[3]
    segments = path.removesuffix("/").split("/") if path else []
    assert path_depth(canonical) == len(segments)
    assert section(canonical) == ("/" + segments[0] if "/" in path else "")


@pytest.mark.parametrize(
    ("segment", "expected"),
    [
        ("about", "{slug}"),
        ("ten-tips", "{slug}"),
        ("ten-tips-2024", "{slug}"),
        ("ten-tips.html", "{slug}.html"),
        ("Ten_Tips.PHP", "{slug}.php"),
        ("a.b.c", "{slug}"),
        ("file.x7q", "{slug}"),
        ("4711", "{id}"),
        ("4711.html", "{id}.html"),
        ("p204118", "{id}"),
        ("v2", "{id}"),
        ("1923-0417", "{id}"),
        ("2026", "{yyyy}"),
        ("1066", "{id}"),
        ("2026-03-14", "{date}"),
        ("20260314", "{date}"),
        ("14.03.2026", "{date}"),
        ("9f86d081884c7d65", "{hash}"),
        ("deadbeef", "{slug}"),
        ("dQw4w9WgXcQ", "{hash}"),
        ("123e4567-e89b-12d3-a456-426614174000", "{uuid}"),
        ("abcdefab-abcd-4abc-8def-123456789ab1", "{uuid}"),
        ("abcdefab-1234-4abc-8def-and-more", "{slug}"),
        ("word-14d9d", "{slug}"),
        ("abc-12", "{id}"),
        ("abcd-12", "{slug}"),
        ("ten-tips-26.html", "{slug}.html"),
        (".html", "{slug}"),
        ("%E3%83%86%E3%82%B9%E3%83%88", "{slug}"),
        ("", "{slug}"),
    ],
)
def test_placeholder_of_a_segment(segment: str, expected: str) -> None:
    assert placeholder(segment) == expected


@pytest.mark.parametrize(
    ("segment", "previous", "expected"),
    [
        ("03", YEAR, "{mm}"),
        ("march", YEAR, "{mm}"),
        ("13", YEAR, "{id}"),
        ("14", MONTH, "{dd}"),
        ("32", MONTH, "{id}"),
        ("03", "", "{id}"),
        ("a-post", YEAR, "{slug}"),
    ],
)
def test_parts_of_dates_follow_each_other(segment: str, previous: str, expected: str) -> None:
    assert placeholder(segment, previous) == expected


@given(st.from_regex(r"[a-d0-9]{3,9}(-[a-d0-9]{1,12}){1,5}", fullmatch=True))
@example("abcdefab-abcd-abcd-abcd-abcdefabcdef")
def test_words_before_a_hyphen_give_what_the_regex_gives(segment: str) -> None:
    identifier = _IDENTIFIERS.match(segment) if any(map(str.isdigit, segment)) else None
    assert placeholder(segment) == (f"{{{identifier.lastgroup}}}" if identifier else "{slug}")


@given(st.text())
def test_any_text_has_a_placeholder_and_a_word(text: str) -> None:
    assert placeholder(text).startswith("{")
    word = compact_word(text)
    assert word == word.lower()
    assert not set(word) & set("-_+ .")
    assert "".join(split_extension(text)).lower() == text.lower()


def test_a_long_segment_costs_little() -> None:
    began = time.process_time()
    for text in ("a" * 100_000, "1a" * 50_000, "-" * 100_000, "9-" * 50_000, "%C3" * 30_000):
        placeholder(text)
        compact_word(text)
    assert time.process_time() - began < 5  # 0.1 is usual
