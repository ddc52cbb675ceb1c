"""Looks at a site without storing anything: its robots.txt, its sitemaps, what a scan would cost.

Scrapy's reactor runs once in a process, so only a command that looks at a single site calls
:func:`preview_robots` or :func:`plan_scan`. A server calls :func:`preview_site`, which starts
``python -m sitecrawl.services.preview`` as a child: it gets its order as a line of JSON on its
standard input, and tells what it finds on its standard output, one JSON object per line.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.config import Config, ConfigError
from sitecrawl.config.environment import apply_environment
from sitecrawl.errors import SitecrawlError, SiteUnreachableError, StoppedError
from sitecrawl.items import FetchOutcome
from sitecrawl.politeness.estimate import ScanLimits, SiteFigures, estimate
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import NewSite, check_address, checked_site
from sitecrawl.stages.waterfall import crawl_is_needed
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.settings import Settings

    from sitecrawl.politeness.estimate import Estimate
    from sitecrawl.robots.policy import Verdict
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.services.scans import ScanRequest
    from sitecrawl.spiders.preview import PreviewedRoot, PreviewedSitemap, RobotsSpider, SitePreview

_FAILURES = {FetchOutcome.UNREACHABLE, FetchOutcome.ADDRESS_NOT_ALLOWED}
MAX_SECONDS: Final = 45
_MAX_LINE_BYTES: Final = 1_000_000
_MAX_CHARACTERS: Final = 2_000
_NO_LOOK: Final = "The site could not be looked at; the server's log says why."


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
    """Estimate the cost of a scan from a preview."""
    settings = _preview_settings(request)
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
    process = AsyncCrawlerProcess(_preview_settings(request))
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


def _preview_settings(request: ScanRequest) -> Settings:
    settings = request.scrapy_settings()
    settings.set("LOG_LEVEL", "ERROR", "cmdline")
    settings.set("LOG_FORMAT", "%(levelname)s: %(message)s", "cmdline")
    apply_environment(settings)
    return settings


# --- for a server, by a child process ------------------------------------------------------------


@requires(Permission.EDIT)
async def preview_site(
    root_url: str, profile: str, config: Config, max_seconds: float = MAX_SECONDS
) -> AsyncIterator[dict[str, Any]]:
    """Events as they happen: ``robots``, ``sitemap``, ``root``, then ``ended`` or ``failed``.

    ``InvalidInputError`` before the first event says what is wrong with the address. The child
    ends when the caller stops listening.
    """
    target, _ = checked_site(NewSite(root_url, profile=profile))
    check_address(target.url, config.address_allow, allow_private=False)
    order = {"domain": root_url, "profile": profile, "address_allow": [*config.address_allow]}
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "sitecrawl.services.preview"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_MAX_LINE_BYTES,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    has_ended = False
    try:
        child.stdin.write(json.dumps(order).encode() + b"\n")
        async with asyncio.timeout(max_seconds):
            async for line in child.stdout:
                event = json.loads(line)
                has_ended = event["event"] in {"ended", "failed"}
                yield event
        if not has_ended:
            yield {"event": "failed", "message": _NO_LOOK}
    except TimeoutError:
        words = f"The site is slow: this is what was found in {max_seconds:g} seconds."
        yield {"event": "ended", "message": words}
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()


# --- the child ------------------------------------------------------------------------------------


def _main() -> None:
    events = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # Whatever is printed from now on must not stand between the events.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def tell(event: str, **facts: Any) -> None:
        events.write(json.dumps({"event": event, **facts}) + "\n")
        events.flush()

    try:
        _look(json.loads(sys.stdin.readline()), tell)
    except SitecrawlError as error:
        tell("failed", message=str(error))


def _look(order: dict[str, Any], tell: Any) -> None:
    from scrapy.crawler import AsyncCrawlerProcess

    from sitecrawl.config.profiles import load_settings
    from sitecrawl.spiders.preview import PreviewedRoot, PreviewedSitemap, PreviewSpider

    class TellingSpider(PreviewSpider):
        def on_read(self, part: AuthorityRobots | PreviewedSitemap | PreviewedRoot) -> None:
            if isinstance(part, PreviewedSitemap):
                tell("sitemap", **_map_facts(part))
            elif isinstance(part, PreviewedRoot):
                tell("root", **_root_facts(part))
            else:
                tell("robots", **_robots_facts(part))

    settings = load_settings(order["profile"])
    apply_environment(settings)
    settings.set("LOG_LEVEL", "ERROR", "cmdline")
    # Whoever may add sites in the web must not reach the machine's own network.
    settings.set("SITECRAWL_ALLOW_PRIVATE_SITE", value=False, priority="cmdline")
    settings.set("SITECRAWL_ADDRESS_ALLOW", order["address_allow"], "cmdline")
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(TellingSpider)
    process.crawl(crawler, domain=order["domain"])
    process.start()
    spider = crawler.spider
    preview = spider.preview if isinstance(spider, TellingSpider) else None
    if preview is None or not isinstance(spider, TellingSpider):
        tell("failed", message=_NO_LOOK)
        return
    document = preview.robots.document
    if document.status is None and not preview.maps:
        tell("failed", message=f"{document.url} cannot be reached: {document.error}")
        return
    tell(
        "ended",
        message="",
        pages=preview.pages,
        further_maps=preview.further_maps - spider.children_read,
    )


def _robots_facts(robots: AuthorityRobots) -> dict[str, Any]:
    file = robots.policy.file
    delay = file.crawl_delay.seconds if file.crawl_delay else None
    return {
        "url": _cut(robots.url),
        "status": robots.document.status,
        "error": _cut(robots.document.error or ""),
        "rules": len(file.rules),
        "sitemaps": len(file.sitemaps),
        "crawl_delay": delay,
        "usual": _cut(robots.policy.usual.explanation),
    }


def _map_facts(seen: PreviewedSitemap) -> dict[str, Any]:
    return {
        "url": _cut(seen.document.url),
        "status": seen.document.status,
        "kind": seen.kind,
        "error": _cut(seen.document.error or ("" if seen.kind else "not a sitemap")),
        "pages": seen.pages,
        "maps": seen.maps,
        "first_pages": [_cut(url) for url in seen.first_pages],
    }


def _root_facts(seen: PreviewedRoot) -> dict[str, Any]:
    return {
        "url": _cut(seen.document.url),
        "status": seen.document.status,
        "error": _cut(seen.document.error or ""),
        "title": _cut(seen.title),
        "first_pages": [_cut(url) for url in seen.first_pages],
    }


def _cut(text: str) -> str:
    return text[:_MAX_CHARACTERS]


if __name__ == "__main__":
    _main()
