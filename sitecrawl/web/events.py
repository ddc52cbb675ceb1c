"""Server-sent events: pieces of a page, and snapshots that many browsers follow.

What browsers follow is asked of the database once a second, however many there are.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from sitecrawl.errors import ThrottledError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable

POLL_SECONDS: Final = 1.0
# Browsers connect again by themselves: whoever has lost the right to look finds out then.
_MAX_SECONDS: Final = 15 * 60
_MAX_STREAMS: Final = 500
_BUSY_SECONDS: Final = 30


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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state as text; the same text has the same id."""

    text: str
    is_last: bool = False

    @property
    def id(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


@dataclass(slots=True)
class _Topic:
    followers: int = 0
    newest: Snapshot | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    polling: asyncio.Task[None] | None = None


class LiveFeeds:
    """Streams of snapshots, by topic; as long as somebody follows one it is polled."""

    def __init__(self, poll_seconds: float = POLL_SECONDS) -> None:
        self._topics: dict[str, _Topic] = {}
        self._poll_seconds = poll_seconds
        self._streams = 0

    async def follow(
        self, name: str, look: Callable[[], Snapshot], last_id: str | None = None
    ) -> AsyncIterator[Snapshot]:
        """Every new snapshot of a topic, until the last one; not the one with *last_id*."""
        if self._streams >= _MAX_STREAMS:
            raise ThrottledError("too many live streams are open", _BUSY_SECONDS)
        self._streams += 1
        topic = self._topics.setdefault(name, _Topic())
        topic.followers += 1
        if topic.polling is None:
            topic.polling = asyncio.create_task(self._poll(topic, look))
        try:
            ends_at = time.monotonic() + _MAX_SECONDS
            while (left := ends_at - time.monotonic()) > 0:
                changed = topic.changed
                if topic.newest is not None and topic.newest.id != last_id:
                    last_id = topic.newest.id
                    yield topic.newest
                if topic.polling.done():
                    topic.polling.result()  # raises what went wrong
                    return
                try:
                    async with asyncio.timeout(left):
                        await changed.wait()
                except TimeoutError:
                    return
        finally:
            self._streams -= 1
            topic.followers -= 1
            if not topic.followers:
                topic.polling.cancel()
                self._topics.pop(name, None)

    async def _poll(self, topic: _Topic, look: Callable[[], Snapshot]) -> None:
        try:
            while True:
                snapshot = await run_in_threadpool(look)
                if snapshot != topic.newest:
                    topic.newest = snapshot
                    self._wake(topic)
                if snapshot.is_last:
                    return
                await asyncio.sleep(self._poll_seconds)
        finally:
            self._wake(topic)

    def _wake(self, topic: _Topic) -> None:
        old, topic.changed = topic.changed, asyncio.Event()
        old.set()
