"""What is found on a site before it is watched, told as it is read; nothing is stored.

Scrapy's reactor runs once in a process: ``python -m sitecrawl.services.site_preview`` is the child
that looks. It gets its order as a line of JSON on its standard input, and tells on its standard
output, one JSON object per line.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import SitecrawlError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import NewSite, check_address, checked_site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sitecrawl.config import Config
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.spiders.preview import PreviewedRoot, PreviewedSitemap

MAX_SECONDS: Final = 45
MAX_SHOWN_PAGES: Final = 20
_MAX_LINE_BYTES: Final = 1_000_000
_MAX_CHARACTERS: Final = 2_000
_NO_LOOK: Final = "The site could not be looked at; the server's log says why."


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
        *(sys.executable, "-m", "sitecrawl.services.site_preview"),
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

    from sitecrawl.config.environment import apply_environment
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
