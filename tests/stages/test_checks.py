"""Checks of listed pages, end to end: which pages are visited, and what is stored of them."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, text

from tests.crawl.test_resume import kill_after
from tests.site import Reply
from tests.site.build import page, robots, sitemap
from tests.site.project import Project, crawl_command
from tests.site.reply import redirect
from tests.stages.stored import scan, stage, summary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

SETTINGS = {
    "SITECRAWL_CRAWL": "never",
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_MIN_SITEMAP_URLS": 0,
    "SITECRAWL_SOFT_404": False,
    "SITECRAWL_LANGUAGE_DETECTION": "never",
    "RETRY_TIMES": 0,
}
_CHECKS = """
SELECT v.url, v.outcome, f.status, v.reason, v.checked_for, v.redirect_target
FROM visits AS v
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
WHERE v.scan_id = (SELECT max(id) FROM scans) AND v.checked_for IS NOT NULL ORDER BY v.number
"""


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A project whose scans share a database of each kind in turn."""
    url = request.getfixturevalue("postgres_tables_url") if request.param == "postgres" else None
    return Project.in_folder(tmp_path, database_url=url)


def listed(site: SiteServer, *paths: str, disallow: tuple[str, ...] = ()) -> None:
    """Let the site have these pages in its only sitemap; whoever wants others sets the routes."""
    site.routes.setdefault("/", page("Home"))
    site.routes["/robots.txt"] = robots(site.at("/sitemap.xml"), disallow=disallow)
    site.routes["/sitemap.xml"] = sitemap(*map(site.at, paths))
    for path in paths:
        site.routes.setdefault(path, page(path, f"/linked-by{path}"))


def checked(
    site: SiteServer, project: Project, pages: int, **settings: Any
) -> tuple[CrawlResult, list[str]]:
    """A scan with so many checks, and the paths of pages that it has asked for."""
    before = len(site.paths())
    given = {**SETTINGS, "SITECRAWL_CHECK_PAGES": pages, **settings}
    done = project.crawl(site.url, settings=given)
    asked = [path for path in site.paths()[before:] if path not in {"/robots.txt", "/sitemap.xml"}]
    asked.remove("/")  # of the entry
    return done, asked


def rows(project: Project, sql: str) -> list[tuple[Any, ...]]:
    engine = create_engine(project.environment["SITECRAWL_DATABASE_URL"])
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(sql))]
    engine.dispose()
    return found


def results(site: SiteServer, project: Project) -> dict[str, Sequence[Any]]:
    """Outcome, status, reason, cause and target of the newest scan's checks, by path."""
    return {url.removeprefix(site.url): rest for url, *rest in rows(project, _CHECKS)}


def test_none_by_default(site: SiteServer, project: Project) -> None:
    listed(site, "/a")
    done, asked = checked(site, project, 0)
    assert asked == []
    assert [each["stage"] for each in summary(done.succeeded())["stages"]][-1] == "crawl"
    assert summary(done)["checks"] == {}


class TestRotation:
    def test_every_page_has_its_turn(self, site: SiteServer, project: Project) -> None:
        paths = [f"/p{number}" for number in range(7)]
        listed(site, *paths, "/private/x", disallow=("/private/",))
        visited = [sorted(checked(site, project, 3)[1]) for _ in range(4)]
        assert [len(each) for each in visited] == [3, 3, 3, 3], "the budget, and not one more"
        assert sorted({*visited[0], *visited[1], *visited[2]}) == paths
        assert visited[0] == ["/p0", "/p1", "/p2"]
        assert visited[3] == ["/p2", "/p3", "/p4"], "those whose check is the oldest"

    def test_a_small_site_is_checked_whole(self, site: SiteServer, project: Project) -> None:
        listed(site, "/a", "/b")
        done, asked = checked(site, project, 50)
        assert sorted(asked) == ["/a", "/b"]
        assert scan(done.succeeded())[0] == "finished"
        assert stage(done, "checks")["checked"] == 2
        assert summary(done)["checks"]["checked"] == 2
        assert "checked    2 listed pages for how they answer\n" in done.stderr

    def test_what_a_visit_refused_is_checked_again(
        self, site: SiteServer, project: Project
    ) -> None:
        site.routes["/gone"] = Reply(status=404)
        site.routes["/moved"] = redirect("/a", 301)
        listed(site, "/a", "/gone", "/moved")
        first, _ = checked(site, project, 5)
        assert first.urls == [site.at("/a")]
        assert summary(first)["pages"] == 1
        site.routes["/gone"], site.routes["/moved"] = page("Back"), page("Back as well")
        second, asked = checked(site, project, 5)
        assert sorted(asked) == ["/a", "/gone", "/moved"]
        assert sorted(second.urls) == [site.at(path) for path in ("/a", "/gone", "/moved")]

    def test_pages_that_the_crawl_visits_are_not_checked(
        self, site: SiteServer, project: Project
    ) -> None:
        site.routes["/"] = page("Home", "/a", "/b", "/c", "/d")
        listed(site, "/a", "/b", "/c", "/d", "/e", "/f")
        limited = {"SITECRAWL_CRAWL": "always", "SITECRAWL_MAX_CRAWL_PAGES": 3}
        done, asked = checked(site, project, 3, **limited)
        done.ended_in_part()
        assert sorted(asked) == ["/a", "/b", "/c", "/d", "/e"]
        assert set(results(site, project)) == {"/c", "/d", "/e"}
        assert summary(done)["visited"] == 3
        [(twice,)] = done.query(
            "SELECT count(*) FROM (SELECT 1 FROM visits GROUP BY page_id HAVING count(*) > 1)"
        )
        assert twice == 0


