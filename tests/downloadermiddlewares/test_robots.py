"""No page is asked for that robots.txt does not allow: shown by what the sites have seen."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.site import Reply, SiteServer, redirect
from tests.site.bodies import gzip_bomb, repeated
from tests.site.build import robots, sitemap
from tests.site.project import Project
from tests.stages.stored import outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.site.project import CrawlResult
    from tests.site.reply import Request, Route

    Crawl = Callable[..., CrawlResult]

CASES: dict[str, dict[str, Any]] = {
    case["name"]: case
    for case in json.loads(
        Path(__file__).parents[1].joinpath("robots/data/robots_fetch_cases.json").read_text()
    )
}
PAGES = ("/open", "/private/x")
# What each expectation of the cases leaves to be fetched.
FETCHED = {
    "allow_all": PAGES,
    "disallow_all": (),
    "parse": ("/open",),
    "parse_or_disallow": ("/open",),
}
PAGES_SPIDER = {"SPIDER_MODULES": "tests.site.spiders", "TEST_ASKS_ROBOTS": True}
AT_ANY_ADDRESS = {"SITECRAWL_ADDRESS_ALLOW": "127.0.0.0/8"}

_PLAYED = {
    "slow drip 1 byte/s: overall deadline": Reply(b"# slow\n" * 1_000, drip_bytes_per_second=1),
    "UTF-16 body": Reply("User-agent: *\nDisallow: /private\n".encode("utf-16")),
}


# --- every way in which a server can answer ---------------------------------------------------


class Played(NamedTuple):
    """The server of one case, which may have no address any more, and how its fetches ended."""

    server: SiteServer
    outcomes: Mapping[str, str]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Played]]:
    """All cases in one crawl: each has a server of its own, of which two pages are wanted."""
    with ExitStack() as stack:
        servers = {name: _server(case, stack) for name, case in CASES.items()}
        pages = [server.at(path) for server in servers.values() for path in PAGES]
        settings = {
            **PAGES_SPIDER,
            **AT_ANY_ADDRESS,
            "TEST_PAGES": " ".join(pages),
            "RETRY_TIMES": 0,
            "SITECRAWL_ROBOTS_TIMEOUT_SECONDS": 5,
            "SITECRAWL_MAX_RETRY_AFTER_SECONDS": 0.1,
            "CONCURRENT_REQUESTS": len(pages),
        }
        project = Project.in_folder(tmp_path_factory.mktemp("cases"))
        done = project.crawl(
            next(iter(servers.values())).url, spider="pages", settings=settings
        ).succeeded()
        assert "Traceback" not in done.output
        found = outcomes(done)
        yield {name: Played(server, found) for name, server in servers.items()}


def _server(case: dict[str, Any], stack: ExitStack) -> SiteServer:
    errors = {response.get("error") for response in case["responses"]}
    server = stack.enter_context(SiteServer(tls="tls" in errors))
    server.routes |= dict.fromkeys(PAGES, b"<h1>A page</h1>")
    if "refused" in errors:
        server.stop()
    path, target = "/robots.txt", server
    for response in case["responses"]:
        location = response.get("location", "")
        if "other.example" in location:
            other = stack.enter_context(SiteServer(address="127.0.0.2"))
            target.routes[path] = redirect(other.at("/robots.txt"), response["status"])
            path, target = "/robots.txt", other
        else:
            target.routes[path] = _PLAYED.get(case["name"]) or _route(response)
            path = location or path
    return server


def _route(response: dict[str, Any]) -> Route:
    """A reply that plays one response of a case."""
    body, headers = response.get("body", "").encode(), dict(response.get("headers", {}))
    length = int(headers.pop("Content-Length", 0))
    if length > len(body):
        return Reply(body.ljust(length), cut_after_bytes=len(body))
    if location := response.get("location"):
        headers["Location"] = location
    if "body_gen" in response:
        return Reply(_padded(**response["body_gen"]))
    return Reply(
        gzip_bomb(response["gzip_of_mb"] * 1024 * 1024) if "gzip_of_mb" in response else body,
        response.get("status", 200),
        headers,
        delay_seconds=60 if response.get("error") == "timeout" else 0,
    )


def _padded(head: str, pad_to: int) -> Callable[[Request], Iterator[bytes]]:
    padding = repeated(b"# padding\n", pad_to)
    return lambda request: itertools.chain([head.encode()], padding(request))


@pytest.mark.parametrize("name", CASES)
def test_what_a_server_answers_decides(played: dict[str, Played], name: str) -> None:
    server, found = played[name]
    allowed = FETCHED[CASES[name]["expect"]]
    seen = [path for path in server.paths() if path in PAGES]
    assert sorted(seen) == sorted(allowed)
    for path in PAGES:
        expected = "ok" if path in allowed else "blocked_by_robots"
        assert found[server.at(path)] == expected
    is_heard = CASES[name]["responses"][0].get("error") not in {"refused", "tls"}
    assert server.paths().count("/robots.txt") == is_heard
    assert server.paths()[:1] == ["/robots.txt"] * is_heard, "it comes first"


def test_no_more_is_read_than_counts(played: dict[str, Played]) -> None:
    (fetch,) = played["100 MB body: stop reading at the cap"].server.requests("/robots.txt")
    assert fetch.is_aborted
    assert fetch.body_bytes < 20 * 1024 * 1024, "what the buffers on the way take"


def test_the_rules_at_another_host_hold_for_the_host_that_was_asked(
    played: dict[str, Played],
) -> None:
    server, _ = played["redirect to another host: rules apply to the first host"]
    assert server.paths() == ["/robots.txt", "/open"]


# --- once, and first ---------------------------------------------------------------------------


def test_a_hundred_requests_at_once_ask_once(site: SiteServer, crawl: Crawl) -> None:
    site.routes |= {"/robots.txt": Reply(robots(), delay_seconds=0.5), "/page*": b"x"}
    pages = [f"/page{number}" for number in range(100)]
    settings = {
        **PAGES_SPIDER,
        "TEST_PAGES": " ".join(pages),
        "CONCURRENT_REQUESTS": 100,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
    }
    crawl(site.url, spider="pages", settings=settings).succeeded()
    answered = site.requests("/robots.txt")[0].ended
    assert site.paths().count("/robots.txt") == 1
    assert site.paths()[0] == "/robots.txt"
    assert all(entry.started >= answered for entry in site.requests()[1:])
    assert sorted(site.paths()[1:]) == sorted(pages)


def test_every_scheme_host_and_port_is_asked_once(site: SiteServer, crawl: Crawl) -> None:
    site.routes |= {
        "/robots.txt": lambda request: robots(
            disallow=("/",) if request.headers["Host"] == "www.a.test" else ()
        ),
        "/page*": b"x",
    }
    origins = ("http://a.test", "https://a.test", "http://www.a.test", "http://a.test:8080")
    pages = [f"{origin}/page{number}" for number in range(5) for origin in origins]
    settings = {**PAGES_SPIDER, "TEST_SERVER": site.url, "TEST_PAGES": " ".join(pages)}
    done = crawl(site.url, spider="names", settings=settings).succeeded()
    # http and https of a.test cannot be told apart here.
    asked = Counter(entry.host for entry in site.requests("/robots.txt"))
    assert asked == {"a.test": 2, "www.a.test": 1, "a.test:8080": 1}
    for host in asked:
        first = next(entry for entry in site.requests() if entry.host == host)
        assert first.path == "/robots.txt"
    fetched = Counter(entry.host for entry in site.requests() if entry.path != "/robots.txt")
    assert fetched == {"a.test": 10, "a.test:8080": 5}, "what one says holds for no other"
    assert outcomes(done)["http://www.a.test/page0"] == "blocked_by_robots"


# --- where requests lead -------------------------------------------------------------------------


def test_a_redirect_into_what_is_not_allowed_is_not_followed(
    site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
) -> None:
    other = make_site(address="127.0.0.2")
    other.routes |= {
        "/robots.txt": robots(disallow=("/private",)),
        "/private": b"x",
        "/public": b"x",
    }
    site.routes |= {
        "/robots.txt": robots(disallow=("/private",)),
        "/inside": redirect("/private/x"),
        "/two-hops": redirect("/inside"),
        "/outside": redirect(other.at("/private")),
        "/fine": redirect(other.at("/public")),
        "/private/x": b"x",
    }
    pages = ("/inside", "/two-hops", "/outside", "/fine", "/private/x")
    settings = {**PAGES_SPIDER, **AT_ANY_ADDRESS, "TEST_PAGES": " ".join(pages)}
    done = crawl(site.url, spider="pages", settings=settings).succeeded()
    assert "/private/x" not in site.paths()
    assert other.paths() == ["/robots.txt", "/public"]
    found = {path: outcomes(done)[site.at(path)] for path in pages}
    assert found.pop("/fine") == "ok"
    assert set(found.values()) == {"blocked_by_robots"}


def test_named_maps_are_read_and_guessed_ones_only_where_allowed(
    site: SiteServer, crawl: Crawl
) -> None:
    named = "/private/map.xml"
    site.routes |= {
        "/": b"Home",
        "/robots.txt": robots(named, disallow=("/private", "/sitemap")),
        named: sitemap("/a"),
    }
    done = crawl(site.url).succeeded()
    assert done.urls == [site.at("/a")]
    assert site.paths() == ["/robots.txt", "/", named, "/wp-sitemap.xml"]
    guessed = [url for url, outcome in outcomes(done).items() if outcome == "blocked_by_robots"]
    assert len(guessed) == 12
    assert all("/sitemap" in url for url in guessed)


@pytest.mark.parametrize("token", ["sitecrawl", "otherbot"])
def test_the_group_is_that_of_our_token_whatever_user_agent_is_sent(
    site: SiteServer, crawl: Crawl, token: str
) -> None:
    rules = robots(disallow=("/private",), agent="otherbot") + robots(
        disallow=("/open",), agent="sitecrawl"
    )
    site.routes |= {"/robots.txt": rules, "/open": b"x", "/private/x": b"x"}
    settings = {
        **PAGES_SPIDER,
        "TEST_PAGES": " ".join(PAGES),
        "USER_AGENT": "Mozilla/5.0",
        "SITECRAWL_ROBOTS_AGENT": token,
    }
    crawl(site.url, spider="pages", settings=settings).succeeded()
    assert site.paths()[1:] == ["/private/x" if token == "sitecrawl" else "/open"]
