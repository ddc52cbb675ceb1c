"""What partitions of PostgreSQL cost and bring, in tables with many rows of other sites.

    python -m benchmarks.partitions --rows 20m                    without partitions
    python -m benchmarks.partitions --rows 20m --partitions 16

The tables are filled by the server itself; then a new site is written and renewed by the writer of
scans, and questions are asked of a site with an inventory of 100,000 pages. CPU is that of this
process and of the server; it depends less on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import text

from benchmarks.built_sites import parse_size
from benchmarks.inventory import CpuClock
from benchmarks.inventory_site import SITE, build_inventory, page_url
from sitecrawl.services.inventory import Inventory
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.feed import iter_page_rows
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.scans import latest_scan, site_for
from sitecrawl.store.writers.pages import PageWriter
from sitecrawl.store.writers.partitions import partition
from sitecrawl.store.writers.records import PageRows, ScanHandle
from sitecrawl.urls.canonical import KeyRules
from sitecrawl.urls.columns import page_ids
from tests.site.postgres import running_postgres

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.store.engine import Database

_PAGES = 100_000
_BATCH = 5_000
_OTHER_SITES = 200
_FIRST_OTHER = 1_000
_NEW_SITE = 2_000
_SCAN = 100_000
# Ids are hashes: md5 spreads these as xxhash spreads the real ones.
_FILL = """
INSERT INTO pages (id, site_id, document_id, seen_scan_id, first_scan_id, position, source, url)
SELECT ('x' || substr(md5(n::text), 1, 16))::bit(64)::bigint, {first} + n % {sites}, n % 20000, 1,
    1, n, 'sitemap', 'https://site-' || n % {sites} || '.example/section-' || n % 977 || '/page-'
    || n
FROM generate_series(1, {rows}) AS n
"""
_INDEXES = {
    "uq_pages_id": "CREATE UNIQUE INDEX uq_pages_id ON pages (id)",
    "ix_pages_site_id": "CREATE INDEX ix_pages_site_id ON pages (site_id)",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=parse_size, default=parse_size("20m"))
    parser.add_argument("--partitions", type=int, default=0)
    given = parser.parse_args()
    with running_postgres() as server, server.fresh() as url, open_database(url) as database:
        print(f"load {os.getloadavg()[0]:.1f}")
        build_inventory(database, _PAGES)
        watch = _Stopwatch(database)
        watch.time("fill", lambda: _fill(database, given.rows))
        if given.partitions:
            now = datetime.now(UTC)
            watch.time("partition", lambda: partition(database, given.partitions, now))
        seed = 7
        urls = [page_url(number) for number in range(1, _PAGES + 1)]
        ids = page_ids(urls, seed, KeyRules())
        for words, scan, has_pages in (("first scan", 1, False), ("second scan", 2, True)):
            handle = ScanHandle(_SCAN + scan, _NEW_SITE, seed, None, has_pages)
            watch.time(words, partial(_write, database, handle, urls, ids), rows=_PAGES)
        _ask(database, watch)
        print(f"load {os.getloadavg()[0]:.1f}")


def _fill(database: Database, rows: int) -> None:
    statement = _FILL.format(first=_FIRST_OTHER, sites=_OTHER_SITES, rows=rows)
    with database.writing() as connection:
        for name in _INDEXES:
            connection.execute(text(f"DROP INDEX {name}"))
        connection.execute(text(statement))
        for index in _INDEXES.values():
            connection.execute(text(index))
        connection.execute(text("ANALYZE pages"))


def _write(database: Database, handle: ScanHandle, urls: list[str], ids: list[int]) -> None:
    for first in range(0, _PAGES, _BATCH):
        part = slice(first, first + _BATCH)
        with database.writing() as connection:
            rows = PageRows(
                document_id=90_000 + first // 50_000,
                source="sitemap",
                ids=ids[part],
                urls=urls[part],
                positions=list(range(first, first + _BATCH)),
            )
            writer = PageWriter(connection, handle)
            writer.add(rows)
            writer.flush()


def _ask(database: Database, watch: _Stopwatch) -> None:
    site = site_for(database, SITE)
    assert site is not None
    scan = latest_scan(database, site.id)
    assert scan is not None
    inventory = Inventory(database, site, scan)
    questions: dict[str, Callable[[], object]] = {
        "first 100 pages": lambda: inventory.pages().list(100),
        "count": inventory.count,
        "why": lambda: inventory.why(page_url(4_321)),
        "all pages as rows": lambda: sum(1 for _ in iter_page_rows(database, scan.id, ALL_PAGES)),
        "all links": lambda: sum(1 for _ in inventory.links()),
    }
    for words, ask in questions.items():
        for _ in range(3):
            watch.time(words, ask)


class _Stopwatch:
    """Prints what a piece of work took."""

    def __init__(self, database: Database) -> None:
        self._clock = CpuClock(database)

    def time(self, words: str, work: Callable[[], object], rows: int = 0) -> None:
        started = time.perf_counter()
        cpu = self._clock.cpu(work)
        seconds = time.perf_counter() - started
        rate = f", {rows / cpu:,.0f} rows per second of CPU" if rows else ""
        print(f"{words:<18} {seconds * 1_000:10,.0f} ms, CPU {cpu * 1_000:10,.0f} ms{rate}")


if __name__ == "__main__":
    main()
