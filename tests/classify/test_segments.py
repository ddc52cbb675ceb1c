from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.segments import MONTH, YEAR, compact_word, placeholder, split_extension


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
        ("%E3%83%86%E3%82%B9%E3%83%88", "{slug}"),
        ("", "{slug}"),
    ],
)
def test_what_stands_for_a_segment(segment: str, expected: str) -> None:
    assert placeholder(segment) == expected


@pytest.mark.parametrize(
    ("segment", "before", "expected"),
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
def test_parts_of_dates_stand_behind_each_other(segment: str, before: str, expected: str) -> None:
    assert placeholder(segment, before) == expected


@given(st.text())
def test_any_text_has_a_placeholder_and_a_word(text: str) -> None:
    assert placeholder(text).startswith("{")
    word = compact_word(text)
    assert word == word.lower()
    assert not set(word) & set("-_+ .")
    assert "".join(split_extension(text)).lower() == text.lower()


def test_a_long_segment_costs_little() -> None:
    for text in ("a" * 100_000, "1a" * 50_000, "-" * 100_000, "9-" * 50_000, "%C3" * 30_000):
        placeholder(text)
        compact_word(text)
