from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Spider
from scrapy.utils.test import get_crawler

from sitecrawl.robotstxt import (
    _MAX_POLICIES,
    SitecrawlRobotParser,
    product_tokens,
)
from tests.site.build import page

if TYPE_CHECKING:
    from tests.site import SiteServer
    from tests.site.project import Project

SITE = "https://site.local"
CASES = [
    json.loads(line)
    for line in Path(__file__)
    .parent.joinpath("robots/data/robots_cases.jsonl")
    .read_text("utf-8")
    .split("\n")
    if line
]
PARSER = f"{SitecrawlRobotParser.__module__}.{SitecrawlRobotParser.__qualname__}"


def parser(body: str | bytes) -> SitecrawlRobotParser:
    encoded = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return SitecrawlRobotParser.from_crawler(get_crawler(Spider), encoded)


# --- what Scrapy asks of a parser -------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "agent", "allowed", "refused"),
    [
        pytest.param(
            "User-agent: * \nDisallow: /disallowed \nAllow: /allowed \nCrawl-delay: 10",
            "*",
            ["/allowed", "/"],
            ["/disallowed"],
            id="allow and disallow",
        ),
        pytest.param(
            "User-agent: first\nDisallow: /disallowed/*/end$\n\n"
            "User-agent: second\nAllow: /*allowed\nDisallow: /",
            "first",
            ["/disallowed", "/disallowed/xyz/endinglater"],
            ["/disallowed/xyz/end", "/disallowed/abc/end"],
            id="wildcards and ends",
        ),
        pytest.param(
            "User-agent: first\nDisallow: /\n\nUser-agent: second\nAllow: /*allowed\nDisallow: /",
            "second",
            ["/allowed", "/is_still_allowed", "/is_allowed_too"],
            ["/other"],
            id="wildcards of another group",
        ),
        pytest.param(
            "User-agent: * \nDisallow: / \nAllow: /page", "*", ["/page"], ["/"], id="the longest"
        ),
        pytest.param("", "*", ["/", "/index.html"], [], id="empty"),
        pytest.param("", "chrome", ["/", "/index.html"], [], id="empty, by name"),
        pytest.param(
            b"GIF89a\xd3\x00\xfe\x00\xa2\x00\x00\x00", "*", ["/", "/index.html"], [], id="an image"
        ),
        pytest.param(
            "User-Agent: *\nDisallow: /admin/\nDisallow: /wiki/K%C3%A4ytt%C3%A4j%C3%A4:\n"
            "\nUser-Agent: UnicödeBöt\nDisallow: /some/randome/page.html",
            "*",
            ["/", "/some/randome/page.html"],
            ["/admin/", "/wiki/K%C3%A4ytt%C3%A4j%C3%A4:", "/wiki/Käyttäjä:"],
            id="beyond ASCII",
        ),
        pytest.param(
            "User-Agent: *\nDisallow: /\n\nUser-Agent: UnicödeBöt\nDisallow: /some/page.html",
            "UnicödeBöt",
            ["/"],
            ["/some/page.html"],
            id="a name beyond ASCII",
        ),
    ],
)
def test_scrapy_case(body: str | bytes, agent: str, allowed: list[str], refused: list[str]) -> None:
    rules = parser(body)
    for path in (*allowed, *refused):
        assert rules.allowed(SITE + path, agent) is (path in allowed)
        # Scrapy also gives what it has from the headers of a request.
        assert rules.allowed((SITE + path).encode(), agent.encode()) is (path in allowed)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    assert parser(case["robots"]).allowed(case["url"], case["agent"]) is case["allowed"]


def test_delay_of_the_group_that_names_us() -> None:
    rules = parser("User-agent: *\nCrawl-delay: 10\n\nUser-agent: me\nCrawl-delay: 2.5\nDisallow:")
    assert rules.crawl_delay("me/1.0") == 2.5
    assert rules.crawl_delay(b"other") == 10
    assert parser("User-agent: *\nDisallow: /").crawl_delay("me") is None


