from __future__ import annotations

import pytest

from sitecrawl.politeness.estimate import ScanLimits, SiteFigures, duration_words, estimate

NO_LIMITS = ScanLimits()
ONE_MAP = SiteFigures(maps=1, further_maps=0, pages=100)


def test_a_site_with_one_map() -> None:
    cost = estimate(ONE_MAP, 0.35, NO_LIMITS)
    assert cost.requests == 3, "robots.txt, the root and the map"
    assert cost.gap_seconds == 0.35
    assert cost.seconds == pytest.approx(0.7), "between three requests lie two gaps"
    assert not cost.is_least
    assert cost.limits == ()


def test_a_root_that_may_not_be_fetched_is_no_request() -> None:
    closed = SiteFigures(maps=1, further_maps=0, pages=100, fetches_root=False)
    assert estimate(closed, 0.35, NO_LIMITS).requests == 2


def test_maps_that_nobody_has_read_may_name_more() -> None:
    cost = estimate(SiteFigures(maps=1, further_maps=20, pages=0), 0.35, NO_LIMITS)
    assert cost.is_least
    assert cost.requests == 23


@pytest.mark.parametrize(
    ("asked", "cap", "gap", "is_capped"),
    [(0, 30, 0.35, False), (0.1, 30, 0.35, False), (2, 30, 2, False), (60, 30, 30, True)],
)
def test_the_slower_of_both_paces_counts(
    asked: float, cap: float, gap: float, is_capped: bool
) -> None:
    seen = SiteFigures(maps=1, further_maps=0, pages=1, asked_pause_seconds=asked)
    cost = estimate(seen, 0.35, ScanLimits(max_crawl_delay_seconds=cap))
    assert cost.gap_seconds == gap
    names = [limit.setting for limit in cost.limits]
    assert names == (["SITECRAWL_MAX_CRAWL_DELAY_SECONDS"] if is_capped else [])


def test_without_a_cap_any_pause_is_kept() -> None:
    seen = SiteFigures(maps=1, further_maps=0, pages=1, asked_pause_seconds=3_600)
    assert estimate(seen, 0.35, NO_LIMITS).gap_seconds == 3_600


MANY = SiteFigures(maps=1, further_maps=999, pages=5_000, asked_pause_seconds=1)


@pytest.mark.parametrize(
    ("limits", "setting", "words", "requests"),
    [
        (
            ScanLimits(max_sitemaps=100),
            "SITECRAWL_MAX_SITEMAPS",
            "1,000 sitemaps, 100 will be read",
            102,
        ),
        (
            ScanLimits(max_sitemap_urls=1_000),
            "SITECRAWL_MAX_SITEMAP_URLS",
            "5,000 URLs or more, 1,000 will be listed",
            1_002,
        ),
        (
            ScanLimits(max_scan_minutes=10),
            "SITECRAWL_MAX_SCAN_MINUTES",
            "about 16 min 41 s, and the scan may take 10 min",
            1_002,
        ),
        (
            ScanLimits(max_sitemap_stage_seconds=30),
            "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS",
            "about 16 min 40 s for the sitemaps, which may take 30 s",
            1_002,
        ),
    ],
)
def test_a_limit_ahead_is_named(
    limits: ScanLimits, setting: str, words: str, requests: int
) -> None:
    cost = estimate(MANY, 0.35, limits)
    assert [(limit.setting, limit.words) for limit in cost.limits] == [(setting, words)]
    assert cost.requests == requests


def test_a_limit_that_is_just_kept_is_not_named() -> None:
    limits = ScanLimits(
        max_sitemaps=1_000,
        max_sitemap_urls=5_000,
        max_scan_minutes=1_001 / 60,
        max_crawl_delay_seconds=1,
        max_sitemap_stage_seconds=1_000,
    )
    assert estimate(MANY, 0.35, limits).limits == ()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (59.4, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3_599.4, "59 min 59 s"),
        (3_600, "1 h"),
        (3_660, "1 h 1 min"),
        (90_000, "25 h"),
    ],
)
def test_how_long_in_words(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words
