"""A second crawl asks whether pages have changed, and follows the stored links of those that have
not: it finds what it would have found by reading them again."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import create_engine, text

from tests.crawl.scanned import WITHOUT_LIMITS
from tests.crawl.test_resume import kill_after, resume_command
from tests.site import Reply, SiteServer, redirect
from tests.site.build import page, robots, rss, sitemap
from tests.site.project import Project, crawl_command
from tests.site.sites import docs_site, messy_site, news_site, shop_site, trap_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.site.project import CrawlResult
    from tests.site.reply import Request
    from tests.site.sites import ModelSite

CRAWL = {
    "SITECRAWL_CRAWL": "always",
    "SITECRAWL_MAX_CRAWL_DEPTH": 0,
    "SITECRAWL_SITEMAP_PLACES": "",
    "SITECRAWL_SOFT_404": False,
    "SITECRAWL_FEED_REFUSED": True,
}
SYLLABLES = ("ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra")
HTML = "text/html; charset=utf-8"
DATE = "Thu, 01 Jan 2026 00:00:00 GMT"

_FEED_LINK = b'<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
_VISITS = """
SELECT v.number, v.url, v.clicks, v.found_by, v.redirected_from, v.is_productive, v.reason, v.rule,
    v.title, v.language, v.canonical, v.category, v.text_hash, v.fingerprint,
    v.family, original.url, f.status, f.content_type, f.directives, f.format, f.entries, f.findings,
    f.final_url, f.redirects, f.sha256, f.decompressed_bytes
