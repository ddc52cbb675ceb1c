from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from sqlalchemy.engine import make_url

from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.bodies import page_bodies
from sitecrawl.store.queries.scans import scan_by_id
from tests.site import Reply
from tests.site.build import gz, page, robots, rss, sitemap, sitemap_index
from tests.site.project import Project
from tests.stages.stored import fetches, scan, scan_ids, summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}


class TestBodies:
    def test_raw_bytes_of_robots_and_maps_are_kept(self, site: SiteServer, crawl: Crawl) -> None:
        bodies = {
            "/robots.txt": robots("/map.xml", "/map.xml.gz"),
            "/map.xml": sitemap("/a"),
            "/map.xml.gz": gz(sitemap("/b")),
        }
        site.routes.update(bodies)
        done = crawl(site.url, settings=ENOUGH).succeeded()
        blobs = {
            sha256: gzip.decompress(content) if encoding == "gzip" else content
            for sha256, encoding, content in done.query(
                "SELECT sha256, encoding, content FROM blobs"
            )
        }
        for path, body in bodies.items():
            sha256 = fetches(done)[site.at(path)].sha256
            assert sha256 == hashlib.sha256(body).hexdigest()
            assert blobs[sha256] == body
        assert len(blobs) == len(bodies), "the page at the root is not kept"

        crawl(site.url, settings=ENOUGH).succeeded()
        assert done.query("SELECT count(*) FROM blobs") == [(3,)], "each content once"

    def test_they_are_not_kept_when_not_wanted_or_too_large(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
        off = crawl(site.url, settings={**ENOUGH, "SITECRAWL_KEEP_BODIES": 0}).succeeded()
        assert off.query("SELECT count(*) FROM blobs") == [(0,)]
        limit = {"SITECRAWL_KEEP_BODIES_MAX_BYTES": len(sitemap("/a")) - 1}
        small = crawl(site.url, settings={**ENOUGH, **limit, "SITECRAWL_CONDITIONAL_REQUESTS": 0})
        assert small.succeeded().query("SELECT size FROM blobs") == [(len(robots("/map.xml")),)]

    def test_pages_are_kept_when_wanted(self, site: SiteServer, crawl: Crawl) -> None:
        def tagged(body: bytes) -> Reply:
            return Reply(body, etag='"1"', content_type="text/html")

        pages = {"/": page("Home", "/a", "/large"), "/a": page("A"), "/large": page("x" * 5000)}
        site.routes.update({path: tagged(body) for path, body in pages.items()})
        every = {
            "SITECRAWL_CRAWL": "always",
            "SITECRAWL_SITEMAP_PLACES": "",
            "SITECRAWL_SOFT_404": 0,
        }
        crawl(site.url, settings=every).succeeded()
        wanted = {
            **every,
            "SITECRAWL_KEEP_BODIES": "pages",
            "SITECRAWL_KEEP_BODIES_MAX_BYTES": 4000,
        }
        crawl(site.url, settings=wanted).succeeded()
        done = crawl(site.url, settings=wanted).succeeded()
        asked = [entry.status for entry in site.requests("/a")]
        assert asked == [200, 200, 304], "a page without its body is read again, once"
        assert [entry.status for entry in site.requests("/large")] == [200, 304, 304]
        with open_database(f"sqlite:///{done.database}") as database:
            newest = scan_by_id(database, 3)
            assert newest is not None
            kept = {body.url: body.content for _, body in page_bodies(database, newest)}
        assert kept == {site.at(path): pages[path] for path in ("/", "/a")}


class TestScans:
    def test_a_failing_map_does_not_delete_what_it_listed(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(
            {
                "/robots.txt": robots("/a.xml", "/b.xml"),
                "/a.xml": sitemap("/a"),
                "/b.xml": [sitemap("/b"), Reply(status=410), sitemap("/b")],
            }
        )
        first = crawl(site.url, settings=ENOUGH).succeeded()
        second = crawl(site.url, settings=ENOUGH).succeeded()
        assert second.urls == [site.at("/a")]
        third = crawl(site.url, settings=ENOUGH).succeeded()
        assert third.rows == first.rows, "as if nothing had been"

    def test_two_sites_share_a_database(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        other = make_site()
        for each in (site, other):
            each.routes["/robots.txt"] = robots("/map.xml")
            each.routes["/map.xml"] = sitemap("/a", site.at("/b"), other.at("/c"))
        first = crawl(site.url, settings=ENOUGH).succeeded()
        second = crawl(other.url, settings=ENOUGH).succeeded()
        assert first.urls == [site.at("/a"), site.at("/b")]
        assert second.urls == [other.at("/a"), other.at("/c")]

    def test_www_scheme_and_slash_are_the_same_site(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
        settings = {**ENOUGH, "RETRY_TIMES": 0}
        crawl(site.url, settings=settings).succeeded()
        done = crawl(f"127.0.0.1:{site.port}/", settings=settings).succeeded()
        assert len(scan_ids(done)) == 2
        assert done.query("SELECT count(*) FROM sites") == [(1,)]
        assert done.query("SELECT count(*) FROM pages") == [(1,)]

    def test_the_record_of_a_scan_is_complete(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a", "/cart")})
        done = crawl(site.url, settings=ENOUGH).succeeded()
        figures = summary(done)
        assert figures["asked"] == site.url
        assert (figures["pages"], figures["mentions"]) == (1, 2)
        assert figures["by_source"] == {"sitemap": 1}
        assert figures["refused"] == {"skipped_path": 1}
        assert figures["documents"] == {"ok": 2, "not_found": 1}
        assert figures["requests"] == 3
        assert figures["seconds"] > 0
        assert scan(done)[0] == "finished"
        (times,) = done.query("SELECT started_at, finished_at, heartbeat_at FROM scans")
        assert all(times)


@pytest.fixture
def rich_site(site: SiteServer) -> SiteServer:
    site.routes.update(
        {
            "/robots.txt": robots("/index.xml"),
            "/index.xml": Reply(sitemap_index("/a.xml", "/b.xml"), etag='"i"'),
            "/a.xml": Reply(
                sitemap("/en/a", "/größe", "/cart", lastmod="2026-01-02", priority=0.5), etag='"a"'
            ),
            "/b.xml": rss("/en/a", "/b", "https://other.example/", title='Über "alles"'),
        }
    )
    return site


def test_postgresql_holds_the_same_as_sqlite(
    rich_site: SiteServer, project: Project, tmp_path: Path, postgres_url: str
) -> None:
    # The server asks for no password, so that any is right, and none may be shown.
    url = make_url(postgres_url).set(password="s3cret").render_as_string(hide_password=False)
    (tmp_path / "postgres").mkdir()
    postgres = Project.in_folder(tmp_path / "postgres", database_url=url)
    # One after another: of two maps under way, whichever answers first has the first mention.
    settings = {**ENOUGH, "SITECRAWL_FEED_REFUSED": 1, "CONCURRENT_REQUESTS": 1}
    ours = project.crawl(rich_site.url, settings=settings).succeeded()
    theirs = postgres.crawl(rich_site.url, settings=settings).succeeded()
    assert _comparable(theirs.rows) == _comparable(ours.rows)
    assert len(ours.rows) == 5
    rich_site.routes["/a.xml"] = sitemap("/en/a", "/new")
    ours = project.crawl(rich_site.url, settings=settings).succeeded()
    theirs = postgres.crawl(rich_site.url, settings=settings).succeeded()
    assert _comparable(theirs.rows) == _comparable(ours.rows)
    assert rich_site.at("/new") in theirs.urls

    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        pages = connection.execute("SELECT count(*), count(DISTINCT id) FROM pages").fetchone()
        statuses = connection.execute("SELECT DISTINCT status FROM scans").fetchall()
    assert pages == (6, 6)
    assert statuses == [("finished",)]
    assert "s3cret" not in theirs.output
    assert "postgresql" in theirs.stderr, "where the data is"


def _comparable(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(
        ({**row, "discovered_at": "", "sources": sorted(row["sources"])} for row in rows),
        key=lambda row: str(row["url"]),
    )


def test_a_second_scan_of_the_site_at_the_same_time_is_refused(
    site: SiteServer, project: Project
) -> None:
    inner: list[CrawlResult] = []

    def scan_again(_request: Any) -> bytes:
        if not inner:
            other = replace(project, folder=project.folder.parent / "home")
            inner.append(other.crawl(site.url, settings=ENOUGH))
        return sitemap("/a")

    site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": scan_again})
    # On a busy machine the other scan takes long: asked again, the site would begin a third one.
    patient = {**ENOUGH, "SITECRAWL_SITEMAP_TIMEOUT_SECONDS": 200}
    outer = project.crawl(site.url, settings=patient).succeeded()
    assert outer.urls == [site.at("/a")]
    assert inner[0].returncode == 1
    assert "is running" in inner[0].stderr
    assert "Traceback" not in inner[0].output
    assert len(scan_ids(outer)) == 1
