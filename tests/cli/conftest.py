from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from sitecrawl.items import FetchOutcome
from sitecrawl.store.engine import open_database
from tests.cli.inprocess import run_inside
from tests.site import SiteServer
from tests.site.build import gz, robots, rss, sitemap, sitemap_index, text_map
from tests.site.project import Project
from tests.site.reply import Reply
from tests.store.crawling import Crawling, Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.site.project import ProcessResult
    from tests.site.reply import Route

MANY = 5_000


@dataclass(frozen=True, slots=True)
class Inventory:
    """A database that knows two sites; tests only read it.

    ``shop``: scanned twice, ``/gone`` is only in the first scan, and one sitemap always fails.
    ``wiki``: scanned once, completely, with ``MANY`` pages.
    """

    project: Project
    shop: SiteServer
    wiki: SiteServer

    def run(self, *args: str) -> ProcessResult:
        return run_inside(self.project, *args)

    def process(self, *args: str) -> ProcessResult:
        return self.project.run(sys.executable, "-m", "sitecrawl", *args)


@dataclass(frozen=True, slots=True)
class Crawled:
    """A database that knows one site, ``example.com``, crawled with limits; tests only read it."""

    project: Project

    def run(self, *args: str) -> ProcessResult:
        return run_inside(self.project, *args)


@pytest.fixture
def cli(project: Project) -> Callable[..., ProcessResult]:
    """``sitecrawl`` in the test's own process, for every command but ``discover``."""
    return lambda *args, **options: run_inside(project, *args, **options)


@pytest.fixture(scope="session")
def inventory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Inventory]:
    project = Project.in_folder(tmp_path_factory.mktemp("inventory"))
    with SiteServer() as shop, SiteServer() as wiki:
        known = Inventory(project, shop, wiki)
        wiki.routes |= {
            "/": b"<h1>Wiki</h1>",
            "/robots.txt": robots("/sitemap.xml"),
            "/sitemap.xml": sitemap(*(wiki.at(f"/articles/{n:04}") for n in range(MANY))),
        }
        shop.routes |= _shop(shop)
        for url in (shop.url, shop.url, wiki.url):
            # The sitemap that fails is asked for once: trying again is not what is tested.
            known.process("discover", url, "--profile", "fast", "-s", "RETRY_TIMES=0").succeeded()
        yield known


def _shop(shop: SiteServer) -> dict[str, Route]:
    goods = [shop.at(f"/goods/{number}") for number in range(12)]
    own = [shop.at(path) for path in ("/", "/about", "/de/impressum")]
    refused = [
        shop.at("/admin/panel"),
        shop.at("/price-list.pdf"),
        "https://elsewhere.example/x",
        "http://[broken",
    ]
    pages = [*own, *goods, *refused]
    return {
        "/": b"<h1>Shop</h1>",
        "/robots.txt": robots(shop.at("/index.xml")),
        "/index.xml": sitemap_index(
            *(
                shop.at(f"/{name}")
                for name in ("pages.xml", "more.xml.gz", "news.rss", "broken.xml")
            )
        ),
        "/pages.xml": [
            sitemap(*pages, shop.at("/gone"), lastmod="2026-01-02"),
            sitemap(*pages, lastmod="2026-01-02"),
        ],
        "/more.xml.gz": gz(text_map(shop.at("/hidden/deep/page"), shop.at("/about"))),
        "/news.rss": rss(shop.at("/news/1"), shop.at("/goods/0")),
        "/broken.xml": Reply(b"no", status=503),
    }


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    project = Project.in_folder(tmp_path_factory.mktemp("crawled"))
    with open_database(f"sqlite:///{project.database}") as database:
        _crawl(Crawling(database, settings={"spider": "discover", "max_crawl_depth": 2}))
    return Crawled(project)


def _crawl(crawling: Crawling) -> None:
    calendar = "/day/{n}"
    crawling.start()
    crawling.visit(
        "/",
        Link("/old", "Shop", "header"),
        Link("/about", "About us", "navigation", rel="author", element="nav > ul > li:nth(2) > a"),
        Link("/shop/deals", "Deals", "navigation", is_followed=False),
        Link("/copy", "Copy", "footer"),
        Link("/gone", "\x1b[31mGone\n"),
        "/missing",
        *(Link(f"/day/{day}", f"Day {day}") for day in (1, 2)),
        Link("/day/3", "Day 3", held_under=calendar),
        Link("/tag/4", held_under="/tag/{n}"),
        Link("/search", "Search", source="form", is_followed=False),
        Link("/cart", "Cart", refused=("skipped_path", "/cart")),
        Link("https://elsewhere.example/", "Partner", refused=("offsite", "https://example.com/")),
        title="Home",
        text_hash="1",
    )
    crawling.redirect("/old", "/older")
    crawling.visit(
        "/about",
        Link("/shop", "Shop", "navigation"),
        Link("/about/team", "Team"),
        title="About the team",
        canonical="",
        text_hash="2",
    )
    crawling.visit("/copy", canonical="/about", text_hash="2", fetch={"directives": ["noindex"]})
    crawling.visit(
        "/gone", status=404, outcome=FetchOutcome.NOT_FOUND, reason="not_found", rule="HTTP 404"
    )
    crawling.visit("/missing", reason="soft_404", rule="https://example.com/no-such-page-1")
    crawling.redirect("/older", "/shop", status=302)
    crawling.menu((0, "Shop", "/shop"), (1, "Deals", "/shop/deals"), (0, "About us", "/about"))
    crawling.list_in_sitemap("/", "/about", "/alone")
    crawling.end(
        cut={calendar: "trap_calendar"},
        cut_patterns=[
            {
                "pattern": calendar,
                "kind": "calendar",
                "visited": 40,
                "broken": 0,
                "left_out": 1,
                "proof": [],
            },
        ],
        truncated=[
            {"what": "pages left to visit", "setting": "SITECRAWL_MAX_CRAWL_PAGES", "limit": 7}
        ],
    )
