"""Explores a page that is loaded in a browser: what it shows, and where its elements lead."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from playwright.async_api import Error as BrowserError

from sitecrawl.render.actions import ClickQueue, RefusedClick, hard_words
from sitecrawl.render.page_script import (
    Answer,
    AnswerError,
    Candidate,
    PageScript,
    RenderedFragment,
)
from sitecrawl.render.router_tables import Route, RouteKind, reachable, table_routes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Page

    from sitecrawl.render.network import PageNetwork

_MAX_FRAGMENTS = 200
_MAX_ROUTES = 5_000
_MAX_BAD_ANSWERS = 3
# Frames that come late, and what they bring up.
_WAITS_PER_REST = 4
# A click may lead through several menus, each of which is waited for.
_WAITS_PER_CLICK = 6
# Of the time; the rest is for clicks.
_SCROLLING_SHARE = 1 / 3
# Scripts that load scripts that load scripts.
_MAX_LOADS = 5


@dataclass(frozen=True, slots=True)
class ExplorationLimits:
    """How much is done on one page; time in which it waits for answers is not counted."""

    max_clicks: int = 50
    max_alike: int = 10
    """Clicks on similar elements that lead to rows of one list, or nowhere."""
    max_scrolls: int = 10
    max_reloads: int = 2
    seconds: float = 15.0
    settle_seconds: float = 1.0
    """How long a page may take to come to rest after it was loaded, scrolled or clicked."""
    patience_seconds: float = 5.0
    """A page that does not answer for so long, beyond the time it may wait, counts as hung."""
    max_elements: int = 20_000
    max_html_characters: int = 5_000_000


class Ending(StrEnum):
    """Why an exploration ended."""

    FINISHED = "finished"
    MAX_CLICKS = "max-clicks"
    OUT_OF_TIME = "out-of-time"
    HUNG = "hung"
    """A script of the page never ends."""
    GONE = "gone"
    """The page was closed, has crashed, or gives invalid answers."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """What was found on a page."""

    routes: tuple[Route, ...]
    fragments: tuple[RenderedFragment, ...]
    ending: Ending
    trouble: str
    """What went wrong, for a person; empty if nothing did."""
    clicks: int
    refused: tuple[RefusedClick, ...]
    blocked_requests: int
    """Stopped in the page; what the browser's routing stopped is not among them."""
    truncated: tuple[str, ...]
    """The limits that something was left out for, by their names."""

    @property
    def is_page_usable(self) -> bool:
        """Whether the page still answers."""
        return self.ending not in {Ending.HUNG, Ending.GONE}


async def explore(
    page: Page,
    limits: ExplorationLimits,
    network: PageNetwork,
    *,
    reload: Callable[[], Awaitable[None]] | None = None,
) -> Exploration:
    """Explore a page that was loaded in a context with ``INIT_SCRIPT``; no page makes this raise.

    *reload* reloads the page, for applications whose elements do not come back after a click.
    """
    return await _Explorer(page, limits, network, reload).explore()


