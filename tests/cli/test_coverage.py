from __future__ import annotations

from typing import Any

import pytest

from sitecrawl.cli.coverage import coverage_words, limit_words
from sitecrawl.store.queries.coverage import CrawlCoverage


def words(**facts: Any) -> list[str]:
    usual: dict[str, Any] = {
        "scan_id": 3,
        "scan_status": "finished",
        "known": 10,
        "visited": 10,
        "failed": 0,
        "held": 0,
        "sitemaps": 0,
        "has_crawled": True,
        "ended": "",
        "limits": [],
    }
    return list(coverage_words(CrawlCoverage(**usual | facts)))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, ["the crawl visited 10 of 10 known pages"]),
        ({"failed": 2}, ["the crawl visited 10 of 10 known pages (2 could not be read)"]),
        (
            {"known": 1_500, "held": 20, "ended": "the limit of pages was reached"},
            [
                "the crawl visited 10 of 1,500 known pages",
                "1,470 were still in the queue when it ended (the limit of pages was reached)",
                "20 were skipped: similar pages had given nothing new",
            ],
        ),
        (
            {"has_crawled": False, "visited": 1, "ended": "not needed"},
            ["the crawl did not run (not needed): only the links of the root are known"],
        ),
        (
            {"has_crawled": False, "visited": 0, "known": 0},
            ["the crawl did not run: no link is known"],
        ),
        (
            {"scan_status": "interrupted"},
            [
                "the crawl visited 10 of 10 known pages",
                "scan 3 is interrupted, so there may be more",
            ],
        ),
    ],
)
def test_what_was_visited_and_what_was_not(facts: dict[str, Any], expected: list[str]) -> None:
    assert words(**facts) == expected


def test_limits_name_the_setting_that_raises_them() -> None:
    limit = {"what": "pages left", "setting": "SITECRAWL_MAX_CRAWL_PAGES", "limit": 200}
    assert words(limits=[limit])[1] == (
        "limit hit: pages left: SITECRAWL_MAX_CRAWL_PAGES=200 can be raised"
    )
    fixed = {"what": "lines", "setting": "", "limit": 1_000}
    assert limit_words(fixed) == "lines: only the first 1,000 count"