class TestMissingPages:
    def test_are_checked_first(self, site: SiteServer, kept: Project) -> None:
        answers: dict[str, Reply | bytes] = {
            "/404": Reply(status=404),
            "/410": Reply(status=410),
            "/200": page("Still there"),
            "/503": Reply(status=503),
            "/slow": Reply(b"", hold=threading.Event()),
        }
        others = [f"/p{number}" for number in range(5)]
        listed(site, *answers, *others)
        checked(site, kept, 2)
        site.routes["/sitemap.xml"] = sitemap(*map(site.at, others))
        site.routes.update(answers)
        done, asked = checked(site, kept, 6, SITECRAWL_PAGE_TIMEOUT_SECONDS=0.5)
        assert done.returncode == 0, done.stderr
        assert len(asked) == 6
        found = results(site, kept)
        assert sorted(list(found)[:5]) == sorted(answers)
        assert found.pop(list(found)[5])[3] == "rotation"
        assert {path: tuple(each[:4]) for path, each in found.items()} == {
            "/404": ("not_found", 404, "not_found", "missing"),
            "/410": ("not_found", 410, "not_found", "missing"),
            "/200": ("ok", 200, None, "missing"),
            "/503": ("http_error", 503, None, "missing"),
            "/slow": ("timeout", None, None, "missing"),
        }
        words = "6 listed pages for how they answer: 2 removed (404, 410 or an error page), 2 unr"
        assert words in done.stderr
        site.routes["/sitemap.xml"] = sitemap(*map(site.at, others[1:]))
        _, asked = checked(site, kept, 5)
        assert sorted(asked) == others, "not what was missing before"
        causes = {path: each[3] for path, each in results(site, kept).items()}
        assert [path for path, cause in causes.items() if cause == "missing"] == [others[0]]

    def test_a_page_that_another_map_lists_is_not_missing(
        self, site: SiteServer, project: Project
    ) -> None:
        listed(site, "/a", "/b")
        both = robots(site.at("/sitemap.xml"), site.at("/more.xml"))
        site.routes["/robots.txt"] = both
        site.routes["/more.xml"] = sitemap(site.at("/c"))
        site.routes["/c"] = page("C")
        checked(site, project, 1, SITECRAWL_ROBOTS_CACHE_SECONDS=0)
        site.routes["/sitemap.xml"] = sitemap(site.at("/a"))
        site.routes["/more.xml"] = sitemap(site.at("/b"), site.at("/c"))
        checked(site, project, 3, SITECRAWL_ROBOTS_CACHE_SECONDS=0)
        assert {each[3] for each in results(site, project).values()} == {"rotation"}

    def test_a_map_that_is_gone_makes_some_and_one_that_cannot_be_read_none(
        self, site: SiteServer, project: Project
    ) -> None:
        listed(site, "/a", "/b")
        checked(site, project, 1)
        site.routes["/sitemap.xml"] = Reply(status=503)
        checked(site, project, 2)
        assert {each[3] for each in results(site, project).values()} == {"rotation"}
        site.routes["/sitemap.xml"] = Reply(status=404)
        checked(site, project, 2)
        assert [each[3] for each in results(site, project).values()] == ["missing", "missing"]

    def test_one_that_robots_txt_does_not_allow_now_is_not_asked_for(
        self, site: SiteServer, project: Project
    ) -> None:
        listed(site, "/a", "/b")
        checked(site, project, 1)
        listed(site, "/a", disallow=("/b",))
        done, asked = checked(site, project, 2, SITECRAWL_ROBOTS_CACHE_SECONDS=0)
        assert asked == ["/a"]
        assert results(site, project)["/b"][0] == "blocked_by_robots"
        assert summary(done.succeeded())["checks"]["not_allowed"] == 1


