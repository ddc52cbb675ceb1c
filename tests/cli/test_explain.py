"""``sitecrawl why`` after a crawl: the way to a page, what it said, why it was not visited."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import ScanStatus
from tests.store.crawling import Crawling, Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.store.engine import Database
    from tests.cli.conftest import Crawled
    from tests.site.project import ProcessResult, Project

TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
SITE = "https://example.com"


@pytest.fixture
def database(project: Project) -> Iterator[Database]:
    """The one that the commands of the project ask."""
    with open_database(f"sqlite:///{project.database}") as opened:
        yield opened


def why(crawled: Crawled, path: str, *options: str) -> str:
    return crawled.run("why", f"{SITE}{path}", *options).succeeded().stdout


def test_a_visited_page_is_explained_in_full(crawled: Crawled) -> None:
    assert re.fullmatch(
        rf"""{SITE}/copy
  known since {TIME}, scan 1
  listed
  primary content, page: no rule says more
  priority 0\.[0-9]+:
(?:    0\.[0-9]+ of 0\.[0-9]+: .+
)+  in the clusters:
(?:    .+ \([0-9]+ pages\): .+
)+  visited {TIME}, scan 1: HTTP 200, text/html
  robots directives: noindex
  canonical: {SITE}/about
  same text as {SITE}/about, which was visited earlier
  shortest click path, 1 click:
    1\. {SITE}/
    2\. {SITE}/copy  \("Copy", footer\)
  linked by {SITE}/, entry 4 \(link in footer\): "Copy"
      at main > a, read {TIME}, scan 1
