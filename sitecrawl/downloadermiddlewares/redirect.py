"""Redirects, with targets parsed as browsers parse them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.redirect import RedirectMiddleware

from sitecrawl.config import Config
from sitecrawl.urls.address import resolve_location, site_of
from sitecrawl.urls.canonical import page_key

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings


class CleanRedirectMiddleware(RedirectMiddleware):
    """Scrapy's redirects; the target is parsed by the project's URL parser.

    So credentials in a target are not sent, stored or logged, unusual spellings of an address
    become that address, and a target that is no http(s) URL is not followed. See
    :meth:`should_follow` to use another policy.

    Meta: ``sitecrawl_redirect_within_page``: follow only redirects to another URL of the same page
    (https, www, a final slash), each once: other pages have visits of their own.
    """

    def __init__(self, settings: BaseSettings):
        super().__init__(settings)
        self._key_rules = Config.from_settings(settings).key_rules()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        # Scrapy's version also looks for the middleware that sets a referrer, and warns that it is
        # missing. No referrer is ever sent.
        middleware = cls(crawler.settings)
        middleware.crawler = crawler
        return middleware

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        location = response.headers.get("Location")
        if location is None:
            return response
        target = resolve_location(location, request.url)
        if target is None or not self.should_follow(request, target):
            return response
        headers = response.headers.copy()
        headers["Location"] = target
        redirected: Request | Response = super().process_response(
            request, response.replace(headers=headers)
        )
        is_elsewhere = site_of(redirected.url) != site_of(request.url)
        if is_elsewhere and redirected.meta.get("download_slot") == site_of(request.url):
            # The downloader wrote it there; another site has another slot.
            del redirected.meta["download_slot"]
        return redirected

    def should_follow(self, request: Request, target: str) -> bool:
        """Whether a redirect is followed; override it to use another policy."""
        if not request.meta.get("sitecrawl_redirect_within_page"):
            return True
        if target in (request.url, *request.meta.get("redirect_urls", ())):
            return False
        return page_key(request.url, self._key_rules) == page_key(target, self._key_rules)
