"""Every request of a rendered page comes by here: it may load what it needs, and sends nothing."""

from __future__ import annotations

import asyncio
import contextlib
from http import HTTPStatus
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from sitecrawl.render.siteanswers import SiteAnswer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Request, Response, Route, WebSocketRoute

    from sitecrawl.render.siteanswers import ResourceShelf

# They show nothing that links are read from; an event stream would never end.
_NOT_LOADED = frozenset({"image", "media", "font", "texttrack", "eventsource", "manifest"})
_KEPT = frozenset({"script", "stylesheet"})
_HARMLESS_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_MAX_STOPPED = 200


class RequestGate:
    """Answers or stops the requests of one tab.

    * The document itself is answered with what has been fetched: the site is not asked again, so
      whatever held for that fetch (robots.txt, scope, budget, redirects, size) holds here.
    * The document of a frame is fetched by the scan, like any page, if the scan may.
    * The page cannot leave: a navigation is noted and answered with nothing, which keeps it.
    * Only GET, HEAD and OPTIONS reach the site, whatever the page does or is made to do.
    """

    def __init__(
        self,
        shelf: ResourceShelf,
        fetch_document: Callable[[str], Awaitable[SiteAnswer | None]],
    ) -> None:
        self._shelf = shelf
        self._fetch_document = fetch_document
        self._document: SiteAnswer | None = None
        self.requests = 0
        self.stopped_changes = 0
        self.stopped_navigations: list[str] = []

    def begin(self) -> None:
        """Count anew, for the next page of this tab."""
        self.requests = self.stopped_changes = 0
        self.stopped_navigations = []

    def show(self, document: SiteAnswer) -> None:
        """Answer the next navigation of the page with *document*."""
        self._document = document

    async def handle(self, route: Route) -> None:
        """Playwright's handler of requests."""
        # Whoever waits for the answer may be gone by now: the page was closed, or its frame was.
        with contextlib.suppress(PlaywrightError, asyncio.CancelledError):
            await self._judge(route, route.request)

    async def refuse_socket(self, socket: WebSocketRoute) -> None:
        """Nothing can be said of what is sent over it."""
        with contextlib.suppress(PlaywrightError):
            await socket.close()

    async def keep(self, response: Response) -> None:
        """Playwright's handler of answers: scripts and style sheets serve the next pages, too."""
        request = response.request
        if request.resource_type not in _KEPT or response.status != HTTPStatus.OK:
            return
        if request.method != "GET" or self._shelf.get(request.url) or request.redirected_from:
            return
        with contextlib.suppress(PlaywrightError):
            headers = [(each["name"], each["value"]) for each in await response.headers_array()]
            self._shelf.put(
                SiteAnswer(request.url, response.status, headers, await response.body())
            )

    async def _judge(self, route: Route, request: Request) -> None:
        if request.is_navigation_request():
            await self._navigate(route, request)
        elif request.method not in _HARMLESS_METHODS:
            self.stopped_changes += 1
            await route.abort("aborted")
        elif request.resource_type in _NOT_LOADED:
            await route.abort("blockedbyclient")
        elif kept := self._shelf.get(request.url):
            await _answer(route, kept)
        else:
            self.requests += 1
            await route.continue_()

    async def _navigate(self, route: Route, request: Request) -> None:
        if request.frame.parent_frame is not None:
            await self._load_frame(route, request)
        elif self._document is not None and request.method == "GET":
            document, self._document = self._document, None
            await _answer(route, document)
        else:
            if request.method not in _HARMLESS_METHODS:
                self.stopped_changes += 1
            elif len(self.stopped_navigations) < _MAX_STOPPED:
                self.stopped_navigations.append(request.url)
            # An abort would put an error page in the document's place.
            await route.fulfill(status=HTTPStatus.NO_CONTENT)

    async def _load_frame(self, route: Route, request: Request) -> None:
        if request.method not in _HARMLESS_METHODS:
            self.stopped_changes += 1
            await route.abort("aborted")
            return
        answer = await self._fetch_document(request.url)
        if answer is None:
            await route.abort("blockedbyclient")
        else:
            await _answer(route, answer)


async def _answer(route: Route, answer: SiteAnswer) -> None:
    await route.fulfill(status=answer.status, headers=answer.shown_headers(), body=answer.body)
