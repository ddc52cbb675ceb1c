from __future__ import annotations

import time
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
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/x.csv'",
        "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1",
        "SELECT * FROM query('COPY (SELECT 1) TO ''{folder}/x.csv''')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM enable_logging('QueryLog', storage = 'file', storage_path = '{folder}/x')",
        "SELECT * FROM sql",  # a variable of Python
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
    for large in (
        "SELECT list(range) FROM range(300000000)",
        # What functions allocate does not count against DuckDB's own limit.
        "SELECT repeat('x', 2000000000)",
        "SELECT range(1000000000)",
    ):
        with pytest.raises(InvalidInputError, match="64 MB of memory are too few; see --memory"):
            ask(folder, large, QueryLimits(64, 60))


def test_the_time_is_that_of_the_query_not_of_who_reads(folder: Path) -> None:
    with ask_files(folder, "SELECT * FROM range(5000)", QueryLimits(64, 2)) as answer:
        assert next(answer.rows) == (0,)
        time.sleep(2)
        assert sum(1 for _ in answer.rows) == 4_999


def test_without_changes_the_view_is_empty(
    database: Database, folder: Path, tmp_path: Path
) -> None:
    assert ask(folder, "SELECT * FROM changes") == []
    for paths in (["/a"], ["/a", "/b"]):
        detect_changes(database, crawled(database, *paths))
    list(export_parquet(database, tmp_path))
    described = "DESCRIBE SELECT id, * FROM changes"
    assert ask(folder, described) == ask(tmp_path, described)
    [(occurred_at,)] = ask(tmp_path, "SELECT occurred_at FROM changes")
    assert occurred_at.tzinfo is not None


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM nothing", "there are pages, changes, mentions"),
        ("SELCT 1", 'sql: Parser Error: syntax error at or near "SELCT"'),
    ],
)
def test_what_is_wrong_is_one_line(folder: Path, sql: str, message: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        ask(folder, sql)
    assert str(raised.value).endswith(message)
    assert "\n" not in str(raised.value)


def test_a_folder_without_files_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="sitecrawl export parquet"):
        ask(tmp_path, "SELECT 1")
