"""What happens when a site says no: measured at the site."""

from __future__ import annotations

import time
from dataclasses import replace
from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest

from tests.downloader.measuring import (
    AT_ANY_ADDRESS,
    NO_PAUSE,
    ONE_AT_ONCE,
    only_host,
    paths,
    silence_after,
)
from tests.site import Reply, too_many
from tests.site.log import gaps
from tests.stages.stored import evidence, fetches, outcomes, scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.downloader.measuring import Fetch
    from tests.site import SiteServer
    from tests.site.reply import Request


class TestRetryAfter:
    @pytest.mark.parametrize("status", [429, 503])
    def test_silence_for_the_seconds_asked_for(
        self, site: SiteServer, fetch: Fetch, status: int
    ) -> None:
        site.routes["/page*"] = b"x"
        site.routes["/page1"] = [too_many("2", status), b"x"]
        done = fetch(*paths(4), **ONE_AT_ONCE).succeeded()
        assert set(outcomes(done).values()) == {"ok"}
        assert len(site.requests("/page1")) == 2
        silence = silence_after(site, "/page1")
        assert silence >= 2.0
        assert only_host(done)["longest_pause_seconds"] == pytest.approx(silence, abs=0.2)
        assert "asks to wait" in done.stderr

    def test_silence_until_the_date_asked_for(self, site: SiteServer, fetch: Fetch) -> None:
        """The date is the server's, and so is its clock: a day behind, here."""

        def busy(_: Request) -> Reply:
            yesterday = int(time.time()) - 86_400
            dates = {"Date": yesterday, "Retry-After": yesterday + 2}
            headers = {name: formatdate(at, usegmt=True) for name, at in dates.items()}
            return Reply(status=429, headers=headers)

        site.routes["/page*"] = b"x"
        site.routes["/page1"] = [busy, b"x"]
        fetch(*paths(4), **ONE_AT_ONCE).succeeded()
        assert silence_after(site, "/page1") >= 2.0

    def test_what_is_still_connecting_is_held_back(
        self, make_site: Callable[..., SiteServer], fetch: Fetch
    ) -> None:
        tls = make_site(tls=True, handshake_seconds=(0, 0.6))
        tls.routes["/page*"] = b"x"
        tls.routes["/page0"] = [replace(too_many("2"), delay_seconds=0.3), b"x"]
        pages = [tls.at(path) for path in paths(3)]
        done = fetch(*pages, **AT_ANY_ADDRESS, SITECRAWL_VERIFY_CERTIFICATES=False).succeeded()
        assert tls.requests()[0].path == "/page0"
        assert silence_after(tls, "/page0") >= 2.0
        assert set(outcomes(done).values()) == {"ok"}
        assert only_host(done)["requests"] == len(tls.requests()) == 4

    def test_without_it_the_host_gets_longer_and_longer_pauses(
        self, site: SiteServer, fetch: Fetch
    ) -> None:
        site.routes["/page*"] = b"x"
        site.routes["/page1"] = [Reply(status=429), Reply(status=503), b"x"]
        fetch(*paths(4), **ONE_AT_ONCE, SITECRAWL_BUSY_BACKOFF_SECONDS=0.5).succeeded()
        first, second, _ = site.requests("/page1")
        after = [entry for entry in site.requests() if entry.started > first.ended]
        assert after[0].started - first.ended >= 0.5
        after = [entry for entry in site.requests() if entry.started > second.ended]
        assert after[0].started - second.ended >= 0.5

    def test_it_is_capped(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = [too_many("86400"), b"x"]
        done = fetch("/page0", SITECRAWL_MAX_RETRY_AFTER_SECONDS=1).succeeded()
        assert silence_after(site, "/page0") >= 1.0
        assert outcomes(done) == {site.at("/page0"): "ok"}

    def test_other_hosts_go_on(self, site: SiteServer, fetch: Fetch) -> None:
        """Also when more requests wait for the busy host than may be under way in all."""

        refused = set()

        def answer(request: Request) -> Reply | bytes:
            host = request.headers["Host"]
            if host == "free.test" or host in refused:
                return b"x"
            refused.add(host)
            return too_many("4")

        site.routes["/page*"] = answer
        hosts = ["free.test", *(f"busy{n}.test" for n in range(5))]
        pages = [f"http://{host}{path}" for path in paths(4) for host in hosts]
        settings = {**ONE_AT_ONCE, "CONCURRENT_REQUESTS": 4, "TEST_SERVER": site.url}
        fetch(*pages, spider="names", **settings).succeeded()
        assert len(site.requests()) == len(pages) + len(refused)
        first_refusal = next(entry for entry in site.requests() if entry.status == 429)
        free = [entry.started for entry in site.requests() if entry.host == "free.test"]
        assert len(free) == 4
        assert max(free) < first_refusal.ended + 4, "the first host has not begun again"

    def test_nobody_waits_beyond_the_end_of_the_scan(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        site.routes["/page1"] = too_many("3600")
        done = fetch(*paths(5), **ONE_AT_ONCE, SITECRAWL_MAX_SCAN_MINUTES=50)
        assert site.paths() == ["/page0", "/page1"]
        status, reason = scan(done)
        assert status == "partial"
        assert "asks to wait 3600 s, longer than the scan may still take" in reason
        found = sorted(outcomes(done).values())
        assert found == [*["host_paused"] * 3, "http_error", "ok"]

    def test_nor_beyond_the_end_of_its_stage(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        site.routes["/page1"] = too_many("3600")
        done = fetch(*paths(3), **ONE_AT_ONCE, TEST_STAGE_SECONDS=50)
        assert site.paths() == ["/page0", "/page1"]
        assert scan(done)[0] == "partial"
        assert "longer than its stage may still take" in str(fetches(done)[site.at("/page2")].error)


class TestErrors:
    @pytest.mark.parametrize(
        "broken",
        [
            Reply(status=500),
            Reply(status=429, headers={"Retry-After": "0"}),
            Reply(reset=True),
            Reply(b"x", delay_seconds=30),
        ],
        ids=["5xx", "429", "reset", "time-out"],
    )
    def test_after_five_in_a_row_the_host_is_left_alone(
        self, site: SiteServer, fetch: Fetch, broken: Reply
    ) -> None:
        site.routes["/page*"] = broken
        done = fetch(*paths(8), **ONE_AT_ONCE, SITECRAWL_PAGE_TIMEOUT_SECONDS=0.5)
        assert len(site.requests()) == 5
        assert done.returncode == 3
        status, reason = scan(done)
        assert status == "partial"
        assert f"{site.url} failed for 5 URLs in a row" in reason
        assert "SITECRAWL_MAX_ERRORS_IN_A_ROW" in reason
        found = list(outcomes(done).values())
        assert found.count("host_paused") == 7, "all but the one that failed last"
        assert only_host(done)["requests"] == 5
        ((_, metadata),) = evidence(done, "politeness_ledger")
        assert [each["server"] for each in metadata["left_alone"]] == [site.url]

    def test_an_answer_ends_the_row(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/bad*"] = Reply(status=500)
        pages = ["/bad1", "/bad2", "/bad3", "/bad4", "/absent", "/bad5", "/bad6", "/bad7", "/bad8"]
        done = fetch(*pages, **ONE_AT_ONCE, RETRY_TIMES=0).succeeded()
        assert len(site.requests()) == 9
        assert "host_paused" not in outcomes(done).values()

    def test_a_closed_port_counts_as_well(self, site: SiteServer, fetch: Fetch) -> None:
        site.stop()
        done = fetch(*paths(7), **ONE_AT_ONCE, RETRY_TIMES=0)
        found = list(outcomes(done).values())
        assert (found.count("unreachable"), found.count("host_paused")) == (5, 2)
        assert "the connection was refused" in scan(done)[1]

    def test_no_limit(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = Reply(status=500)
        done = fetch(*paths(7), RETRY_TIMES=0, SITECRAWL_MAX_ERRORS_IN_A_ROW=0).succeeded()
        assert set(outcomes(done).values()) == {"http_error"}
        assert len(site.requests()) == 7

    def test_retries_never_come_at_once(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        site.routes["/page1"] = [Reply(status=500), Reply(reset=True), b"x"]
        fetch(*paths(3), **NO_PAUSE, SITECRAWL_RETRY_BACKOFF_SECONDS=0.4).succeeded()
        first, second = gaps(site.requests("/page1"))
        assert first >= 0.4
        assert second >= 0.8

    def test_a_waiting_retry_lets_others_pass(self, site: SiteServer, fetch: Fetch) -> None:
        site.routes["/page*"] = b"x"
        site.routes["/page0"] = [Reply(status=500), b"x"]
        first = {"RETRY_PRIORITY_ADJUST": 1, "CONCURRENT_REQUESTS": 2}
        fetch(*paths(4), **ONE_AT_ONCE, **first, SITECRAWL_RETRY_BACKOFF_SECONDS=2).succeeded()
        assert site.paths() == [*paths(4), "/page0"]
