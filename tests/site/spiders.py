"""A spider that fetches the pages it is told to, for tests of what is sent and when.

Settings: ``TEST_PAGES`` (paths or URLs, separated by spaces), ``TEST_ROBOTS_PAUSE`` (seconds:
what a robots.txt is taken to ask for), ``TEST_DROPS_SLOTS`` (whether Scrapy's slots are dropped
after every answer, as they are after a minute), ``TEST_STAGE_SECONDS`` (for all pages together).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urljoin

from sitecrawl.downloadhandlers.guarded import GuardedDownloadHandler
from sitecrawl.items import DocumentKind, SiteResolved
from sitecrawl.scan.documents import document_request, failed_document, fetched_document
from sitecrawl.spiders.site import SiteSpider
from sitecrawl.stages.base import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

_ROBOTS = "sitecrawl.downloadermiddlewares.robots.RobotsMiddleware"


class PagesStage(Stage):
    name: ClassVar[str] = "pages"
    crawler: ClassVar[Crawler]

    _has_begun = False

    async def next_requests(self) -> Iterable[Request]:
        if self._has_begun:
            return []
        self._has_begun = True
        settings = self.crawler.settings
        if pause := settings.getfloat("TEST_ROBOTS_PAUSE"):
            self.context.scan.politeness.set_robots_pace(self.context.root_url, pause)
        seconds = settings.getfloat("TEST_STAGE_SECONDS")
        deadline = time.monotonic() + seconds if seconds else float("inf")
        return [
            document_request(
                urljoin(self.context.root_url, page),
                DocumentKind.PAGE,
                "a test",
                callback=self._answered,
                errback=self._failed,
                timeout_seconds=self.context.config.page_timeout_seconds,
                max_bytes=1_000_000,
                deadline=deadline,
            )
            for page in settings["TEST_PAGES"].split()
        ]

    async def _answered(self, response: Response) -> None:
        if self.crawler.settings.getbool("TEST_DROPS_SLOTS"):
            self.crawler.engine.downloader._slot_gc(age=-60)
        self.context.scan.root_url = self.context.root_url
        await self.context.put(SiteResolved(self.context.root_url))
        await self.context.put(fetched_document(response))

    async def _failed(self, failure: Failure) -> None:
        await self.context.put(failed_document(failure))


class PagesSpider(SiteSpider):
    """Asks for the pages alone: without ``TEST_ASKS_ROBOTS`` no robots.txt comes before them."""

    name = "pages"
    stages: ClassVar[tuple[type[Stage], ...]] = (PagesStage,)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        if not settings.getbool("TEST_ASKS_ROBOTS"):
            middlewares = {**settings.getdict("DOWNLOADER_MIDDLEWARES"), _ROBOTS: None}
            settings.set("DOWNLOADER_MIDDLEWARES", middlewares, "cmdline")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        PagesStage.crawler = crawler
        return super().from_crawler(crawler, *args, **kwargs)


class NamesSpider(PagesSpider):
    """All names and schemes are served by the site at ``TEST_SERVER``."""

    name = "names"

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        handler = f"{__name__}.{LoopbackDownloadHandler.__name__}"
        settings.set("DOWNLOAD_HANDLERS", {"http": handler, "https": handler}, "cmdline")


class LoopbackDownloadHandler(GuardedDownloadHandler):
    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        self._asked: dict[Request, Request] = {}

    def report_sending(self, request: Request) -> None:
        super().report_sending(self._asked[request])

    async def download_request(self, request: Request) -> Response:
        server = self.crawler.settings["TEST_SERVER"]
        sent = request.replace(
            url=urljoin(server, request.url.partition("//")[2].partition("/")[2]),
            headers={**request.headers, "Host": request.url.partition("//")[2].partition("/")[0]},
        )
        self._asked[sent] = request
        response = await super().download_request(sent)
        return response.replace(url=request.url)
