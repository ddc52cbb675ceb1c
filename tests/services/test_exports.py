from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.services.change_detection import detect_changes
from sitecrawl.services.exports import ask_files, export_parquet
from sitecrawl.store.dataset_sql import QueryLimits
from sitecrawl.store.engine import open_database
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from sitecrawl.store.engine import Database

_LIMITS = QueryLimits(256, 30)


def crawled(database: Database, *paths: str) -> int:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", *paths)
    crawling.end()
    return crawling.handle.scan_id


def ask(folder: Path, sql: str, limits: QueryLimits = _LIMITS) -> list[Sequence[Any]]:
    with ask_files(folder, sql, limits) as answer:
        return list(answer.rows)


def test_pages_and_mentions_can_be_asked(database: Database, tmp_path: Path) -> None:
    folder = tmp_path / "it's parquet"
    scan = crawled(database, "/b", "/a")
    [done] = export_parquet(database, folder)
    assert done.scan_id == scan
    assert ask(folder, "SELECT site, scan, url FROM pages ORDER BY url") == [
        ("example.com", scan, f"https://example.com/{name}") for name in ("", "a", "b")
    ]
    assert ask(folder, "SELECT count(*) FROM mentions WHERE source = 'link'") == [(2,)]


def test_files_are_sorted_compressed_and_have_statistics(
    database: Database, tmp_path: Path
) -> None:
    crawled(database, "/b", "/c", "/a")
    list(export_parquet(database, tmp_path))
    [file] = (tmp_path / "pages").rglob("*.parquet")
    urls = pq.read_table(file, columns=["url"], partitioning=None)["url"].to_pylist()
    assert urls == sorted(urls)
    column = pq.read_metadata(file).row_group(0).column(0)
    assert column.compression == "ZSTD"
    assert column.statistics.min is not None


def test_a_scan_is_written_once(database: Database, tmp_path: Path) -> None:
    first = crawled(database, "/a")
    assert [done.rows is None for done in export_parquet(database, tmp_path)] == [False]
    assert [done.rows is None for done in export_parquet(database, tmp_path)] == [True]
    second = crawled(database, "/a", "/b")
    detect_changes(database, first)
    detect_changes(database, second)
    again = list(export_parquet(database, tmp_path, history=True))
    assert [(done.scan_id, done.rows is None) for done in again] == [
        (first, True),
        (second, False),
    ]
    assert ask(tmp_path, "SELECT scan, count(*) FROM pages GROUP BY scan ORDER BY scan") == [
        (first, 2),
        (second, 3),
    ]
    assert ask(tmp_path, "SELECT kind, url FROM changes") == [("added", "https://example.com/b")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("datasets")
    with open_database(f"sqlite:///{work}/own.db") as database:
        crawled(database, "/a")
        list(export_parquet(database, work / "parquet"))
    return work / "parquet"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv('{folder}/../secret.csv')",
        "SELECT * FROM read_parquet('{folder}/../*.parquet')",
        "SELECT * FROM read_csv('http://127.0.0.1:9/x')",
        "COPY (SELECT 1) TO '{folder}/x.csv'",
        "CREATE TABLE x AS SELECT 1",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "ATTACH '{folder}/x.db'",
        "PRAGMA database_list",
        "SELECT 1; SELECT 2",
        "",
        "SELECT nonsense FROM pages",
        "SELECT getenv('HOME')",
    ],
)
def test_nothing_but_the_files_can_be_reached(folder: Path, sql: str) -> None:
    (folder.parent / "secret.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInputError):
        ask(folder, sql.format(folder=folder))
    assert sorted(path.name for path in folder.iterdir()) == ["changes", "mentions", "pages"]


def test_time_and_memory_are_bounded(folder: Path) -> None:
    endless = (
        "SELECT count(*) FROM range(10000000000) a, range(1000000) b WHERE a.range % 7 = b.range"
    )
    with pytest.raises(InvalidInputError, match="longer than"):
        ask(folder, endless, QueryLimits(256, 0.2))
    large = "SELECT list(range) FROM range(300000000)"
    with pytest.raises(InvalidInputError, match="memory"):
        ask(folder, large, QueryLimits(64, 30))


def test_a_folder_without_files_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="sitecrawl export parquet"):
        ask(tmp_path, "SELECT 1")
