"""``sitecrawl robots`` and ``plan``: a look at a site without a scan."""

from __future__ import annotations

import re
import signal
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply, redirect
from tests.site.build import page, robots, sitemap, sitemap_index

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult, Project

    Crawl = Callable[..., CrawlResult]
    Run = Callable[..., ProcessResult]

FAST = ("--profile", "fast")
NO_RETRIES = ("-s", "RETRY_TIMES=0")
MANY = tuple(f"/goods/{number}" for number in range(12))


def lines(done: ProcessResult) -> list[str]:
    return done.succeeded().stdout.splitlines()


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/": page("Home"),
        "/robots.txt": robots("/map.xml", disallow=("/private",), allow=("/private/open",)),
        "/map.xml": sitemap("/a", "/private/x", "/private/open/1", *MANY),
    }
    return site


class TestRobots:
    def test_the_file_and_verdicts_on_urls(self, shop: SiteServer, run_cli: Run) -> None:
        done = run_cli("robots", shop.url, "/private/x", shop.at("/a"), "http://other.test/")
        assert lines(done) == [
            f"{shop.at('/robots.txt')}  HTTP 200, 73 bytes",
            "  line 1: User-agent: *  is the group for sitecrawl",
            "  2 rules",
            "  line 5: Sitemap: /map.xml",
            "",
            f"{shop.at('/private/x')}  not allowed",
            "       1 | User-agent: *",
            "  >    2 | Disallow: /private",
            "       3 | Allow: /private/open",
            "  protego agrees",
            "",
            f"{shop.at('/a')}  allowed",
            "  no rule of robots.txt for * matches",
            "  protego agrees",
            "",
            "http://other.test/: on another origin, whose own robots.txt decides",
        ]
        assert done.stderr == ""
        assert shop.paths() == ["/robots.txt"]
        assert not done.database.exists()

    def test_for_another_bot(self, shop: SiteServer, run_cli: Run) -> None:
        shop.routes["/robots.txt"] = robots(disallow=("/",), agent="MJ12bot") + robots()
        for agent in ("MJ12bot", "mj12bot/v1.4.8 (http://mj12bot.example/)"):
            text = run_cli("robots", shop.url, "/a", "--agent", agent).succeeded().stdout
            assert f"{shop.at('/a')}  not allowed" in text
        # By the environment it is our own name, in the verdict and in the words.
        variable = {"SITECRAWL_ROBOTS_AGENT": "mjbot"}
        text = run_cli("robots", shop.url, "/a", environment=variable).succeeded().stdout
        assert "is the group for mjbot" in text
        assert f"{shop.at('/a')}  allowed" in text

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["--agent", "*"], "--agent '*': expected the name of a bot"),
            (["--scan", "1"], "--scan needs --diff"),
            (["--profile", "none"], "profile 'none': there is no such profile"),
            (["-s", "SITECRAWL_ROBOTS_AGENT=a b"], "SITECRAWL_ROBOTS_AGENT: 'a b': expected"),
            (["-s", "SITECRAWL_NONE=1"], "SITECRAWL_NONE: there is no such setting"),
        ],
    )
    def test_wrong_usage_is_said_before_anything_is_fetched(
        self, shop: SiteServer, run_cli: Run, arguments: list[str], complaint: str
    ) -> None:
        done = run_cli("robots", shop.url, *arguments)
        assert done.returncode == 2
        assert complaint in done.stderr
        assert "Traceback" not in done.output
        assert shop.paths() == []

    def test_a_host_that_cannot_be_reached(self, site: SiteServer, run_cli: Run) -> None:
        site.stop()
        for command in ("robots", "plan"):
            done = run_cli(command, site.url, *NO_RETRIES)
            assert done.returncode == 1
            assert done.stderr == (
                f"sitecrawl: {site.at('/robots.txt')} cannot be reached:"
                " the server refused the connection\n"
            )
            assert done.stdout == ""

    def test_a_bare_domain_falls_back_to_http(self, shop: SiteServer, run_cli: Run) -> None:
        done = run_cli("robots", f"127.0.0.1:{shop.port}", *NO_RETRIES)
        assert lines(done)[0].startswith(shop.at("/robots.txt"))

    def test_odd_answers_are_explained(self, shop: SiteServer, run_cli: Run) -> None:
        for route, words in (
            (b"<html>Sitemap: /trap.xml</html>", "what is in the place of robots.txt is HTML"),
            (Reply(status=404), "there is no robots.txt (HTTP 404)"),
            (
                redirect("http://10.0.0.1/robots.txt"),
                "robots.txt could not be fetched (10.0.0.1 is a private address",
            ),
            (b"User-agent: *\nDisallow: /\x1b[2J\r\x07", "Disallow: /\\x1b[2J"),
        ):
            shop.routes["/robots.txt"] = route
            done = run_cli("robots", shop.url, "/\x1b[2Jx", *NO_RETRIES).succeeded()
            assert words in done.stdout
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", done.stdout)


