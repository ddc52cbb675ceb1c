"""Calls the script that runs in a page."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from sitecrawl.render.answers import Answer, AnswerError
from sitecrawl.render.script import KEY

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page


class PageScript:
    """The script in one page.

    Playwright's own ``evaluate()`` uses functions that a page can replace; the browser's debugging
    protocol does not.
    """

    def __init__(self, session: CDPSession, patience_seconds: float) -> None:
        self._session = session
        self._patience_seconds = patience_seconds

    @classmethod
    async def of(cls, page: Page, patience_seconds: float) -> PageScript:
        return cls(await page.context.new_cdp_session(page), patience_seconds)

    async def call(self, name: str, *args: str | int, seconds: float = 0.0) -> Answer:
        """Call a function of the script, which may wait for *seconds*; TimeoutError if it hangs."""
        arguments = ", ".join(map(json.dumps, args))
        request = {
            "expression": f'window["{KEY}"].{name}({arguments})',
            "awaitPromise": True,
            "returnByValue": True,
        }
        async with asyncio.timeout(seconds + self._patience_seconds):
            reply = await self._session.send("Runtime.evaluate", request)
        if details := reply.get("exceptionDetails"):
            thrown = details.get("exception", {}).get("description", details.get("text"))
            raise AnswerError(f"{name}: {thrown!s:.200}")
        return Answer.parse(reply["result"].get("value"))

    async def close(self) -> None:
        await self._session.detach()
