"""The crawl, end to end: where it goes, in which order, where it stops, and what it says of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from sitecrawl.items import VisitedPage
from sitecrawl.pipelines import InventoryPipeline
from sitecrawl.settings import ITEM_PIPELINES
from tests.site import Reply
from tests.site.build import page, robots, rss, sitemap
from tests.stages.stored import evidence, refusals, scan, stage, summary, truncations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult

    Crawl = Callable[..., CrawlResult]

AUTO = {
    "SITECRAWL_CRAWL": "auto",
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_SOFT_404": False,
    "RETRY_TIMES": 0,
}
OTHER_HOST = {"SITECRAWL_ADDRESS_ALLOW": "127.0.0.2"}
BEFORE_PAGES = {"/robots.txt", "/sitemap.xml"}
VISITS = "SELECT number, url, clicks FROM visits WHERE scan_id = 1 ORDER BY number"


def asked_pages(site: SiteServer) -> list[str]:
    """Pages in the order in which they were asked for."""
    return [path for path in site.paths() if path not in BEFORE_PAGES]


def paths(site: SiteServer, urls: Iterable[str]) -> list[str]:
    return [url.removeprefix(site.url) for url in urls]


def chain(*stops: str) -> dict[str, bytes]:
    """Pages of which each links to the next."""
    links = dict(zip(stops, [*stops[1:], ""], strict=True))
    return {here: page(here, *filter(None, [there])) for here, there in links.items()}


class TestBounds:
    def test_what_is_too_many_clicks_away_is_listed_and_said(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update(chain("/", "/one", "/two", "/three", "/four"))
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_MAX_CRAWL_DEPTH": 2}).succeeded()
        assert asked_pages(site) == ["/", "/one", "/two"]
        assert paths(site, done.urls) == ["/", "/one", "/two", "/three"]
        assert truncations(done) == {"SITECRAWL_MAX_CRAWL_DEPTH": 2}
        assert "SITECRAWL_MAX_CRAWL_DEPTH=2 can be raised" in done.stderr
        assert scan(done) == ("finished", "a limit was hit")
        ((_, figures),) = evidence(done, "crawl_stats")
        assert (figures["visited"], figures["found"], figures["beyond_depth"]) == (3, 3, 1)

    def test_so_many_pages_are_visited_the_root_included(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        links = [f"/{letter}" for letter in "abcde"]
        site.routes["/"] = page("Home", *links)
        site.routes.update({link: page(link, "/further") for link in links})
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_MAX_CRAWL_PAGES": 3}).ended_in_part()
        assert sorted(asked_pages(site)) == ["/", "/a", "/b"]
        assert paths(site, done.urls) == ["/", *links, "/further"]
        assert truncations(done) == {"SITECRAWL_MAX_CRAWL_PAGES": 3}
        assert stage(done, "crawl")["ended"] == "the limit of pages was reached"
        assert (summary(done)["visited"], stage(done, "crawl")["visited"]) == (3, 3)

    def test_the_rest_of_a_page_that_is_too_long_is_said(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update({"/": page("Home", "/a", "/b", "/c"), "/a": page("A"), "/b": page("B")})
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_MAX_PAGE_LINKS": 2}).succeeded()
        assert paths(site, done.urls) == ["/", "/a", "/b"]
        assert truncations(done) == {"SITECRAWL_MAX_PAGE_LINKS": 2}

    def test_a_budget_that_is_spent_ends_it_without_a_further_request(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        links = [f"/{letter}" for letter in "abcdefgh"]
        site.routes["/"] = page("Home", *links)
        site.routes.update({link: page(link, f"{link}/further") for link in links})
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_MAX_PAGES": 4})
        assert len(asked_pages(site)) <= 4
        assert {"/", *links} <= {*paths(site, done.urls)}
        status, reason = scan(done)
        assert status == "partial"
        assert "SITECRAWL_MAX_PAGES" in reason
        assert summary(done)["visited"] == len(asked_pages(site))

    def test_a_redirect_costs_no_click(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update(
            {
                "/": page("Home", "/one", "/moved"),
                "/one": page("One", "/two"),
                "/two": page("Two", "/shared"),
                "/moved": Reply(status=301, headers={"Location": "/new"}),
                "/new": page("New", "/shared"),
                "/shared": page("Shared"),
            }
        )
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_MAX_CRAWL_DEPTH": 2}).succeeded()
        clicks = {url: clicks for _, url, clicks in done.query(VISITS)}
        assert clicks[site.at("/new")] == 1
        assert clicks.get(site.at("/shared")) == 2
        assert "/shared" in asked_pages(site)


class TestOrder:
    EXPECTED = ("/", "/a", "/b", "/a/x", "/both", "/b/y", "/a/x/deep", "/last")

    def serve(self, site: SiteServer, late: str) -> None:
        site.log.clear()
        links = {
            "/": ("/a", "/b"),
            "/a": ("/a/x", "/both"),
            "/b": ("/both", "/b/y"),
            "/a/x": ("/a/x/deep",),
            "/both": ("/last",),
        }
        for path in self.EXPECTED:
            delay = 0.3 if path == late else 0.0
            body = page(f"Page {path}", *links.get(path, ()))
            site.routes[path] = Reply(body, content_type="text/html", delay_seconds=delay)

    @pytest.mark.parametrize("late", ["/a", "/b"])
    def test_it_is_that_of_the_links_however_late_an_answer_is(
        self, site: SiteServer, crawl: Crawl, late: str
    ) -> None:
        self.serve(site, late)
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_MAX_CRAWL_DEPTH": 0}).succeeded()
        visits = done.query(VISITS)
        assert [url for _, url, _ in visits] == [site.at(path) for path in self.EXPECTED]
        assert [clicks for *_, clicks in visits] == [0, 1, 1, 2, 2, 2, 3, 3]
        assert paths(site, done.urls) == list(self.EXPECTED)
        both = next(row for row in done.rows if row["url"] == site.at("/both"))
        assert both["parent"] == site.at("/a"), "the first link to it, whichever answer came first"
        finished = {entry.path: entry.ended for entry in site.requests()}
        assert finished[late] == max(finished[path] for path in ("/", "/a", "/b"))


class TestWhenItRuns:
    @pytest.fixture(autouse=True)
    def serve(self, site: SiteServer) -> None:
        site.routes.update(
            {
                "/": page("Home", "/a", "/b", "/c"),
                "/a": page("A"),
                "/b": page("B"),
                "/c": page("C", "/deep"),
                "/deep": page("Deep"),
            }
        )

    @pytest.mark.parametrize(
        ("listed", "is_crawled"),
        [
            (("/a", "/x"), False),
            (("/a", "/login"), True),
        ],
        ids=["enough", "one of two is refused"],
    )
    def test_pages_of_sitemaps_decide_also_those_that_the_root_links_to(
        self, site: SiteServer, crawl: Crawl, listed: tuple[str, ...], is_crawled: bool
    ) -> None:
        site.routes["/sitemap.xml"] = sitemap(*listed)
        site.routes["/"] = page("Home", "/a", "/b", "/c", "/login")
        settings = {**AUTO, "SITECRAWL_MIN_SITEMAP_URLS": 2}
        done = crawl(site.url, settings=settings).succeeded()
        assert ("/deep" in paths(site, done.urls)) is is_crawled
        assert {"/a", "/b", "/c"} <= {*paths(site, done.urls)}, "the root is read in any case"
        if not is_crawled:
            assert asked_pages(site) == ["/"]
            assert stage(done, "crawl")["ended"] == "the sitemaps gave enough"

    def test_never_is_never(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/sitemap.xml"] = sitemap("/x")
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_CRAWL": "never"}).succeeded()
        assert paths(site, done.urls) == ["/x"]
        assert asked_pages(site) == ["/"]

    @pytest.mark.parametrize("root", [page("Home"), Reply(status=404)], ids=["root", "no root"])
    def test_pages_of_sitemaps_are_visited_when_that_is_asked_for(
        self, site: SiteServer, crawl: Crawl, root: Any
    ) -> None:
        site.routes.update({"/": root, "/sitemap.xml": sitemap("/c", "/a")})
        settings = {**AUTO, "SITECRAWL_CRAWL": "always", "SITECRAWL_CRAWL_LISTED_PAGES": 1}
        done = crawl(site.url, settings=settings).succeeded()
        assert {"/c", "/a", "/deep"} <= {*asked_pages(site)}
        assert "/deep" in paths(site, done.urls)
        found_by = dict(done.query("SELECT url, found_by FROM visits"))
        assert found_by[site.at("/c")] == 0, "a sitemap, and neither a visit nor the user"
        assert found_by[site.at("/deep")] is not None

    def test_it_runs_alone_as_a_spider(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes["/sitemap.xml"] = sitemap("/x")
        settings = {name: value for name, value in AUTO.items() if name != "SITECRAWL_CRAWL"}
        done = crawl(site.url, spider="crawl", settings=settings).succeeded()
        assert paths(site, done.urls) == ["/", "/a", "/b", "/c", "/deep"]
        assert "/sitemap.xml" not in site.paths()
        assert "WARNING" not in done.output


class TestScope:
    @pytest.mark.parametrize(
        ("hops", "away"),
        [(1, ["/one"]), (2, ["/one", "/two"])],
        ids=["one hop", "two hops"],
    )
    def test_it_leaves_the_site_as_far_as_asked(
        self,
        site: SiteServer,
        make_site: Callable[..., SiteServer],
        crawl: Crawl,
        hops: int,
        away: list[str],
    ) -> None:
        other = make_site(address="127.0.0.2")
        site.routes["/"] = page("Home", other.at("/one"), other.at("/private"))
        site.routes["/back"] = page("Back", "/more")
        other.routes.update(
            {
                "/robots.txt": robots(disallow=("/private",)),
                "/one": page("One", "/two", site.at("/back")),
                "/two": page("Two", "/three"),
                "/three": page("Three"),
            }
        )
        limits = {"SITECRAWL_MAX_CRAWL_DEPTH": 0, "SITECRAWL_MAX_EXTERNAL_HOPS": hops}
        done = crawl(site.url, settings={**AUTO, **OTHER_HOST, **limits}).succeeded()
        assert other.paths() == ["/robots.txt", *away]
        listed = {url for url in done.urls if url.startswith(other.url)}
        assert listed == {other.at(path) for path in away}
        refused = {url: reason for url, (reason, _) in refusals(done).items()}
        assert refused[other.at("/private")] == "blocked_by_robots"
        first_left_out = ("/one", "/two", "/three")[hops]
        assert refused[other.at(first_left_out)] == "offsite"
        assert {"/back", "/more"} <= {*asked_pages(site)}, "from the site it counts from 0 again"

    def test_bases_are_places_where_it_starts(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update(
            {
                "/": page("Home", "/blog/x"),
                "/docs/": page("Docs", "/docs-old", nav=("/docs/a", "/docs/a?")),
                "/docs/a": page("A"),
                "/api/": page("API", "/api/b"),
                "/api/b": page("B"),
            }
        )
        settings = {**AUTO, "SITECRAWL_SKIP_PATHS": "/cart"}
        done = crawl(site.url, settings=settings, base="/docs/,/api/").succeeded()
        assert sorted(paths(site, done.urls)) == ["/api/", "/api/b", "/docs/", "/docs/a"]
        refused = {url: reason for url, (reason, _) in refusals(done).items()}
        assert refused[site.at("/blog/x")] == refused[site.at("/docs-old")] == "outside_base"
        assert "/blog/x" not in asked_pages(site)
        assert done.query("SELECT * FROM menu_entries") == [], "only the root's menu is the site's"


def test_addresses_that_are_sent_alike_are_pages_of_their_own(
    site: SiteServer, crawl: Crawl
) -> None:
    site.routes.update({"/": page("Home", "/p?f[a]=1", "/p?f%5Ba%5D=1", "/c"), "/c": page("C")})
    site.routes.update({"/p": page("P", "/from-p"), "/from-p": page("From P")})
    done = crawl(site.url, settings=AUTO).succeeded()
    assert "/from-p" in paths(site, done.urls)
    assert scan(done)[0] == "finished"
    outcomes = done.query("SELECT outcome FROM visits WHERE url LIKE '%/p?%'")
    assert outcomes == [("ok",), ("ok",)]


class TestPoliteness:
    def test_what_robots_txt_forbids_is_refused_and_a_feed_is_read(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        site.routes.update(
            {
                "/robots.txt": robots(disallow=("/private",)),
                "/": f'{feed}<a href="/private/a">A</a><form action="/search"></form>',
                "/feed.xml": Reply(rss("/news", "/private/b"), content_type="application/rss+xml"),
                "/news": page("News"),
            }
        )
        done = crawl(site.url, settings=AUTO).succeeded()
        assert asked_pages(site) == ["/", "/feed.xml", "/news"]
        sources = {row["url"]: row["source"] for row in done.rows}
        assert (sources[site.at("/news")], sources[site.at("/search")]) == ("feed", "form")
        forbidden = ("blocked_by_robots", "Disallow: /private")
        for path in ("/private/a", "/private/b"):
            assert refusals(done)[site.at(path)] == forbidden

    def test_without_robots_txt_nothing_is_crawled(self, site: SiteServer, crawl: Crawl) -> None:
        site.routes.update({"/robots.txt": Reply(status=503), "/": page("Home", "/a")})
        settings = {**AUTO, "SITECRAWL_BUSY_BACKOFF_SECONDS": 0.01}
        done = crawl(site.url, settings=settings)
        assert done.returncode == 1
        assert asked_pages(site) == []
        status, reason = scan(done)
        assert (status, "robots.txt could not be fetched" in reason) == ("failed", True)
        assert evidence(done, "crawl_stats") == []

    def test_a_host_that_only_fails_is_left_alone(self, site: SiteServer, crawl: Crawl) -> None:
        links = [f"/{number}/{letter}" for number in range(5) for letter in "abcdefgh"]
        site.routes.update({"/": page("Home", *links), "/robots.txt": robots()})
        site.routes["/*"] = Reply(status=503)
        site.routes["/sitemap.xml"] = sitemap()
        settings = {
            **AUTO,
            "SITECRAWL_BUSY_BACKOFF_SECONDS": 0.01,
            "SITECRAWL_MAX_ERRORS_IN_A_ROW": 3,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        }
        done = crawl(site.url, settings=settings)
        assert len(asked_pages(site)) < 10
        assert scan(done)[0] == "partial"
        assert {*links} <= {*paths(site, done.urls)}, "they may be there tomorrow"


class TestTheRoot:
    def test_its_menu_has_order_importance_and_titles(self, site: SiteServer, crawl: Crawl) -> None:
        icon = '<a href="/home"><img src="/logo.png"></a>'
        nav = f'<nav>{icon}<a href="/b">Bee</a><ul><li><a href="/a">Ay</a></li></ul></nav>'
        site.routes.update(
            {
                "/": f"<title>Home</title>{nav}<main><a href='/c'>Sea</a></main>",
                "/a": page("The title of A"),
                "/b": b"no title here",
                "/c": b"nor here",
                "/home": page("Home again"),
            }
        )
        done = crawl(site.url, settings=AUTO).succeeded()
        menu = done.query("SELECT title FROM menu_entries ORDER BY position")
        assert [title for (title,) in menu][-2:] == ["Bee", "Ay"]
        facts = {row["url"]: (row["importance"], row["title"]) for row in done.rows}
        assert facts[site.at("/a")] == (1.0, "The title of A"), "the page's own goes first"
        assert facts[site.at("/b")] == (1.0, "Bee")
        assert facts[site.at("/c")] == (None, None)
        assert facts[site.at("/home")] == (1.0, "Home again")

    def test_a_menu_behind_thousands_of_links_is_kept_whole(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        many = "".join(f'<a href="/?page={number}">x</a>' for number in range(5_000))
        first = '<header><a href="/1">One</a><a href="/2">Two</a></header>'
        last = '<aside><a href="/3">Three</a><a href="/4">Four</a></aside>'
        site.routes["/"] = f"{first}<main>{many}</main>{last}"
        done = crawl(site.url, settings={**AUTO, "SITECRAWL_MAX_CRAWL_PAGES": 1}).ended_in_part()
        menu = done.query("SELECT title FROM menu_entries ORDER BY position")
        assert [title for (title,) in menu] == ["One", "Two", "Three", "Four"]

    def test_text_that_no_database_takes_loses_nothing(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        facts = r'{"href": "/a\ud800b", "url": "tel:\udfff", "path": "mailto:\u0000"}'
        island = f'<script id="__NEXT_DATA__" type="application/json">{facts}</script>'
        site.routes.update({"/": f'{island}<a href="/a">A</a>', "/a": page("A")})
        done = crawl(site.url, settings=AUTO).succeeded()
        assert {"/", "/a"} <= {*paths(site, done.urls)}


class BreaksAtOnePage(InventoryPipeline):
    """A pipeline with a fault."""

    def process_item(self, item: Any) -> Any:
        if isinstance(item, VisitedPage) and item.visit.url.endswith("/a"):
            raise ZeroDivisionError
        return item


def test_a_fault_of_a_pipeline_loses_one_page_and_not_the_others(
    site: SiteServer, crawl: Crawl
) -> None:
    site.routes.update({"/": page("Home", "/a", "/b"), "/a": page("A", "/lost")})
    site.routes.update({"/b": page("B", "/c"), "/c": page("C")})
    broken = f"{BreaksAtOnePage.__module__}.{BreaksAtOnePage.__qualname__}"
    pipelines = json.dumps({**ITEM_PIPELINES, broken: 150})
    settings = {**AUTO, "ITEM_PIPELINES": pipelines}
    done = crawl(site.url, settings=settings)
    assert sorted(asked_pages(site)) == ["/", "/a", "/b", "/c"]
    assert paths(site, done.urls) == ["/", "/a", "/b", "/c"]
    status, reason = scan(done)
    assert status == "partial"
    assert "internal error" in reason


class TestWhatIsNoPage:
    def test_a_link_to_the_page_itself_is_neither_listed_nor_refused(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        site.routes.update({"/": page("Home", "/a", "#top", "#end"), "/a": page("A", "#top")})
        done = crawl(site.url, settings=AUTO).succeeded()
        assert paths(site, done.urls) == ["/", "/a"]
        assert (refusals(done), summary(done)["refused"]) == ({}, {})
        assert summary(done)["mentions"] == 5  # the start, a link, and three to their own page

    def test_a_fragment_of_another_base_is_a_link_to_it(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        based = page("Home", "#top").replace(b"<title>", b'<base href="/guide/"><title>')
        site.routes.update({"/": based, "/guide/": page("Guide")})
        done = crawl(site.url, settings=AUTO).succeeded()
        assert paths(site, done.urls) == ["/", "/guide/"]

    def test_an_alternate_of_another_type_is_listed_with_it_and_not_fetched(
        self, site: SiteServer, crawl: Crawl, run_cli: Callable[..., ProcessResult]
    ) -> None:
        link = b'<link rel="alternate" type="text/markdown" href="/index.md"><title>'
        site.routes["/"] = page("Home").replace(b"<title>", link)
        done = crawl(site.url, settings=AUTO).succeeded()
        assert asked_pages(site) == ["/"]
        kinds = [(row["url"], row["source"], row["file_kind"]) for row in done.rows]
        assert kinds[1:] == [(site.at("/index.md"), "alternate", "text")]
        told = run_cli("why", site.at("/index.md")).succeeded().stdout
        assert "not visited: a page in another format" in told
        assert 'at link[type="text/markdown"], rel alternate' in told


class TestPatterns:
    SETTINGS: ClassVar = {**AUTO, "SITECRAWL_MAX_CRAWL_DEPTH": 0}

    def test_a_parameter_that_does_not_change_the_page_is_given_up_with_the_proof(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        pages = [f"/docs/{name}" for name in ("one", "two", "three")]
        for number, path in enumerate(["/", *pages]):
            views = [f"{path}?id={view}" for view in range(10)] if number else []
            body = page(f"Page {path} of the manual", *pages, *views)
            site.routes |= dict.fromkeys([path, *views], body)
        done = crawl(site.url, settings=self.SETTINGS).succeeded()
        assert paths(site, done.urls) == ["/", *pages]
        assert len(asked_pages(site)) <= 4 + 10
        copies = [url for url, (why, _) in refusals(done).items() if why == "trap_parameter"]
        assert len(copies) == 30
        [cut] = summary(done)["cut_patterns"]
        assert (cut["pattern"], cut["kind"]) == ("/docs/*?id={v}", "parameter")
        assert cut["visited"] + cut["left_out"] == 30
        assert len(cut["proof"]) == cut["visited"]
        for copy in cut["proof"]:
            assert copy["same_as"] == copy["url"].partition("?")[0]
        ((_, figures),) = evidence(done, "crawl_stats")
        assert figures["cut_patterns"] == [cut]
        assert "(parameter): " in done.stderr
        assert "not checked, refused" in done.stderr

    def test_broken_links_are_all_found_and_off_the_list(
        self, site: SiteServer, crawl: Crawl
    ) -> None:
        broken = [f"/usr/share/doc/{number}.html" for number in range(60)]
        site.routes["/"] = page("Root", "/about", *broken)
        site.routes["/about"] = page("About")
        done = crawl(site.url, settings=self.SETTINGS).succeeded()
        assert paths(site, done.urls) == ["/", "/about"]
        assert set(refusals(done).values()) == {("not_found", "HTTP 404")}
        assert len(refusals(done)) == 60
        assert summary(done)["cut_patterns"] == []
        assert "broken     60 URLs, off the list" in done.stderr
