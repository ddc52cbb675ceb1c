from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.inventory_site import build_inventory
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.arrow import arrow_batches
from sitecrawl.store.queries.feed import iter_page_rows
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.scans import latest_scan

if TYPE_CHECKING:
    from pathlib import Path


def test_tables_joined_in_arrow_give_what_the_database_joins(tmp_path: Path) -> None:
    with open_database(f"sqlite:///{tmp_path}/inventory.db") as database:
        build_inventory(database, 1_000)
        scan = latest_scan(database, 1)
        assert scan is not None
        rows = [
            row for batch in arrow_batches(database, scan, ALL_PAGES) for row in batch.to_pylist()
        ]
        assert rows == list(iter_page_rows(database, scan.id, ALL_PAGES))
    assert {len(row["sources"]) for row in rows} == {1, 2}
    assert {row["visited"] for row in rows} == {False, True}