class _Explorer:
    def __init__(
        self,
        page: Page,
        limits: ExplorationLimits,
        network: PageNetwork,
        reload: Callable[[], Awaitable[None]] | None,
    ) -> None:
        self._page = page
        self._limits = limits
        self._reload = reload
        self._queue = ClickQueue(limits.max_alike)
        self._network = network
        self._routes: dict[tuple[str, RouteKind], Route] = {}
        self._fragments: list[RenderedFragment] = []
        self._clicked: dict[int, Candidate] = {}
        self._clicks = 0
        self._bad_answers = 0
        self._blocked = 0
        self._trouble = ""
        self._truncated: dict[str, None] = {}
        self._start_url = page.url
        self._started = time.monotonic() - network.waited_seconds

    async def explore(self) -> Exploration:
        try:
            self._script = await PageScript.of(
                self._page, self._limits.patience_seconds, lambda: self._network.is_busy
            )
            ending = await self._explore()
            self._note(await self._call("end", waits=1))
            await self._script.close()
        except TimeoutError:
            ending = Ending.HUNG
            self._trouble = "a script of the page does not end"
        except (BrowserError, AnswerError) as error:
            ending = Ending.GONE
            self._trouble = str(error)
        if self._queue.left_out:
            self._truncated["max_alike"] = None
        return Exploration(
            routes=tuple(self._routes.values()),
            fragments=tuple(self._fragments),
            ending=ending,
            trouble=self._trouble,
            clicks=self._clicks,
            refused=tuple(self._queue.refused),
            blocked_requests=self._blocked,
            truncated=tuple(self._truncated),
        )

    async def _explore(self) -> Ending:
        await self._begin()
        read = await self._call("read")
        self._note(read)
        self._fragments += read.fragments(self._limits.max_html_characters)
        for table in (await self._call("routers")).parts("tables"):
            for route in table_routes(table.text("root"), table.texts("paths"), self._start_url):
                self._keep(route)
        ending = await self._click_through()
        for _ in range(self._limits.max_reloads):
            if self._reload is None or not self._queue.has_lost or ending is not Ending.FINISHED:
                break
            if self._is_out_of_time():
                return Ending.OUT_OF_TIME
            self._note(await self._call("end", waits=1))
            await self._reload()
            self._clicked.clear()
            self._queue.retry()
            await self._begin()
            ending = await self._click_through()
        return ending

    async def _begin(self) -> None:
        words, parts = hard_words()
        options = {
            "settleMs": round(self._limits.settle_seconds * 1000),
            "scrolls": self._limits.max_scrolls,
            "scrollMs": round(self._limits.seconds * _SCROLLING_SHARE * 1000),
            "elements": self._limits.max_elements,
            "fragments": _MAX_FRAGMENTS,
            "htmlCharacters": self._limits.max_html_characters,
            "hardWords": words,
            "hardParts": parts,
        }
        begun = await self._call("begin", json.dumps(options), waits=_WAITS_PER_REST)
        self._start_url = begun.text("url")
        self._note(begun)
        for _ in range(_MAX_LOADS):
            if not await self._network.settled():
                break
            self._network.mark()
            self._note(await self._call("rest", waits=_WAITS_PER_REST))
        await self._scroll()

    async def _scroll(self) -> None:
        left = self._limits.max_scrolls
        while True:
            self._network.mark()
            scrolled = await self._call("scroll", left, waits=_WAITS_PER_REST * left)
            left -= scrolled.number("count")
            # The page itself does not wait long for the rest of a list.
            if not scrolled.number("count") or not await self._network.settled():
                break
            self._note(await self._call("rest", waits=_WAITS_PER_REST))
        if scrolled.flag("isCut"):
            self._truncated["max_scrolls"] = None

    async def _click_through(self) -> Ending:
        scanned = await self._call("scan")
        if scanned.flag("isCut"):
            self._truncated["max_elements"] = None
        self._queue.add(scanned.candidates())
        while candidate := self._queue.take():
            if self._clicks >= self._limits.max_clicks:
                self._truncated["max_clicks"] = None
                return Ending.MAX_CLICKS
            if self._is_out_of_time():
                return Ending.OUT_OF_TIME
            try:
                await self._click(candidate)
            except AnswerError as error:
                self._queue.lose(candidate)
                self._trouble = str(error)
                self._bad_answers += 1
                if self._bad_answers > _MAX_BAD_ANSWERS:
                    raise
        return Ending.FINISHED

    def _is_out_of_time(self) -> bool:
        seconds = time.monotonic() - self._started - self._network.waited_seconds
        is_over = seconds > self._limits.seconds
        if is_over:
            self._truncated["seconds"] = None
        return is_over

    async def _click(self, candidate: Candidate) -> None:
        self._clicked[candidate.number] = candidate
        self._network.mark()
        answer = await self._call("click", candidate.number, waits=_WAITS_PER_CLICK)
        for _ in range(_MAX_LOADS):
            # A list that has begun anew may still wait for its rows.
            if not answer.flag("isLost") or not await self._network.settled():
                break
            self._network.mark()
            answer = await self._call("click", candidate.number, waits=_WAITS_PER_CLICK)
        if answer.flag("isLost"):
            self._queue.lose(candidate)
            return
        self._clicks += 1
        found = self._take(candidate, answer)
        # The page itself cannot see imported scripts, and does not wait long for data.
        if not found and await self._network.settled():
            found = self._take(candidate, await self._call("outcome", candidate.number, waits=3))
        self._queue.conclude(candidate, found)

    def _take(self, candidate: Candidate, answer: Answer) -> list[str]:
        self._queue.add(answer.candidates(), revealer=candidate)
        room = self._limits.max_html_characters - sum(len(each.html) for each in self._fragments)
        self._fragments += answer.fragments(max(room, 0), candidate.label)
        del self._fragments[_MAX_FRAGMENTS:]
        return self._note(answer)

    def _note(self, answer: Answer) -> list[str]:
        """Keep the routes that the page has noted."""
        self._blocked = max(self._blocked, answer.number("blocked"))
        if answer.flag("isCut"):
            self._truncated["max_html_characters"] = None
        found = []
        for address, click in answer.noted():
            if url := reachable(address, self._start_url):
                found.append(url)
                source = self._clicked.get(click - 1)
                if source is None:
                    self._keep(Route(url, RouteKind.SCRIPT))
                else:
                    self._keep(Route(url, RouteKind.CLICK, source.label, source.path))
        return found

    def _keep(self, route: Route) -> None:
        if len(self._routes) < _MAX_ROUTES:
            self._routes.setdefault((route.url, route.kind), route)

    async def _call(self, name: str, *args: str | int, waits: int = 0) -> Answer:
        """Call the script; *waits* is how often it may wait for the page to come to rest."""
        seconds = waits * self._limits.settle_seconds
        return await self._script.call(name, *args, seconds=seconds)
