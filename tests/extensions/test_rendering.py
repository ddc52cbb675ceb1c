"""Scans that render: requests of pages keep every promise of the scan."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.downloader.measuring import NO_PAUSE, TOLERANCE, ledger, only_host
from tests.render.browser import needs_browser
from tests.site import Reply, SiteServer
from tests.stages.stored import summary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site.project import CrawlResult

CRAWL = {"SITECRAWL_CRAWL": "auto", "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml"}
SCRIPT = "text/javascript"
JSON = "application/json"
SHELL = """<!doctype html><title>App</title><link rel=stylesheet href=/app.css>
<div id="root"></div><script src=/app.js></script>"""
# Loads everything at once, as applications do, and shows what it got.
APP = """
const paths = ["/api/1", "/api/2", "/api/3", "/data/1", "/data/2", "/data/3"];
Promise.allSettled(paths.map(path => fetch(path).then(r => r.json()))).then(answers => {
    const links = answers.flatMap(each => each.status === "fulfilled" ? each.value : []);
    document.querySelector("#root").innerHTML = links.map(to => `<a href="${to}">${to}</a>`).join();
});
"""


@pytest.fixture
def app(site: SiteServer) -> SiteServer:
    """Five pages that are all the same, behind an empty root."""
    site.routes |= {
        "/": SHELL,
        "/page*": SHELL,
        "/app.js": Reply(APP, content_type=SCRIPT),
        "/app.css": Reply("p { color: red }", content_type="text/css"),
        "/api/*": Reply('["/page-of-the-api"]', content_type=JSON),
        "/data/1": Reply('["/page1", "/page2"]', content_type=JSON),
        "/data/2": Reply('["/page3"]', content_type=JSON),
        "/data/3": Reply('["/page4"]', content_type=JSON),
    }
    return site


def listed(done: CrawlResult, site: SiteServer) -> set[str]:
    return {url.removeprefix(site.url) for url in done.urls}


def asked(site: SiteServer, prefix: str = "/") -> list[str]:
    return [each.path for each in site.requests() if each.path.startswith(prefix)]


@needs_browser
class TestPoliteness:
    def test_robots_pace_and_ledger_hold_for_rendered_pages(
        self, app: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        app.routes["/robots.txt"] = "User-agent: *\nDisallow: /api/\nCrawl-delay: 0.4\n"
        done = crawl(
            app.url, profile="", settings={**CRAWL, "SITECRAWL_MAX_CRAWL_PAGES": 2}
        ).ended_in_part()
        assert listed(done, app) == {"/", "/page1", "/page2", "/page3", "/page4"}
        assert asked(app, "/api/") == []
        assert len(asked(app, "/data/")) == 3 * summary(done)["rendered"]["pages"]
        assert len(asked(app, "/app.")) == 2, "once per scan"
        assert app.max_in_flight() == 1
        assert min(app.gaps()) >= 0.4 - TOLERANCE
        figures = only_host(done)
        assert figures["requests"] == len(app.requests())
        assert figures["smallest_gap_seconds"] >= 0.4 - TOLERANCE
        blocked = summary(done)["rendered"]["not_fetched/blocked_by_robots"]
        assert blocked == 3 * summary(done)["rendered"]["pages"]

    def test_resources_do_not_count_as_pages(
        self, app: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        done = crawl(app.url, settings={**CRAWL, "SITECRAWL_MAX_PAGES": 2})
        pages = [path for path in asked(app) if path == "/" or path.startswith("/page")]
        assert len(pages) == 2
        assert summary(done)["rendered"]["pages"] >= 1
        assert only_host(done)["requests"] == len(app.requests())

    def test_a_page_that_cannot_be_shown_in_time_has_failed_with_the_reason(
        self, app: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        app.routes["/robots.txt"] = "User-agent: *\nCrawl-delay: 1.5\n"
        done = crawl(
            app.url,
            profile="",
            settings={**CRAWL, "SITECRAWL_RENDER_WAIT_SECONDS": 1, "SITECRAWL_MAX_CRAWL_PAGES": 1},
        ).succeeded()
        assert summary(done)["rendered"]["failed"] == 1
        assert "its scripts were not fetched within 1 s" in done.output
        assert "SITECRAWL_RENDER_WAIT_SECONDS=1 can be raised" in done.output
        assert only_host(done)["requests"] == len(app.requests())


@needs_browser
def test_pages_that_wait_for_their_rendering_do_not_block_the_engine(
    app: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    """Many more pages than the engine, the scraper and the browser take at once."""
    names = "abcdefghijklmnopqrstuvwx"
    paths = [f"/page-{name}" for name in names]
    app.routes["/data/1"] = Reply(json.dumps(paths), content_type=JSON)
    for name in names:
        app.routes[f"/page-{name}"] = SHELL.replace("/app.js", f"/app-{name}.js")
        app.routes[f"/app-{name}.js"] = Reply(APP, content_type=SCRIPT)
    settings = {
        **CRAWL,
        **NO_PAUSE,
        "CONCURRENT_REQUESTS": 2,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1,
        "SITECRAWL_RENDER_TABS": 1,
        "SITECRAWL_MAX_CRAWL_PAGES": 0,
    }
    done = crawl(app.url, settings=settings, timeout_seconds=120).succeeded()
    assert listed(done, app) >= set(paths)
    assert summary(done)["rendered"]["pages"] > len(paths)
    assert "failed" not in summary(done)["rendered"]
    assert only_host(done)["requests"] == len(app.requests())


@needs_browser
class TestOtherHosts:
    """Another server at an address that the scan may or may not connect to."""

    @pytest.fixture
    def other(self, site: SiteServer, make_site: Callable[..., SiteServer]) -> SiteServer:
        other = make_site(address="127.0.0.2")
        other.routes |= {
            "/lib.js": Reply("window.lib = 1", content_type=SCRIPT),
            "/list": Reply(
                '["/of-other-data"]',
                content_type=JSON,
                headers={"Access-Control-Allow-Origin": "*"},
            ),
        }
        site.routes["/"] = f"""<div id="root"></div><script src="{other.at("/lib.js")}"></script>
        <script src=/bundle.js></script>"""
        site.routes["/bundle.js"] = Reply(
            f"""const show = to => {{ root.innerHTML += `<a href=${{to}}>${{to}}</a>` }};
            if (window.lib) show("/of-library");
            fetch("{other.at("/list")}").then(r => r.json()).then(([to]) => show(to));""",
            content_type=SCRIPT,
        )
        return other

    def crawled(
        self, site: SiteServer, crawl: Callable[..., CrawlResult], **settings: object
    ) -> set[str]:
        done = crawl(site.url, settings={**CRAWL, "SITECRAWL_MAX_CRAWL_PAGES": 1, **settings})
        assert done.returncode in {0, 3}, "whether more is known is up to the settings"
        servers = {host["host"]: host["requests"] for host in ledger(done)["by_host"]}
        assert servers[site.url.removeprefix("http://")] == len(site.requests())
        self.counted = sum(servers.values())
        return listed(done, site)

    def test_internal_addresses_are_not_reached(
        self, site: SiteServer, other: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        found = self.crawled(site, crawl, SITECRAWL_RENDER_DATA="all")
        assert found == {"/"}
        assert other.requests() == []

    @pytest.mark.parametrize(
        ("data", "expected"),
        [("all", {"/", "/of-library", "/of-other-data"}), ("same-site", {"/", "/of-library"})],
    )
    def test_scripts_are_loaded_and_data_by_setting(
        self,
        site: SiteServer,
        other: SiteServer,
        crawl: Callable[..., CrawlResult],
        data: str,
        expected: set[str],
    ) -> None:
        found = self.crawled(
            site, crawl, SITECRAWL_ADDRESS_ALLOW="127.0.0.2", SITECRAWL_RENDER_DATA=data
        )
        assert found == expected
        assert self.counted == len(site.requests()) + len(other.requests())

    def test_their_robots_txt_holds(
        self, site: SiteServer, other: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        other.routes["/robots.txt"] = "User-agent: *\nDisallow: /lib.js\n"
        found = self.crawled(
            site, crawl, SITECRAWL_ADDRESS_ALLOW="127.0.0.2", SITECRAWL_RENDER_DATA="all"
        )
        assert found == {"/", "/of-other-data"}
        assert asked(other) == ["/robots.txt", "/list"]


def test_a_scan_that_renders_nothing_does_not_import_playwright() -> None:
    code = (
        "import sys, sitecrawl.extensions.rendering, sitecrawl.stages.rendering;"
        "print([each for each in sys.modules if 'playwright' in each or 'tldextract' in each])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
