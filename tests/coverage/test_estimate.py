"""The estimate of a site's size, its interval, and the doubts about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.coverage import difficult_trials, ordinary_trials
from sitecrawl.coverage.estimate import CrawlState, estimate_coverage, site_doubts
from sitecrawl.coverage.sightings import Sightings

if TYPE_CHECKING:
    from sitecrawl.coverage.estimate import CoverageEstimate, PartEstimate

SOURCES = ("sitemaps", "links", "feeds", "rendered pages")
FINE = CrawlState()


def estimate(*parts: dict[int, int], crawl: CrawlState = FINE) -> CoverageEstimate:
    """By part: pages by the mask of their sources."""
    counts = np.zeros((len(parts), 1 << len(SOURCES)), np.int64)
    for row, part in zip(counts, parts, strict=True):
        for mask, pages in part.items():
            row[mask] = pages
    names = tuple(f"part {number}" for number in range(len(parts)))
    return estimate_coverage(Sightings(SOURCES, names, counts), crawl)


def test_the_interval_holds_the_truth_of_generated_sites() -> None:
    trials = ordinary_trials(100, seed=1)
    assert sum(trial.is_held for trial in trials) >= 90
    trusted = [trial for trial in trials if trial.estimate.is_trusted]
    assert len(trusted) >= 70
    assert sum(trial.is_held for trial in trusted) >= 0.9 * len(trusted)
    # An interval from nothing to everything would hold it, too.
    widths = [
        ((trial.estimate.high or 0) - trial.estimate.low) / trial.site.truth for trial in trials
    ]
    assert float(np.median(widths)) < 0.15


def test_it_is_not_trusted_where_it_is_known_to_fail() -> None:
    for kind in (
        "sitemap copied from links",
        "delisted everywhere",
        "no sitemap",
        "crawl cut short",
    ):
        assert not any(trial.estimate.is_trusted for trial in difficult_trials(kind, 10, seed=1))


def test_what_is_known_without_a_source_counts() -> None:
    with_start = estimate({0: 5, 1: 40, 2: 50, 3: 400})
    without = estimate({1: 40, 2: 50, 3: 400})
    assert (with_start.known, without.known) == (495, 490)
    assert with_start.estimate == (without.estimate or 0) + 5


def test_one_source_gives_no_estimate() -> None:
    found = estimate({2: 100})
    assert (found.known, found.estimate, found.low, found.high) == (100, None, 100, None)
    assert (found.method, found.is_trusted) == ("none", False)
    assert [(part.name, part.known, part.estimate) for part in found.parts] == [
        ("part 0", 100, None)
    ]


def test_no_pages_give_no_estimate() -> None:
    assert estimate({}).estimate is None
    assert estimate().known == 0


def test_a_browser_sees_plain_links_as_well() -> None:
    links, rendered, sitemap = 2, 8, 1
    found = estimate(
        {links | rendered | sitemap: 300, rendered | sitemap: 200, rendered: 60, sitemap: 40}
    )
    alone = estimate({links | sitemap: 500, links: 60, sitemap: 40})
    assert (found.estimate, found.low, found.high) == (alone.estimate, alone.low, alone.high)
    assert "2 sources: sitemaps, links and rendered pages" in found.method


def test_parts_have_estimates_of_their_own() -> None:
    found = estimate({1: 10, 2: 90, 3: 400}, {1: 100, 2: 100, 3: 100}, {3: 5}, {3: 6})
    large, middle, *small = found.parts
    assert (large.name, middle.name) == ("part 0", "part 1")
    assert (middle.estimate or 0) - 300 > 5 * ((large.estimate or 0) - 500)
    assert [(part.name, part.estimate, part.high) for part in small] == [
        ("part 3", None, None),
        ("part 2", None, None),
    ]
    assert large.low <= (large.estimate or 0) <= (large.high or 0)


def test_a_doubt_about_the_site_is_one_about_its_parts() -> None:
    part = {1: 40, 2: 50, 3: 400}
    assert estimate(part).parts[0].is_trusted
    assert not estimate(part, crawl=CrawlState(waiting=3)).parts[0].is_trusted


def test_a_part_that_one_source_knows_is_not_trusted() -> None:
    found = estimate({1: 40, 2: 50, 3: 400}, {2: 100})
    assert found.is_trusted
    assert [part.is_trusted for part in found.parts] == [True, False]


counts = st.dictionaries(st.integers(0, 15), st.integers(0, 5_000), max_size=16)


@settings(max_examples=60)
@given(st.lists(counts, max_size=6))
def test_the_estimate_is_within_its_interval(parts: list[dict[int, int]]) -> None:
    found = estimate(*parts)
    assert found == estimate(*parts)
    assert found.known == sum(sum(part.values()) for part in parts)
    assert sum(part.known for part in found.parts) == found.known
    every: list[CoverageEstimate | PartEstimate] = [found, *found.parts]
    for each in every:
        assert each.known <= each.low
        if each.estimate is not None:
            assert each.high is not None
            assert each.low <= each.estimate <= each.high


# --- doubts -----------------------------------------------------------------------------------


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
    found = doubts(one, replace(FINE, waiting=1), high=None)
    assert "only one source knows pages (links): there is nothing to compare" in found


@pytest.mark.parametrize(
    "change",
    [
        *({"is_finished": False}, {"has_crawled": False}, {"waiting": 1}, {"held": 1}),
        *({"unread_sitemaps": 1}, {"limits": ["pages"]}),
    ],
)
def test_a_crawl_that_left_something_out_is_not_exhaustive(change: dict[str, Any]) -> None:
    assert not estimate({2: 500}, crawl=replace(FINE, **change)).is_exhaustive


def test_an_exhaustive_crawl_needs_no_second_source() -> None:
    found = estimate({2: 500}, crawl=replace(FINE, visits_listed_pages=True))
    assert (found.is_exhaustive, found.estimate, found.doubts) == (True, None, ())


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
