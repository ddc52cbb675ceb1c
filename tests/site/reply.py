"""What a route of the test site answers, and the request it answers to."""

from __future__ import annotations

import gzip
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import brotli  # type: ignore[import-untyped]

if TYPE_CHECKING:
    import threading
    from email.message import Message

Encoding = Literal["gzip", "deflate", "br"]
Content = bytes | Iterable[bytes]

_ENCODERS: Mapping[Encoding, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
}


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the server read it."""

    method: str
    target: str
    """Path and query as they were sent."""
    headers: Message
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer: what is said, and how badly the server behaves while saying it.

    An iterable body (or a callable giving one) is streamed piece by piece: chunked, unless
    ``headers`` states a Content-Length or ``close`` marks its end. An iterator can be sent only
    once: give a callable for more.
    """

    body: str | Content | Callable[[Request], str | Content] = b""
    status: int = 200
    headers: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """A sequence of values sends the header once for each."""
    content_type: str = ""
    """Empty: no Content-Type header."""
    encoding: Encoding | None = None
    """Compresses the body and says so; a streamed body has to come encoded."""
    chunked: bool = False
    etag: str = ""
    """With quotes. A matching If-None-Match is answered with 304."""
    last_modified: str = ""
    """An HTTP date. The same text in If-Modified-Since is answered with 304."""
    delay_seconds: float = 0.0
    """Silence before the status line."""
    hold: threading.Event | None = None
    """Silence before the status line until the test sets the event."""
    drip_bytes_per_second: int = 0
    """0: as fast as the socket takes it."""
    cut_after_bytes: int | None = None
    """Closes the connection after so many bytes of a body that was announced in full."""
    reset: bool = False
    """Resets the connection instead of answering, or where ``cut_after_bytes`` cuts."""
    close: bool = False
    """Ends the connection after a complete answer."""

    def content(self, request: Request) -> Content:
        body = self.body(request) if callable(self.body) else self.body
        if isinstance(body, str):
            body = body.encode()
        if self.encoding is not None:
            if not isinstance(body, bytes):
                raise TypeError("a streamed body has to come encoded")
            body = _ENCODERS[self.encoding](body)
        return body

    def is_current_for(self, request: Request) -> bool:
        """Whether the client already holds this answer (RFC 9110, 13.2.2: the ETag goes first)."""
        if request.method not in {"GET", "HEAD"}:
            return False
        tags = request.headers.get("If-None-Match")
        if tags is not None:
            return bool(self.etag) and self.etag in [tag.strip() for tag in tags.split(",")]
        since = request.headers.get("If-Modified-Since")
        return bool(self.last_modified) and since == self.last_modified

    def header_lines(self) -> Iterator[tuple[str, str]]:
        if self.content_type:
            yield "Content-Type", self.content_type
        if self.encoding is not None:
            yield "Content-Encoding", self.encoding
        if self.etag:
            yield "ETag", self.etag
        if self.last_modified:
            yield "Last-Modified", self.last_modified
        for name, value in self.headers.items():
            for line in [value] if isinstance(value, str) else value:
                yield name, line


Answer = Reply | bytes | str
Handler = Callable[[Request], Answer]
Route = Answer | Handler | Sequence[Answer | Handler]
"""A sequence answers successive requests one after another; its last element stays."""


def redirect(to: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": to})


def redirect_chain(start: str, hops: int, end: str) -> dict[str, Reply]:
    """Routes that lead from ``start`` to ``end`` in ``hops`` redirects; a loop if equal."""
    stops = [start, *(f"{start}-{hop}" for hop in range(1, hops)), end]
    return {here: redirect(there) for here, there in itertools.pairwise(stops)}


def too_many(retry_after: str, status: int = 429) -> Reply:
    """A refusal for now; ``retry_after`` is seconds or an HTTP date."""
    return Reply(b"slow down", status=status, headers={"Retry-After": retry_after})
