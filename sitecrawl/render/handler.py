"""scrapy-playwright's download handler with a browser that cannot reach any network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_playwright.handler import Config as PlaywrightConfig
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider

from sitecrawl.config import Config
from sitecrawl.render.browser import find_browser

if TYPE_CHECKING:
    from playwright.async_api import Browser, Request
    from scrapy.crawler import Crawler

START_SECONDS = 30
# No name is resolved, and every connection goes to a proxy that does not exist: what is not
# answered by a route (prefetching, preconnecting, redirects, workers, sockets) fails.
_SEALED_ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://proxy.invalid:9",
    "--proxy-bypass-list=<-loopback>",
)


class OnDemandBrowserProvider(PlaywrightBrowserProvider):  # type: ignore[misc]  # untyped
    """Starts Playwright with the first page instead of with the engine."""

    async def launch_browser(self) -> Browser:
        if self.browser_type is None:
            await self.start()
        browser: Browser = await super().launch_browser()
        return browser


class SealedPlaywrightHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]  # untyped
    """Opens pages whose requests are all answered by ``playwright_page_init_callback``.

    The extension creates it when the first page has to be rendered; it is no entry of
    ``DOWNLOAD_HANDLERS``. ``PLAYWRIGHT_*`` settings are for requests of other spiders: they have
    no effect here, so that none of them can undo the sealing.

    Settings: ``SITECRAWL_BROWSER``, ``SITECRAWL_RENDER_TAB_MEMORY_MB``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = Config.from_settings(crawler.settings)
        browser = find_browser(config.browser)
        assert browser is not None
        options = browser.launch_options()
        heap = f"--js-flags=--max-old-space-size={config.render_tab_memory_mb}"
        options |= {
            "args": [*options["args"], heap, *_SEALED_ARGUMENTS],
            "timeout": START_SECONDS * 1000,
            # Ctrl-C stops the scan gracefully; the scan closes the browser.
            "handle_sigint": False,
            "handle_sigterm": False,
            "handle_sighup": False,
        }
        self.config: PlaywrightConfig = replace(
            PlaywrightConfig.from_settings(crawler.settings),
            cdp_url=None,
            connect_url=None,
            browser_type_name="chromium",
            launch_options=options,
            max_pages_per_context=1,
            max_contexts=None,
            startup_context_kwargs={},
            restart_disconnected_browser=True,
            # The renderer decides how often a page is tried.
            target_closed_max_retries=0,
        )
        self.browser_provider = OnDemandBrowserProvider(self.config)
        self.abort_request = _abort_everything


def _abort_everything(_request: Request) -> bool:
    """For ``PLAYWRIGHT_ABORT_REQUEST``: requests that reach the handler have missed our routes."""
    return True
