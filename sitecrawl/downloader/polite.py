"""Scrapy's downloader, in which every request waits for its host's pace."""

from __future__ import annotations

import logging
import random
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from scrapy import signals
from scrapy.core.downloader import Downloader
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost

from sitecrawl.config import Config
from sitecrawl.downloader.departure import watch_departure
from sitecrawl.downloader.refusals import HeldBackError
from sitecrawl.downloader.stopping import is_stopping
from sitecrawl.downloader.turns import HostTurns
from sitecrawl.politeness.pace import parse_http_date, parse_retry_after
from sitecrawl.politeness.scan import ScanPoliteness
from sitecrawl.urls.address import site_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred

    from sitecrawl.downloader.turns import Turn

logger = logging.getLogger(__name__)

T = TypeVar("T")

# So many requests of each host that wait because the host asked for it leave room for others. More
# would wait for each other afterwards, longer than SITECRAWL_SLOT_WAIT_SECONDS allows.
_MAX_SET_ASIDE = 16

# A failure of the host, not of ours: nothing else counts against it.
_HOST_FAILURES: dict[type[Exception], str] = {
    DownloadTimeoutError: "no answer in time",
    CannotResolveHostError: "the host name cannot be resolved",
    DownloadConnectionRefusedError: "the connection was refused",
    ResponseDataLossError: "the answer was cut off",
    DownloadFailedError: "the connection failed",
    ConnectError: "the connection failed",
    ConnectionDone: "the connection was closed",
    ConnectionLost: "the connection was lost",
}


