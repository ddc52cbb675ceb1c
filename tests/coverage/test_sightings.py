"""Counting pages by part and source."""

from __future__ import annotations

import numpy as np

from sitecrawl.coverage.sightings import Sightings

SOURCES = ("sitemaps", "links", "feeds")


def sightings(*pages: tuple[int, int], parts: int = 2) -> Sightings:
    """Each page has its part and the mask of its sources."""
    return Sightings.of_pages(
        SOURCES,
        [f"part {number}" for number in range(parts)],
        np.array([mask for _, mask in pages], np.uint8),
        np.array([part for part, _ in pages], np.int32),
    )


def test_pages_are_counted_by_part_and_mask() -> None:
    seen = sightings((0, 0b001), (0, 0b001), (1, 0b111), (1, 0))
    assert seen.counts[0].tolist() == [0, 2, 0, 0, 0, 0, 0, 0]
    assert seen.counts[1].tolist() == [1, 0, 0, 0, 0, 0, 0, 1]
    assert seen.known == 4
    assert seen.totals.tolist() == [1, 2, 0, 0, 0, 0, 0, 1]


def test_pages_of_sources_may_be_known_to_others() -> None:
    seen = sightings((0, 0b001), (0, 0b011), (1, 0b111))
    assert [seen.pages_of(number) for number in range(3)] == [3, 2, 1]
    assert seen.pages_of(0, 1) == 2


def test_sources_without_pages_are_left_out() -> None:
    seen = sightings((0, 0b001), (1, 0b101), (1, 0)).with_pages()
    assert seen.sources == ("sitemaps", "feeds")
    assert seen.counts.tolist() == [[0, 1, 0, 0], [1, 0, 0, 1]]


def test_sources_can_be_taken_for_one() -> None:
    seen = sightings((0, 0b010), (0, 0b101), (1, 0b100), (1, 0b001)).united("links", "feeds")
    assert seen.sources == ("sitemaps", "links and feeds")
    assert seen.counts.tolist() == [[0, 0, 1, 1], [0, 1, 1, 0]]


def test_a_source_that_is_not_there_is_not_united() -> None:
    seen = sightings((0, 0b010))
    assert seen.united("links", "rendered pages") is seen


def test_no_pages_at_all() -> None:
    seen = sightings(parts=0)
    assert seen.known == 0
    assert seen.with_pages().sources == ()