""",
        why(crawled, "/copy"),
    )


def test_a_link_is_told_with_its_element_and_rel(crawled: Crawled) -> None:
    text = why(crawled, "/about")
    assert f'linked by {SITE}/, entry 2 (link in navigation): "About us"\n' in text
    assert "      at nav > ul > li:nth(2) > a, rel author, read 20" in text
    assert f"  listed by {SITE}/sitemap.xml, entry 2 (sitemap)\n" in text
    assert "\n  title: About the team\n" in text


def test_the_root_needs_no_way(crawled: Crawled) -> None:
    text = why(crawled, "/")
    assert "shortest way" not in text
    assert f"\n  a start URL of the crawl at {SITE}/\n" in text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/old", f"redirected, to {SITE}/older -> {SITE}/shop"),
        ("/older", f"redirected, to {SITE}/shop"),
        ("/cart", "skipped_path, by the rule /cart"),
        ("/day/3", "trap_calendar, held under the pattern /day/{n}: 40 of its pages were visited"),
    ],
)
def test_a_refusal_says_what_stands_behind_it(crawled: Crawled, path: str, words: str) -> None:
    assert why(crawled, path).splitlines()[2].startswith(f"  refused: {words}")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/gone", "not_found, the answer was HTTP 404"),
        ("/missing", f"soft_404, its text is that of {SITE}/no-such-page-1, which does not exist"),
    ],
)
def test_a_page_that_does_not_exist_is_broken(crawled: Crawled, path: str, words: str) -> None:
    assert why(crawled, path).splitlines()[2] == f"  broken: {words}"


def test_a_refused_page_of_another_site_has_its_way(crawled: Crawled) -> None:
    text = crawled.run("why", "https://elsewhere.example/").succeeded().stdout
    assert "refused: offsite, by the rule https://example.com/" in text
    assert '    2. https://elsewhere.example/  ("Partner", content-link)' in text


def test_redirects_are_told_from_both_ends(crawled: Crawled) -> None:
    assert "scan 1: HTTP 301" in why(crawled, "/old")
    text = why(crawled, "/shop")
    assert f"linked by {SITE}/about, entry 1 (link in navigation)" in text
    assert f"\n  the target of a redirect of {SITE}/older, entry 1 (redirect)\n" in text


def test_the_way_through_redirects_has_no_clicks_for_them(
    project: Project, database: Database, cli: Callable[..., ProcessResult]
) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", Link("/a", "A"))
    crawling.redirect("/a", "/b")
    crawling.redirect("/b", "/c")
    crawling.visit("/c", status=503, outcome=FetchOutcome.HTTP_ERROR, fetch={"error": "HTTP 503"})
    crawling.end()
    text = cli("why", f"{SITE}/c").succeeded().stdout
    assert "shortest click path, 1 click:" in text
    assert f"\n    4. {SITE}/c  (redirect)\n" in text
    assert f"\n  redirected here: {SITE}/a -> {SITE}/b -> {SITE}/c\n" in text
    assert ": HTTP 503, text/html\n" in text, "the error is said once"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (
            "/shop",
            "still in the queue when the scan ended: pages left to visit: SITECRAWL_MAX_",
        ),
        ("/tag/4", "held under the pattern /tag/{n}"),
        ("/alone", "no visited page links to it"),
        ("/search", "its links are not followed (nofollow, or a form)"),
    ],
)
def test_a_page_that_was_not_visited_says_why(crawled: Crawled, path: str, words: str) -> None:
    lines = why(crawled, path).splitlines()
    assert lines[2] == "  listed"
    assert lines[3].startswith(f"  not visited: {words}")
    assert "visited 20" not in "\n".join(lines)


def test_a_page_beyond_the_depth_says_so(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    crawling = Crawling(database, settings={"max_crawl_depth": 1})
    crawling.start()
    crawling.visit("/", "/a")
    crawling.visit("/a", Link("/b", is_followed=False))
    crawling.end()
    text = cli("why", f"{SITE}/b").succeeded().stdout
    assert "not visited: 2 clicks away: SITECRAWL_MAX_CRAWL_DEPTH=1 can be raised" in text


@pytest.mark.parametrize(
    ("status", "summary", "words"),
    [
        (
            ScanStatus.FINISHED,
            {"stages": [{"stage": "crawl", "ended": "the sitemaps gave enough", "visited": 0}]},
            "the crawl did not run (the sitemaps gave enough)",
        ),
        (ScanStatus.PARTIAL, {"stages": []}, "the crawl did not run"),
        (
            ScanStatus.PARTIAL,
            {"stages": [{"stage": "crawl", "ended": "the scan was stopped", "visited": 1}]},
            "still in the queue when the scan ended: the scan was stopped",
        ),
    ],
)
def test_a_page_whose_turn_did_not_come(
    database: Database,
    cli: Callable[..., ProcessResult],
    status: ScanStatus,
    summary: dict[str, Any],
    words: str,
) -> None:
    crawling = Crawling(database)
    crawling.start()
    crawling.visit("/", "/a")
    crawling.end(status, **summary)
    text = cli("why", f"{SITE}/a").succeeded().stdout
    assert f"\n  not visited: {words}\n" in text


def test_what_a_site_wrote_steers_no_terminal(crawled: Crawled) -> None:
    text = why(crawled, "/gone")
    assert "\x1b" not in text
    assert '"\\x1b[31mGone\\n"' in text


def test_of_many_mentions_the_first_are_shown(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    crawling = Crawling(database)
    crawling.start()
    paths = [f"/{number}" for number in range(20)]
    crawling.visit("/", *paths)
    for path in paths:
        crawling.visit(path, Link("/", "Home", "navigation"))
    crawling.end()
    text = cli("why", f"{SITE}/").succeeded().stdout
    assert text.count("linked by") == 9
    assert "\n  and 11 more; --all shows them (20 link in navigation, 1 start)\n" in text
    every = cli("why", f"{SITE}/", "--all").succeeded().stdout
    assert every.count("linked by") == 20
    assert "--all" not in every


def test_a_page_that_was_never_seen_may_be_where_the_crawl_was_not(crawled: Crawled) -> None:
    text = why(crawled, "/nowhere")
    assert "  never seen\n" in text
    assert "  the crawl visited 7 of 13 known pages\n" in text
    assert "  4 were still in the queue when it ended (nothing left to fetch)\n" in text
    assert "  2 were skipped: similar pages had given nothing new\n" in text
    assert "  limit hit: pages left to visit: SITECRAWL_MAX_CRAWL_PAGES=7 can be raised\n" in text


def test_of_many_doubtful_documents_the_first_are_shown(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    crawling = Crawling(database)
    for number in range(13):
        document_id = crawling.document(f"{SITE}/{number}.xml")
        crawling.fetched(document_id, FetchOutcome.HTTP_ERROR, error="HTTP 500")
    crawling.end()
    text = cli("why", f"{SITE}/nowhere").succeeded().stdout
    assert text.count(": HTTP 500") == 10
    assert "    and 3 more; --all shows them\n" in text
    assert cli("why", f"{SITE}/nowhere", "--all").stdout.count(": HTTP 500") == 13
