"""Requests that do not get their turn."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from tests.downloader.measuring import NO_PAUSE, ONE_AT_ONCE, PACE, paths
from tests.site import Reply, redirect, too_many
from tests.site.build import robots, sitemap
from tests.site.project import crawl_command, profile_environment
from tests.stages.stored import fetches, outcomes, scan, truncations

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.downloader.measuring import Fetch
    from tests.site import SiteServer
    from tests.site.project import CrawlResult, Project


class TestBudget:
    @pytest.mark.parametrize("pause", [{}, NO_PAUSE], ids=["polite", "as fast as it goes"])
    def test_not_one_page_more(
        self, site: SiteServer, fetch: Fetch, pause: dict[str, object]
    ) -> None:
        """Retries and hops of redirects are pages as well; robots.txt and sitemaps are not."""
        site.routes["/page*"] = Reply(b"x", delay_seconds=0.05)
        site.routes["/page0"] = [too_many("1"), b"x"]  # then all that wait may go at once
        site.routes["/page1"] = Reply(status=500)
        site.routes["/page2"] = redirect("/page200")
        settings = {**pause, "CONCURRENT_REQUESTS_PER_DOMAIN": 8, "SITECRAWL_MAX_PAGES": 10}
        done = fetch(*paths(30), **settings)
        assert len(site.requests()) == 10
        assert done.returncode == 3
        assert scan(done) == ("partial", "the page limit was reached (SITECRAWL_MAX_PAGES)")
        assert truncations(done) == {"SITECRAWL_MAX_PAGES": 10}
        assert done.stderr.count("of 10 pages are used (SITECRAWL_MAX_PAGES)") == 1
        found = list(outcomes(done).values())
        assert found.count("over_budget") >= 20
        assert len(found) == 30

    def test_the_budget_is_not_one_page_less(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        done = fetch(*paths(6), SITECRAWL_MAX_PAGES=6).succeeded()
        assert len(site.requests()) == 6
        assert truncations(done) == {}

    def test_what_could_not_be_sent_does_not_count(self, site: SiteServer, fetch: Fetch) -> None:
        """The site speaks http alone: tries by https end before anything has left."""
        site.routes["/page*"] = b"x"
        secure = [f"https://127.0.0.1:{site.port}{path}" for path in paths(3)]
        settings = {**ONE_AT_ONCE, "RETRY_TIMES": 0, "SITECRAWL_MAX_PAGES": 2}
        done = fetch(*secure, *paths(3), **settings)
        assert site.paths() == ["/page0", "/page1"]
        assert truncations(done) == {"SITECRAWL_MAX_PAGES": 2}

    def test_other_documents_do_not_count(
        self, site: SiteServer, crawl: Callable[..., CrawlResult]
    ) -> None:
        site.routes |= {"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a"), "/": b"Home"}
        settings = {"SITECRAWL_MAX_PAGES": 1, "SITECRAWL_MIN_SITEMAP_URLS": 1}
        done = crawl(site.url, settings=settings).succeeded()
        assert site.paths() == ["/robots.txt", "/", "/map.xml"]
        assert truncations(done) == {}

    def test_when_the_time_is_up_nothing_more_is_sent(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        done = fetch(
            *paths(500),
            SITECRAWL_MAX_SCAN_MINUTES=2 / 60,
            SITECRAWL_PROGRESS_INTERVAL_SECONDS=0,
        )
        assert site.requests()[-1].started - site.requests()[0].started <= 2.0 + 0.25
        assert done.returncode == 3
        assert scan(done) == ("partial", "the time was up (SITECRAWL_MAX_SCAN_MINUTES)")
        assert list(truncations(done)) == ["SITECRAWL_MAX_SCAN_MINUTES"]
        assert "80% of the 0.0333333 minutes are used" in done.stderr


class TestWaiting:
    def test_a_request_waits_for_its_turn_no_longer_than_it_may(
        self, site: SiteServer, fetch: Fetch
    ) -> None:
        site.routes["/page*"] = Reply(b"x", delay_seconds=4.0)
        done = fetch(*paths(5), SITECRAWL_SLOT_WAIT_SECONDS=1)
        assert done.returncode == 3
        assert scan(done) == ("partial", "requests whose turn did not come in time: 3")
        assert len(site.requests()) == 2
        assert list(outcomes(done).values()).count("slot_timeout") == 3
        assert truncations(done) == {"SITECRAWL_SLOT_WAIT_SECONDS": 1}
        error = next(f.error for f in fetches(done).values() if f.outcome == "slot_timeout")
        assert error == "its turn did not come within 1 s (SITECRAWL_SLOT_WAIT_SECONDS)"

    def test_a_pause_that_the_host_asks_for_does_not_count(
        self, site: SiteServer, fetch: Fetch
    ) -> None:
        site.routes["/page*"] = b"x"
        site.routes["/page0"] = [too_many("4"), b"x"]
        done = fetch(*paths(5), **ONE_AT_ONCE, SITECRAWL_SLOT_WAIT_SECONDS=3).succeeded()
        assert set(outcomes(done).values()) == {"ok"}

    def test_the_end_of_the_stage_ends_the_wait(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        settings = {"TEST_ROBOTS_PAUSE": 20, "TEST_STAGE_SECONDS": 3}
        done = fetch(*paths(3), **settings)
        assert done.returncode == 3
        assert len(site.requests()) == 1
        assert sorted(outcomes(done).values()) == ["ok", "slot_timeout", "slot_timeout"]

    def test_ctrl_c_does_not_wait_for_a_pause(self, site: SiteServer, project: Project) -> None:
        site.routes["/page*"] = too_many("600")
        settings = {"SPIDER_MODULES": "tests.site.spiders", "TEST_PAGES": "/page0 /page1", **PACE}
        command = crawl_command(site.url, spider="pages", settings=settings)
        process = project.start(*command, environment=profile_environment(""))
        try:
            site.log.wait_for(lambda entries: any(e.status == 429 for e in entries), 30)
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=120)
        finally:
            process.kill()
            process.wait()
        assert "stopped by the user" in output
