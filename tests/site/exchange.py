"""Turns a reply into the bytes that are sent."""

from __future__ import annotations

from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.site.log import LoggedRequest
    from tests.site.reply import Content, Reply, Request

DRIPS_PER_SECOND = 20
_FIRST_STATUS_WITH_BODY = 200
_BODILESS = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})


def wire_pieces(reply: Reply, request: Request, entry: LoggedRequest) -> Iterator[bytes]:
    """The head, then the body in the pieces in which it is to be sent."""
    status = HTTPStatus.NOT_MODIFIED if reply.is_current_for(request) else reply.status
    entry.status = status
    has_body = status >= _FIRST_STATUS_WITH_BODY and status not in _BODILESS
    content: Content = reply.content(request) if has_body else b""
    is_chunked = has_body and _is_chunked(reply, content)
    head = _head(status, reply, content if has_body else None, is_chunked)
    if request.method == "HEAD" or not has_body:
        yield head
        return

    body = _counted(_sliced(_cut(content, reply.cut_after_bytes), reply), entry)
    if isinstance(content, bytes) and not is_chunked and not reply.drip_bytes_per_second:
        # One segment for head and body: the usual answer costs one system call.
        yield head + b"".join(body)
        return
    yield head
    for piece in body:
        yield b"%x\r\n%s\r\n" % (len(piece), piece) if is_chunked else piece
    if is_chunked and reply.cut_after_bytes is None:
        yield b"0\r\n\r\n"


def _is_chunked(reply: Reply, content: Content) -> bool:
    has_length = any(name.lower() == "content-length" for name in reply.headers)
    is_open_ended = not isinstance(content, bytes) and not has_length and not reply.close
    return reply.chunked or is_open_ended


def _head(status: int, reply: Reply, content: Content | None, is_chunked: bool) -> bytes:
    phrase = HTTPStatus(status).phrase if status in list(HTTPStatus) else "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}"]
    headers = list(reply.header_lines())
    names = {name.lower() for name, _ in headers}
    if "date" not in names:
        headers.append(("Date", formatdate(usegmt=True)))
    if is_chunked:
        headers.append(("Transfer-Encoding", "chunked"))
    elif isinstance(content, bytes) and "content-length" not in names:
        headers.append(("Content-Length", str(len(content))))
    if reply.close:
        headers.append(("Connection", "close"))
    lines += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8")


def _cut(content: Content, limit: int | None) -> Iterator[bytes]:
    pieces: Iterable[bytes] = [content] if isinstance(content, bytes) else content
    left = limit
    for piece in pieces:
        if left is None:
            yield piece
            continue
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def _sliced(pieces: Iterator[bytes], reply: Reply) -> Iterator[bytes]:
    if not reply.drip_bytes_per_second:
        # An empty chunk would end a chunked body.
        yield from (piece for piece in pieces if piece)
        return
    size = max(1, reply.drip_bytes_per_second // DRIPS_PER_SECOND)
    for piece in pieces:
        for start in range(0, len(piece), size):
            yield piece[start : start + size]


def _counted(pieces: Iterator[bytes], entry: LoggedRequest) -> Iterator[bytes]:
    for piece in pieces:
        entry.body_bytes += len(piece)
        yield piece
