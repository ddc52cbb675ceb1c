"""robots.txt in a scan: how often it is asked for, which copy holds, and what it asks of us."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.scan.robots import RobotsRegistry
from sitecrawl.store.queries.known_documents import RobotsCopy
from tests.scan.build import make_scan
from tests.site import Reply, redirect
from tests.site.build import gz, page, robots, sitemap
from tests.site.log import gaps
from tests.stages.stored import evidence, fetches, outcomes, scan, summary, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult

    Crawl = Callable[..., CrawlResult]

URL = "https://example.com/robots.txt"
RULES = robots("/sitemap.xml", disallow=("/private",))
HOUR, DAY = 3_600, 86_400
QUICK = {
    "SITECRAWL_MIN_SITEMAP_URLS": 1,
    "SITECRAWL_BUSY_BACKOFF_SECONDS": 0.01,
    "SITECRAWL_RETRY_BACKOFF_SECONDS": 0.01,
}
OTHER_HOST = {"SITECRAWL_ADDRESS_ALLOW": "127.0.0.0/8"}
FAILING = Reply(b"User-agent: *\nAllow: /", status=503)


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/": page("Home"),
        "/robots.txt": RULES,
        "/sitemap.xml": sitemap("/a", "/private/x"),
    }
    return site


def grow_older(done: ProcessResult, seconds: float) -> None:
    """As if what is stored had been fetched so much earlier."""
    with closing(sqlite3.connect(done.database)) as connection, connection:
        for row_id, *times in connection.execute("SELECT id, fetched_at, fresh_until FROM fetches"):
            earlier = [
                time and (datetime.fromisoformat(time) - timedelta(seconds=seconds)).isoformat()
                for time in times
            ]
            connection.execute(
                "UPDATE fetches SET fetched_at = ?, fresh_until = ? WHERE id = ?",
                (*earlier, row_id),
            )


class TestCopiesOfEarlierScans:
    def test_a_fresh_copy_is_used_and_an_old_one_is_not(
        self, shop: SiteServer, crawl: Crawl
    ) -> None:
        first = crawl(shop.url, settings=QUICK).succeeded()
        assert shop.paths() == ["/robots.txt", "/", "/sitemap.xml"]
        shop.routes["/robots.txt"] = robots("/sitemap.xml", disallow=("/a",))

        grow_older(first, HOUR - 300)
        shop.log.clear()
        second = crawl(shop.url, settings=QUICK).succeeded()
        assert shop.paths() == ["/", "/sitemap.xml"]
        assert second.rows == first.rows
        robots_txt = fetches(second)[shop.at("/robots.txt")]
        assert (robots_txt.outcome, robots_txt.received_bytes) == ("fresh", 0)
        ((content, metadata),) = evidence(second, "robots_txt")
        assert content == RULES.decode()
        assert metadata["success"] is True
        assert metadata["copy_of"] == _fetched_at(first)
        assert _confidence(second, "robots_txt") == 1.0
        read = "the sitemaps have been read; the crawl did not run (SITECRAWL_CRAWL is never)"
        assert summary(second)["reason"] == read

        grow_older(first, 300)
        shop.log.clear()
        third = crawl(shop.url, settings=QUICK).succeeded()
        assert shop.paths()[0] == "/robots.txt"
        assert third.urls == [shop.at("/private/x")], "the rules of today"

        shop.log.clear()
        crawl(shop.url, settings={**QUICK, "SITECRAWL_ROBOTS_CACHE_SECONDS": 0}).succeeded()
        assert shop.paths()[0] == "/robots.txt"

    def test_the_last_good_copy_holds_when_the_server_fails(
        self, shop: SiteServer, crawl: Crawl
    ) -> None:
        first = crawl(shop.url, settings=QUICK).succeeded()
        grow_older(first, DAY)
        shop.routes["/robots.txt"] = FAILING
        for tries in (2, 0):  # one retry; then the failure itself is still fresh
            shop.log.clear()
            done = crawl(shop.url, settings=QUICK).succeeded()
            assert len(shop.requests("/robots.txt")) == tries
            assert len(shop.requests("/")) == 1
            assert done.urls == [shop.at("/a")]
            refused = verdicts(done)[shop.at("/private/x")]
            assert refused is not None
            assert (refused.allowed, refused.rule, refused.line) == (
                (False, "Disallow: /private", 2)
            )
            assert refused.confidence == 0.8
            ((_, metadata),) = evidence(done, "robots_txt")
            assert (metadata["success"], metadata["policy"]) == (False, "no_rule")
            assert metadata["copy_of"] == _fetched_at(done)

        grow_older(first, 30 * DAY)
        shop.log.clear()
        late = crawl(shop.url, settings=QUICK).succeeded()
        assert len(shop.requests("/robots.txt")) == 2
        assert shop.requests("/") == [], "a copy of more than 30 days is none"
        assert [row["robots_allowed"] for row in late.rows] == [False, False]

    def test_a_failure_is_asked_again_after_five_minutes(
        self, shop: SiteServer, crawl: Crawl
    ) -> None:
        shop.routes["/robots.txt"] = FAILING
        settings = {**QUICK, "RETRY_TIMES": 0}
        first = crawl(shop.at("/"), settings=settings).succeeded()
        grow_older(first, 150)
        crawl(shop.url, settings=settings).succeeded()
        assert len(shop.requests("/robots.txt")) == 1, "without a retry, and not again so soon"
        grow_older(first, 150)
        shop.routes["/robots.txt"] = robots(disallow=("/private",))
        crawl(shop.url, settings=settings).succeeded()
        assert len(shop.requests("/robots.txt")) == 2
        assert len(shop.requests("/")) == 1

    def test_the_server_can_shorten_the_time(self, shop: SiteServer, crawl: Crawl) -> None:
        shop.routes["/robots.txt"] = Reply(RULES, headers={"Cache-Control": "max-age=600"})
        first = crawl(shop.url, settings=QUICK).succeeded()
        grow_older(first, 300)
        crawl(shop.url, settings=QUICK).succeeded()
        assert len(shop.requests("/robots.txt")) == 1
        grow_older(first, 300)
        crawl(shop.url, settings=QUICK).succeeded()
        assert len(shop.requests("/robots.txt")) == 2

    def test_without_kept_bodies_it_is_asked_in_every_scan(
        self, shop: SiteServer, crawl: Crawl
    ) -> None:
        settings = {**QUICK, "SITECRAWL_KEEP_BODIES": 0}
        for _ in range(2):
            done = crawl(shop.url, settings=settings).succeeded()
            assert done.urls == [shop.at("/a")]
        assert len(shop.requests("/robots.txt")) == 2


def _fetched_at(done: ProcessResult) -> str:
    """When the newest copy was fetched that could be read."""
    sql = "SELECT max(fetched_at) FROM fetches WHERE outcome = 'ok' AND format = 'robots'"
    return datetime.fromisoformat(done.query(sql)[0][0]).isoformat()


def _confidence(done: ProcessResult, type_: str) -> float:
    sql = "SELECT confidence FROM evidence WHERE type = ? ORDER BY id DESC LIMIT 1"
    confidence: float = done.query(sql, type_)[0][0]
    return confidence


# --- which copy is fresh: (age, fresh for, setting, outcome, status, body) -> is it used? ---

COPIES: dict[str, tuple[tuple[Any, ...], bool]] = {
    "within both times": ((100, 200, 200, "ok", 200, RULES), True),
    "longer than the server says": ((200, 200, 300, "ok", 200, RULES), False),
    "longer than the setting says": ((200, 300, 200, "ok", 200, RULES), False),
    "turned off": ((0, 300, 0, "ok", 200, RULES), False),
    "without a time of the server": ((0, None, 300, "ok", 200, RULES), False),
    "an empty file": ((100, 200, 200, "ok", 200, b""), True),
    "a body that was not kept": ((100, 200, 200, "ok", 200, None), False),
    "no such file": ((100, 200, 200, "not_found", 404, None), True),
    "a failure": ((100, 200, 200, "http_error", 503, None), True),
    "a loop": ((100, 200, 200, "too_many_redirects", None, None), True),
}


def registry(**settings: Any) -> RobotsRegistry:
    crawler: Any = None
    return RobotsRegistry(crawler, make_scan(**settings))


@pytest.mark.parametrize(("copy", "is_used"), COPIES.values(), ids=COPIES.keys())
def test_which_copy_is_fresh(copy: tuple[Any, ...], is_used: bool) -> None:
    age, fresh_for, setting, outcome, status, body = copy
    fetched_at = datetime.now(UTC) - timedelta(seconds=age)
    fresh_until = None if fresh_for is None else fetched_at + timedelta(seconds=fresh_for)
    last = RobotsCopy(1, FetchOutcome(outcome), status, "", 0, fetched_at, fresh_until, body)
    subject = registry(robots_cache_seconds=setting)
    robots_txt = subject._from_fresh_copy(URL, last, None)
    assert (robots_txt is not None) == is_used
    if robots_txt is not None:
        assert robots_txt.document.outcome is FetchOutcome.FRESH
        assert robots_txt.copy_of == fetched_at
        assert robots_txt.policy.decide("https://example.com/private").allowed == (
            outcome != "http_error" and body != RULES
        )


def test_an_authority_is_known_by_any_of_its_urls() -> None:
    subject = registry()
    subject._asked["https://example.com"] = None  # type: ignore[assignment]
    assert "https://example.com/" in subject
    assert "https://example.com:443/a" in subject
    assert "http://example.com/" not in subject
    assert len(subject) == 1


# --- what it asks of our pace ---


@pytest.mark.parametrize("line", [b"Crawl-delay: 0.6", b"Request-rate: 5/3"])
def test_the_pace_that_it_asks_for_is_kept_from_the_next_request_on(
    shop: SiteServer, crawl: Crawl, line: bytes
) -> None:
    """The profile has no delays of its own."""
    shop.routes["/robots.txt"] = b"User-agent: *\n" + line + b"\nSitemap: /sitemap.xml\n"
    for asked in (["/robots.txt", "/", "/sitemap.xml"], ["/", "/sitemap.xml"]):
        shop.log.clear()
        done = crawl(shop.url, settings=QUICK).succeeded()
        assert shop.paths() == asked, "the second time by the copy"
        assert min(gaps(shop.requests())) >= 0.6 - 0.002
        (host,) = summary(done)["politeness"]["by_host"]
        assert host["robots_asked_seconds"] == host["robots_kept_seconds"] == 0.6


def test_a_delay_for_others_is_not_ours(shop: SiteServer, crawl: Crawl) -> None:
    shop.routes["/robots.txt"] = RULES + b"User-agent: slowbot\nCrawl-delay: 20\n"
    done = crawl(shop.url, settings=QUICK).succeeded()
    (host,) = summary(done)["politeness"]["by_host"]
    assert "robots_asked_seconds" not in host


def test_the_pace_of_another_host_holds_for_the_maps_there(
    shop: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
) -> None:
    other = make_site(address="127.0.0.2")
    shop.routes["/robots.txt"] = robots(other.at("/one.xml"), other.at("/two.xml"))
    other.routes |= {
        "/robots.txt": robots(disallow=("/",), crawl_delay=0.6),
        "/one.xml": sitemap(shop.at("/a")),
        "/two.xml": sitemap(shop.at("/b")),
    }
    done = crawl(shop.url, settings={**QUICK, **OTHER_HOST}).succeeded()
    assert other.paths()[0] == "/robots.txt"
    assert sorted(other.paths()[1:]) == ["/one.xml", "/two.xml"], "named maps are read"
    assert min(gaps(other.requests())) >= 0.6 - 0.002
    assert sorted(done.urls) == [shop.at("/a"), shop.at("/b")]


# --- a redirect to the robots.txt of another authority ---


@pytest.mark.parametrize("status", [200, 503])
def test_the_robots_txt_that_another_redirects_to_is_asked_once(
    shop: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl, status: int
) -> None:
    other = make_site(address="127.0.0.2")
    shop.routes |= {
        "/robots.txt": redirect(other.at("/robots.txt")),
        "/": redirect(other.at("/")),
    }
    rules = robots("/map.xml", disallow=("/private",))
    other.routes |= {
        "/robots.txt": Reply(rules, status=status),
        "/": page("Home"),
        "/map.xml": sitemap("/a", "/private/x"),
    }
    settings = {**QUICK, **OTHER_HOST, "RETRY_TIMES": 0}
    done = crawl(shop.url, settings=settings).succeeded()
    assert len(shop.requests("/robots.txt")) == len(other.requests("/robots.txt")) == 1
    if status == 503:
        assert other.requests("/") == []
        return
    assert other.paths() == ["/robots.txt", "/", "/map.xml"]
    assert done.urls == [other.at("/a")]
    own = fetches(done)[other.at("/robots.txt")]
    assert (own.outcome, own.redirects) == ("ok", [])
    assert own.found_by == f"a redirect of {shop.at('/robots.txt')}"
    refused = verdicts(done)[other.at("/private/x")]
    assert refused is not None
    assert refused.robots_url == other.at("/robots.txt")
    assert len(evidence(done, "robots_txt")) == 2


# --- one that is too long ---


@pytest.mark.parametrize("is_packed", [False, True])
def test_one_that_is_too_long_is_read_up_to_its_limit(
    shop: SiteServer, crawl: Crawl, is_packed: bool
) -> None:
    """One that unpacks to 20 times as much is a bomb: see the cases of the middleware."""
    start = RULES + b"User-agent: *\n"
    filling = b"".join(b"# %06d\n" % number for number in range(70_000))
    body = start + filling + b"Disallow: /www\n"
    assert len(start) < 512_000 < len(body)
    headers = {"Content-Encoding": "gzip"} if is_packed else {}
    shop.routes["/robots.txt"] = Reply(gz(body) if is_packed else body, headers=headers)
    shop.routes["/sitemap.xml"] = sitemap("/www", "/private/x")
    done = crawl(shop.url, settings=QUICK).succeeded()
    assert done.urls == [shop.at("/www")]
    robots_txt = fetches(done)[shop.at("/robots.txt")]
    assert (robots_txt.outcome, robots_txt.truncated, robots_txt.complete) == ("ok", True, False)
    assert _confidence(done, "robots_txt") == 0.5
    (cut,) = summary(done)["truncated"]
    assert cut == {"what": "bytes of robots.txt", "setting": "", "limit": 512_000}
    assert summary(done)["reason"] == "a limit was hit"


# --- one that cannot be fetched ---


def test_the_summary_says_that_it_could_not_be_had(shop: SiteServer, crawl: Crawl) -> None:
    shop.routes["/robots.txt"] = FAILING
    for outcome in ("http_error", "fresh"):
        done = crawl(shop.url, settings={**QUICK, "RETRY_TIMES": 0}).succeeded()
        assert outcomes(done)[shop.at("/robots.txt")] == outcome
        assert [row["robots_allowed"] for row in done.rows] == [False, False]
        status, reason = scan(done)
        assert status == "finished"
        assert reason.endswith(
            "robots.txt could not be fetched (HTTP 503): no page was fetched,"
            " and sitemaps that it names are not known"
        )


# --- what is stored of it ---


def test_how_it_was_answered_is_evidence(shop: SiteServer, crawl: Crawl) -> None:
    shop.routes["/robots.txt"] = (
        b"User-agent: *\nDisallow: /private\nCrawl-delay: 0.01\nDisallow: private\nHost: x\n"
        b"Sitemap: /sitemap.xml\n"
    )
    done = crawl(shop.url, settings=QUICK).succeeded()
    ((_, metadata),) = evidence(done, "robots_txt")
    assert metadata["groups"] == [{"line": 1, "value": "*"}]
    assert (metadata["rules"], metadata["crawl_delay"]) == (2, 0.01)
    assert metadata["sitemaps"] == [shop.at("/sitemap.xml")]
    assert [finding["kind"] for finding in metadata["findings"]] == (
        ["rule_without_slash", "unknown_line"]
    )
    assert metadata["explanation"] == "no rule of robots.txt for * matches"
    assert outcomes(done)[shop.at("/robots.txt")] == "ok"


@pytest.mark.parametrize(
    ("reply", "cause"),
    [
        (Reply(RULES, cut_after_bytes=10), "cut off"),
        (Reply(status=304), "304"),
        (Reply(reset=True), "connection"),
    ],
    ids=["cut", "304", "reset"],
)
def test_a_scan_that_could_read_nothing_for_it_fails(
    site: SiteServer, crawl: Crawl, reply: Reply, cause: str
) -> None:
    site.routes |= {"/robots.txt": reply, "/": page("Home", "/a"), "/a": page("A")}
    settings = {"SITECRAWL_CRAWL": "always", "SITECRAWL_SITEMAP_PLACES": "/none.xml"}
    done = crawl(site.url, settings={**QUICK, **settings, "RETRY_TIMES": 0})
    assert done.returncode == 1
    status, reason = scan(done)[:2]
    assert status == "failed"
    assert "robots.txt" in reason
    assert cause in reason
    assert reason in done.stderr
    assert "Traceback" not in done.output
    assert not {"/", "/a"} & {*site.paths()}
