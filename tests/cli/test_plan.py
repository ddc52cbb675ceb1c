from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.cli.plan import describe
from sitecrawl.items import Document, DocumentKind, FetchOutcome
from sitecrawl.robots.answers import read_answer
from sitecrawl.robots.policy import policy_for
from sitecrawl.scan.robots import AuthorityRobots
from sitecrawl.services.preview import plan_of
from sitecrawl.services.scans import ScanRequest
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.spiders.preview import PreviewedSitemap, SitePreview

if TYPE_CHECKING:
    from sitecrawl.robots.answers import RobotsAnswer

ROOT = "https://shop.example/"
OK = read_answer("ok", 200)
RULES = b"User-agent: *\nDisallow: /cart\nDisallow: /account\n"


def preview(body: bytes = RULES, answer: RobotsAnswer = OK, **facts: Any) -> SitePreview:
    document = Document(
        f"{ROOT}robots.txt", DocumentKind.ROBOTS_TXT, "a test", FetchOutcome.OK, body=body
    )
    robots = AuthorityRobots(document, answer, policy_for(answer, body, token="sitecrawl"))
    return SitePreview(ROOT, robots, **facts)


def a_map(
    name: str, kind: SitemapKind | None, pages: int = 0, maps: int = 0, error: str = ""
) -> PreviewedSitemap:
    outcome = FetchOutcome.NOT_FOUND if error else FetchOutcome.OK
    url = f"{ROOT}{name}"
    document = Document(
        url, DocumentKind.SITEMAP, "a test", outcome, error=error, body=b"x" * 1_234
    )
    return PreviewedSitemap(document, kind, pages, maps)


def words(seen: SitePreview, **settings: object) -> list[str]:
    return list(describe(plan_of(seen, ScanRequest(settings=settings))))


def test_an_index_is_only_the_beginning() -> None:
    maps = [
        a_map("index.xml", SitemapKind.INDEX, maps=1_200),
        a_map("news.xml", SitemapKind.URLSET, pages=20),
        a_map("gone.xml", None, error="HTTP 404"),
        a_map("page.html", None),
    ]
    assert words(preview(maps=maps, map_requests=4)) == [
        f"{ROOT}robots.txt  2 rules for *",
        f"{ROOT}index.xml  index: 1,200 further sitemaps, 1.2 KB",
        f"{ROOT}news.xml  urlset: 20 URLs, 1.2 KB",
        f"{ROOT}gone.xml  HTTP 404",
        f"{ROOT}page.html  not a sitemap",
        "",
        "a scan makes at least 1,206 requests, 0.35 s apart",
        "and takes at least 7 min 2 s",
    ]


def test_maps_that_were_not_looked_at_count() -> None:
    maps = [a_map("map.xml", SitemapKind.URLSET, pages=20)]
    shown = words(preview(maps=maps, maps_not_read=70, map_requests=1))
    assert "and 70 more sitemaps that robots.txt names" in shown
    assert "a scan makes at least 73 requests, 0.35 s apart" in shown


def test_nothing_found() -> None:
    assert words(preview(b"", guesses=13, map_requests=13)) == [
        f"{ROOT}robots.txt  robots.txt has no rules for this crawler",
        "robots.txt names no sitemap, and none is at 13 common paths",
        "",
        "a scan makes 15 requests, 0.35 s apart",
        "and takes at least 5 s",
        "then it follows links, up to 200 pages: 1 min 10 s more",
    ]


def test_a_crawl_without_a_limit_is_said_and_none_where_none_follows() -> None:
    nothing = preview(b"", guesses=13, map_requests=13)
    assert words(nothing, SITECRAWL_MAX_CRAWL_PAGES=0)[-1].endswith("without a limit of pages")
    assert words(nothing, SITECRAWL_CRAWL="never")[-1] == "and takes at least 5 s"
    maps = [a_map("map.xml", SitemapKind.URLSET, pages=20)]
    enough = preview(maps=maps, map_requests=1)
    assert not words(enough)[-1].startswith("then it follows links")
    assert words(enough, SITECRAWL_CRAWL="always")[-1].startswith("then it follows links")


def test_a_crawl_delay_is_why_it_takes_long() -> None:
    maps = [a_map("map.xml", SitemapKind.URLSET, pages=20)]
    shown = words(preview(RULES + b"Crawl-delay: 10\n", maps=maps, map_requests=1))
    assert shown[-2:] == [
        "a scan makes 3 requests, 10 s apart, because robots.txt asks for it",
        "and takes at least 20 s",
    ]
    quick = words(preview(RULES + b"Crawl-delay: 0.1\n", maps=maps, map_requests=1))
    assert "a scan makes 3 requests, 0.35 s apart" in quick


def test_limits_ahead_are_named() -> None:
    maps = [a_map("index.xml", SitemapKind.INDEX, pages=300, maps=500)]
    shown = words(
        preview(RULES + b"Crawl-delay: 60\n", maps=maps, map_requests=1),
        SITECRAWL_MAX_SITEMAPS=100,
        SITECRAWL_MAX_SITEMAP_URLS=200,
        SITECRAWL_MAX_SCAN_MINUTES=5,
        SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS=30,
    )
    assert [line for line in shown if line.startswith("limit ahead")] == [
        "limit ahead: 501 sitemaps, 100 will be read (SITECRAWL_MAX_SITEMAPS)",
        "limit ahead: 300 URLs or more, 200 will be listed (SITECRAWL_MAX_SITEMAP_URLS)",
        (
            "limit ahead: robots.txt asks for 60 s, 30 s will be kept"
            " (SITECRAWL_MAX_CRAWL_DELAY_SECONDS)"
        ),
        (
            "limit ahead: about 50 min for the sitemaps, which may take 30 s"
            " (SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS)"
        ),
        "limit ahead: about 50 min 30 s, and the scan may take 5 min (SITECRAWL_MAX_SCAN_MINUTES)",
    ]


@pytest.mark.parametrize(
    ("body", "answer", "why"),
    [
        (b"User-agent: *\nDisallow: /", OK, "line 2 of robots.txt, for *: Disallow: /"),
        (
            b"",
            read_answer("http_error", 503),
            "robots.txt could not be fetched (HTTP 503), so nothing may be fetched",
        ),
    ],
)
def test_a_root_that_will_not_be_fetched(body: bytes, answer: RobotsAnswer, why: str) -> None:
    maps = [a_map("map.xml", SitemapKind.URLSET, pages=20)]
    shown = words(preview(body, answer, maps=maps, map_requests=1))
    assert f"{ROOT}  will not be fetched: {why}" in shown
    assert "a scan makes 2 requests, 0.35 s apart" in shown


def test_nothing_steers_the_terminal() -> None:
    maps = [a_map("map.xml", None, error="\x1b[2J")]
    body = b"User-agent: sitecrawl\x1b[2J\nDisallow: /"
    assert all(line.isprintable() for line in words(preview(body, maps=maps, map_requests=1)))
