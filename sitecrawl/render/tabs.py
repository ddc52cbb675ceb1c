"""One browser for all pages of a scan, started when the first one needs it, with a few tabs."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from sitecrawl.render.gate import RequestGate
from sitecrawl.render.guardproxy import GuardProxy
from sitecrawl.render.page_script import INIT_SCRIPT
from sitecrawl.render.siteanswers import ResourceShelf

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext, CDPSession, Page, Playwright

    from sitecrawl.render.browser import Browser
    from sitecrawl.render.siteanswers import SiteAnswer
    from sitecrawl.safety.policy import AddressPolicy

logger = logging.getLogger(__name__)

_START_SECONDS = 30
# Resetting and closing take milliseconds, unless the page is in an endless loop.
_RESET_SECONDS = 5
# A tab that has shown so many pages makes room for a fresh one, with whatever it has gathered.
_PAGES_PER_TAB = 50
_WINDOW = {"width": 1366, "height": 900}


class TabLostError(Exception):
    """The tab or the whole browser has crashed or does not answer."""


@dataclass(frozen=True, slots=True)
class TabOptions:
    """How the browser shows pages."""

    user_agent: str
    tabs: int = 2
    tab_memory_mb: int = 512
    verify_certificates: bool = True


class Tab:
    """A page of the browser with its own cookies and storage, which are emptied in between."""

    def __init__(self, page: Page, session: CDPSession, gate: RequestGate) -> None:
        self.page = page
        self.gate = gate
        self._session = session
        self._uses = 0
        self._has_crashed = False
        page.on("crash", self._crashed)

    @property
    def is_lost(self) -> bool:
        return self._has_crashed or self.page.is_closed()

    @property
    def is_worn(self) -> bool:
        return self.is_lost or self._uses >= _PAGES_PER_TAB

    def give_up(self) -> None:
        """Let it be replaced, whatever it shows."""
        self._uses = _PAGES_PER_TAB

    async def reset(self) -> None:
        """Leave nothing of the page for the next one."""
        self._uses += 1
        async with asyncio.timeout(_RESET_SECONDS):
            await self.page.goto("about:blank")
            everything = {"origin": "*", "storageTypes": "all"}
            await self._session.send("Storage.clearDataForOrigin", everything)
            await self.page.context.clear_cookies()

    async def close(self) -> None:
        """Raise TimeoutError if the page does not let go."""
        async with asyncio.timeout(_RESET_SECONDS):
            await self.page.context.close()

    def _crashed(self, _page: Page) -> None:
        self._has_crashed = True


class TabPool:
    """Lends tabs; replaces those that are worn or broken, and the browser when it is gone."""

    def __init__(
        self,
        browser: Browser,
        options: TabOptions,
        policy: AddressPolicy,
        fetch_document: Callable[[str], Awaitable[SiteAnswer | None]],
    ) -> None:
        self._found = browser
        self._options = options
        self._fetch_document = fetch_document
        self._shelf = ResourceShelf()
        self._free: list[Tab] = []
        self._lent = asyncio.Semaphore(options.tabs)
        self._starting = asyncio.Lock()
        self._driver: Playwright | None = None
        self._browser: PlaywrightBrowser | None = None
        self.proxy = GuardProxy(policy)

    @contextlib.asynccontextmanager
    async def tab(self) -> AsyncIterator[Tab]:
        """A tab with an empty page; it is replaced if what is done with it fails."""
        async with self._lent:
            tab = self._free.pop() if self._free else await self._open()
            is_good = False
            try:
                yield tab
                is_good = True
            except PlaywrightError as error:
                if tab.is_lost or not self._is_running():
                    raise TabLostError(error.message.partition("\n")[0]) from error
                raise
            finally:
                await self._take_back(tab, is_good=is_good)

    async def close(self) -> None:
        browser, self._browser = self._browser, None
        driver, self._driver = self._driver, None
        for closing in (
            browser.close() if browser else None,
            driver.stop() if driver else None,
            self.proxy.close(),
        ):
            if closing is not None:
                with contextlib.suppress(PlaywrightError, TimeoutError):
                    await asyncio.wait_for(closing, _RESET_SECONDS)

    def _is_running(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    async def _take_back(self, tab: Tab, *, is_good: bool) -> None:
        try:
            if is_good and not tab.is_worn:
                await tab.reset()
                self._free.append(tab)
            else:
                await tab.close()
        except (PlaywrightError, TimeoutError):
            # It does not even let itself be closed. Its process would go on for ever.
            if self._is_running() and tab.page.context.browser is self._browser:
                logger.info("The browser is started anew: a page did not let go of it")
                await self._end_browser()

    async def _open(self) -> Tab:
        browser = await self._running_browser()
        gate = RequestGate(self._shelf, self._fetch_document)
        try:
            context = await browser.new_context(
                user_agent=self._options.user_agent,
                viewport=_WINDOW,  # type: ignore[arg-type]  # a TypedDict of Playwright's own
                ignore_https_errors=not self._options.verify_certificates,
                service_workers="block",
                accept_downloads=False,
            )
            await context.add_init_script(INIT_SCRIPT)
            await context.route("**/*", gate.handle)
            await context.route_web_socket("**/*", gate.refuse_socket)
            page = await context.new_page()
            context.on("response", gate.keep)
            context.on("page", _close_popup)
            return Tab(page, await _session(context, page), gate)
        except PlaywrightError as error:
            raise TabLostError(error.message.partition("\n")[0]) from error

    async def _running_browser(self) -> PlaywrightBrowser:
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                self._free.clear()
                self._browser = await self._start()
            return self._browser

    async def _start(self) -> PlaywrightBrowser:
        if self._driver is None:
            await self.proxy.start()
            self._driver = await async_playwright().start()
        options = self._found.launch_options()
        heap = f"--js-flags=--max-old-space-size={self._options.tab_memory_mb}"
        arguments = [*options.pop("args"), heap, *GuardProxy.BROWSER_ARGUMENTS]
        return await self._driver.chromium.launch(
            **options,
            args=arguments,
            proxy=self.proxy.as_playwright(),
            timeout=_START_SECONDS * 1000,
            # Ctrl-C ends the scan politely; the scan ends the browser.
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )

    async def _end_browser(self) -> None:
        browser, self._browser = self._browser, None
        self._free.clear()
        if browser is not None:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(browser.close(), _RESET_SECONDS)


async def _session(context: BrowserContext, page: Page) -> CDPSession:
    return await context.new_cdp_session(page)


async def _close_popup(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):
        await page.close()