class TestWhatIsStored:
    def test_facts_of_the_page(self, site: SiteServer, project: Project) -> None:
        head = (
            "<title>T</title><meta name=description content=D><meta name=robots content=noindex>"
            "<link rel=canonical href=/other><link rel=alternate hreflang=de href=/de>"
        )
        site.routes["/a"] = Reply(
            f"<html><head>{head}</head><body><h1>H</h1><p>text</p></body></html>",
            content_type="text/html",
            headers={"X-Robots-Tag": "noarchive"},
            etag='"1"',
        )
        listed(site, "/a")
        facts = """
            SELECT v.outcome, v.title, v.canonical, v.text_hash, f.h1, f.description, f.robots_meta,
                f.robots_header, f.is_indexable, f.alternates_hash, p.checked_scan_id
            FROM visits AS v JOIN pages AS p ON p.id = v.page_id
            JOIN page_facts AS f ON f.scan_id = v.scan_id AND f.page_id = v.page_id
            WHERE v.scan_id = (SELECT max(id) FROM scans)
        """
        checked(site, project, 1)
        [first] = rows(project, facts)
        assert first[:3] == ("ok", "T", site.at("/other"))
        assert (*first[4:8], bool(first[8]), first[10]) == (
            *("H", "D", "noindex", "noarchive"),
            *(False, 1),
        )
        assert first[3]
        assert first[9]
        checked(site, project, 1)
        assert site.requests()[-1].request.headers["If-None-Match"] == '"1"'
        [second] = rows(project, facts)
        assert second == ("not_modified", *first[1:10], 2), "a 304 has what still holds"
        assert rows(project, "SELECT count(*) FROM pages") == [(1,)], "neither /other nor /de"

    def test_a_redirect_has_its_target_and_no_visit_of_it(
        self, site: SiteServer, project: Project
    ) -> None:
        site.routes["/old"] = redirect("/new", 301)
        site.routes["/slash"] = redirect("/slash/", 301)
        site.routes["/slash/"] = page("Slash")
        listed(site, "/old", "/slash")
        done, asked = checked(site, project, 5)
        assert sorted(asked) == ["/old", "/slash", "/slash/"]
        found = results(site, project)
        assert found["/old"] == ["redirected", 301, "redirected", "rotation", site.at("/new")]
        assert found["/slash"][:3] == ["ok", 200, None]
        assert done.query("SELECT count(*) FROM pages WHERE url LIKE '%/new'") == [(0,)]

    def test_links_of_checked_pages_are_no_mentions(
        self, site: SiteServer, project: Project
    ) -> None:
        listed(site, "/a", "/b")
        done, _ = checked(site, project, 5, SITECRAWL_CRAWL="auto", SITECRAWL_MIN_SITEMAP_URLS=1)
        assert sorted(done.urls) == [site.at(path) for path in ("/", "/a", "/b")]

    def test_what_a_crawl_has_read_from_a_page_stays(
        self, site: SiteServer, project: Project
    ) -> None:
        site.routes["/"] = page("Home", "/a")
        site.routes["/a"] = page("A", "/only-here")
        site.routes["/only-here"] = page("Only here")
        always = {"SITECRAWL_CRAWL": "always"}
        first, _ = checked(site, project, 0, **always)
        assert site.at("/only-here") in first.urls
        site.routes["/a"] = page("A has changed", "/only-here", "/new")
        site.routes["/new"] = page("New")
        second, asked = checked(site, project, 5, **always, SITECRAWL_MAX_CRAWL_PAGES=1)
        assert sorted(asked) == ["/a", "/only-here"]
        assert sorted(second.urls) == sorted(first.urls)
        third, _ = checked(site, project, 0, **always)
        assert site.at("/new") not in second.urls
        assert sorted(third.urls) == sorted([*first.urls, site.at("/new")]), "read anew"

    def test_a_crawl_does_not_take_a_check_for_a_page_without_links(
        self, site: SiteServer, project: Project
    ) -> None:
        site.routes["/a"] = Reply(page("A", "/b"), content_type="text/html", etag='"1"')
        site.routes["/b"] = page("B")
        listed(site, "/a")
        checked(site, project, 1)
        site.routes["/"] = page("Home", "/a")
        done, _ = checked(site, project, 0, SITECRAWL_CRAWL="always")
        assert site.at("/b") in done.urls


