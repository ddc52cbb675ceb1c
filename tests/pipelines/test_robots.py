"""Every page carries its verdict, also those that are only listed."""

from __future__ import annotations

import asyncio
import csv
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import Document, DocumentKind, FetchOutcome
from sitecrawl.pipelines.robots import _judged_in_slices
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.policy import policy_for
from sitecrawl.scan.robots import AuthorityRobots
from tests.site import Reply
from tests.site.build import page, robots, sitemap
from tests.site.project import Project
from tests.stages.stored import (
    StoredVerdict,
    evidence,
    outcomes,
    refusals,
    scan,
    summary,
    truncations,
    verdicts,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]

QUICK = {
    "SITECRAWL_MIN_SITEMAP_URLS": 1,
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_BUSY_BACKOFF_SECONDS": 0.01,
    "RETRY_TIMES": 0,
}
REFUSED_TOO = {**QUICK, "SITECRAWL_FEED_REFUSED": 1}
RULES = """\
User-agent: *
Disallow: /private # not for you
Allow: /private/open
Crawl-delay: 0.01

Sitemap: /sitemap.xml
"""
OFFSITE = "https://elsewhere.example/z"
PAGES = ("/a", "/b", "/private/x", "/private/y", "/private/open/1", "/admin/x", OFFSITE)


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    site.routes |= {
        "/": page("Home"),
        "/robots.txt": RULES,
        "/sitemap.xml": Reply(sitemap(*PAGES), etag='"m"'),
    }
    return site


def by_path(site: SiteServer, rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["url"].removeprefix(site.url): row for row in rows}


class TestVerdicts:
    def test_every_page_of_the_site_has_one(self, shop: SiteServer, crawl: Crawl) -> None:
        done = crawl(shop.url, settings=QUICK).succeeded()
        usual = StoredVerdict(
            allowed=True,
            reason="no_rule",
            rule=None,
            line=None,
            agents="*",
            crawl_delay=0.01,
            confidence=1.0,
            robots_url=shop.at("/robots.txt"),
        )
        private = replace(usual, allowed=False, reason="rule", rule="Disallow: /private", line=2)
        allowed = replace(usual, reason="rule", rule="Allow: /private/open", line=3)
        assert verdicts(done) == {
            shop.at("/a"): usual,
            shop.at("/b"): usual,
            shop.at("/private/x"): private,
            shop.at("/private/y"): private,
            shop.at("/private/open/1"): allowed,
            shop.at("/admin/x"): usual,
            OFFSITE: None,
        }
        assert done.query("SELECT count(*) FROM verdicts") == [(3,)], "each once"

        expected = {
            "robots_allowed": {"no_rule": (3, "/a"), "rule": (1, "/private/open/1")},
            "blocked_by_robots": {"rule": (2, "/private/x")},
        }
        for type_, by_reason in expected.items():
            found = {metadata["reason"]: metadata for _, metadata in evidence(done, type_)}
            assert {
                reason: (facts["pages"], facts["example"].removeprefix(shop.url))
                for reason, facts in found.items()
            } == by_reason
        ((content, metadata),) = evidence(done, "blocked_by_robots")
        assert content == "line 2 of robots.txt, for *: Disallow: /private"
        assert (metadata["rule"], metadata["line"], metadata["group"], metadata["crawl_delay"]) == (
            ("Disallow: /private", 2, "*", 0.01)
        )

        assert refusals(done)[shop.at("/private/x")] == ("blocked_by_robots", "Disallow: /private")
        assert refusals(done)[shop.at("/admin/x")][0] == "skipped_path", "the first refusal stands"
        assert summary(done)["refused"]["blocked_by_robots"] == 2
        assert "2 not allowed by robots.txt" in done.stderr
        assert summary(done)["pages"] == 3

    def test_feeds_say_it_and_have_what_may_not_be_fetched_only_when_asked(
        self, shop: SiteServer, crawl: Crawl
    ) -> None:
        rows = by_path(shop, crawl(shop.url, settings=QUICK).succeeded().rows)
        facts = ("status", "reason", "rule", "robots_allowed", "robots_rule")
        assert {path: tuple(row[name] for name in facts) for path, row in rows.items()} == {
            "/a": ("listed", None, None, True, None),
            "/b": ("listed", None, None, True, None),
            "/private/open/1": ("listed", None, None, True, "Allow: /private/open"),
        }
        rows = by_path(shop, crawl(shop.url, settings=REFUSED_TOO).succeeded().rows)
        assert rows.keys() == set(PAGES)
        assert [rows["/private/x"][name] for name in facts] == [
            "refused",
            "blocked_by_robots",
            "Disallow: /private",
            False,
            "Disallow: /private",
        ]
        assert (rows["/admin/x"]["reason"], rows["/admin/x"]["robots_allowed"]) == (
            ("skipped_path", True)
        )
        assert (rows[OFFSITE]["robots_allowed"], rows[OFFSITE]["robots_rule"]) == (None, None)

        done = crawl(shop.url, settings=REFUSED_TOO, feed="urls.csv").succeeded()
        with done.feed.open(encoding="utf-8", newline="") as lines:
            rows = by_path(shop, list(csv.DictReader(lines)))
        assert rows["/private/x"]["robots_allowed"].lower() == "false"
        assert rows["/private/x"]["robots_rule"] == "Disallow: /private"
        assert rows["/a"]["robots_allowed"].lower() == "true"
        assert rows[OFFSITE]["robots_allowed"] == ""

    def test_postgresql_holds_the_same(
        self, shop: SiteServer, project: Project, tmp_path: Path, postgres_tables_url: str
    ) -> None:
        # A text with a null byte is what PostgreSQL takes least.
        shop.routes["/robots.txt"] = RULES.replace("not for you", "not\0for you")
        (tmp_path / "postgres").mkdir()
        postgres = Project.in_folder(tmp_path / "postgres", database_url=postgres_tables_url)
        ours = project.crawl(shop.url, settings=REFUSED_TOO).succeeded()
        theirs = postgres.crawl(shop.url, settings=REFUSED_TOO).succeeded()
        assert [{**row, "discovered_at": ""} for row in theirs.rows] == [
            {**row, "discovered_at": ""} for row in ours.rows
        ]
        assert len(ours.rows) == len(PAGES)
        command = (sys.executable, "-m", "sitecrawl", "why", shop.at("/private/x"))
        told = [each.run(*command).succeeded().stdout for each in (project, postgres)]
        assert _without_times(told[0]) == _without_times(told[1])
        assert "line 2, for *: Disallow: /private" in told[1]

        again = postgres.crawl(shop.url, settings=REFUSED_TOO).succeeded()
        assert again.rows == theirs.rows, "by the copy that it has kept"
        assert len(shop.requests("/robots.txt")) == 2


