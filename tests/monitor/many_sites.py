"""Many small sites on loopback, each on a port of its own, all served by one thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING

from tests.site.build import sitemap

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOST = "127.0.0.1"


@contextlib.contextmanager
def many_sites(number: int, pages: int) -> Iterator[list[str]]:
    """The root URLs of as many sites, each with a sitemap of *pages* pages."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        opening = asyncio.run_coroutine_threadsafe(_open(number, pages), loop)
        servers = opening.result()
        yield [f"http://{_HOST}:{_port(server)}/" for server in servers]
        asyncio.run_coroutine_threadsafe(_close(servers), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _open(number: int, pages: int) -> list[asyncio.Server]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            port = writer.get_extra_info("sockname")[1]
            writer.write(_answer(head.split(b" ")[1].decode(), f"http://{_HOST}:{port}", pages))
            await writer.drain()
        writer.close()

    return [await asyncio.start_server(answer, _HOST, 0) for _ in range(number)]


async def _close(servers: list[asyncio.Server]) -> None:
    for server in servers:
        server.close()


def _port(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


def _answer(path: str, origin: str, pages: int) -> bytes:
    bodies = {
        "/": ("text/html", b"<h1>Home</h1>"),
        "/robots.txt": ("text/plain", f"Sitemap: {origin}/sitemap.xml\n".encode()),
        "/sitemap.xml": (
            "application/xml",
            sitemap(*(f"{origin}/page/{each}" for each in range(pages))),
        ),
    }
    is_page = path.removeprefix("/page/").isdecimal()
    kind, body = bodies.get(path, ("text/html", f"<h1>{path}</h1>".encode()))
    status = "200 OK" if is_page or path in bodies else "404 Not Found"
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode() + body
