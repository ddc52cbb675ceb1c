"""A real browser that explores the pages of a test."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import async_playwright

from sitecrawl.render.browser import find_browser
from sitecrawl.render.explorer import Exploration, ExplorationLimits, explore
from sitecrawl.render.network import NetworkLimits, PageNetwork, ResourceCache
from sitecrawl.render.page_script import INIT_SCRIPT
from tests.render.browser import fetch_all, fetched_document

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from playwright.async_api import Browser, BrowserContext, Page, Route

_DEFAULT_LIMITS = ExplorationLimits()


@dataclass(frozen=True, slots=True)
class Browsing:
    """Loads and explores pages, each in a context of its own."""

    runner: asyncio.Runner
    browser: Browser

    def explore(
        self,
        url: str,
        limits: ExplorationLimits = _DEFAULT_LIMITS,
        *,
        with_reload: bool = False,
        afterwards: Callable[[Page], Awaitable[object]] | None = None,
    ) -> Exploration:
        return self.runner.run(self._explore(url, limits, with_reload, afterwards))

    async def _explore(
        self,
        url: str,
        limits: ExplorationLimits,
        with_reload: bool,
        afterwards: Callable[[Page], Awaitable[object]] | None,
    ) -> Exploration:
        context: BrowserContext = await self.browser.new_context()
        await context.add_init_script(INIT_SCRIPT)
        try:
            page = await context.new_page()
            document = await fetched_document(url)
            network = PageNetwork(document, fetch_all, ResourceCache(), NetworkLimits())
            await network.install(page)
            await page.route("**/*", _send_changes)

            async def load() -> None:
                network.show_document()
                await page.goto(url)

            await load()
            reload = load if with_reload else None
            found = await explore(page, limits, network, reload=reload)
            if afterwards is not None:
                await afterwards(page)
            return found
        finally:
            await context.close()


async def _send_changes(route: Route) -> None:
    """Only the script in the page keeps requests from changing something here."""
    if route.request.method in {"GET", "HEAD", "OPTIONS"}:
        await route.fallback()
    else:
        await route.continue_()


@contextmanager
def running_browser() -> Iterator[Browsing]:
    """Skips the test where no browser is installed."""
    found = find_browser()
    if found is None:
        pytest.skip("no browser is installed")
    # A factory of its own, so that other tests find no event loop of this one.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        playwright = runner.run(async_playwright().start())
        try:
            browser = runner.run(playwright.chromium.launch(**found.launch_options()))
            yield Browsing(runner, browser)
            runner.run(browser.close())
        finally:
            runner.run(playwright.stop())
