from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from tests.site import Reply, SiteServer, redirect, redirect_chain
from tests.site.build import page, robots, sitemap
from tests.site.project import Project
from tests.stages.stored import fetches, outcomes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]
    Told = dict[str, tuple[str | None, str | None]]

SETTINGS = {"SITECRAWL_SITEMAP_PLACES": "/none.xml", "SITECRAWL_MIN_SITEMAP_URLS": 1}

# Location -> the path that is asked for next; None: it is not followed
LOCATIONS: dict[str, str | None] = {
    "/plain.xml": "/plain.xml",
    "relative.xml?b=2&a=1#top": "/relative.xml?b=2&a=1",
    "  /blanks.xml  ": "/blanks.xml",
    r"\back\slashes.xml": "/back/slashes.xml",
    "/größe.xml": "/gr%C3%B6%C3%9Fe.xml",
    "file:///etc/passwd": None,
    "data:text/xml,<urlset/>": None,
    "ftp://127.0.0.1/map.xml": None,
    "http://": None,
    "http://a b/": None,
    "http://127.0.0.1:99999/": None,
}


def test_targets_are_read_as_browsers_do(site: SiteServer, crawl: Crawl) -> None:
    starts = {f"/start-{number}.xml": target for number, target in enumerate(LOCATIONS)}
    site.routes.update({"/": page("Home"), "/robots.txt": robots(*starts)})
    for start, location in starts.items():
        site.routes[start] = redirect(location)
    done = crawl(site.url, settings={**SETTINGS, "RETRY_TIMES": 0}).succeeded()
    asked = [path for path in LOCATIONS.values() if path]
    assert sorted(set(site.paths()) - {"/robots.txt", "/", "/none.xml", *starts}) == sorted(asked)
    for start, location in starts.items():
        status = fetches(done)[site.at(start)].status
        assert status == (302 if LOCATIONS[location] is None else 404), location
    assert "Traceback" not in done.output


def test_ten_are_followed_and_not_one_more(site: SiteServer, crawl: Crawl) -> None:
    site.routes.update(
        {
            "/robots.txt": robots("/ten", "/eleven"),
            **redirect_chain("/ten", 10, "/a.xml"),
            **redirect_chain("/eleven", 11, "/b.xml"),
            "/a.xml": sitemap("/a"),
            "/b.xml": sitemap("/b"),
        }
    )
    done = crawl(site.url, settings=SETTINGS).succeeded()
    assert done.urls == [site.at("/a")]
    assert "/b.xml" not in site.paths()
    assert outcomes(done)[site.at("/eleven")] == "too_many_redirects"
    assert fetches(done)[site.at("/eleven")].error == "max redirections reached"


@pytest.mark.parametrize("status", [304, 300, 200])
def test_a_location_alone_is_no_redirect(site: SiteServer, crawl: Crawl, status: int) -> None:
    site.routes["/none.xml"] = Reply(sitemap("/a"), status, {"Location": "/other.xml"})
    site.routes["/"] = page("Home")
    crawl(site.url, settings=SETTINGS).succeeded()
    assert "/other.xml" not in site.paths()


CRAWL = {
    "SITECRAWL_CRAWL": "auto",
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_SOFT_404": False,
}
CHAIN = tuple(f"/chain-{number}" for number in range(13))


@pytest.fixture(scope="module")
def moving_site() -> Iterator[SiteServer]:
    with SiteServer() as server:
        yield server


@pytest.fixture(scope="module")
def told(moving_site: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Reason and rule of every page, by path."""
    site = moving_site
    links = ("/old", "/folder", "/p", "/chain-0", "/away", "/x", "/y", "/self", "/odd", "/size")
    chain = {here: redirect(there) for here, there in itertools.pairwise(CHAIN)}
    site.routes.update(
        {
            "/": page("Home", *links),
            "/old": redirect("/new?b=2&a=1", 301),
            "/new": page("New"),
            "/folder": redirect("/folder/", 301),
            "/folder/": page("Folder"),
            "/p": redirect("/q"),
            "/q": redirect("/p"),
            **chain,
            CHAIN[-1]: page("The end"),
            "/away": redirect("https://elsewhere.example/a"),
            "/x": redirect("/y"),
            "/y": redirect("/x"),
            "/self": redirect("/self"),
            "/odd": redirect("ftp://127.0.0.1/a"),
            "/size": redirect("/größe"),
            "/gr%C3%B6%C3%9Fe": page("Size"),
        }
    )
    project = Project.in_folder(tmp_path_factory.mktemp("redirects"))
    settings = {**CRAWL, "SITECRAWL_FEED_REFUSED": True}
    done = project.crawl(site.url, settings=settings).succeeded()
    return {
        row["url"].removeprefix(site.url): (
            row["reason"],
            row["rule"] and row["rule"].replace(site.url, ""),
        )
        for row in done.rows
    }


class TestPages:
    """Redirects of pages that the crawl visits."""

    def test_both_ends_are_kept_and_the_target_counts(self, told: Told) -> None:
        assert told["/old"] == ("redirected", "/new?a=1&b=2")
        assert told["/new?a=1&b=2"] == (None, None)

    def test_a_slash_makes_no_other_page(self, told: Told, moving_site: SiteServer) -> None:
        assert told["/folder"] == (None, None)
        assert "/folder/" not in told
        assert moving_site.paths().count("/folder/") == 1

    def test_a_circle_is_refused_with_all_its_addresses(self, told: Told) -> None:
        assert told["/p"] == ("redirect_loop", "/p -> /q -> /p")
        assert told["/q"] == ("redirect_loop", "/q -> /p -> /q")

    def test_a_circle_is_one_also_if_links_lead_to_all_of_it(self, told: Told) -> None:
        assert (told["/x"][0], told["/y"][0]) == ("redirect_loop", "redirect_loop")

    def test_the_smallest_circle_has_its_chain(self, told: Told, moving_site: SiteServer) -> None:
        assert told["/self"] == ("redirect_loop", "/self -> /self")
        assert moving_site.paths().count("/self") == 1

    def test_more_than_ten_are_refused_with_the_chain(
        self, told: Told, moving_site: SiteServer
    ) -> None:
        for number, path in enumerate(CHAIN[:11]):
            assert told[path] == ("too_many_redirects", " -> ".join(CHAIN[number:12]))
        assert CHAIN[11] not in moving_site.paths()

    def test_what_it_leads_to_off_the_site_is_offsite(self, told: Told) -> None:
        assert told["/away"] == ("redirected", "https://elsewhere.example/a")
        assert told["https://elsewhere.example/a"][0] == "offsite"

    def test_the_page_that_is_listed_is_the_one_that_would_be_fetched(self, told: Told) -> None:
        assert told["/size"] == ("redirected", "/gr%C3%B6%C3%9Fe")
        assert told["/gr%C3%B6%C3%9Fe"] == (None, None)

    def test_one_to_no_page_leaves_the_page_listed(self, told: Told) -> None:
        assert told["/odd"] == (None, None)


def test_a_page_may_leave_the_site_by_a_redirect_when_links_may(
    site: SiteServer, make_site: Callable[..., SiteServer], crawl: Crawl
) -> None:
    other = make_site({"/one": page("One")}, address="127.0.0.2")
    site.routes.update({"/": page("Home", "/out"), "/out": redirect(other.at("/one"))})
    away = {"SITECRAWL_MAX_EXTERNAL_HOPS": 1, "SITECRAWL_ADDRESS_ALLOW": "127.0.0.2"}
    done = crawl(site.url, settings={**CRAWL, **away}).succeeded()
    assert other.at("/one") in done.urls
    assert "/one" in other.paths()
