"""Statistics are counted as Scrapy counts them."""

from __future__ import annotations

from scrapy.utils.test import get_crawler

from sitecrawl.stats import PlainStats


def test_they_are_those_of_scrapy() -> None:
    stats = PlainStats(get_crawler())
    stats.inc_value("a")
    stats.inc_value("a", 2, start=10)
    stats.max_value("b", 1)
    stats.max_value("b", 3)
    stats.min_value("c", 1)
    stats.set_value("d", "x")
    assert stats.get_stats() == {"a": 3, "b": 3, "c": 1, "d": "x"}
    assert stats.get_value("e", 5) == 5


def test_a_crawler_of_the_project_has_them() -> None:
    crawler = get_crawler(settings_dict={"STATS_CLASS": "sitecrawl.stats.PlainStats"})
    assert isinstance(crawler.stats, PlainStats)
