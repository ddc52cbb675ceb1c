"""Many small sites on one address, each on a port of its own, all served by one thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import defaultdict
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from tests.site.build import sitemap

if TYPE_CHECKING:
    from collections.abc import Iterator


class Arrival(NamedTuple):
    """A request, as the site saw it."""

    at: float
    client: str
    """The address that it came from."""


class ManySites:
    """Sites that answer at once, and note when they were asked, and by whom."""

    def __init__(self, host: str, pages: int, crawl_delay: int) -> None:
        self.roots: list[str] = []
        self.arrivals: dict[int, list[Arrival]] = defaultdict(list)
        """The requests, by the port of the site."""
        self._host = host
        self._pages = pages
        self._crawl_delay = crawl_delay

    def gaps(self) -> list[float]:
        """The seconds between each two requests to a site, the shortest first."""
        return sorted(
            later.at - earlier.at
            for arrivals in self.arrivals.values()
            for earlier, later in pairwise(arrivals)
        )

    def shared(self) -> list[str]:
        """Sites that a client asked again after another one had begun to ask them."""
        found = []
        for port, arrivals in self.arrivals.items():
            turns = [client for client, _ in groupby(arrivals, lambda each: each.client)]
            if len(turns) != len(set(turns)):
                found.append(f"port {port}: {turns}")
        return found

    async def open(self, number: int) -> list[asyncio.Server]:
        servers = [await asyncio.start_server(self._serve, self._host, 0) for _ in range(number)]
        self.roots = [f"http://{self._host}:{_port(server)}/" for server in servers]
        return servers

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            port = writer.get_extra_info("sockname")[1]
            client = writer.get_extra_info("peername")[0]
            self.arrivals[port].append(Arrival(time.monotonic(), client))
            path, origin = head.split(b" ")[1].decode(), f"http://{self._host}:{port}"
            writer.write(_answer(path, origin, self._pages, self._crawl_delay))
            await writer.drain()
        writer.close()


@contextlib.contextmanager
def many_sites(
    number: int, pages: int, crawl_delay: int = 0, host: str = "127.0.0.1"
) -> Iterator[ManySites]:
    """As many sites, each with a sitemap of *pages* pages and a pace that it asks for."""
    sites = ManySites(host, pages, crawl_delay)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        opening = asyncio.run_coroutine_threadsafe(sites.open(number), loop)
        servers = opening.result()
        yield sites
        asyncio.run_coroutine_threadsafe(_close(servers), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _close(servers: list[asyncio.Server]) -> None:
    for server in servers:
        server.close()


def _port(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


def _answer(path: str, origin: str, pages: int, crawl_delay: int) -> bytes:
    pace = f"User-agent: *\nCrawl-delay: {crawl_delay}\n" if crawl_delay else ""
    bodies = {
        "/": ("text/html", b"<h1>Home</h1>"),
        "/robots.txt": ("text/plain", f"{pace}Sitemap: {origin}/sitemap.xml\n".encode()),
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