class TestDiff:
    def test_both_directions(self, shop: SiteServer, crawl: Crawl, run_cli: Run) -> None:
        settings = {"SITECRAWL_ROBOTS_CACHE_SECONDS": 0}
        crawl(shop.url, settings=settings).succeeded()
        assert lines(run_cli("robots", shop.url, "--diff"))[-1] == "  no changes"

        shop.routes["/robots.txt"] = robots("/map.xml", disallow=("/a", "/private/open"))
        *_, header, first, second, third, total = lines(run_cli("robots", shop.url, "--diff"))
        assert re.fullmatch(r"compared with scan 1, \d{4}-\d\d-\d\d \d\d:\d\d UTC:", header)
        assert first == (
            f"  no longer allowed: {shop.at('/a')}  (line 2 of robots.txt, for *: Disallow: /a)"
        )
        assert second == (
            f"  now allowed: {shop.at('/private/x')}  (no rule of robots.txt for * matches)"
        )
        assert third.startswith(f"  no longer allowed: {shop.at('/private/open/1')}  (line 3")
        assert total == "  3 changed"

        crawl(shop.url, settings=settings).succeeded()
        assert lines(run_cli("robots", shop.url, "--diff"))[-1] == "  no changes"
        assert lines(run_cli("robots", shop.url, "--diff", "--scan", "1"))[-1] == "  3 changed"
        other = run_cli("robots", shop.url, "--diff", "--scan", "1", "--agent", "otherbot")
        assert lines(other)[-1] == "  3 changed", "the group is for everybody"

    def test_against_a_scan_without_rules(
        self, shop: SiteServer, crawl: Crawl, run_cli: Run
    ) -> None:
        rules, shop.routes["/robots.txt"] = shop.routes["/robots.txt"], Reply(status=404)
        shop.routes["/sitemap.xml"] = shop.routes["/map.xml"]
        crawl(shop.url).succeeded()
        shop.routes["/robots.txt"] = rules
        *_, header, changed, total = lines(run_cli("robots", shop.url, "--diff"))
        assert header.endswith("UTC, when there is no robots.txt (HTTP 404):")
        assert changed.startswith(f"  no longer allowed: {shop.at('/private/x')}")
        assert total == "  1 changed"

    def test_what_cannot_be_compared_is_said(
        self, shop: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl, run_cli: Run
    ) -> None:
        no_database = run_cli("robots", shop.url, "--diff")
        assert no_database.returncode == 1
        assert "Traceback" not in no_database.output
        crawl(shop.url, settings={"SITECRAWL_KEEP_BODIES": 0}).succeeded()
        stranger = make_site()
        for arguments, words in (
            ([stranger.url, "--diff"], "is not a site that has been scanned; known sites: "),
            ([shop.url, "--diff", "--scan", "7"], "scan 7 is not a scan of "),
            ([shop.url, "--diff"], "scan 1 kept no copy of it (SITECRAWL_KEEP_BODIES)"),
        ):
            done = run_cli("robots", *arguments)
            assert done.returncode == 2
            assert words in done.stderr
            assert "Traceback" not in done.output


