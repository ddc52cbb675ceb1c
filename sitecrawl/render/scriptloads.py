"""The scripts that a page is loading: what it imports is seen by the browser alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from playwright.async_api import Page, Request

_KINDS = frozenset({"script", "stylesheet"})


class ScriptLoads:
    """Scripts and style sheets that were asked for since ``forget()``."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._loading: set[Request] = set()
        self._has_loaded = False
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def __enter__(self) -> Self:
        self._page.on("request", self._began)
        self._page.on("requestfinished", self._ended)
        self._page.on("requestfailed", self._ended)
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._page.remove_listener("request", self._began)
        self._page.remove_listener("requestfinished", self._ended)
        self._page.remove_listener("requestfailed", self._ended)

    def forget(self) -> None:
        self._loading.clear()
        self._has_loaded = False
        self._is_idle.set()

    async def finished(self, seconds: float) -> bool:
        """Wait until nothing is loading, at most so long; whether anything was loaded."""
        try:
            async with asyncio.timeout(seconds):
                await self._is_idle.wait()
        except TimeoutError:
            return False
        return self._has_loaded

    def _began(self, request: Request) -> None:
        if request.resource_type in _KINDS:
            self._loading.add(request)
            self._has_loaded = True
            self._is_idle.clear()

    def _ended(self, request: Request) -> None:
        self._loading.discard(request)
        if not self._loading:
            self._is_idle.set()