class PoliteDownloader(Downloader):
    """Scrapy's downloader and slots; whose turn it is, :class:`HostTurns` decides.

    * Requests to one site share a slot: by http or https, with or without ``www.``. A redirect
      waits in the slot of the host that it leads to.
    * No more than ``CONCURRENT_REQUESTS_PER_DOMAIN`` are under way to a host, also without a
      delay. (Scrapy 2.19 then hands out all that wait before the first has begun.)
    * What is really sent is counted in the ledger.

    Settings: Scrapy's ``DOWNLOAD_DELAY``, ``DOWNLOAD_DELAY_JITTER``, ``AUTOTHROTTLE_*`` and
    ``CONCURRENT_REQUESTS*``; ``SITECRAWL_MAX_CRAWL_DELAY_SECONDS``,
    ``SITECRAWL_MAX_RETRY_AFTER_SECONDS``, ``SITECRAWL_BUSY_BACKOFF_SECONDS``,
    ``SITECRAWL_MAX_ERRORS_IN_A_ROW``, ``SITECRAWL_SLOT_WAIT_SECONDS``, ``SITECRAWL_MAX_PAGES``,
    ``SITECRAWL_MAX_SCAN_MINUTES``.
    Stats: ``sitecrawl/politeness`` (the ledger), ``sitecrawl/limits`` (those that were hit),
    ``downloader/request_count``, ``downloader/response_bytes``.
    """

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        config = Config.from_settings(crawler.settings)
        self.politeness = ScanPoliteness(
            config.pace_rules(), config.scan_budget(time.monotonic()), config.slot_wait_seconds
        )
        self._turns: dict[str, HostTurns] = {}
        self.signals.connect(self.bytes_received, signals.bytes_received)

    def get_slot_key(self, request: Request) -> str:
        return site_of(request.url)

    def fetch(self, request: Request) -> Deferred[Response | Request]:  # type: ignore[override]
        self.active.add(request)
        fetching = self.middleware.download_async(self._enqueue_request, request)
        return deferred_from_coro(fetching).addBoth(self._fetched, request)

    def _fetched(self, result: T, request: Request) -> T:
        self.active.remove(request)
        return result

    def needs_backout(self) -> bool:
        waiting = (turns.waiting_for_pause() for turns in self._turns.values())
        aside = sum(min(number, _MAX_SET_ASIDE) for number in waiting)
        return 0 < self.total_concurrency <= len(self.active) - aside

    def bytes_received(self, data: bytes, request: Request) -> None:
        self.politeness.host(request.url).ledger.received(len(data))

    def close(self) -> None:
        super().close()
        for turns in self._turns.values():
            turns.close()
        stats, ledger = self.crawler.stats, self.politeness.report()
        stats.set_value("sitecrawl/politeness", ledger)
        stats.set_value("sitecrawl/limits", self.politeness.limits())
        # As Scrapy's middleware calls them, which would count them one by one.
        stats.set_value("downloader/request_count", ledger["requests"])
        stats.set_value("downloader/response_bytes", ledger["received_bytes"])

    async def _enqueue_request(self, request: Request) -> Response:
        """What Scrapy calls once the middlewares have let a request pass."""
        key, slot = self._get_slot(request)
        request.meta[self.DOWNLOAD_SLOT] = key
        turns = self._turns_at(key, slot, request)
        slot.active.add(request)
        self._tell(signals.request_reached_downloader, request)
        try:
            while True:
                turn = await turns.take(request)
                self._warn()
                try:
                    return await self._transfer(turns, turn)
                except HeldBackError:
                    continue
        finally:
            slot.active.remove(request)

    async def _transfer(self, turns: HostTurns, turn: Turn) -> Response:
        request, slot = turn.request, turns.slot
        slot.transferring.add(request)
        watch_departure.set(partial(turns.departs, turn))
        try:
            response: Response = await self.handlers.download_request_async(request)
        except tuple(_HOST_FAILURES) as error:
            cause = next(words for kind, words in _HOST_FAILURES.items() if isinstance(error, kind))
            self._say(turns.host.pace.failed(turn.server, cause))
            raise
        else:
            self.signals.send_catch_log(
                signals.response_downloaded,
                response=response,
                request=request,
                spider=self.crawler.spider,
            )
            self._answered(turns, turn, response)
            return response
        finally:
            slot.transferring.remove(request)
            turns.end(turn)
            self._tell(signals.request_left_downloader, request)

    def _answered(self, turns: HostTurns, turn: Turn, response: Response) -> None:
        now, pace = time.monotonic(), turns.host.pace
        before = max(pace.paused_until, now)
        words = pace.answered(
            turn.server,
            response.status,
            _retry_after(response),
            now,
            random.random(),  # noqa: S311  no secret
        )
        if pace.paused_until > before:
            turns.host.ledger.asked_to_wait(now)
            turns.extend_waits(pace.paused_until - before)
        self._say(words)

    def _turns_at(self, key: str, slot: Slot, request: Request) -> HostTurns:
        if key not in self._turns:
            self._turns[key] = HostTurns(
                self.politeness.host(request.url),
                self.politeness,
                partial(is_stopping, self.crawler),
            )
        self._turns[key].slot = slot
        return self._turns[key]

    def _warn(self) -> None:
        for words in self.politeness.budget.warnings(time.monotonic()):
            self._say(words)

    def _say(self, words: str) -> None:
        if words:
            logger.warning("%s", words)

    def _tell(self, signal: object, request: Request) -> None:
        self.signals.send_catch_log(signal, request=request, spider=self.crawler.spider)


def politeness_of(crawler: Crawler) -> ScanPoliteness:
    """Of a crawler that runs: to tell it what a robots.txt asks for, or to ask it."""
    downloader = crawler.engine.downloader
    assert isinstance(downloader, PoliteDownloader), "DOWNLOADER has to be the project's own"
    return downloader.politeness


def _retry_after(response: Response) -> float | None:
    value = response.headers.get("Retry-After")
    if value is None:
        return None
    date = response.headers.get("Date")
    answered_at = parse_http_date(date.decode("latin-1")) if date else None
    return parse_retry_after(value.decode("latin-1"), answered_at or datetime.now(UTC))
