"""Reads of the API and the dashboard, with many sites and a million pages, while two scans write.

    python -m benchmarks.web                 SQLite
    python -m benchmarks.web --postgres      PostgreSQL, started for the run

The server is ``sitecrawl serve --no-workers`` in a process of its own. Requests come at a fixed
rate, whether earlier ones are answered or not, and their time counts from the moment they were due.
Beside that every read is made alone, for the CPU time that it takes of the server, which does not
depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from benchmarks.inventory_site import page_url
from benchmarks.web_data import fill
from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.records import DocumentRecord, FetchRecord, PageRows
from sitecrawl.store.writers.scan_writer import ScanWriter
from sitecrawl.urls.canonical import KeyRules
from sitecrawl.urls.columns import page_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

_RATE: Final = 20
_STREAMS: Final = 200
_ALONE: Final = 10
_COOKIE: Final = "sitecrawl-insecure"
_WRITERS: Final = 2
_BATCH: Final = 1_000
# Two scans that read sitemaps find about so many pages; a crawl finds far fewer.
_PAGES_PER_SECOND: Final = 2_000
_SCAN_PAGES: Final = 100_000
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_BARS: Final = {"p95": 150.0, "rss": 300.0, "ready": 3.0}


def reads(pages: int) -> dict[str, str]:
    """The twenty most used reads, of the large site and of all."""
    site = "/api/sites/1"
    url = page_url(pages // 2)
    return {
        "dashboard": "/",
        "sites, as a page": "/sites",
        "site, as a page": "/sites/1",
        "inventory, as a page": "/sites/1/pages",
        "changes, as a page": "/sites/1/changes",
        "sites": "/api/sites?limit=50",
        "sites by name": "/api/sites?search=site-42&sort=url",
        "site": site,
        "scans of a site": f"{site}/scans",
        "jobs": "/api/jobs?limit=50",
        "pages": f"{site}/pages?limit=100",
        "refused pages by URL": f"{site}/pages?status=refused&sort=url&limit=100",
        "search for pages": f"{site}/pages?search=winter&limit=100",
        "count of pages": f"{site}/pages/count?category=support",
        "facets": f"{site}/pages/facets",
        "why a page is there": f"{site}/pages/why?url={url}",
        "documents": f"{site}/documents?kind=sitemap",
        "robots.txt and its rules": f"{site}/robots",
        "changes": f"{site}/changes?limit=100",
        "events": f"{site}/events?limit=100",
    }


@dataclass(slots=True)
class Measured:
    """What one read took."""

    alone_cpu_ms: float = 0.0
    alone_ms: float = 0.0
    loaded_ms: list[float] = field(default_factory=list)

    @property
    def p95_ms(self) -> float:
        return percentile(self.loaded_ms, 0.95)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else 0.0


class ServerProcess:
    """``sitecrawl serve``, and what the system says of it."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self._command = [
            *(sys.executable, "-m", "sitecrawl", "serve", "--no-workers", "--port", "0"),
            *("--database", database_url, "-s", "SITECRAWL_WEB_REQUESTS_PER_MINUTE=0"),
        ]
        self._folder = folder
        self.url = ""
        self.ready_seconds = 0.0

    def __enter__(self) -> ServerProcess:
        started = time.monotonic()
        self._process = subprocess.Popen(
            self._command, cwd=self._folder, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        [self.url] = re.findall(r"ready at (http://\S+)", self._process.stdout.readline())
        self.ready_seconds = time.monotonic() - started
        self.ready_cpu_seconds = self.cpu_seconds()
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def cpu_seconds(self) -> float:
        # proc(5): the fields after the name in parentheses; user and system time are 14 and 15.
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def peak_mb(self) -> float:
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        [kilobytes] = re.findall(r"VmHWM:\s+(\d+) kB", status)
        return int(kilobytes) / 1024


def alone(server: ServerProcess, cookie: str, paths: dict[str, str]) -> dict[str, Measured]:
    found = {name: Measured() for name in paths}
    with httpx.Client(base_url=server.url, cookies={_COOKIE: cookie}, timeout=120) as client:
        for name, path in paths.items():
            client.get(path).raise_for_status()
            cpu, started = server.cpu_seconds(), time.monotonic()
            for _ in range(_ALONE):
                client.get(path).raise_for_status()
            found[name].alone_cpu_ms = 1e3 * (server.cpu_seconds() - cpu) / _ALONE
            found[name].alone_ms = 1e3 * (time.monotonic() - started) / _ALONE
    return found


async def loaded(
    server: ServerProcess,
    cookie: str,
    paths: dict[str, str],
    seconds: int,
    found: dict[str, Measured],
) -> int:
    """Ask at a fixed rate while streams are held; the number of streams that were held."""
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=server.url, cookies={_COOKIE: cookie}, timeout=120, limits=limits
    ) as client:
        streams = [asyncio.create_task(_stream(client)) for _ in range(_STREAMS)]
        await asyncio.sleep(2)
        names = list(paths)
        asked: list[asyncio.Task[None]] = []
        start = time.monotonic()
        for number in range(seconds * _RATE):
            due = start + number / _RATE
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            name = names[number * 7 % len(names)]
            asked.append(asyncio.create_task(_ask(client, paths[name], due, found[name])))
        await asyncio.gather(*asked)
        held = sum(not stream.done() for stream in streams)
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
        return held


