"""User agents of browsers; only in the profile ``browserlike``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from sitecrawl.config import Config
from sitecrawl.items import DocumentKind

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler


class BrowserlikeUserAgentMiddleware:
    """Give every request but the one for robots.txt a user agent of scrapy-fake-useragent.

    robots.txt is asked for, and matched, under our own name: its owner shall know who reads it.

    Settings: ``SITECRAWL_BROWSER_USER_AGENTS``; ``FAKEUSERAGENT_*`` of scrapy-fake-useragent.
    Meta: ``sitecrawl_document``.
    """

    def __init__(self, crawler: Crawler):
        if not Config.from_settings(crawler.settings).browser_user_agents:
            raise NotConfigured
        from scrapy_fake_useragent.middleware import (  # type: ignore[import-untyped]
            RandomUserAgentMiddleware,
        )

        self._user_agents = RandomUserAgentMiddleware.from_crawler(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        if request.meta.get("sitecrawl_document", {}).get("kind") is not DocumentKind.ROBOTS_TXT:
            self._user_agents.process_request(request, None)
