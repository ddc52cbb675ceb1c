"""The browser of this machine, for tests that need a real one."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from sitecrawl.render.browser import find_browser
from sitecrawl.render.explorer import ExplorationLimits
from sitecrawl.render.renderer import Renderer
from sitecrawl.render.siteanswers import SiteAnswer
from sitecrawl.render.tabs import TabOptions, TabPool
from sitecrawl.safety.policy import AddressPolicy, endpoint_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

BROWSER = find_browser()
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no browser")


async def no_frame(_url: str) -> SiteAnswer | None:
    return None


@contextlib.asynccontextmanager
async def rendering(
    *named: str,
    tabs: int = 1,
    seconds: float = 5,
    fetch_document: Callable[[str], Awaitable[SiteAnswer | None]] = no_frame,
) -> AsyncIterator[tuple[Renderer, TabPool]]:
    """A renderer that may connect to the servers that are *named*."""
    assert BROWSER is not None
    policy = AddressPolicy(frozenset(map(endpoint_of, named)))
    pool = TabPool(BROWSER, TabOptions("sitecrawl-test", tabs=tabs), policy, fetch_document)
    try:
        yield Renderer(pool, ExplorationLimits(seconds=seconds), load_seconds=10), pool
    finally:
        await pool.close()


def document(url: str, body: str, **headers: str) -> SiteAnswer:
    named = [("Content-Type", "text/html; charset=utf-8")]
    named += [(name.replace("_", "-"), value) for name, value in headers.items()]
    return SiteAnswer(url, 200, named, body.encode())