def _without_times(text: str) -> list[str]:
    return [line.partition(" 20")[0] for line in text.splitlines()]


class TestWithoutRules:
    @pytest.mark.parametrize(
        ("route", "cause"),
        [
            (Reply(status=429), "HTTP 429"),
            (Reply(status=500), "HTTP 500"),
            (Reply(delay_seconds=60), "no complete answer in time"),
        ],
        ids=["429", "500", "time-out"],
    )
    def test_maps_are_read_and_pages_listed_but_none_is_fetched(
        self, shop: SiteServer, crawl: Crawl, route: Reply, cause: str
    ) -> None:
        shop.routes["/robots.txt"] = route
        settings = {**QUICK, "SITECRAWL_ROBOTS_TIMEOUT_SECONDS": 3}
        done = crawl(shop.url, settings=settings).succeeded()
        assert shop.paths() == ["/robots.txt", "/sitemap.xml"]
        assert outcomes(done)[shop.at("/")] == "blocked_by_robots"
        assert scan(done)[0] == "finished"
        own = [shop.at(path) for path in PAGES if path not in {"/admin/x", OFFSITE}]
        assert done.urls == own
        assert {row["robots_allowed"] for row in done.rows} == {False}
        assert {row["robots_rule"] for row in done.rows} == {None}
        ((content, metadata),) = evidence(done, "blocked_by_robots")
        assert cause in content
        assert (metadata["reason"], metadata["pages"]) == ("unreachable", 6)
        verdict = verdicts(done)[own[0]]
        assert verdict is not None
        assert verdict.confidence == 0.5

    def test_fail_open_fetches_with_low_confidence(self, shop: SiteServer, crawl: Crawl) -> None:
        shop.routes["/robots.txt"] = Reply(RULES, status=500)
        done = crawl(shop.url, settings={**QUICK, "SITECRAWL_ROBOTS_FAIL_OPEN": 1}).succeeded()
        assert shop.paths() == ["/robots.txt", "/", "/sitemap.xml"]
        assert {row["robots_allowed"] for row in done.rows} == {True}
        assert shop.at("/private/x") in done.urls, "the text of an error page is no rule"
        found = {(each.reason, each.confidence) for each in verdicts(done).values() if each}
        assert found == {("fail_open", 0.3)}
        ((_, metadata),) = evidence(done, "robots_allowed")
        assert metadata["pages"] == 6
        assert evidence(done, "blocked_by_robots") == []


def test_a_verdict_that_no_page_has_is_no_evidence(shop: SiteServer, crawl: Crawl) -> None:
    shop.routes["/sitemap.xml"] = sitemap("/private/x", OFFSITE)
    done = crawl(shop.url, settings=QUICK).succeeded()
    assert evidence(done, "robots_allowed") == []
    ((_, metadata),) = evidence(done, "blocked_by_robots")
    assert metadata["pages"] == 1
    assert "Traceback" not in done.output


