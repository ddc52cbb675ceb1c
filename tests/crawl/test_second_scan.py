"""A second scan of a site on the same database, on SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, text

from tests.site import Reply
from tests.site.build import page
from tests.site.project import Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

AUTO = {
    "SITECRAWL_CRAWL": "auto",
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_SOFT_404": False,
}


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A project whose scans share a database of each kind in turn."""
    url = request.getfixturevalue("postgres_tables_url") if request.param == "postgres" else None
    return Project.in_folder(tmp_path, database_url=url)


def test_it_knows_what_is_gone_and_what_is_new(site: SiteServer, kept: Project) -> None:
    shared = ("/", "/a", "/b")
    site.routes.update(
        {
            "/": page("Home", "/a", "/b", "/gone", nav=("/top", "/demoted")),
            "/a": page("A", *shared, "/only-here"),
            "/b": page("B", *shared, "/demoted"),
            "/gone": page("Gone", *shared, "/below-gone"),
            "/top": Reply(status=404),
            "/demoted": page("Demoted"),
            "/only-here": page("Only here"),
            "/below-gone": page("Below gone"),
        }
    )
    settings = {**AUTO, "SITECRAWL_FEED_REFUSED": True}
    first = kept.crawl(site.url, settings=settings).succeeded()
    mentions = _mentions_by(kept, site.at("/a"), site.at("/b"))
    assert len(mentions) == 8

    site.routes["/"] = page("Home", "/a", "/b", "/new", nav=("/top",))
    site.routes["/top"] = page("Top")
    site.routes["/new"] = page("New", *shared)
    del site.routes["/gone"]
    second = kept.crawl(site.url, settings=settings).succeeded()
    assert _mentions_by(kept, site.at("/a"), site.at("/b")) == mentions, "none is there twice"
    before, after = _facts(site, first), _facts(site, second)
    assert before.keys() - after.keys() == {"/gone", "/below-gone"}
    assert after.keys() - before.keys() == {"/new"}
    assert before["/top"] == ("not_found", 1.0)
    assert after["/top"] == (None, 1.0)
    assert before["/demoted"] == (None, 1.0)
    assert after["/demoted"] == (None, None), "a link of a page, and no longer of the menu"


def test_a_smaller_crawl_removes_nothing(site: SiteServer, kept: Project) -> None:
    site.routes |= {
        "/": page("Home", "/a", "/b"),
        "/a": page("A", "/a/1", "/a/2"),
        "/b": page("B", "/b/1", "/missing"),
        **{path: page(path) for path in ("/a/1", "/a/2", "/b/1")},
    }
    first = kept.crawl(site.url, settings=AUTO).succeeded()
    smaller = {**AUTO, "SITECRAWL_MAX_CRAWL_PAGES": 2}
    second = kept.crawl(site.url, settings=smaller).ended_in_part()
    assert second.urls == first.urls
    statuses = {row["url"]: row["http_status"] for row in second.rows}
    assert set(statuses.values()) == {200}, "what the first crawl has seen"
    assert "found      5 URLs\n" in second.stderr
    known = "known      6 URLs with 1 of earlier scans that this one has not read\n"
    assert known in second.stderr

    site.routes["/"] = page("Home", "/b")
    third = kept.crawl(site.url, settings=AUTO).succeeded()
    assert set(third.urls) == {site.at(path) for path in ("/", "/b", "/b/1")}, "now it can tell"


def _facts(site: SiteServer, done: CrawlResult) -> dict[str, tuple[str | None, float | None]]:
    """Reason and importance of every page."""
    return {
        row["url"].removeprefix(site.url): (row["reason"], row["importance"]) for row in done.rows
    }


def _mentions_by(project: Project, *documents: str) -> list[tuple[Any, ...]]:
    """What these pages link to, as the database has it."""
    engine = create_engine(project.environment["SITECRAWL_DATABASE_URL"])
    with engine.connect() as connection:
        found = connection.execute(
            text("""
                SELECT d.url, m.position, p.url FROM mentions AS m
                JOIN pages AS p ON p.id = m.page_id JOIN documents AS d ON d.id = m.document_id
                WHERE m.source = 'link' ORDER BY 1, 2, 3
            """)
        )
        rows = [tuple(row) for row in found if row[0] in documents]
    engine.dispose()
    return rows