def test_an_error_page_with_200_counts_as_removed(site: SiteServer, project: Project) -> None:
    error = page("Sorry", "/") + b"<p>This page is not here, or not here any more. Search.</p>"
    listed(site, "/a")
    site.routes["/*"] = error
    site.routes["/a"] = error
    done, _ = checked(site, project, 1, SITECRAWL_SOFT_404=True)
    assert results(site, project)["/a"][2] == "soft_404"
    assert summary(done)["checks"]["removed"] == 1


def test_a_killed_scan_goes_on_with_its_checks(site: SiteServer, project: Project) -> None:
    paths = [f"/p{number:02}" for number in range(30)]
    listed(site, *paths)
    checked(site, project, 0)
    gate = threading.Event()
    for path in paths[10:]:
        site.routes[path] = Reply(page(path), hold=gate)
    settings = {**SETTINGS, "SITECRAWL_CHECK_PAGES": 25, "SITECRAWL_PAGE_TIMEOUT_SECONDS": 60}
    command = crawl_command(site.url, settings=settings)
    before = len(site.paths())
    kill_after(project, site, 3 + 10 + 4, *command)
    gate.set()
    resume = (sys.executable, "-m", "scrapy", "crawl", "discover", "-a", "resume=2")
    done = project.run(*resume).succeeded()
    assert len(results(site, project)) == 25
    assert {each[0] for each in results(site, project).values()} == {"ok"}
    assert summary(done)["checks"]["checked"] == 25
    asked = [path for path in site.paths()[before:] if path in paths]
    assert len(asked) < 25 + 25, "what was stored is not asked for again"
    assert set(asked) == set(paths[:25])


def test_the_monitor_profile_checks_a_budget(site: SiteServer, project: Project) -> None:
    listed(site, *(f"/p{number}" for number in range(60)))
    quick = {"SITECRAWL_SOFT_404": False, "SITECRAWL_LANGUAGE_DETECTION": "never"}
    done = project.crawl(site.url, settings={"SITECRAWL_PROFILE": "monitor,fast", **quick})
    assert summary(done.succeeded())["checks"]["checked"] == 50
    assert len(done.urls) == 60, "no link of a page is on the list"
    again = project.crawl(site.url, settings={"SITECRAWL_PROFILE": "monitor,fast", **quick})
    assert len(again.succeeded().urls) == 60
    [(never,)] = again.query("SELECT count(*) FROM pages WHERE checked_scan_id IS NULL")
    assert never == 0


def test_the_budget_of_the_scan_holds(site: SiteServer, project: Project) -> None:
    listed(site, *(f"/p{number}" for number in range(9)))
    done, asked = checked(site, project, 9, SITECRAWL_MAX_PAGES=4)
    done.ended_in_part()
    assert len(asked) == 3, "and the root"
    assert summary(done)["checks"]["checked"] == 3


def test_why_tells_of_the_last_check(site: SiteServer, project: Project) -> None:
    listed(site, "/a", "/b", "/c")
    checked(site, project, 3)
    site.routes["/a"] = Reply(status=404)
    site.routes["/b"] = redirect("/elsewhere", 301)
    site.routes["/sitemap.xml"] = sitemap(site.at("/b"), site.at("/c"))
    checked(site, project, 2)

    def why(path: str) -> str:
        command = (sys.executable, "-m", "sitecrawl", "why", site.at(path))
        return project.run(*command).succeeded().stdout

    gone = "scan 2, because what listed it was read without it or is gone: HTTP 404\n"
    assert gone in why("/a")
    assert f"scan 2: HTTP 301 -> {site.at('/elsewhere')}" in why("/b")
    assert "scan 1: HTTP 200, text/html" in why("/c")
