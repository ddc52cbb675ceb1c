"""Exports a large inventory as Parquet and asks it by SQL.

    python -m benchmarks.billion_rows --pages 500k --sites 40

One site is built in a database and exported, which gives the rate and the size per row. Its files
are then copied under the names of further sites, and five questions are asked of all of them.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.built_sites import parse_size
from benchmarks.inventory_site import SITE, build_inventory
from sitecrawl.services.datasets import ask_files, export_parquet
from sitecrawl.store.dataset_sql import QueryLimits
from sitecrawl.store.engine import open_database

_QUESTIONS = {
    "pages by site and status": "SELECT site, status, count(*) FROM pages GROUP BY ALL",
    "largest templates": (
        "SELECT template, count(*) FROM pages GROUP BY template ORDER BY 2 DESC LIMIT 20"
    ),
    "one URL in all sites": (
        "SELECT site, status, depth FROM pages WHERE url = (SELECT max(url) FROM pages"
        f" WHERE site = '{SITE}')"
    ),
    "one site": f"SELECT source, language, count(*) FROM pages WHERE site = '{SITE}' GROUP BY ALL",
    "text in URLs": "SELECT count(*) FROM pages WHERE url LIKE '%copper%winter%'",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=parse_size, default=parse_size("500k"))
    parser.add_argument("--sites", type=int, default=40)
    parser.add_argument("--memory", type=int, default=1_024, help="MB for a question")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sitecrawl-parquet-") as name:
        folder = Path(name) / "parquet"
        rows = _export(Path(name), folder, given.pages)
        _copy(folder / "pages", given.sites)
        total = rows * given.sites
        size = _size(folder / "pages")
        print(f"{total:,} rows in {given.sites} sites, {size / total:.1f} bytes per row")
        for words, sql in _QUESTIONS.items():
            started = time.perf_counter()
            with ask_files(folder, sql, QueryLimits(given.memory, 600)) as answer:
                found = sum(1 for _ in answer.rows)
            print(f"{words:<28} {time.perf_counter() - started:7.2f} s  {found:,} rows")


def _export(work: Path, folder: Path, pages: int) -> int:
    with open_database(f"sqlite:///{work}/own.db") as database:
        build_inventory(database, pages)
        started = time.perf_counter()
        [done] = export_parquet(database, folder, SITE)
    seconds = time.perf_counter() - started
    assert done.rows is not None
    written, rows = sum(done.rows.values()), done.rows["pages"]
    print(f"exported {done.rows} in {seconds:.1f} s, {written / seconds:,.0f} rows per second")
    for table in done.rows:
        if done.rows[table]:
            each = _size(folder / table) / done.rows[table]
            print(f"{table}: {each:.1f} bytes per row")
    database_bytes = (work / "own.db").stat().st_size
    print(f"the database: {database_bytes / rows:.0f} bytes per page, with indexes and mentions")
    return rows


def _copy(pages: Path, sites: int) -> None:
    [own] = pages.iterdir()
    for number in range(1, sites):
        shutil.copytree(own, pages / f"site=copy-{number:04}.example")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


if __name__ == "__main__":
    main()
