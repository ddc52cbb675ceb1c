"""Serve a built site on loopback, from memory, with next to no CPU of its own.

    python -m benchmarks.server .bench/site-1m --port 8917

Says on standard output what the benchmark waits for, one JSON object per line: `listening` when
the port is open, `first_request` with the time of the first request, `stopped` with the counts
after SIGTERM or SIGINT. It is its own process so that its CPU is never counted with a contestant's.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import signal
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.built_sites import read_pages

_LAST_MODIFIED = "Wed, 01 Oct 2025 08:00:00 GMT"
_CONTENT_TYPES = {
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml; charset=utf-8",
}
_MAX_HEAD_BYTES = 65_536
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n"


class Answer(NamedTuple):
    """One served file, as the bytes that go over the wire."""

    etag: bytes
    head: bytes
    body: bytes
    not_modified: bytes


class Counts:
    """What was asked of the server; tells the first request as it comes."""

    def __init__(self) -> None:
        self.requests = 0
        self.full = 0
        self.not_modified = 0
        self.not_found = 0
        self.body_bytes = 0

    def begin_request(self) -> None:
        if self.requests == 0:
            say("first_request", time=time.time())
        self.requests += 1


def say(event: str, **facts: float) -> None:
    print(json.dumps({"event": event, **facts}), flush=True)


def prepare_answer(body: bytes, content_type: str) -> Answer:
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    validators = f"ETag: {etag}\r\nLast-Modified: {_LAST_MODIFIED}\r\n"
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(body)}\r\n{validators}\r\n"
    )
    not_modified = f"HTTP/1.1 304 Not Modified\r\n{validators}\r\n"
    return Answer(etag.encode(), head.encode(), body, not_modified.encode())


def load_site(folder: Path) -> dict[bytes, Answer]:
    """Read every file of the site that is meant for visitors, by its path."""
    answers = {
        f"/{file.name}".encode(): prepare_answer(file.read_bytes(), _CONTENT_TYPES[file.suffix])
        for file in sorted(folder.iterdir())
        if file.suffix in _CONTENT_TYPES
    }
    answers |= {
        path.encode(): prepare_answer(body, _CONTENT_TYPES[".html"])
        for path, body in read_pages(folder)
    }
    if b"/index.html" in answers:
        answers[b"/"] = answers[b"/index.html"]
    return answers


class SiteProtocol(asyncio.Protocol):
    """HTTP/1.1 with keep-alive and pipelining, for requests without a body."""

    def __init__(self, answers: dict[bytes, Answer], counts: Counts) -> None:
        self._answers = answers
        self._counts = counts
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._received[:end])
            del self._received[: end + 4]
            self._answer(head)
        if len(self._received) > _MAX_HEAD_BYTES and self._transport is not None:
            self._transport.abort()

    def _answer(self, head: bytes) -> None:
        assert self._transport is not None
        self._counts.begin_request()
        request_line, *lines = head.split(b"\r\n")
        method, target, version = request_line.split(b" ", 2)
        headers = dict(_parse_header(line) for line in lines)
        # Pages of a listing differ in their query; any other query changes nothing.
        answer = self._answers.get(target) or self._answers.get(target.partition(b"?")[0])
        if answer is None:
            self._counts.not_found += 1
            self._transport.write(_NOT_FOUND + (b"" if method == b"HEAD" else b"not found\n"))
        elif _is_unchanged(answer, headers):
            self._counts.not_modified += 1
            self._transport.write(answer.not_modified)
        else:
            self._counts.full += 1
            self._transport.write(answer.head)
            if method != b"HEAD":
                self._counts.body_bytes += len(answer.body)
                self._transport.write(answer.body)
        if version == b"HTTP/1.0" or headers.get(b"connection", b"").lower() == b"close":
            self._transport.close()


def _parse_header(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), value.strip()


def _is_unchanged(answer: Answer, headers: dict[bytes, bytes]) -> bool:
    """Apply RFC 9110, 13.2.2: If-None-Match, and If-Modified-Since only without it."""
    wanted = headers.get(b"if-none-match")
    if wanted is not None:
        return answer.etag in wanted or wanted == b"*"
    return headers.get(b"if-modified-since") == _LAST_MODIFIED.encode()


async def serve(folder: Path, port: int) -> None:
    answers = load_site(folder)
    counts = Counts()
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, stopped.set)
    server = await loop.create_server(lambda: SiteProtocol(answers, counts), "127.0.0.1", port)
    say("listening", port=port)
    await stopped.wait()
    server.close()
    say("stopped", **vars(counts))


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a built benchmark site on loopback.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, required=True, help="the port the site was built for")
    options = parser.parse_args()
    try:
        asyncio.run(serve(options.folder, options.port))
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