FROM visits AS v LEFT JOIN pages AS original ON original.id = v.duplicate_of
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
WHERE v.scan_id = {scan} ORDER BY v.number IS NULL, v.number, v.url
"""
_SIGNALS = """
SELECT p.url, s.inlinks, s.link_region, s.own_language, s.text_language, s.declared_type
FROM page_signals AS s JOIN pages AS p ON p.id = s.page_id ORDER BY 1
"""
_MENTIONS = """
SELECT d.url, m.position, p.url, m.source, m.region, m.anchor, m.rel
FROM mentions AS m JOIN pages AS p ON p.id = m.page_id JOIN documents AS d ON d.id = m.document_id
ORDER BY 1, 2, 3
"""
_OUTCOMES = "SELECT outcome, count(*) FROM fetches WHERE scan_id = {scan} GROUP BY outcome"


def tagged_page(title: str, *links: str, nav: tuple[str, ...] = ()) -> Reply:
    """A page with an ETag that changes with what it says."""
    return tagged(Reply(page(title, *links, nav=nav)))


def tagged(reply: Reply) -> Reply:
    assert isinstance(reply.body, bytes)
    etag = f'"{hashlib.sha256(reply.body).hexdigest()[:12]}"'
    return replace(reply, etag=etag, content_type=reply.content_type or HTML)


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """A project whose scans share a database of each kind in turn."""
    url = request.getfixturevalue("postgres_tables_url") if request.param == "postgres" else None
    return Project.in_folder(tmp_path, database_url=url)


@pytest.fixture
def small(site: SiteServer) -> SiteServer:
    """A site of each kind of answer: tagged, dated, neither, a redirect, an error, a feed."""
    site.routes.update(
        {
            "/": tagged_page("Home", "/a", "/b", "/plain", nav=("/a",)),
            "/a": tagged(Reply(_FEED_LINK + page("A", "/", "/a1", "/a1", "/moved", "/gone"))),
            "/b": Reply(page("B", "/a", "/b1"), content_type=HTML, last_modified=DATE),
            "/plain": page("Plain", "/a"),
            "/a1": tagged_page("A1", "/a2", "/admin"),
            "/a2": tagged_page("A2"),
            "/b1": tagged_page("B1", "/b"),
            "/moved": redirect("/b2", 301),
            "/b2": tagged_page("B2", "/a"),
            "/feed.xml": tagged(Reply(rss("/news"), content_type="application/rss+xml")),
            "/news": tagged_page("News"),
        }
    )
    return site


def statuses(server: SiteServer) -> dict[str, int]:
    """The status of each address that was asked for once."""
    return {entry.target: entry.status for entry in server.requests()}


def rows(project: Project, statement: str, scan: int = 1) -> list[tuple[Any, ...]]:
    engine = create_engine(project.environment["SITECRAWL_DATABASE_URL"])
    with engine.connect() as connection:
        found = [
            tuple(str(value) if isinstance(value, list) else value for value in row)
            for row in connection.execute(text(statement.format(scan=scan)))
        ]
    engine.dispose()
    return found


def paths(server: SiteServer, done: CrawlResult) -> set[str]:
    return {row["url"].removeprefix(server.url) for row in done.rows if not row["reason"]}


# --- an unchanged site --------------------------------------------------------------------------


def test_only_pages_without_validators_are_sent_again(small: SiteServer, kept: Project) -> None:
    first = kept.crawl(small.url, settings=CRAWL).succeeded()
    feed = first.feed.read_bytes()
    mentions, signals = rows(kept, _MENTIONS), rows(kept, _SIGNALS)
    small.log.clear()
    second = kept.crawl(small.url, settings=CRAWL).succeeded()

    asked = statuses(small)
    assert asked == {
        **dict.fromkeys(["/a", "/b", "/a1", "/a2", "/b1", "/b2", "/news"], 304),
        **dict.fromkeys(["/", "/plain", "/feed.xml"], 200),
        "/moved": 301,
        "/gone": 404,
    }
    outcomes = dict(rows(kept, _OUTCOMES, scan=2))
    assert outcomes["not_modified"] == Counter(asked.values())[304] == 7
    assert "7 unchanged" in second.stderr

    assert second.feed.read_bytes() == feed
    assert rows(kept, _VISITS, scan=2) == rows(kept, _VISITS, scan=1)
    assert rows(kept, _SIGNALS) == signals
    assert rows(kept, _MENTIONS) == mentions


@pytest.mark.parametrize("make", [docs_site, messy_site, news_site, shop_site, trap_site])
def test_the_second_crawl_of_a_site_gives_the_same_bytes(
    make: Callable[[], ModelSite], tmp_path: Path
) -> None:
    model = make()

    def answer(request: Request) -> Reply:
        reply = model.answer(request)
        if not isinstance(reply, Reply):
            return Reply(reply, content_type="text/plain")
        body = reply.content(request)
        is_tagged = reply.status == 200 and isinstance(body, bytes) and not reply.encoding
        return tagged(replace(reply, body=body)) if is_tagged else reply

    project = Project.in_folder(tmp_path)
    settings = {**WITHOUT_LIMITS, "SITECRAWL_FEED_REFUSED": True}
    with SiteServer({"/*": answer}) as server:
        first = project.crawl(server.at(model.start), settings=settings).succeeded()
        feed, asked = first.feed.read_bytes(), Counter(server.paths())
        visits, mentions = rows(project, _VISITS), rows(project, _MENTIONS)
        server.log.clear()
        second = project.crawl(server.at(model.start), settings=settings).succeeded()
        sent = Counter(entry.status for entry in server.requests())
        again = Counter(server.paths())
    assert second.feed.read_bytes() == feed
    assert rows(project, _VISITS, scan=2) == visits
    assert rows(project, _MENTIONS) == mentions
    assert not again - asked
    assert dict(rows(project, _OUTCOMES, scan=2)).get("not_modified", 0) == sent[304]
    assert sent[304] > len(feed.splitlines()) / 10


def test_listed_pages_are_visited_again_and_the_summary_counts_the_same(
    small: SiteServer, kept: Project
) -> None:
    small.routes["/robots.txt"] = robots("/map.xml")
    small.routes["/map.xml"] = tagged(
        Reply(sitemap("/a", "/b2", "/listed", "/x.pdf"), content_type="application/xml")
    )
    small.routes["/listed"] = tagged_page("Listed", "mailto:me@example.com", "https://other.test/")
    settings = {**CRAWL, "SITECRAWL_CRAWL_LISTED_PAGES": True}
    counts = []
    for _ in range(2):
        small.log.clear()
        kept.crawl(small.url, settings=settings).succeeded()
        statement = "SELECT summary FROM scans ORDER BY id DESC LIMIT 1"
        [[stored]] = rows(kept, statement)
        summary = json.loads(stored) if isinstance(stored, str) else stored
        names = ("pages", "pages_unchanged", "by_source", "refused", "visited", "findings")
        counts.append({name: summary[name] for name in names})
    assert statuses(small)["/map.xml"] == 200, "its pages are to be visited"
    assert statuses(small)["/listed"] == 304
    first, second = counts
    assert second == first


# --- a site that has changed --------------------------------------------------------------------


def test_a_changed_page_is_read_and_what_it_links_to_is_found(
    small: SiteServer, kept: Project
) -> None:
    before = paths(small, kept.crawl(small.url, settings=CRAWL).succeeded())
    small.routes["/a1"] = tagged_page("A1 anew", "/a3")
    small.routes["/a3"] = tagged_page("A3")
    small.log.clear()
    second = kept.crawl(small.url, settings=CRAWL).succeeded()

    assert Counter(statuses(small).values())[304] == 5
    assert paths(small, second) == before - {"/a2"} | {"/a3"}
    titles = {row["url"].removeprefix(small.url): row["title"] for row in second.rows}
    assert titles["/a1"] == "A1 anew"
    assert titles["/a"] == "A"

    small.log.clear()
    third = kept.crawl(small.url, settings=CRAWL).succeeded()
    asked = statuses(small)
    assert asked["/a1"] == asked["/a3"] == 304
    assert paths(small, third) == paths(small, second)


def test_pages_that_come_and_go_behind_links_of_an_unchanged_page(
    small: SiteServer, kept: Project
) -> None:
    first = kept.crawl(small.url, settings=CRAWL).succeeded()
    assert "/gone" not in paths(small, first)
    small.routes |= {"/gone": tagged_page("Back", "/below"), "/below": tagged_page("Below")}
    small.routes["/moved"] = tagged_page("Moved back")
    small.routes["/a1"] = redirect("/b1")
    del small.routes["/b1"]
    second = kept.crawl(small.url, settings=CRAWL).succeeded()

    reasons = {row["url"].removeprefix(small.url): row["reason"] for row in second.rows}
    assert reasons["/gone"] is None, "its address stands on a page that was not sent again"
    assert reasons["/below"] is None
    assert reasons["/moved"] is None
    assert reasons["/a1"] == "redirected"
    assert reasons["/b1"] == "not_found"
    del small.routes["/gone"]
    third = kept.crawl(small.url, settings=CRAWL).succeeded()
    assert {row["url"]: row["reason"] for row in third.rows}[small.at("/gone")] == "not_found"


def test_other_robots_rules_make_all_pages_be_judged_again(
    small: SiteServer, kept: Project
) -> None:
    settings = {**CRAWL, "SITECRAWL_ROBOTS_CACHE_SECONDS": 0}
    small.routes["/robots.txt"] = robots(disallow=("/b1",))
    first = kept.crawl(small.url, settings=settings).succeeded()
    small.routes["/robots.txt"] = robots(disallow=("/a1",))
    small.log.clear()
    second = kept.crawl(small.url, settings=settings).succeeded()

    # What /a1 links to stays known: nobody may look whether it still does.
    assert paths(small, first) - paths(small, second) == {"/a1"}
    assert paths(small, second) - paths(small, first) == {"/b1"}
    verdicts = {row["url"]: row["robots_allowed"] for row in second.rows}
    assert verdicts[small.at("/a1")] is False
    assert verdicts[small.at("/b1")] is True
    unchanged = {path for path, status in statuses(small).items() if status == 304}
    assert unchanged == {"/news"}, "it links to nothing that robots.txt could speak of"
    small.log.clear()
    third = kept.crawl(small.url, settings=settings).succeeded()
    assert statuses(small)["/a"] == 304
    assert third.rows == second.rows


def test_an_error_page_is_recognised_by_what_was_stored_of_it(
    site: SiteServer, tmp_path: Path
) -> None:
    project = Project.in_folder(tmp_path)
    words = "Nothing is to be found here, whatever you ask this server for. " * 9
    site.routes["/"] = tagged_page("Home", "/a", "/old")
    site.routes["/a"] = tagged_page("A")
    site.routes["/old"] = tagged(Reply(f"<title>Sorry</title><p>{words}".encode()))
    settings = {**CRAWL, "SITECRAWL_SOFT_404": True}
    first = project.crawl(site.url, settings=settings).succeeded()
    assert paths(site, first) == {"/", "/a", "/old"}

    site.routes["/*"] = Reply(f"<title>Sorry</title><p>{words}", content_type=HTML)
    site.log.clear()
    second = project.crawl(site.url, settings=settings).succeeded()
    assert statuses(site)["/old"] == 304
    assert paths(site, second) == {"/", "/a"}


# --- what is not asked conditionally ------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {"SITECRAWL_SKIP_PATHS": "/nowhere"},
        {"SITECRAWL_MAX_PAGE_LINKS": 99},
        {"SITECRAWL_LANGUAGES": "en", "SITECRAWL_SKIP_OTHER_LANGUAGES": True},
        {"SITECRAWL_CONDITIONAL_REQUESTS": False},
    ],
    ids=["other rules", "other limits", "languages of links", "turned off"],
)
def test_pages_are_read_again_under_other_settings(
    small: SiteServer, tmp_path: Path, settings: Mapping[str, object]
) -> None:
    project = Project.in_folder(tmp_path)
    first = project.crawl(small.url, settings=CRAWL).succeeded()
    small.log.clear()
    second = project.crawl(small.url, settings={**CRAWL, **settings}).succeeded()
    assert set(statuses(small).values()) == {200, 301, 404}
    assert second.urls == first.urls


def test_a_page_that_was_cut_is_read_again(small: SiteServer, tmp_path: Path) -> None:
    project = Project.in_folder(tmp_path)
    cut = {**CRAWL, "SITECRAWL_MAX_PAGE_LINKS": 4}
    first = project.crawl(small.url, settings=cut).succeeded()
    small.log.clear()
    second = project.crawl(small.url, settings=cut).succeeded()
    assert statuses(small)["/a"] == 200
    assert statuses(small)["/a1"] == 304
    assert second.rows == first.rows


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE visits SET rendered = 'rendered' WHERE document_id = {document}",
        "DELETE FROM other_mentions WHERE document_id = {document}",
    ],
    ids=["rendered", "its links are lost"],
)
def test_a_page_of_which_not_all_is_known_is_read_again(
    site: SiteServer, tmp_path: Path, change: str
) -> None:
    project = Project.in_folder(tmp_path)
    site.routes["/"] = tagged_page("Home", "/a", "/b")
    site.routes["/a"] = tagged_page("A", "/b")
    site.routes["/b"] = tagged_page("B")
    project.crawl(site.url, settings=CRAWL).succeeded()
    engine = create_engine(project.environment["SITECRAWL_DATABASE_URL"])
    with engine.begin() as connection:
        own = text("SELECT id FROM documents WHERE url = :url")
        document = connection.scalar(own, {"url": site.at("/a")})
        connection.execute(text(change.format(document=document)))
    engine.dispose()
    site.log.clear()
    project.crawl(site.url, settings=CRAWL).succeeded()
    assert statuses(site)["/a"] == 200
    assert statuses(site)["/b"] == 304


def test_a_304_that_nobody_asked_for_makes_the_page_be_asked_for_again(
    site: SiteServer, tmp_path: Path
) -> None:
    def answer(request: Request) -> Reply:
        is_asked_again = request.headers["Cache-Control"] == "no-cache"
        return tagged_page("A", "/b") if is_asked_again else Reply(status=304)

    site.routes["/"] = page("Home", "/a", "/broken")
    site.routes |= {"/a": answer, "/b": page("B"), "/broken": Reply(status=304)}
    done = Project.in_folder(tmp_path).crawl(site.url, settings=CRAWL).succeeded()
    assert paths(site, done) == {"/", "/a", "/b", "/broken"}
    assert Counter(site.paths())["/a"] == Counter(site.paths())["/broken"] == 2
    [[status]] = done.query(
        "SELECT f.status FROM fetches AS f JOIN documents AS d ON d.id = f.document_id"
        " WHERE d.url LIKE '%/broken'"
    )
    assert status == 304


# --- interruptions ------------------------------------------------------------------------------


def test_a_killed_second_crawl_ends_like_one_that_was_left_alone(tmp_path: Path) -> None:
    # Words: of addresses with numbers that all look alike, only some are visited.
    names = [f"/{first}{second}" for first in SYLLABLES for second in SYLLABLES]
    routes = {
        name: tagged_page(f"Page {name}", *names[max(0, at - 3) : at + 9])
        for at, name in enumerate(names)
    }
    results = []
    for folder in (tmp_path / "left_alone", tmp_path / "killed"):
        folder.mkdir()
        project = Project.in_folder(folder)
        with SiteServer({**routes, "/": tagged_page("Home", *names[:5])}) as server:
            project.crawl(server.url, settings=CRAWL).succeeded()
            server.routes[names[60]] = tagged_page("Changed", names[61], "/new")
            server.routes["/new"] = tagged_page("New", names[1])
            server.log.clear()
            if folder.name == "killed":
                command = crawl_command(server.url, settings=CRAWL)
                kill_after(project, server, 50, *command)
                resume = [each.replace("resume=1", "resume=2") for each in resume_command()]
                project.run(*resume, "-s", "SITECRAWL_CRAWL=always").succeeded()
            else:
                project.crawl(server.url, settings=CRAWL).succeeded()
            sent = Counter(entry.target for entry in server.requests() if entry.status == 200)
            assert sent.keys() - {names[60], "/new", "/"} == set()
            results.append(
                [
                    tuple(
                        value.replace(server.url, "") if isinstance(value, str) else value
                        for value in row
                    )
                    for statement in (_VISITS, _MENTIONS, _SIGNALS)
                    for row in rows(project, statement, scan=2)
                ]
            )
    left_alone, killed = results
    assert killed == left_alone
