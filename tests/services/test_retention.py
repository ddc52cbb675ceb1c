"""What is pruned, and that nobody notices who asks about the scans that are kept."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.services.retention import prune, vacuum
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.writers.prune import Retention
from tests.crawl.test_recrawl import CRAWL, tagged_page
from tests.site import Reply, SiteServer
from tests.site.build import robots, sitemap
from tests.site.project import Project
from tests.store.answers import answers, assert_same, everything

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.store.engine import Database

WITH_BODIES = {**CRAWL, "SITECRAWL_KEEP_BODIES": "pages"}
ALL = "SELECT count(*) FROM {table}"


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
