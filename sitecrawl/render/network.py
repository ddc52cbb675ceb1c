"""The requests of a rendered page: answered with what Scrapy has fetched, or stopped."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import Counter
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from playwright.async_api import Error as PlaywrightError

from sitecrawl.render.requests import PageRequest, RequestKind

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from playwright.async_api import Page, Request, Route, WebSocketRoute
    from scrapy.http import Response

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_REDIRECTS = range(HTTPStatus.MULTIPLE_CHOICES, HTTPStatus.BAD_REQUEST)
_MAX_STOPPED_NAVIGATIONS = 200
# A page that polls asks for the same path again and again; it is not waited for each time.
_MAX_AWAITED_PER_PATH = 20
# As browsers do for one host. The others wait here, where they can be dropped with the page.
_MAX_AT_ONCE = 6

_MAX_RESOURCE_BYTES = 8_000_000
_MAX_CACHE_BYTES = 64_000_000

# They were true of the transfer, which is over: the body is complete and decoded.
# A page that is to be shown must not become a download.
_NOT_SHOWN_HEADERS = frozenset(
    {
        *("alt-svc", "connection", "content-encoding", "content-length"),
        *("keep-alive", "transfer-encoding", "content-disposition"),
    }
)
# Scrapy sets these, or they would describe a browser that does not send the request.
_NOT_SENT_HEADERS = frozenset(
    {
        *("host", "connection", "content-length", "user-agent", "accept-encoding"),
        *("accept-language", "upgrade-insecure-requests", "range", "te", "dnt"),
    }
)
_NOT_SENT_PREFIXES = ("sec-", "proxy-", "if-")


# Images, fonts, media and manifests show nothing that links are read from; event streams never
# end; the rest (pings, reports, prefetching) is not needed by the page.
_KINDS = {
    "script": RequestKind.RESOURCE,
    "stylesheet": RequestKind.RESOURCE,
    "xhr": RequestKind.DATA,
    "fetch": RequestKind.DATA,
}


class Fetch(Protocol):
    """Sends a request by the rules of the scan; None: it was refused or failed."""

    async def __call__(self, wanted: PageRequest, /) -> Response | None: ...


class ResourceCache:
    """Scripts and style sheets, fetched once per scan.

    Chromium caches nothing while its requests are intercepted. Pages that ask for the same
    resource at the same time share one request. When the cache is full, the oldest entries go.
    """

    def __init__(self) -> None:
        self._responses: dict[str, Response] = {}
        self._bytes = 0
        self._under_way: dict[str, asyncio.Task[Response | None]] = {}

    async def get(
        self, url: str, fetch: Callable[[], Awaitable[Response | None]]
    ) -> Response | None:
        if (kept := self._responses.get(url)) is not None:
            return kept
        task = self._under_way.get(url)
        if task is None:
            task = asyncio.ensure_future(self._fetched(url, fetch))
            self._under_way[url] = task
            task.add_done_callback(lambda _: self._under_way.pop(url, None))
        # A page that is closed must not take the answer from the others that wait for it.
        return await asyncio.shield(task)

    async def _fetched(
        self, url: str, fetch: Callable[[], Awaitable[Response | None]]
    ) -> Response | None:
        response = await fetch()
        if response is not None:
            self._keep(url, response)
        return response

    def _keep(self, url: str, response: Response) -> None:
        size = len(response.body)
        cache_control = (response.headers.get("Cache-Control") or b"").lower()
        if size > _MAX_RESOURCE_BYTES or b"no-store" in cache_control:
            return
        while self._responses and self._bytes + size > _MAX_CACHE_BYTES:
            oldest = next(iter(self._responses))
            self._bytes -= len(self._responses.pop(oldest).body)
        self._responses[url] = response
        self._bytes += size


@dataclass(frozen=True, slots=True)
class NetworkLimits:
    """Limits for the requests of one page."""

    max_requests: int = 200
    """0 means no limit."""
    wait_seconds: float = 120.0
    """From the start of a rendering on; what has not been sent by then is not sent."""


class PageNetwork:
    """Answers or stops every request of one page.

    * The document itself is answered with the response that has been fetched.
    * Frames, scripts, style sheets and data are fetched by Scrapy, by the rules of the scan.
    * The page cannot leave: a navigation is noted and answered with 204, which keeps the document.
    * Only GET, HEAD and OPTIONS are sent, whatever the page does or is made to do.
    """

    def __init__(
        self,
        document: Response,
        fetch: Fetch,
        cache: ResourceCache,
        limits: NetworkLimits,
    ) -> None:
        self.answered_requests = 0
        self.stopped_changes = 0
        self.has_stopped_navigation = False
        self.stopped_navigations: list[str] = []
        self.limits_hit: set[str] = set()
        self._document = document
        self._is_document_due = False
        self._fetch = fetch
        self._cache = cache
        self._requests = 0
        self._max_requests = limits.max_requests
        self._sending = asyncio.Semaphore(_MAX_AT_ONCE)
        self._wait_seconds = limits.wait_seconds
        self._deadline = math.inf
        self._busy = _BusyTime()
        self._paths: Counter[tuple[str, str]] = Counter()
        self._has_loaded_resources = False
        self._pending_resources = 0
        self._late_resources = 0

    async def install(self, page: Page) -> None:
        """Take over the requests of a new page; those of windows that it opens are stopped."""
        self._deadline = time.monotonic() + self._wait_seconds
        context = page.context
        await context.route("**/*", _abort)
        await context.route_web_socket("**/*", _close_socket)
        context.on("page", _close_window)
        await page.route("**/*", self._handle)
        await page.route_web_socket("**/*", _close_socket)

    def close(self) -> None:
        """The page is gone: what it has asked for and was not sent yet is not sent."""
        self._deadline = -math.inf

    def show_document(self) -> None:
        """Answer the next navigation of the page with the document."""
        self._is_document_due = True

    @property
    def is_busy(self) -> bool:
        """Whether the page waits for answers, and may go on doing so."""
        return self._busy.count > 0 and time.monotonic() < self._deadline

    @property
    def waited_seconds(self) -> float:
        """How long the page has waited for answers so far."""
        return self._busy.seconds

    @property
    def lacks_resources(self) -> bool:
        """Whether scripts or style sheets did not come in time."""
        is_over = time.monotonic() >= self._deadline
        return self._late_resources > 0 or (is_over and self._pending_resources > 0)

    def mark(self) -> None:
        """Begin a new period for :meth:`settled`."""
        self._has_loaded_resources = False

    async def settled(self) -> bool:
        """Wait for pending answers; whether scripts came since ``mark()``, or there was a wait."""
        has_waited = self.is_busy
        try:
            async with asyncio.timeout(self._deadline - time.monotonic()):
                await self._busy.idle.wait()
        except TimeoutError:
            self.limits_hit.add("wait_seconds")
        return has_waited or self._has_loaded_resources

    async def _handle(self, route: Route) -> None:
        # The page or the frame may be closed by the time the answer is there.
        with contextlib.suppress(PlaywrightError, asyncio.CancelledError):
            await self._answer(route, route.request)

    async def _answer(self, route: Route, request: Request) -> None:
        if request.method not in _SAFE_METHODS:
            self.stopped_changes += 1
            if request.is_navigation_request() and request.frame.parent_frame is None:
                await self._stay(route)
            else:
                await route.abort("aborted")
        elif not request.url.startswith(("https://", "http://")):
            await route.continue_()  # blob: and data: are in the page itself
        elif not request.is_navigation_request():
            await self._load(route, request, _KINDS.get(request.resource_type))
        elif request.frame.parent_frame is not None:
            await self._load(route, request, RequestKind.FRAME)
        elif self._is_document_due:
            self._is_document_due = False
            await _fulfill(route, self._document)
        else:
            if len(self.stopped_navigations) < _MAX_STOPPED_NAVIGATIONS:
                self.stopped_navigations.append(request.url)
            await self._stay(route)

    async def _stay(self, route: Route) -> None:
        self.has_stopped_navigation = True
        # An abort would replace the document by an error page.
        await route.fulfill(status=HTTPStatus.NO_CONTENT)

    async def _load(self, route: Route, request: Request, kind: RequestKind | None) -> None:
        if kind is None:
            await route.abort("blockedbyclient")
            return
        with self._busy if self._is_awaited(request, kind) else contextlib.nullcontext():
            is_resource = kind is RequestKind.RESOURCE
            self._pending_resources += is_resource
            try:
                response = await self._response(request, kind)
            finally:
                self._pending_resources -= is_resource
            if response is None or response.status in _REDIRECTS:
                await route.abort("blockedbyclient")
            else:
                await _fulfill(route, response)

    def _is_awaited(self, request: Request, kind: RequestKind) -> bool:
        if kind is RequestKind.RESOURCE:
            self._has_loaded_resources = True
        path = (request.method, request.url.partition("?")[0])
        self._paths[path] += 1
        return self._paths[path] <= _MAX_AWAITED_PER_PATH

    async def _response(self, request: Request, kind: RequestKind) -> Response | None:
        headers = await request.all_headers()
        wanted = PageRequest(
            page_url=self._document.url,
            url=request.url.partition("#")[0],
            kind=kind,
            method=request.method,
            headers=dict(_sent_headers(headers)),
            deadline=self._deadline,
        )
        if kind is RequestKind.RESOURCE and request.method == "GET":
            return await self._cache.get(wanted.url, lambda: self._fetched(wanted))
        return await self._fetched(wanted)

    async def _fetched(self, wanted: PageRequest) -> Response | None:
        if 0 < self._max_requests <= self._requests:
            self.limits_hit.add("max_requests")
            return None
        self._requests += 1
        response = None
        async with self._sending:
            if time.monotonic() < self._deadline:
                response = await self._fetch(wanted)
        if response is not None:
            self.answered_requests += 1
        elif time.monotonic() >= self._deadline:
            self.limits_hit.add("wait_seconds")
            self._late_resources += wanted.kind is RequestKind.RESOURCE
        return response


class _BusyTime:
    """Counts what is under way, and the time in which anything was."""

    def __init__(self) -> None:
        self.count = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self._seconds = 0.0
        self._since = 0.0

    @property
    def seconds(self) -> float:
        return self._seconds + (time.monotonic() - self._since if self.count else 0.0)

    def __enter__(self) -> None:
        if self.count == 0:
            self._since = time.monotonic()
            self.idle.clear()
        self.count += 1

    def __exit__(self, *exc_info: object) -> None:
        if self.count == 1:
            self._seconds = self.seconds
            self.idle.set()
        self.count -= 1


def _sent_headers(headers: dict[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in headers.items():
        key = name.lower()
        if key not in _NOT_SENT_HEADERS and not key.startswith((":", *_NOT_SENT_PREFIXES)):
            yield name, value


def shown_headers(response: Response) -> dict[str, str]:
    """The headers for the browser; several of one name become one, as browsers understand them."""
    shown = {}
    for name, values in response.headers.items():
        key = name.decode("latin-1").lower()
        if key not in _NOT_SHOWN_HEADERS:
            separator = b"\n" if key == "set-cookie" else b", "
            shown[key] = separator.join(values).decode("latin-1")
    return shown


async def _fulfill(route: Route, response: Response) -> None:
    await route.fulfill(status=response.status, headers=shown_headers(response), body=response.body)


async def _abort(route: Route) -> None:
    with contextlib.suppress(PlaywrightError):
        await route.abort("blockedbyclient")


async def _close_socket(socket: WebSocketRoute) -> None:
    with contextlib.suppress(PlaywrightError):
        await socket.close()


async def _close_window(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):
        await page.close()
