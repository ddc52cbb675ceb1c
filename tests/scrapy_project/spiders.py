"""Runs an ordinary spider, as any Scrapy user writes it, inside the project."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.site.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.site.project import ProcessResult, Project

SHOP_SPIDER = """
import json
from pathlib import Path

import scrapy


class ShopSpider(scrapy.Spider):
    name = "shop"
    # On the command line Scrapy would take it for a list of texts.
    custom_settings = {"HTTPERROR_ALLOWED_CODES": [404]}

    def __init__(self, url, domains="", **arguments):
        super().__init__(**arguments)
        self.start_urls = url.split()
        self.allowed_domains = domains.split()

    def parse(self, response):
        yield {
            "url": response.url,
            "title": response.css("title::text").get(),
            "links": response.css("a::attr(href)").getall(),
        }
        yield from response.follow_all(css="a")

    @classmethod
    def from_crawler(cls, crawler, *args, **arguments):
        spider = super().from_crawler(crawler, *args, **arguments)
        crawler.signals.connect(spider.keep_stats, scrapy.signals.engine_stopped)
        return spider

    def keep_stats(self):
        stats = self.crawler.stats.get_stats()
        Path("stats.json").write_text(json.dumps(stats, default=str))
"""


@dataclass(frozen=True, slots=True)
class ShopRun:
    process: ProcessResult
    stats: dict[str, Any]
    """Empty when the spider did not run."""


def run_shop(
    project: Project,
    run_scrapy: Callable[..., ProcessResult],
    *urls: str,
    options: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
    **settings: object,
) -> ShopRun:
    """``scrapy runspider``: the start URLs, further options and settings."""
    (project.folder / "shop.py").write_text(SHOP_SPIDER, encoding="utf-8")
    stats = project.folder / "stats.json"
    stats.unlink(missing_ok=True)
    words = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    done = run_scrapy(
        *("runspider", "shop.py", "-a", f"url={' '.join(urls)}", *words, *options),
        environment={"PYTHONPATH": f"{ROOT}:{project.folder}", **(environment or {})},
    )
    return ShopRun(done, json.loads(stats.read_text()) if stats.exists() else {})
