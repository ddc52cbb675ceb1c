"""Traces of a scan: itself, its stages, and some of its requests."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import NotConfigured

from sitecrawl.config import Config
from sitecrawl.scan.lifecycle import ScanLifecycle
from sitecrawl.signals import request_sending, stage_ended, stage_started
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.tracing import Span


class ScanTraces:
    """Send spans to a collector of OpenTelemetry.

    Settings: ``SITECRAWL_TRACES_URL`` (empty: off), ``SITECRAWL_TRACES_REQUESTS`` (one of so many
    requests has a span) and ``SITECRAWL_TRACES_PARENT`` (the parent of the scan's span).
    """

    def __init__(self, crawler: Crawler):
        config = Config.from_settings(crawler.settings)
        if not config.traces_url:
            raise NotConfigured
        from sitecrawl.tracing import Tracer

        self._crawler = crawler
        self._tracer = Tracer.from_config(config)
        self._one_of = config.traces_requests
        arguments = getattr(crawler.spider, "scan_arguments", None)
        self._scan = self._tracer.start(
            "scan",
            config.traces_parent,
            spider=crawler.spider.name if crawler.spider else None,
            asked=getattr(arguments, "asked", None),
        )
        self._stage: Span | None = None
        self._requests: WeakKeyDictionary[Request, Span] = WeakKeyDictionary()
        connect = crawler.signals.connect
        connect(self.engine_stopped, signals.engine_stopped)
        connect(self.stage_started, stage_started)
        connect(self.stage_ended, stage_ended)
        if self._one_of:
            connect(self.request_reached_downloader, signals.request_reached_downloader)
            connect(self.request_sending, request_sending)
            connect(self.response_downloaded, signals.response_downloaded)
            connect(self.request_left_downloader, signals.request_left_downloader)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def engine_stopped(self) -> None:
        self.stage_ended({})
        lifecycle = self._crawler.get_extension(ScanLifecycle)
        summary = lifecycle.summary if lifecycle is not None else None
        if summary is not None:
            figures = {name: getattr(summary, name) for name in ("pages", "visited", "requests")}
            self._scan.set(scan=summary.scan_id, status=summary.status, **figures)
        has_failed = summary is not None and summary.status == ScanStatus.FAILED
        self._scan.end(error=summary.reason if summary is not None and has_failed else "")
        self._tracer.close()

    def stage_started(self, name: str) -> None:
        self._stage = self._tracer.start(f"stage {name}", self._scan.traceparent)

    def stage_ended(self, outcome: dict[str, object]) -> None:
        if self._stage is not None:
            self._stage.set(ended=outcome.get("ended"))
            self._stage.end()
            self._stage = None

    # --- some of the requests ---------------------------------------------------------------------

    def request_reached_downloader(self, request: Request) -> None:
        """The span of the request begins while it waits in its slot."""
        if random.randrange(self._one_of) == 0:  # noqa: S311  no secret
            parent = (self._stage or self._scan).traceparent
            url = request.url.partition("?")[0]  # a query may hold private data
            self._requests[request] = self._tracer.start("request", parent, url=url)

    def request_sending(self, request: Request) -> None:
        if span := self._requests.get(request):
            span.add_event("sent")

    def response_downloaded(self, response: Response, request: Request) -> None:
        if span := self._requests.get(request):
            span.set(http_status=response.status, bytes=len(response.body))

    def request_left_downloader(self, request: Request) -> None:
        """With or without an answer."""
        if span := self._requests.pop(request, None):
            span.end()
