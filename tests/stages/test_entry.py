from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply, redirect, redirect_chain
from tests.site.bodies import repeated
from tests.site.build import page, robots, sitemap
from tests.stages.stored import evidence, fetches, outcomes, scan, stage, summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult
    from tests.site.reply import Route

    Crawl = Callable[..., CrawlResult]

ENOUGH = {"SITECRAWL_MIN_SITEMAP_URLS": 1}
NO_RETRIES = {"RETRY_TIMES": 0}
OTHER_HOST = {"SITECRAWL_ADDRESS_ALLOW": "127.0.0.2"}


class TestTheWayIn:
    def test_robots_is_asked_first_and_everything_only_once(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(
            {"/": page("Home"), "/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")}
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert site.paths() == ["/robots.txt", "/", "/map.xml"]
        assert done.urls == [site.at("/a")]
        assert [fetch.kind for fetch in fetches(done).values()] == ["robots_txt", "page", "sitemap"]
        assert "sitecrawl/" in site.requests()[0].header("User-Agent")
        assert scan(done)[0] == "finished"
        assert [each["stage"] for each in summary(done)["stages"]] == ["entry", "sitemaps", "crawl"]
        assert all(each["ended"] for each in summary(done)["stages"])

    def test_robots_txt_is_evidence_with_content_and_sitemaps(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        body = robots("/map.xml", disallow=("/private",))
        site.routes.update({"/robots.txt": body, "/map.xml": sitemap("/a")})
        done = crawl(site.url, settings=ENOUGH).succeeded()
        ((content, metadata),) = evidence(done, "robots_txt")
        assert content == body.decode()
        assert metadata["success"] is True
        assert metadata["status"] == 200
        assert metadata["sitemaps"] == [site.at("/map.xml")]

    def test_the_sitemap_spider_finds_the_same(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a", "/b")})
        done = crawl(site.url, spider="sitemap", settings=ENOUGH).succeeded()
        assert done.urls == [site.at("/a"), site.at("/b")]

    def test_a_path_that_was_asked_for_is_the_scope(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update(
            {"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/docs/a", "/docs-old", "/b")}
        )
        done = crawl(site.at("/docs/"), settings=ENOUGH).succeeded()
        assert done.urls == [site.at("/docs/a")]
        assert site.paths()[:2] == ["/robots.txt", "/docs/"]


class TestRootRedirects:
    def test_to_another_path_keeps_the_whole_site_in_scope(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(
            {
                "/": redirect("/en/"),
                "/en/": page("Home"),
                "/robots.txt": robots("/map.xml"),
                "/map.xml": sitemap("/de/a"),
            }
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert done.urls == [site.at("/de/a")]
        assert site.paths() == ["/robots.txt", "/", "/en/", "/map.xml"]

    def test_one_that_is_too_long_is_not_complete(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/"] = Reply(repeated(b"<p>long</p>", 11 * 1024 * 1024))
        root = fetches(crawl(site.url).succeeded())[site.at("/")]
        assert (root.outcome, root.truncated, root.complete) == ("ok", True, False)

    def test_to_another_host_decides_the_host_and_its_robots_is_read_too(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        other = make_site(address="127.0.0.2")
        site.routes.update(
            {
                "/robots.txt": robots("/old.xml"),
                "/": redirect(other.at("/"), 301),
                "/old.xml": sitemap("/old"),
            }
        )
        other.routes.update(
            {"/robots.txt": robots("/new.xml"), "/": page("Home"), "/new.xml": sitemap("/new")}
        )
        done = crawl(site.url, settings={**ENOUGH, **OTHER_HOST}).succeeded()
        assert other.paths()[:2] == ["/robots.txt", "/"]
        assert done.urls == [other.at("/new")]
        assert summary(done)["root_url"] == other.at("/")
        assert done.query("SELECT root_url FROM scans") == [(other.at("/"),)]
        ((_, metadata),) = evidence(done, "root_redirect")
        assert metadata == {"asked": site.at("/"), "answered": other.at("/")}
        assert other.at("/") in done.stderr

    def test_a_base_path_moves_along_to_the_new_host(
        self, site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        other = make_site(address="127.0.0.2")
        site.routes["/"] = redirect(other.at("/"))
        other.routes.update(
            {
                "/": page("Home"),
                "/robots.txt": robots("/map.xml"),
                "/map.xml": sitemap("/docs/a", "/blog/b"),
            }
        )
        done = crawl(site.url, settings={**ENOUGH, **OTHER_HOST}, base="/docs/").succeeded()
        assert done.urls == [other.at("/docs/a")]

    def test_an_endless_chain_is_survived(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update(
            {
                **redirect_chain("/", 2, "/"),
                "/robots.txt": robots("/map.xml"),
                "/map.xml": sitemap("/a"),
            }
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert outcomes(done)[site.at("/")] == "too_many_redirects"
        assert done.urls == [site.at("/a")]


class TestScheme:
    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
    def test_a_bare_domain_falls_back_to_http(
        self, site: SiteServer, crawl: Crawl, host: str
    ) -> None:
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
        done = crawl(f"{host}:{site.port}", settings={**ENOUGH, **NO_RETRIES}).succeeded()
        root = f"http://{host}:{site.port}/"
        assert done.urls == [f"{root}a"]
        assert summary(done)["root_url"] == root
        ((content, metadata),) = evidence(done, "https_unreachable")
        assert metadata["asked"] == root.replace("http:", "https:")
        assert metadata["error"]
        assert "twisted" not in content.lower(), "a person reads it"

    def test_the_next_scan_falls_back_as_well(self, site: SiteServer, crawl: Crawl) -> None:
        """That nobody answers by https is no answer to keep."""
        site.routes.update({"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a")})
        for _ in range(2):
            done = crawl(f"127.0.0.1:{site.port}", settings={**ENOUGH, **NO_RETRIES}).succeeded()
            assert done.urls == [site.at("/a")]
            assert summary(done)["root_url"] == site.at("/")
            assert len(evidence(done, "https_unreachable")) == 1

    def test_a_url_with_a_scheme_is_taken_as_given(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/"] = page("Home")
        done = crawl(f"https://127.0.0.1:{site.port}", settings=NO_RETRIES)
        assert done.returncode == 1
        assert site.paths() == []

    def test_unreachable_by_both_fails_with_the_reason(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.stop()
        done = crawl(f"127.0.0.1:{site.port}", settings=NO_RETRIES)
        assert done.returncode == 1
        status, reason = scan(done)
        assert status == "failed"
        assert (
            reason
            == f"http://127.0.0.1:{site.port}/ cannot be reached: the server refused the connection"
        )
        assert reason in done.stderr
        assert "Traceback" not in done.output
        assert stage(done, "entry")["ended"] == reason
        ran = [each["stage"] for each in summary(done)["stages"] if each["has_run"]]
        assert ran == ["entry"]
        assert done.rows == []

    def test_a_name_that_does_not_exist_fails_with_the_reason(self, crawl: Crawl) -> None:
        done = crawl("http://nowhere.invalid", settings=NO_RETRIES)
        assert done.returncode == 1
        assert "the host name cannot be resolved" in scan(done)[1]
        assert "Traceback" not in done.output


class TestRobotsBeforeTheRoot:
    def test_a_root_that_is_not_allowed_is_not_fetched(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(
            {
                "/": page("Home"),
                "/robots.txt": robots("/map.xml", disallow=("/",), allow=("/open",)),
                "/map.xml": sitemap("/open/a", "/b"),
            }
        )
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert site.paths() == ["/robots.txt", "/map.xml"]
        assert done.urls == [site.at("/open/a")]
        root = fetches(done)[site.at("/")]
        assert (root.outcome, root.error) == (
            ("blocked_by_robots", "line 2 of robots.txt, for *: Disallow: /")
        )
        because = f"the root page {site.at('/')} was not read: {root.error}"
        assert scan(done) == ("finished", because)
        assert "1 not fetched because of robots.txt" in done.stderr

    @pytest.mark.parametrize("target", ["http://nowhere.invalid/robots.txt", "http://10.0.0.1/"])
    def test_a_robots_txt_that_is_out_of_reach_elsewhere_stops_nothing_but_pages(
        self, site: SiteServer, crawl: Crawl, target: str
    ) -> None:
        site.routes.update(
            {"/": page("Home"), "/robots.txt": redirect(target), "/sitemap.xml": sitemap("/a")}
        )
        done = crawl(site.url, settings={**ENOUGH, **NO_RETRIES}).succeeded()
        assert site.paths() == ["/robots.txt", "/sitemap.xml"]
        assert done.urls == [site.at("/a")]

    def test_what_the_root_says_to_robots_is_kept(self, site: SiteServer, crawl: Crawl) -> None:
        head = b'<html><head><meta name="robots" content="nofollow, NoArchive"></head></html>'
        tags = ["noindex, nofollow", "otherbot: none", "sitecrawl: nosnippet"]
        site.routes["/"] = Reply(
            head, headers={"X-Robots-Tag": tags}, content_type="text/html; charset=utf-8"
        )
        site.routes["/sitemap.xml"] = sitemap("/a")
        done = crawl(site.url, settings=ENOUGH).succeeded()
        sql = "SELECT kind, directives FROM fetches JOIN documents ON documents.id = document_id"
        found = dict(done.query(sql))
        assert json.loads(found["page"]) == ["noindex", "nofollow", "nosnippet", "noarchive"]
        assert json.loads(found["robots_txt"]) == json.loads(found["sitemap"]) == []


@dataclass(frozen=True, slots=True)
class Broken:
    """A robots.txt that names no sitemap, whatever its text says."""

    route: Route
    outcome: str
    status: int | None = None


BROKEN_ROBOTS = {
    "missing": Broken(Reply(b"Sitemap: /trap.xml", status=404), "not_found", 404),
    "failing": Broken(Reply(b"Sitemap: /trap.xml", status=500), "http_error", 500),
    "slow": Broken(Reply(delay_seconds=30), "timeout"),
    "reset": Broken(Reply(reset=True), "incomplete"),
    "circular": Broken(redirect("/robots.txt"), "too_many_redirects"),
    "html": Broken(b"<html>\nSitemap: /trap.xml\n</html>", "ok", 200),
    "empty": Broken(b"", "ok", 200),
}


@pytest.mark.parametrize("broken", BROKEN_ROBOTS.values(), ids=BROKEN_ROBOTS.keys())
def test_sitemaps_are_found_without_a_usable_robots_txt(
    site: SiteServer, crawl: Crawl, broken: Broken
) -> None:
    site.routes.update({"/robots.txt": broken.route, "/sitemap.xml": sitemap("/a")})
    settings = {**ENOUGH, **NO_RETRIES, "SITECRAWL_ROBOTS_TIMEOUT_SECONDS": 0.5}
    done = crawl(site.url, settings=settings).succeeded()
    assert done.urls == [site.at("/a")]
    assert "/trap.xml" not in site.paths()
    assert "Traceback" not in done.output
    fetch = fetches(done)[site.at("/robots.txt")]
    assert (fetch.outcome, fetch.status) == (broken.outcome, broken.status)
    ((content, metadata),) = evidence(done, "robots_txt")
    assert metadata["success"] is (broken.outcome == "ok")
    assert (metadata["error"] or "") == ("" if broken.outcome == "ok" else content)


class TestARootThatIsNoPage:
    @pytest.mark.parametrize(
        ("status", "words"),
        [
            (403, "answered 403 Forbidden: give the URL of a page that is open to everybody"),
            (404, "answered 404 Not Found: give the URL of a page that exists"),
            (500, "answered 500 Internal Server Error: open it in a browser"),
            (299 + 300, "answered 599: open it in a browser"),
        ],
    )
    def test_a_scan_that_finds_nothing_else_has_failed(
        self, site: SiteServer, crawl: Crawl, status: int, words: str
    ) -> None:
        site.routes["/"] = Reply(b"no", status=status)
        settings = {**NO_RETRIES, "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml"}
        done = crawl(site.url, settings=settings)
        assert done.returncode == 1
        assert scan(done)[0] == "failed"
        assert f"failed: the root page {site.at('/')} {words}" in done.stderr

    def test_a_scan_that_reads_the_sitemaps_says_it(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update({"/": Reply(b"no", status=403), "/sitemap.xml": sitemap("/a")})
        done = crawl(site.url, settings=ENOUGH).succeeded()
        assert done.urls == [site.at("/a")]
        assert f"the root page {site.at('/')} answered 403 Forbidden" in scan(done)[1]

    def test_a_server_that_does_not_answer_is_not_blamed_on_robots_txt(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.stop()
        done = crawl(site.url, settings=NO_RETRIES)
        assert done.returncode == 1
        assert set(outcomes(done).values()) == {"unreachable"}
        assert "because of robots.txt" not in done.stderr
        stages = {each["stage"]: each["has_run"] for each in summary(done)["stages"]}
        assert stages == {"entry": True, "sitemaps": False, "crawl": False}


def test_what_nothing_names_is_not_counted_as_a_broken_document(
    site: SiteServer, crawl: Crawl
) -> None:
    site.routes["/"] = page("Home", "/gone")
    settings = {"SITECRAWL_CRAWL": "always", "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml,/map.xml"}
    done = crawl(site.url, settings=settings).succeeded()
    assert summary(done)["documents"] == {"ok": 1, "not_found": 1}
    assert summary(done)["probes"] == 3  # robots.txt and two sitemaps
    assert "probed     3 addresses that nothing names" in done.stderr
