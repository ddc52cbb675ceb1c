"""Scrapy's downloader, in which every request keeps the pace and the budget of the scan."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.core.downloader import Downloader
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost
from twisted.python.failure import Failure

from sitecrawl.config import Config, ConfigError
from sitecrawl.items import DocumentKind
from sitecrawl.politeness.pace import parse_http_date, parse_retry_after
from sitecrawl.scan import scan_of
from sitecrawl.scan.errors import (
    AddressNotAllowedError,
    NotSentError,
    PostponedError,
    ScanStoppedError,
)
from sitecrawl.signals import request_sending
from sitecrawl.urls.address import origin_of, site_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request
    from scrapy.core.downloader.handlers import DownloadHandlers
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from sitecrawl.politeness.scan import Host

logger = logging.getLogger(__name__)

# How often requests that wait, and a scan that may be stopping, are checked.
_CHECK_SECONDS = 0.25
# At most so many requests of each host that wait for a pause of that host do not count as active.
# More would wait for each other afterwards, longer than SITECRAWL_SLOT_WAIT_SECONDS allows.
_MAX_SET_ASIDE = 16
_GUARDED_SCHEMES = {"http", "https"}
_STOPPED = "the scan was stopped"


# Failures of the host. Errors of ours do not count against it.
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
# When one of these is raised, by any handler, nothing was sent.
_NEVER_CONNECTED = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    AddressNotAllowedError,
    ConnectError,
)


@dataclass(slots=True, eq=False)
class _Gate:
    """The requests that wait for one host, and those under way to it."""

    host: Host
    waiting: deque[Request] = field(default_factory=deque)
    in_flight: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_paused(self) -> bool:
        return self.host.pace.paused_until > time.monotonic()

    def notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self, timeout_seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self._changed.wait()


@dataclass(slots=True, eq=False)
class _Transfer:
    """One request that was handed to its download handler."""

    gate: _Gate
    is_sent: bool = False
    is_noted: bool = False  # in pace and ledger


class PoliteDownloader(Downloader):
    """Scrapy's downloader; every request passes the politeness of the scan before its handler.

    * ``DOWNLOAD_DELAY``, ``DOWNLOAD_DELAY_JITTER``, ``DOWNLOAD_SLOTS``, ``CONCURRENT_REQUESTS*``
      and AutoThrottle are Scrapy's own. A site has one slot: http and https, with and without
      ``www.``.
    * Before a request is handed to its handler it waits for what Scrapy does not know: the pause
      that robots.txt asks for, Retry-After and back-off, and a free place when there is no delay
      (Scrapy 2.19 then hands out every waiting request at once).
    * A request is refused that is over the budget, goes to a host that is left alone, or has
      waited too long.
    * Every request that is sent is counted in the ledger.
    * When the spider is being closed, running downloads are cancelled. Scrapy would wait for them,
      up to the time-out of a request.

    All this holds with any download handler. A handler that declares ``reports_sending`` says
    exactly when a request is written; otherwise it counts from the moment the handler gets it.

    Settings: ``SITECRAWL_MAX_CRAWL_DELAY_SECONDS``, ``SITECRAWL_MAX_RETRY_AFTER_SECONDS``,
    ``SITECRAWL_BUSY_BACKOFF_SECONDS``, ``SITECRAWL_MAX_ERRORS_IN_A_ROW``,
    ``SITECRAWL_SLOT_WAIT_SECONDS``, ``SITECRAWL_MAX_PAGES``, ``SITECRAWL_MAX_SCAN_MINUTES``.
    Meta: ``sitecrawl_document`` (only pages count against the budget), ``sitecrawl_deadline``
    (of the monotonic clock).
    """

    def __init__(self, crawler: Crawler):
        check_download_components(crawler.settings)
        for scheme, handler in unguarded_handlers(crawler.settings).items():
            logger.warning("%s: addresses are not guarded (%s)", scheme, handler)
        super().__init__(crawler)
        self.politeness = scan_of(crawler).politeness
        self._reporting_schemes = {
            scheme
            for scheme, handler in _handlers(crawler.settings).items()
            if getattr(handler, "reports_sending", False)
        }
        self._send = self.handlers.download_request_async
        self.handlers: DownloadHandlers = _PoliteHandlers(self._download_politely)  # type: ignore[assignment]
        self._gates: dict[str, _Gate] = {}
        self._transfers: dict[Request, _Transfer] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._cancelled: set[asyncio.Task[object]] = set()
        self._expires: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._timer: asyncio.TimerHandle | None = None
        self.signals.connect(self.request_reached, signals.request_reached_downloader)
        self.signals.connect(self.request_sending, request_sending)
        self.signals.connect(self.bytes_received, signals.bytes_received)

    def get_slot_key(self, request: Request) -> str:
        key: str | None = request.meta.get(self.DOWNLOAD_SLOT)
        return key or site_of(request.url)

    def needs_backout(self) -> bool:
        aside = 0
        for key, gate in self._gates.items():
            if gate.is_paused:
                queued = len(self.slots[key].queue) if key in self.slots else 0
                aside += min(len(gate.waiting) + queued, _MAX_SET_ASIDE)
        return 0 < self.total_concurrency <= len(self.active) - aside

    def close(self) -> None:
        super().close()
        if self._timer is not None:
            self._timer.cancel()

    def request_reached(self, request: Request) -> None:
        # A pause that the host asked for does not count as waiting.
        start = max(time.monotonic(), self.politeness.host(request.url).pace.paused_until)
        self._expires[request] = start + self.politeness.slot_wait_seconds
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_CHECK_SECONDS, self._check_all)

    def request_sending(self, request: Request) -> None:
        """The request is about to be written; PostponedError when it must not be."""
        transfer = self._transfers.get(request)
        if transfer is None or transfer.is_sent:
            return
        now, pace = time.monotonic(), transfer.gate.host.pace
        is_given_up = origin_of(request.url) in pace.left_alone or now >= pace.held_until
        if pace.paused_until > now or is_given_up or self.politeness.budget.is_over(now):
            raise PostponedError
        transfer.is_sent = True
        # The handler writes the request before it gives control back to the event loop.
        asyncio.get_running_loop().call_soon(self._note_sent, transfer)

    def bytes_received(self, data: bytes, request: Request) -> None:
        self.politeness.host(request.url).ledger.received(len(data))

    # --- one request -------------------------------------------------------------------------

    async def _download_politely(self, request: Request, *, goes_first: bool = False) -> Response:
        gate = self._gate(request)
        while True:
            await self._wait(request, gate, goes_first=goes_first)
            for words in self.politeness.budget.warnings(time.monotonic()):
                _log(words)
            try:
                response = await self._transfer(request, gate)
            except PostponedError:
                continue
            except tuple(_HOST_FAILURES) as error:
                words = next(
                    words for kind, words in _HOST_FAILURES.items() if isinstance(error, kind)
                )
                gate.host.ledger.answer_failed()
                _log(gate.host.pace.failed(request.url, words))
                await self._check_host(request, gate)
                raise
            self._note_answer(request, gate, response)
            await self._check_host(request, gate)
            return response

    async def _wait(self, request: Request, gate: _Gate, *, goes_first: bool) -> None:
        """Return when the request may be sent; NotSentError or ScanStoppedError if it may not."""
        gate.waiting.insert(0 if goes_first else len(gate.waiting), request)
        try:
            while True:
                now = time.monotonic()
                if error := self._refusal(request, now):
                    raise error
                seconds = self._seconds_to_wait(request, gate, now)
                if seconds <= 0:
                    return
                await gate.change(min(seconds, _CHECK_SECONDS))
        finally:
            gate.waiting.remove(request)
            gate.notify()

    def _seconds_to_wait(self, request: Request, gate: _Gate, now: float) -> float:
        slot = self.slots.get(self.get_slot_key(request))
        concurrency = slot.concurrency if slot else self.domain_concurrency
        if gate.waiting[0] is not request or gate.in_flight >= concurrency > 0:
            return math.inf
        # Scrapy has drawn a gap, counted from when it handed out the last request. The shortest one
        # is kept on the wire as well, where a new connection takes longer than a kept one.
        shortest = max(slot.delay * (1 - slot.jitter), 0.0) if slot else 0.0
        return gate.host.pace.wait_seconds(now, shortest)

    async def _transfer(self, request: Request, gate: _Gate) -> Response:
        budget, counts_as_page = self.politeness.budget, is_page(request)
        gate.in_flight += 1
        gate.host.pace.begin()
        if counts_as_page and not await budget.claim_page():
            gate.in_flight -= 1
            gate.host.pace.withdrawn()
            raise PostponedError  # then it is refused: the budget is known to be used up
        transfer = self._transfers[request] = _Transfer(gate)
        reports = request.url.partition(":")[0] in self._reporting_schemes
        if not reports:
            transfer.is_sent = True
            self._note_sent(transfer)
        try:
            return await self._send_until_stopped(request)
        except PostponedError as error:
            transfer.is_sent &= not error.is_unsent
            raise
        except _NEVER_CONNECTED:
            if transfer.is_sent and not reports:
                transfer.is_sent = False
                gate.host.ledger.take_back()
                if counts_as_page:
                    budget.return_page()
            raise
        finally:
            del self._transfers[request]
            gate.in_flight -= 1
            if transfer.is_sent:
                self._note_sent(transfer)
                gate.host.ledger.ended()
            elif reports:
                gate.host.pace.withdrawn()
                if counts_as_page:
                    budget.return_page()
            gate.notify()

    async def _send_until_stopped(self, request: Request) -> Response:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            return await self._send(request)
        except asyncio.CancelledError:
            if task not in self._cancelled:
                raise
            task.uncancel()
            raise ScanStoppedError(_STOPPED) from None
        finally:
            self._tasks.discard(task)
            self._cancelled.discard(task)

    def _note_sent(self, transfer: _Transfer) -> None:
        if transfer.is_noted or not transfer.is_sent:
            return
        transfer.is_noted = True
        now = time.monotonic()
        transfer.gate.host.pace.sent(now)
        transfer.gate.host.ledger.sent(now)
        transfer.gate.notify()

    def _note_answer(self, request: Request, gate: _Gate, response: Response) -> None:
        now, pace = time.monotonic(), gate.host.pace
        gate.host.ledger.answered(response.status)
        before = max(pace.paused_until, now)
        words = pace.answered(
            request.url,
            response.status,
            _retry_after(response),
            now,
            random.random(),  # noqa: S311  no secret
        )
        if pace.paused_until > before:
            gate.host.ledger.asked_to_wait(now)
            slot = self.slots.get(gate.host.key)
            queued = [each for each, _ in slot.queue] if slot else []
            for waiting in (*gate.waiting, *queued):
                self._expires[waiting] += pace.paused_until - before
        _log(words)

    async def _check_host(self, request: Request, gate: _Gate) -> None:
        """Request the last URL that the host answered once more, before the host is left alone."""
        if url := gate.host.pace.url_to_check(origin_of(request.url)):
            check = request.replace(url=url)
            check.meta.pop("sitecrawl_lenient", None)
            self._expires[check] = math.inf
            with suppress(Exception):  # the pace has recorded the answer
                await self._download_politely(check, goes_first=True)

    # --- all requests --------------------------------------------------------------------------

    def _check_all(self) -> None:
        """Fail requests that wait in vain; cancel running downloads when the spider is closed."""
        self._timer = None
        now = time.monotonic()
        for slot in self.slots.values():
            for entry in list(slot.queue):
                request, waiting = entry
                if error := self._refusal(request, now):
                    slot.queue.remove(entry)
                    waiting.errback(Failure(error))  # type: ignore[no-untyped-call]
        if is_stopping(self.crawler):
            for task in self._tasks - self._cancelled:
                self._cancelled.add(task)
                task.cancel()
        if self.active:
            self._timer = asyncio.get_running_loop().call_later(_CHECK_SECONDS, self._check_all)

    def _refusal(self, request: Request, now: float) -> Exception | None:
        if is_stopping(self.crawler):
            return ScanStoppedError(_STOPPED)
        deadline = float(request.meta.get("sitecrawl_deadline", math.inf))
        not_sent = self.politeness.refusal(
            request.url, is_page=is_page(request), now=now, deadline=deadline
        ) or self.politeness.end_of_wait(
            now, expires=self._expires.get(request, math.inf), deadline=deadline
        )
        return NotSentError(not_sent) if not_sent else None

    def _gate(self, request: Request) -> _Gate:
        host = self.politeness.host(request.url)
        if host.key not in self._gates:
            self._gates[host.key] = _Gate(host)
        return self._gates[host.key]


class _PoliteHandlers:
    """Stands between the downloader and its handlers."""

    def __init__(self, download: Callable[[Request], Awaitable[Response]]):
        self.download_request_async = download


def is_page(request: Request) -> bool:
    """Whether the request counts as a page of the scan's budget, as any of an ordinary spider."""
    kind = request.meta.get("sitecrawl_document", {}).get("kind", DocumentKind.PAGE)
    return kind is DocumentKind.PAGE


