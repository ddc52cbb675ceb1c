"""Exports a large inventory as Parquet, and queries it by SQL.

    python -m benchmarks.billion_rows --pages 500k --sites 40

One site is built in a database and exported, which gives the rate and the size per row. Its files
are then copied under the names of further sites, and five questions are asked of all of them. The
export and each question run in a process of their own, whose peak memory is printed.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from benchmarks.built_sites import parse_size
from benchmarks.inventory_site import SITE, build_inventory
from sitecrawl.services.exports import ask_files, export_parquet
from sitecrawl.store.dataset_sql import QueryLimits
from sitecrawl.store.engine import open_database

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")
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
        database = f"sqlite:///{name}/own.db"
        with open_database(database) as opened:
            build_inventory(opened, given.pages)
        exported, seconds, memory = _apart(_export, database, folder)
        rate = sum(exported.values()) / seconds
        print(f"exported {exported} in {seconds:.1f} s, {rate:,.0f} rows per second, {memory:,} MB")
        for table in ("pages", "mentions"):
            each = _size(folder / table) / exported[table]
            print(f"{table}: {each:.1f} bytes per row")
        each = (Path(name) / "own.db").stat().st_size / exported["pages"]
        print(f"the database: {each:.0f} bytes per page, with indexes and mentions")
        _copy(folder / "pages", given.sites)
        print(f"{exported['pages'] * given.sites:,} rows in {given.sites} sites")
        for words, sql in _QUESTIONS.items():
            found, seconds, memory = _apart(_ask, folder, sql, given.memory)
            print(f"{words:<28} {seconds:7.2f} s  {found:,} rows, {memory:,} MB")


def _apart(work: Callable[..., _Result], *args: object) -> tuple[_Result, float, int]:
    """The result of a new process, its seconds and its peak memory in MB."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measured, work, *args).result()


def _measured(work: Callable[..., _Result], *args: object) -> tuple[_Result, float, int]:
    started = time.perf_counter()
    result = work(*args)
    seconds = time.perf_counter() - started
    return result, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def _export(database: str, folder: Path) -> dict[str, int]:
    with open_database(database) as opened:
        [done] = export_parquet(opened, folder, SITE)
    assert done.rows is not None
    return done.rows


def _ask(folder: Path, sql: str, memory: int) -> int:
    with ask_files(folder, sql, QueryLimits(memory, 600)) as answer:
        return sum(1 for _ in answer.rows)


def _copy(pages: Path, sites: int) -> None:
    [own] = pages.iterdir()
    for number in range(1, sites):
        shutil.copytree(own, pages / f"site=copy-{number:04}.example")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.parquet"))


if __name__ == "__main__":
    main()
