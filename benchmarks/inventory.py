"""Questions about a large inventory that was filled by bulk statements, on SQLite."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.contestants import RUNS_DIR
from benchmarks.inventory_site import SITE, build_inventory, page_url
from benchmarks.report import Bar
from sitecrawl.services.inventory import Inventory
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.facets import count_facets
from sitecrawl.store.queries.feed import feed_columns
from sitecrawl.store.queries.page_filter import ALL_PAGES, PageFilter, PageOrder, PageSort
from sitecrawl.store.queries.scans import latest_scan, site_for
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.store.writers.page_index import index_pages

if TYPE_CHECKING:
    from collections.abc import Callable

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
    path = RUNS_DIR / f"inventory-{options.entries}.db"
    for old in RUNS_DIR.glob(f"{path.name}*"):
        old.unlink()
    with open_database(f"sqlite:///{path}") as database:
        build_inventory(database, options.entries)
        site = site_for(database, SITE)
        scan = latest_scan(database, site.id) if site else None
        assert site is not None
        assert scan is not None
        figures = {
            "index_cpu_seconds": _cpu(lambda: index_pages(database, scan, with_texts=False)),
            "texts_cpu_seconds": _cpu(lambda: index_pages(database, scan)),
            "page_p95_ms": _p95_ms(database, scan),
            "facets_ms": 1e3 * _cpu(lambda: count_facets(database, scan, ALL_PAGES)),
            "facets_of_search_ms": 1e3
            * _cpu(lambda: count_facets(database, scan, PageFilter(search="winter"))),
        }
        inventory = Inventory(database, site, scan)
        url = page_url(options.entries // 2)
        figures["page_of_url_ms"] = 1e3 * _cpu(lambda: inventory.page(url))
        figures["why_ms"] = 1e3 * _cpu(lambda: inventory.why(url))
        figures["arrow_cpu_seconds"] = _cpu(inventory.to_arrow)
    results.sections["inventory"] = figures
    for name, value in figures.items():
        print(f"  {name:<24} {value:10.1f}")
    results.add_bars(
        [
            Bar(
                "a filtered, sorted list of 100 pages, p95, CPU", figures["page_p95_ms"], 50, " ms"
            ),
            Bar("all facets, stored", figures["facets_ms"], 50, " ms"),
            Bar("all facets of a search", figures["facets_of_search_ms"], 1_000, " ms"),
            Bar("page(url)", figures["page_of_url_ms"], 50, " ms"),
            Bar("why(url)", figures["why_ms"], 50, " ms"),
            Bar("to_arrow()", figures["arrow_cpu_seconds"], 4, " s"),
        ]
    )


def _p95_ms(database: Database, scan: Scan) -> float:
    """Of filters alone and in pairs, in random orders: CPU, as the machine may be shared."""
    chance = random.Random(1)
    times: list[float] = []
    while len(times) < QUESTIONS:
        one, other = chance.sample(FILTERS, 2)
        asked = one if chance.random() < 0.5 or one.keys() & other.keys() else one | other
        order = PageOrder(chance.choice(list(PageSort)), descending=chance.random() < 0.5)
        wanted = replace(PageFilter(**asked), order=order, limit=PAGE_ROWS)
        times.append(1e3 * _cpu(partial(_read, database, scan, wanted)))
    return sorted(times)[int(0.95 * len(times))]


def _read(database: Database, scan: Scan, wanted: PageFilter) -> None:
    for _ in feed_columns(database, scan, wanted):
        pass


def _cpu(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
