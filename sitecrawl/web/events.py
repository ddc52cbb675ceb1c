"""Server-sent events whose data is a piece of a page, for what a form has asked for."""

from __future__ import annotations

from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Final

from starlette.responses import StreamingResponse

from sitecrawl.errors import ThrottledError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator

_BUSY_SECONDS: Final = 10


def event(name: str, html: str, number: str = "") -> bytes:
    r"""
    >>> event("page", "<p>\n</p>")
    b'event: page\ndata: <p>\ndata: </p>\n\n'
    """
    data = "".join(f"data: {line}\n" for line in html.splitlines() or [""])
    known = f"id: {number}\n" if number else ""
    return f"event: {name}\n{known}{data}\n".encode()


def stream(events: AsyncGenerator[bytes]) -> StreamingResponse:
    """The answer; *events* is closed as soon as nobody listens any more."""

    async def body() -> AsyncIterator[bytes]:
        async with aclosing(events):
            async for each in events:
                yield each

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(body(), media_type="text/event-stream", headers=headers)


class Slots:
    """So many at once; the next one is told to come back."""

    def __init__(self, number: int, what: str) -> None:
        self._left = number
        self._what = what

    @contextmanager
    def taken(self) -> Iterator[None]:
        if self._left <= 0:
            raise ThrottledError(f"too many {self._what} at the moment", _BUSY_SECONDS)
        self._left -= 1
        try:
            yield
        finally:
            self._left += 1
