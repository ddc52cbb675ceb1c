"""Shows a fetched page to the browser, and says what is on it then."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from sitecrawl.render.explorer import explore
from sitecrawl.render.scriptloads import ScriptLoads
from sitecrawl.render.tabs import TabLostError

if TYPE_CHECKING:
    from sitecrawl.render.explorer import Exploration, ExplorationLimits
    from sitecrawl.render.siteanswers import SiteAnswer
    from sitecrawl.render.tabs import Tab, TabPool

# A tab or browser that was lost is replaced, and its page shown once more.
_ATTEMPTS = 2
# Exploring keeps its own time; this is for a page that keeps the browser from answering.
_GRACE_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Rendering:
    """How it went, whether it went well or not."""

    exploration: Exploration | None
    failure: str = ""
    seconds: float = 0.0
    requests: int = 0
    """That the page sent to the site, itself not included."""
    stopped_changes: int = 0
    """That would have sent something, and did not leave the browser."""
    stopped_navigations: tuple[str, ...] = ()
    """Where the page wanted to go without a click."""


class Renderer:
    """Renders pages in the tabs of a pool; never raises for what a page does."""

    def __init__(self, tabs: TabPool, limits: ExplorationLimits, load_seconds: float) -> None:
        self._tabs = tabs
        self._limits = limits
        self._load_seconds = load_seconds

    async def render(self, document: SiteAnswer, *, may_click: bool = True) -> Rendering:
        """Show *document*; its links are read when it has settled, and then it is explored."""
        limits = self._limits if may_click else replace(self._limits, max_clicks=0, max_scrolls=0)
        started = time.monotonic()
        failure = ""
        for _ in range(_ATTEMPTS):
            try:
                async with self._tabs.tab() as tab:
                    started = time.monotonic()
                    rendering = await self._show(tab, document, limits)
                    return replace(rendering, seconds=time.monotonic() - started)
            except TabLostError as error:
                failure = f"the browser lost the page ({error})"
            except TimeoutError:
                failure = "the page keeps the browser from answering"
                break
            except PlaywrightError as error:
                failure = error.message.partition("\n")[0]
                break
        return Rendering(None, failure, time.monotonic() - started)

    async def _show(self, tab: Tab, document: SiteAnswer, limits: ExplorationLimits) -> Rendering:
        gate = tab.gate
        gate.begin()

        async def load() -> None:
            gate.show(document)
            # What has come by then is shown.
            with contextlib.suppress(PlaywrightTimeoutError):
                await tab.page.goto(document.url, timeout=self._load_seconds * 1000)

        async with asyncio.timeout(self._load_seconds + limits.seconds + _GRACE_SECONDS):
            with ScriptLoads(tab.page) as loads:
                await load()
                loaded_to = tuple(gate.stopped_navigations)
                exploration = await explore(tab.page, limits, loads=loads, reload=load)
        if not exploration.is_page_usable:
            tab.give_up()
        is_read = bool(exploration.fragments)
        return Rendering(
            exploration if is_read else None,
            "" if is_read else f"the page could not be read ({exploration.ending})",
            requests=gate.requests,
            stopped_changes=gate.stopped_changes,
            stopped_navigations=loaded_to,
        )