# --- who is asked for -------------------------------------------------------------------------

BROWSER_LIKE = (
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML; compatible; MyBot/1.2; +https://my.bot/about)"
)


def test_a_bot_behind_the_name_of_a_browser_is_addressed_by_its_own() -> None:
    rules = parser("User-agent: *\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b")
    assert not rules.allowed(f"{SITE}/b", BROWSER_LIKE)
    assert rules.allowed(f"{SITE}/a", BROWSER_LIKE)


def test_its_own_name_counts_more_than_that_of_browsers() -> None:
    rules = parser("User-agent: Mozilla\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b")
    assert not rules.allowed(f"{SITE}/b", BROWSER_LIKE)
    assert rules.allowed(f"{SITE}/a", BROWSER_LIKE)
    assert not rules.allowed(f"{SITE}/a", "Mozilla/5.0")


def test_everybody_holds_also_with_words_behind_the_star() -> None:
    rules = parser("User-agent: * all bots\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b")
    assert not rules.allowed(f"{SITE}/a", "other/1.0 (like Gecko/1)")
    assert rules.allowed(f"{SITE}/a", BROWSER_LIKE)


@pytest.mark.parametrize("agent", ["", "*", " ", "/", "()", "\x00"])
def test_a_user_agent_without_a_name_is_anybody(agent: str) -> None:
    rules = parser("User-agent: *\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /b")
    assert product_tokens(agent)
    assert not rules.allowed(f"{SITE}/a", agent)
    assert rules.allowed(f"{SITE}/b", agent)


def test_the_verdict_names_the_line() -> None:
    verdict = parser("User-agent: *\nDisallow: /cart").verdict(f"{SITE}/cart/1", "me")
    assert (verdict.line, verdict.rule, verdict.group) == (2, "Disallow: /cart", "*")


def test_rotating_user_agents_cost_no_memory() -> None:
    rules = parser("User-agent: *\nDisallow: /a")
    for number in range(3 * _MAX_POLICIES):
        assert not rules.allowed(f"{SITE}/a", f"bot{number}")
    assert len(rules._policies) <= _MAX_POLICIES


# --- in a Scrapy project that has nothing else of sitecrawl ----------------------------------

SPIDER = """
import scrapy

class StockSpider(scrapy.Spider):
    name = "stock"

    async def start(self):
        for path in ("/open", "/private/a", "/private/open.html", "/named"):
            yield scrapy.Request("{root}" + path)

    def parse(self, response):
        yield {{"path": response.url}}
"""


def test_a_stock_scrapy_crawl_keeps_to_it(site: SiteServer, project: Project) -> None:
    site.routes.update(
        {
            "/robots.txt": b"User-agent: *\nDisallow: /private/\nAllow: /private/*.html$\n\n"
            b"User-agent: mybot\nDisallow: /named\nDisallow: /private/\nAllow: /private/*.html$\n",
            **dict.fromkeys(
                ["/open", "/private/a", "/private/open.html", "/named"], page("a page")
            ),
        }
    )
    (project.folder / "stock.py").write_text(SPIDER.format(root=site.at("").rstrip("/")))
    settings = {
        "ROBOTSTXT_OBEY": "True",
        "ROBOTSTXT_PARSER": PARSER,
        "USER_AGENT": "Mozilla/5.0 (compatible; MyBot/1.0)",
        # Of several requests that wait for one robots.txt, Scrapy 2.19 asks its parser only about
        # the first two, whatever the parser.
        "CONCURRENT_REQUESTS": "1",
        "LOG_LEVEL": "DEBUG",
        "TELNETCONSOLE_ENABLED": "False",
    }
    options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    done = project.run(
        *(sys.executable, "-m", "scrapy", "runspider", "stock.py", *options),
        environment={"SCRAPY_SETTINGS_MODULE": ""},
    ).succeeded()
    assert sorted(site.paths()) == ["/open", "/private/open.html", "/robots.txt"]
    assert "'robotstxt/forbidden': 2" in done.output
    assert "for mybot: Disallow: /named" in done.output
