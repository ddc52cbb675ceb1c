"""What speaks against an estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sitecrawl.coverage.doubts import CrawlState, site_doubts
from sitecrawl.coverage.sightings import Sightings

FINE = CrawlState()


def two_sources(*parts: tuple[int, int, int]) -> Sightings:
    """By part: pages of sitemaps alone, of links alone, of both."""
    counts = np.array([[0, *part] for part in parts], np.int64)
    return Sightings(("sitemaps", "links"), tuple(map(str, range(len(parts)))), counts)


GOOD = two_sources((20, 30, 200), (10, 40, 100))


def doubts(seen: Sightings, crawl: CrawlState = FINE, high: int | None = 450) -> str:
    return "\n".join(site_doubts(seen, crawl, high))


def test_a_good_crawl_of_a_good_site_leaves_none() -> None:
    assert doubts(GOOD) == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"is_finished": False}, "did not come to its end"),
        ({"has_crawled": False}, "links were not followed"),
        ({"waiting": 1_200}, "1,200 pages were still to be visited"),
        ({"held": 1}, "1 page was held back"),
        ({"failed": 2}, "could not be read: 2"),
        ({"unread_sitemaps": 1}, "sitemaps that could not be read: 1"),
        ({"limits": ["pages (SETTING)"]}, "a limit was hit: pages (SETTING)"),
        ({"visits_listed_pages": True}, "not independent"),
    ],
)
def test_what_the_crawl_left_out(change: dict[str, Any], words: str) -> None:
    assert words in doubts(GOOD, replace(FINE, **change))


def test_one_source() -> None:
    one = Sightings(("links",), ("0",), np.array([[0, 500]]))
    assert (
        doubts(one, high=None) == "only one source knows pages (links): there is nothing to compare"
    )


def test_no_source() -> None:
    assert "no source" in doubts(Sightings((), ("0",), np.array([[3]])), high=None)


def test_few_pages() -> None:
    assert "only 45 pages are known" in doubts(two_sources((5, 10, 30)), high=50)


def test_few_common_pages() -> None:
    assert "only 4 pages are known to more than one" in doubts(two_sources((100, 100, 4)))


@pytest.mark.parametrize(
    "part",
    [
        pytest.param((0, 0, 200), id="the same pages"),
        pytest.param((1, 100, 200), id="all sitemap entries are linked"),
        pytest.param((100, 1, 200), id="all linked pages are in the sitemap"),
    ],
)
def test_copies(part: tuple[int, int, int]) -> None:
    assert "leaves no trace" in doubts(two_sources(part, (5, 5, 20)))
    assert doubts(two_sources(part, (50, 60, 400)), high=900) == ""


def test_a_feed_that_all_know_is_no_copy() -> None:
    counts = np.zeros((1, 8), np.int64)
    counts[0, [0b001, 0b010, 0b011, 0b111]] = (30, 40, 400, 25)
    seen = Sightings(("sitemaps", "links", "feeds"), ("0",), counts)
    assert doubts(seen, high=520) == ""


def test_parts_that_one_source_knows() -> None:
    seen = two_sources((0, 400, 0), (20, 30, 200))
    assert "400 of 650 pages are in parts" in doubts(seen, high=700)


def test_a_wide_interval() -> None:
    assert "the interval is wide" in doubts(GOOD, high=601)
