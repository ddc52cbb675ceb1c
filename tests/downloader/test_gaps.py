"""How often a site is asked: measured at the site."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.downloader.measuring import (
    AT_ANY_ADDRESS,
    NO_PAUSE,
    SHORTEST_GAP,
    TOLERANCE,
    ledger,
    only_host,
    paths,
)
from tests.site import Reply, redirect
from tests.site.build import robots, sitemap
from tests.site.log import gaps, max_in_flight

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.downloader.measuring import Fetch
    from tests.site import SiteServer
    from tests.site.project import CrawlResult


class TestGapsAndConcurrency:
    def test_two_at_once_apart_and_the_ledger_says_what_the_site_saw(
        self, site: SiteServer, fetch: Fetch
    ) -> None:
        slow = Reply(b"x" * 1000, delay_seconds=0.3, encoding="gzip")
        site.routes |= {
            "/page*": slow,
            "/page3": [Reply(status=500, body=b"oh"), slow],
            "/page5": redirect("/elsewhere"),
            "/elsewhere": slow,
        }
        done = fetch(*paths(8), "/absent").succeeded()
        seen = site.requests()
        assert len(seen) == 9 + 1 + 1, "each retry and each hop of a redirect is a request"
        assert site.max_in_flight() == 2
        assert min(site.gaps()) >= SHORTEST_GAP - TOLERANCE

        figures = only_host(done)
        assert figures["host"] == site.url.removeprefix("http://")
        assert figures["requests"] == len(seen)
        assert figures["most_in_flight"] == 2
        assert figures["received_bytes"] == sum(entry.body_bytes for entry in seen)
        assert figures["smallest_gap_seconds"] == pytest.approx(min(site.gaps()), abs=0.05)
        middle = sorted(site.gaps())[4:6]
        assert figures["median_gap_seconds"] == pytest.approx(sum(middle) / 2, rel=0.02, abs=0.05)
        assert figures["longest_pause_seconds"] is None

    def test_gaps_vary(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        fetch(*paths(20)).succeeded()
        assert min(site.gaps()) >= SHORTEST_GAP - TOLERANCE
        below, above = min(site.gaps()), sorted(site.gaps())[-5]
        assert above - below > 0.02, "drawn evenly, this is missed once in millions of runs"

    def test_without_a_delay_the_limit_at_once_holds(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = Reply(b"x", delay_seconds=0.1)
        fetch(*paths(10), **NO_PAUSE).succeeded()
        assert site.max_in_flight() == 2

    def test_a_slow_handshake_shortens_no_gap(
        self, make_site: Callable[..., SiteServer], fetch: Fetch
    ) -> None:
        """New connections take longer to carry a request than kept ones do."""
        tls = make_site(tls=True, handshake_seconds=(0, 0.6))
        tls.routes["/page*"] = Reply(b"x", delay_seconds=0.2)
        pages = [tls.at(path) for path in paths(8)]
        fetch(*pages, **AT_ANY_ADDRESS, SITECRAWL_VERIFY_CERTIFICATES=False).succeeded()
        assert len({entry.connection for entry in tls.requests()}) == 2, "both kinds were used"
        assert tls.paths() == paths(8), "none on a kept connection has overtaken one on a new one"
        assert min(tls.gaps()) >= SHORTEST_GAP - TOLERANCE

    def test_a_slow_site_is_asked_less_often(self, site: SiteServer, fetch: Fetch) -> None:
        """AutoThrottle: half of the answer's time, at 2 at once."""
        site.routes["/page*"] = Reply(b"x", delay_seconds=1.0)
        fetch(*paths(4)).succeeded()
        assert site.gaps()[-1] >= 1.0 / 2 * 0.5 - TOLERANCE

    def test_a_slot_has_its_own_settings(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = Reply(b"x", delay_seconds=0.3)
        slot = {site.url.removeprefix("http://"): {"delay": 0.5, "jitter": 0, "concurrency": 1}}
        fetch(*paths(4), **NO_PAUSE, DOWNLOAD_SLOTS=json.dumps(slot)).succeeded()
        assert min(site.gaps()) >= 0.5 - TOLERANCE
        assert site.max_in_flight() == 1

    def test_the_pace_outlives_the_slot(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        done = fetch(*paths(6), TEST_DROPS_SLOTS=True).succeeded()
        assert min(site.gaps()) >= SHORTEST_GAP - TOLERANCE
        assert only_host(done)["requests"] == len(site.requests())


class TestOneSiteOnePace:
    def test_names_and_schemes_of_a_site_share_it(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = Reply(b"x", delay_seconds=0.2)
        origins = ["http://s.test", "https://s.test", "http://www.s.test", "https://www.s.test"]
        pages = [f"{origin}/page{n}" for n in range(2) for origin in origins]
        done = fetch(*pages, spider="names", TEST_SERVER=site.url).succeeded()
        assert {entry.host for entry in site.requests()} == {"s.test", "www.s.test"}
        assert len(site.requests()) == 8
        assert site.max_in_flight() == 2
        assert min(site.gaps()) >= SHORTEST_GAP - TOLERANCE
        assert only_host(done)["host"] == "s.test"

    def test_another_host_has_its_own(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = Reply(b"x", delay_seconds=0.5)
        hosts = ("a.test", "b.test", "a.test:8080")
        pages = [f"http://{host}/page{n}" for n in range(3) for host in hosts]
        done = fetch(*pages, spider="names", TEST_SERVER=site.url).succeeded()
        assert site.max_in_flight() > 2
        assert [host["requests"] for host in ledger(done)["by_host"]] == [3, 3, 3]
        for host in hosts:
            asked = [entry for entry in site.requests() if entry.host == host]
            assert min(gaps(asked)) >= SHORTEST_GAP - TOLERANCE
            assert max_in_flight(asked) <= 2


class TestRobotsPace:
    def test_it_is_kept(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        done = fetch(*paths(4), TEST_ROBOTS_PAUSE=0.4, **NO_PAUSE).succeeded()
        assert min(site.gaps()) >= 0.4 - TOLERANCE
        assert only_host(done)["robots_kept_seconds"] == 0.4

    def test_it_is_read_from_robots_txt(
        self, site: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        body = robots("/1.xml", "/2.xml", crawl_delay=0.5)
        site.routes |= {
            "/robots.txt": body,
            "/": b"Home",
            "/1.xml": sitemap("/a"),
            "/2.xml": sitemap("/b"),
        }
        crawl(site.url, settings={"SITECRAWL_MIN_SITEMAP_URLS": 1}).succeeded()
        assert site.paths()[0] == "/robots.txt"
        assert len(site.requests()) == 4
        assert min(site.gaps()) >= 0.5 - TOLERANCE

    def test_a_cap_is_kept_and_said(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        done = fetch(
            *paths(3),
            TEST_ROBOTS_PAUSE=3600,
            SITECRAWL_MAX_CRAWL_DELAY_SECONDS=0.4,
        ).succeeded()
        assert min(site.gaps()) >= 0.4 - TOLERANCE
        figures = only_host(done)
        assert (figures["robots_asked_seconds"], figures["robots_kept_seconds"]) == (3600, 0.4)
        assert "SITECRAWL_MAX_CRAWL_DELAY_SECONDS" in done.stderr
