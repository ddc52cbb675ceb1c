"""No page is fetched that robots.txt does not allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.robots.policy import VerdictReason
from sitecrawl.scan import scan_of
from sitecrawl.scan.errors import BlockedByRobotsError, ScanStoppedError

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

    from sitecrawl.robots.policy import Verdict


class RobotsMiddleware:
    """Refuse pages that robots.txt disallows, also those that a redirect leads to.

    A request without ``sitecrawl_document`` (of any other spider) is one for a page. Sitemaps that
    the site names are there to be read, at the pace that their host asks for. For those that are
    only guessed the rules hold; when robots.txt cannot be fetched, they are fetched anyway. See
    :meth:`should_fetch` to use another policy.

    Meta: ``sitecrawl_document``, ``sitecrawl_is_guess``, Scrapy's ``dont_obey_robotstxt``.
    """

    def __init__(self, crawler: Crawler):
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        if not request.url.startswith(("http:", "https:")):
            return
        kind = request.meta.get("sitecrawl_document", {}).get("kind")
        registry = scan_of(self._crawler).robots
        if kind is DocumentKind.ROBOTS_TXT:
            registry.note_hop(request)
            return
        robots = await registry.robots_of(request.url)
        if robots.document.outcome is FetchOutcome.STOPPED:
            raise ScanStoppedError(robots.document.error)
        verdict = robots.policy.decide(request.url)
        if not self.should_fetch(request, verdict):
            raise BlockedByRobotsError(verdict)

    def should_fetch(self, request: Request, verdict: Verdict) -> bool:
        """Whether the request may be sent; override it to use another policy."""
        is_sitemap = request.meta.get("sitecrawl_document", {}).get("kind") is DocumentKind.SITEMAP
        is_named = is_sitemap and not request.meta.get("sitecrawl_is_guess")
        if is_named or request.meta.get("dont_obey_robotstxt"):
            return True
        is_unknown = verdict.reason is VerdictReason.UNREACHABLE
        return verdict.allowed or (is_unknown and is_sitemap)
