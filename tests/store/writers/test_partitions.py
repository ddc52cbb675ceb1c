from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from sitecrawl.store.engine import open_database
from sitecrawl.store.errors import PartitionError
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.writers.partitions import partition
from tests.site.build import robots, sitemap
from tests.site.project import Project
from tests.store.answers import answers
from tests.store.crawling import Crawling, Link

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.store.engine import Database
    from tests.site import SiteServer

_NOW = datetime.now(UTC)


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[Database]:
    with open_database(postgres_url) as opened:
        yield opened


def crawled(database: Database, *paths: str) -> int:
    crawling = Crawling(database)
    crawling.start()
    menu = [Link(path, anchor=path, region="navigation") for path in paths]
    for path in ("/", *paths):
        crawling.visit(path, *menu)
    crawling.end()
    return crawling.handle.scan_id


def rows(database: Database, statement: str) -> list[tuple[object, ...]]:
    with database.reading() as connection:
        return [tuple(row) for row in connection.execute(text(statement))]


def test_every_question_has_the_same_answer_in_partitions(postgres: Database) -> None:
    scan = scan_by_id(postgres, crawled(postgres, "/a", "/b", "/c"))
    assert scan is not None
    before = answers(postgres, scan)
    copied = partition(postgres, 3, _NOW)
    assert answers(postgres, scan) == before
    [(stored,)] = rows(
        postgres, "SELECT (SELECT count(*) FROM pages) + (SELECT count(*) FROM other_mentions)"
    )
    assert copied == stored
    assert rows(
        postgres, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'pages'::regclass"
    ) == [(3,)]


def test_a_later_scan_renews_pages_in_partitions(postgres: Database) -> None:
    crawled(postgres, "/a", "/b")
    partition(postgres, 3, _NOW)
    before = rows(postgres, "SELECT url, number, id FROM pages ORDER BY number")
    newest = crawled(postgres, "/a", "/b", "/new")
    after = rows(postgres, "SELECT url, number, id FROM pages ORDER BY number")
    assert after[: len(before)] == before
    assert [url for url, *_ in after[len(before) :]] == ["https://example.com/new"]
    assert rows(postgres, "SELECT DISTINCT seen_scan_id FROM pages") == [(newest,)]
    assert rows(postgres, "SELECT count(*), count(DISTINCT id) FROM pages") == [(4, 4)]


def test_what_cannot_be_split_is_refused(postgres: Database, sqlite_database: Database) -> None:
    with pytest.raises(PartitionError, match="only PostgreSQL"):
        partition(sqlite_database, 3, _NOW)
    crawling = Crawling(postgres)
    with pytest.raises(PartitionError, match="scan 1 is running"):
        partition(postgres, 3, _NOW)
    crawling.start()
    crawling.visit("/")
    crawling.end()
    partition(postgres, 3, _NOW)
    with pytest.raises(PartitionError, match="has partitions already"):
        partition(postgres, 3, _NOW)


def test_scans_go_on_after_the_command(site: SiteServer, tmp_path: Path, postgres_url: str) -> None:
    project = Project.in_folder(tmp_path, postgres_url)
    site.routes |= {"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a", "/b")}
    assert len(project.crawl(site.url).succeeded().rows) == 2
    said = project.run(sys.executable, "-m", "sitecrawl", "partition", "--partitions", "3")
    assert "into 3 partitions: 2 rows" in said.succeeded().stdout
    site.routes["/map.xml"] = sitemap("/b", "/c")
    found = project.crawl(site.url, feed="second.jsonl").succeeded()
    assert set(found.urls) == {site.at("/b"), site.at("/c")}