class TestPlan:
    def test_a_plan_is_what_the_scan_then_does(
        self, shop: SiteServer, crawl: Crawl, run_cli: Run
    ) -> None:
        shop.routes["/robots.txt"] = robots("/map.xml", "/gone.xml", "/map.xml")
        done = run_cli("plan", shop.url, *FAST)
        assert lines(done) == [
            f"{shop.at('/robots.txt')}  0 rules for *",
            f"{shop.at('/map.xml')}  urlset: 15 URLs, 580 bytes",
            f"{shop.at('/gone.xml')}  HTTP 404",
            "",
            "a scan makes 4 requests, 0 s apart",
            "and takes at least 0 s",
        ]
        assert shop.paths() == ["/robots.txt", "/map.xml", "/gone.xml"]
        assert not done.database.exists()
        shop.log.clear()
        crawl(shop.url).succeeded()
        assert len(shop.paths()) == 4

    def test_few_urls_lead_to_the_common_places_as_in_a_scan(
        self, shop: SiteServer, crawl: Crawl, run_cli: Run
    ) -> None:
        shop.routes |= {
            "/robots.txt": robots("/map.xml", disallow=("/sitemap1.xml",)),
            "/map.xml": sitemap("/a"),
            "/sitemap.txt": Reply(sitemap("/b"), content_type="text/plain"),
        }
        text = run_cli("plan", shop.url, *FAST).succeeded().stdout
        assert f"{shop.at('/sitemap.txt')}  urlset: 1 URL," in text
        # robots.txt, the root, the map and 13 places, one of which may not be asked for.
        assert "a scan makes 15 requests" in text
        assert "/sitemap1.xml" not in shop.paths()
        shop.log.clear()
        crawl(shop.url).succeeded()
        assert len(shop.paths()) == 15

    def test_nothing_found(self, site: SiteServer, run_cli: Run) -> None:
        text = run_cli("plan", site.url, *FAST).succeeded().stdout
        assert "robots.txt names no sitemap, and none is at 13 common paths" in text
        assert "a scan makes 15 requests" in text
        assert len(site.paths()) == 14

    def test_an_index_a_delay_and_limits_of_every_kind_of_setting(
        self, shop: SiteServer, run_cli: Run
    ) -> None:
        shop.routes |= {
            "/robots.txt": robots("/index.xml", disallow=("/",), crawl_delay=0.5),
            "/index.xml": sitemap_index(*(f"/{number}.xml" for number in range(200))),
        }
        arguments = ("plan", shop.url, "-s", "SITECRAWL_MAX_SITEMAPS=100")
        done = run_cli(*arguments, environment={"MAX_SCAN_TIME_MINUTES": "0.5"})
        shown = lines(done)
        assert shown[1] == (
            f"{shop.at('/')}  will not be fetched: line 2 of robots.txt, for *: Disallow: /"
        )
        assert shown[2].startswith(f"{shop.at('/index.xml')}  index: 200 further sitemaps, ")
        assert shown[4:] == [
            "a scan makes at least 101 requests, 0.5 s apart, because robots.txt asks for it",
            "and takes at least 50 s",
            "limit ahead: 201 sitemaps, 100 will be read (SITECRAWL_MAX_SITEMAPS)",
            "limit ahead: about 50 s, and the scan may take 0.5 min (SITECRAWL_MAX_SCAN_MINUTES)",
        ]
        assert shop.paths() == ["/robots.txt", "/index.xml"]
        assert min(shop.gaps()) >= 0.5 - 0.002


@pytest.mark.parametrize("command", ["robots", "plan"])
def test_ctrl_c_is_no_fault(shop: SiteServer, project: Project, command: str) -> None:
    release = threading.Event()
    held = "/robots.txt" if command == "robots" else "/map.xml"
    shop.routes[held] = Reply(b"", hold=release)
    process = project.start(sys.executable, "-m", "sitecrawl", command, shop.url, *FAST)
    try:
        shop.wait_for(held, timeout_seconds=120)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=120)
    finally:
        release.set()
        process.kill()
        process.wait()
    assert output == "sitecrawl: stopped by the user\n"
    assert process.returncode == 3


def test_what_stores_nothing_is_not_offered_as_a_crawl(project: Project) -> None:
    done = project.run(sys.executable, "-m", "scrapy", "list").succeeded()
    assert done.stdout.split() == ["crawl", "discover", "dive", "fetch", "sitemap"]
