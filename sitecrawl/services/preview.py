"""Looks at a site without storing anything: its robots.txt, and what a scan of it would cost.

Scrapy's reactor runs once in a process, so only a command that looks at a single site calls
:func:`preview_robots` or :func:`plan_scan`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sitecrawl.config import Config, ConfigError
from sitecrawl.config.environment import apply_environment
from sitecrawl.errors import SiteUnreachableError, StoppedError
from sitecrawl.items import FetchOutcome
from sitecrawl.politeness.estimate import ScanLimits, SiteFigures, estimate
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.stages.waterfall import crawl_is_needed
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from sitecrawl.politeness.estimate import Estimate
    from sitecrawl.robots.policy import Verdict
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.services.scans import ScanRequest
    from sitecrawl.spiders.preview import RobotsSpider, SitePreview

_FAILURES = {FetchOutcome.UNREACHABLE, FetchOutcome.ADDRESS_NOT_ALLOWED}


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """What was seen of a site, and what a scan of it would cost."""

    preview: SitePreview
    root: Verdict
    """What robots.txt says of the start page."""
    pause_seconds: float
    """Between two requests, as robots.txt asks for it; 0: it does not."""
    cost: Estimate
    follows_links: bool
    max_crawl_pages: int
    """0: no limit."""
    check_pages: int
    """How many listed pages are visited afterwards."""


@requires(Permission.SCAN)
def preview_robots(request: ScanRequest) -> AuthorityRobots:
    """Fetch the robots.txt of a site."""
    from sitecrawl.spiders.preview import RobotsSpider

    return _preview(RobotsSpider, request).robots


@requires(Permission.SCAN)
def plan_scan(request: ScanRequest) -> ScanPlan:
    """Fetch robots.txt and the first sitemaps, and estimate what a scan would cost."""
    from sitecrawl.spiders.preview import PlanSpider

    return plan_of(_preview(PlanSpider, request), request)


@requires(Permission.READ)
def plan_of(preview: SitePreview, request: ScanRequest) -> ScanPlan:
    """What a scan would cost of which this was seen."""
    settings = _settings(request)
    config = Config.from_settings(settings)
    policy = preview.robots.policy
    root = policy.decide(preview.root_url)
    pause = policy.file.seconds_between_requests(datetime.now(UTC).time())
    cost = estimate(
        SiteFigures(
            maps=preview.map_requests,
            further_maps=preview.further_maps,
            pages=preview.pages,
            asked_pause_seconds=pause,
            fetches_root=root.allowed,
        ),
        settings.getfloat("DOWNLOAD_DELAY"),
        ScanLimits(
            max_sitemaps=config.max_sitemaps,
            max_sitemap_urls=config.max_sitemap_urls,
            max_scan_minutes=config.max_scan_minutes,
            max_crawl_delay_seconds=config.max_crawl_delay_seconds,
            max_sitemap_stage_seconds=config.sitemap_stage_timeout_seconds,
        ),
    )
    is_unknown = preview.further_maps > 0 and config.crawl == "auto"
    needs_crawl = not is_unknown and crawl_is_needed(config, preview.pages)
    return ScanPlan(
        preview=preview,
        root=root,
        pause_seconds=pause,
        cost=cost,
        follows_links=root.allowed and needs_crawl,
        max_crawl_pages=config.max_crawl_pages,
        check_pages=config.check_pages,
    )


def _preview(spider_class: type[RobotsSpider], request: ScanRequest) -> SitePreview:
    """Run a spider that stores nothing, and return what it saw."""
    from scrapy.crawler import AsyncCrawlerProcess

    from sitecrawl.scan.arguments import SpiderArguments

    SpiderArguments.parse({"domain": request.domain})
    process = AsyncCrawlerProcess(_settings(request))
    crawler = process.create_crawler(spider_class)
    process.crawl(crawler, domain=request.domain)
    process.start()
    spider = crawler.spider
    if isinstance(spider, spider_class) and spider.is_stopped:
        raise StoppedError("stopped by the user")
    if not isinstance(spider, spider_class) or spider.preview is None:
        raise ConfigError("the preview could not run; the message above says why")
    document = spider.preview.robots.document
    # A site that redirects its robots.txt to a host that does not answer does answer itself.
    is_own = origin_of(document.final_url) == origin_of(document.url)
    if is_own and document.outcome in _FAILURES:
        raise SiteUnreachableError(f"{document.url} cannot be reached: {document.error}")
    return spider.preview


def _settings(request: ScanRequest) -> Settings:
    settings = request.scrapy_settings()
    settings.set("LOG_LEVEL", "ERROR", "cmdline")
    settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", "cmdline")
    apply_environment(settings)
    return settings