def is_stopping(crawler: Crawler) -> bool:
    """Whether the spider is being closed, for whatever reason."""
    # Scrapy has no public name for a spider that is being closed and waits for its requests.
    slot = crawler.engine._slot  # noqa: SLF001
    return slot is None or slot.closing is not None


async def sleep_unless_stopping(crawler: Crawler, seconds: float) -> None:
    """Sleep, and return early when the spider is being closed."""
    end = time.monotonic() + seconds
    while not is_stopping(crawler):
        left = end - time.monotonic()
        if left <= 0:
            return
        await asyncio.sleep(min(left, _CHECK_SECONDS))


def check_download_components(settings: BaseSettings) -> None:
    """Raise ConfigError if the downloader or a handler cannot be trusted with a scan."""
    downloader = load_object(settings["DOWNLOADER"])
    if not issubclass(downloader, PoliteDownloader):
        raise ConfigError(
            f"DOWNLOADER={settings['DOWNLOADER']}: expected a subclass of"
            " sitecrawl.downloader.PoliteDownloader, which keeps the pace and the budget of a scan"
        )
    unguarded = unguarded_handlers(settings)
    if unguarded and not Config.from_settings(settings).allow_unguarded_handlers:
        scheme, path = next(iter(unguarded.items()))
        raise ConfigError(
            f"DOWNLOAD_HANDLERS[{scheme!r}]={path}: it does not check which addresses it connects"
            " to (its class has no guards_addresses = True);"
            " not allowed without SITECRAWL_ALLOW_UNGUARDED_HANDLERS=true"
        )


def unguarded_handlers(settings: BaseSettings) -> dict[str, str]:
    """Scheme -> handler, of those that connect without the address guard."""
    return {
        scheme: global_object_name(handler)
        for scheme, handler in _handlers(settings).items()
        if scheme in _GUARDED_SCHEMES and not getattr(handler, "guards_addresses", False)
    }


def _handlers(settings: BaseSettings) -> dict[str, type]:
    handlers = settings.getwithbase("DOWNLOAD_HANDLERS")
    return {str(scheme): load_object(path) for scheme, path in handlers.items() if path}


def _retry_after(response: Response) -> float | None:
    value = response.headers.get("Retry-After")
    if value is None:
        return None
    date = response.headers.get("Date")
    answered_at = parse_http_date(date.decode("latin-1")) if date else None
    return parse_retry_after(value.decode("latin-1"), answered_at or datetime.now(UTC))


def _log(words: str) -> None:
    if words:
        logger.warning("%s", words)