def test_a_changed_robots_txt_judges_the_pages_of_unchanged_maps_again(
    shop: SiteServer, crawl: Crawl
) -> None:
    always = {**QUICK, "SITECRAWL_ROBOTS_CACHE_SECONDS": 0}
    crawl(shop.url, settings=always).succeeded()
    # The same rules by other words: nothing has to be read again.
    shop.routes["/robots.txt"] = RULES + "# thank you\n"
    same = crawl(shop.url, settings=always).succeeded()
    shop.routes["/robots.txt"] = "User-agent: *\nDisallow: /a\nSitemap: /sitemap.xml\n"
    done = crawl(shop.url, settings=always).succeeded()
    assert [entry.status for entry in shop.requests("/sitemap.xml")] == [200, 304, 200]
    assert shop.requests("/sitemap.xml")[2].header("If-None-Match") == ""
    assert same.urls == [shop.at(path) for path in ("/a", "/b", "/private/open/1")]
    assert set(done.urls) == {
        shop.at(path) for path in ("/b", "/private/x", "/private/y", "/private/open/1")
    }
    refused = verdicts(done)[shop.at("/a")]
    assert refused is not None
    assert (refused.allowed, refused.rule, refused.line) == (False, "Disallow: /a", 2)


class TestAuthorities:
    def test_each_is_judged_by_its_own_and_strangers_are_left_alone(
        self, shop: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        docs, stranger = make_site(), make_site(address="127.0.0.2")
        docs.routes["/robots.txt"] = robots(disallow=("/a",))
        shop.routes["/sitemap.xml"] = sitemap(
            *(
                each.at(path)
                for number in range(3)
                for each in (shop, docs, stranger)
                for path in (f"/a/{number}", f"/private/{number}")
            )
        )
        options = {
            "base": f"{shop.url}/,{docs.url}/",
            "settings": {**REFUSED_TOO, "SITECRAWL_ADDRESS_ALLOW": "127.0.0.2"},
        }
        done = crawl(shop.url, **options).succeeded()
        told = {row["url"]: (row["reason"], row["robots_allowed"]) for row in done.rows}
        assert told[shop.at("/a/1")] == told[docs.at("/private/1")] == (None, True)
        blocked = ("blocked_by_robots", False)
        assert told[shop.at("/private/1")] == told[docs.at("/a/1")] == blocked
        assert told[stranger.at("/a/1")] == ("offsite", None)
        assert docs.paths() == ["/robots.txt"], "its pages are only listed"
        assert shop.paths().count("/robots.txt") == 1
        assert stranger.paths() == []
        assert truncations(done) == {}

    def test_a_limit_on_files_is_said_and_can_be_raised(
        self, shop: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
    ) -> None:
        docs = make_site()
        docs.routes["/robots.txt"] = robots(disallow=("/a",))
        shop.routes["/sitemap.xml"] = sitemap(
            shop.at("/private/1"), docs.at("/a"), docs.at("/b"), shop.at("/a")
        )
        options: dict[str, Any] = {"base": f"{shop.url}/,{docs.url}/"}
        limited = {**REFUSED_TOO, "SITECRAWL_MAX_ROBOTS_FILES": 1}
        done = crawl(shop.url, **options, settings=limited).succeeded()
        told = {row["url"]: (row["status"], row["robots_allowed"]) for row in done.rows}
        assert told == {
            shop.at("/private/1"): ("refused", False),
            shop.at("/a"): ("listed", True),
            docs.at("/a"): ("listed", None),
            docs.at("/b"): ("listed", None),
        }
        assert docs.paths() == []
        assert truncations(done) == {"SITECRAWL_MAX_ROBOTS_FILES": 1}
        assert "SITECRAWL_MAX_ROBOTS_FILES=1 can be raised" in done.stderr

        done = crawl(shop.url, **options, settings=REFUSED_TOO).succeeded()
        told = {row["url"]: (row["status"], row["robots_allowed"]) for row in done.rows}
        assert told[docs.at("/a")] == ("refused", False)
        assert told[docs.at("/b")] == ("listed", True)


def test_a_long_robots_txt_is_applied_piece_by_piece_with_the_same_verdicts() -> None:
    body = "\n".join(["User-agent: *", *(f"Disallow: /{number}/" for number in range(1_500))])
    document = Document(
        "https://example.com/robots.txt", DocumentKind.ROBOTS_TXT, "a test", FetchOutcome.OK
    )
    answer = read_answer("ok", 200)
    subject = AuthorityRobots(document, answer, policy_for(answer, body.encode(), token="x"))
    urls = [f"https://example.com/{number * 7}/" for number in range(350)]

    async def judge() -> tuple[list[bool], int]:
        """The verdicts, and how often something else had its turn."""
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.ensure_future(count())
        usual, others = await _judged_in_slices(subject, urls)
        counting.cancel()
        return [others.get(row, usual).verdict.allowed for row in range(len(urls))], turns

    allowed, turns = asyncio.run(judge())
    assert allowed == [subject.policy.decide(url).allowed for url in urls]
    assert True in allowed
    assert False in allowed
    assert turns >= 3