async def _ask(client: httpx.AsyncClient, path: str, due: float, into: Measured) -> None:
    (await client.get(path)).raise_for_status()
    into.loaded_ms.append(1e3 * (time.monotonic() - due))


async def _stream(client: httpx.AsyncClient) -> None:
    async with client.stream("GET", "/api/live/events", timeout=None) as answer:
        answer.raise_for_status()
        async for _ in answer.aiter_lines():
            pass


@contextlib.contextmanager
def scans_that_write(database_url: str) -> Iterator[None]:
    command = [sys.executable, "-m", "benchmarks.web", "--write", database_url]
    writers = [subprocess.Popen([*command, str(number)]) for number in range(_WRITERS)]
    try:
        time.sleep(5)
        yield
        assert all(writer.poll() is None for writer in writers), "a scan has ended"
    finally:
        for writer in writers:
            writer.terminate()
            writer.wait(60)


def write_scans(database_url: str, number: int) -> None:
    """Scan after scan of one site, at the pace of one that reads sitemaps."""
    host = f"written-{number}.example.com"
    with open_database(database_url) as database:
        while True:
            writer = ScanWriter(database)
            scan = writer.begin(site_key=host, asked=host, root_url=f"https://{host}/")
            map_url = f"https://{host}/sitemap.xml"
            document = writer.document(DocumentRecord(map_url, DocumentKind.SITEMAP, "robots.txt"))
            for first in range(0, _SCAN_PAGES, _BATCH):
                urls = [f"https://{host}/page-{each}" for each in range(first, first + _BATCH)]
                ids = page_ids(urls, scan.seed, KeyRules())
                positions = range(first + 1, first + _BATCH + 1)
                rows = PageRows(document, "sitemap", ids=ids, urls=urls, positions=positions)
                writer.add_pages(rows)
                time.sleep(_BATCH / _PAGES_PER_SECOND)
            now = datetime.now(UTC)
            writer.record_fetch(FetchRecord(document, FetchOutcome.OK, now, 200, complete=True))
            writer.finish(ScanStatus.FINISHED)


def run(database_url: str, folder: Path, given: argparse.Namespace) -> bool:
    with open_database(database_url) as database:
        started = time.monotonic()
        cookie = fill(database, pages=given.pages, sites=given.sites, changes=given.changes)
        print(f"filled in {time.monotonic() - started:.0f} s", flush=True)
    paths = reads(given.pages)
    with ServerProcess(database_url, folder) as server:
        found = alone(server, cookie, paths)
        print(f"peak after {len(paths)} reads, one after another: {server.peak_mb():.0f} MB")
        with scans_that_write(database_url):
            cpu = server.cpu_seconds()
            held = asyncio.run(loaded(server, cookie, paths, given.seconds, found))
            cpu = server.cpu_seconds() - cpu
        rss = server.peak_mb()
    return report(server, found, held, rss, cpu / (given.seconds * _RATE))


def report(
    server: ServerProcess, found: dict[str, Measured], held: int, rss: float, cpu: float
) -> bool:
    print("| read | CPU, ms | alone, ms | under load, median | p95 |")
    print("| --- | --- | --- | --- | --- |")
    for name, each in found.items():
        median = percentile(each.loaded_ms, 0.5)
        figures = (each.alone_cpu_ms, each.alone_ms, median, each.p95_ms)
        print(f"| {name} | {' | '.join(f'{figure:.0f}' for figure in figures)} |")
    every = [value for each in found.values() for value in each.loaded_ms]
    p95 = percentile(every, 0.95)
    print(f"\nall reads: p95 {p95:.0f} ms, {1e3 * cpu:.0f} ms of CPU per request under load")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    print(f"server: peak {rss:.0f} MB; {held} of {_STREAMS} streams held")
    print(f"ready in {server.ready_seconds:.1f} s ({server.ready_cpu_seconds:.1f} s of CPU)")
    return (
        p95 < _BARS["p95"]
        and rss < _BARS["rss"]
        and held == _STREAMS
        and server.ready_seconds < _BARS["ready"]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=1_000_000)
    parser.add_argument("--sites", type=int, default=500)
    parser.add_argument("--changes", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--write", nargs=2, metavar=("URL", "NUMBER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.write:
        write_scans(given.write[0], int(given.write[1]))
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = f"sqlite:///{folder / 'sitecrawl.db'}"
        if given.postgres:
            from tests.site.postgres import running_postgres

            url = stack.enter_context(stack.enter_context(running_postgres()).fresh())
        is_good = run(url, folder, given)
    print("every bar is met" if is_good else "some bar is missed")


if __name__ == "__main__":
    main()
