"""Settings of the crawl that change what is followed and what counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sitecrawl.config import Config
from sitecrawl.config.profiles import load_settings
from sitecrawl.stages.waterfall import crawl_is_needed, links_are_read
from tests.site import Reply
from tests.site.build import page

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

    Crawl = Callable[..., CrawlResult]

UNFOLLOWED = {"/rel", "/from-meta", "/from-header"}
SETTINGS = {
    "SITECRAWL_CRAWL": "auto",
    "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
    "SITECRAWL_SOFT_404": False,
}


@pytest.mark.parametrize(
    ("mode", "pages_in_sitemaps", "is_needed"),
    [("auto", 9, True), ("auto", 10, False), ("always", 10, True), ("never", 0, False)],
)
def test_when_links_are_followed(mode: str, pages_in_sitemaps: int, is_needed: bool) -> None:
    config = replace(Config.from_settings(load_settings("default")), crawl=mode)
    assert crawl_is_needed(config, pages_in_sitemaps) is is_needed
    assert links_are_read(config) is (mode != "never")


@pytest.mark.parametrize(
    ("profile", "mode", "threshold", "visits_listed"),
    [
        ("default", "auto", 10, False),
        ("waterfall", "auto", 500, False),
        ("docs", "always", 1, True),
        ("monitor", "never", 0, False),
    ],
)
def test_profiles_have_their_own(
    profile: str, mode: str, threshold: int, visits_listed: bool
) -> None:
    config = Config.from_settings(load_settings(profile))
    assert (config.crawl, config.min_sitemap_urls, config.crawl_listed_pages) == (
        (mode, threshold, visits_listed)
    )


@pytest.fixture
def shop(site: SiteServer) -> SiteServer:
    """A site with links that say nofollow in each of three ways, and a copy of a page."""
    meta = b'<meta name="robots" content="NoFollow">'
    header = {"X-Robots-Tag": "none"}
    site.routes.update(
        {
            "/": b'<a rel="NOFOLLOW noopener" href="/rel">x</a><a href="/meta">x</a>'
            b'<a href="/header">x</a><a href="/copy">x</a><a href="/original">x</a>',
            "/meta": meta + b'<a href="/from-meta">x</a>',
            "/header": Reply(b'<a href="/from-header">x</a>', 200, header, "text/html"),
            "/copy": b'<link rel="canonical" href="original/"><p>A text</p>',
            "/original": b'<link rel="canonical" href="/original"><p>The text</p>',
            **{path: page(path) for path in UNFOLLOWED},
        }
    )
    return site


def test_by_default_all_links_are_followed_and_a_canonical_is_only_recorded(
    shop: SiteServer, crawl: Crawl
) -> None:
    done = crawl(shop.url, settings=SETTINGS).succeeded()
    assert UNFOLLOWED - {*shop.paths()} == set()
    rows = {row["url"]: row for row in done.rows}
    assert rows[shop.at("/copy")]["canonical"] == shop.at("/original/")


def test_nofollow_is_obeyed_and_a_canonical_is_the_page_when_asked_for(
    shop: SiteServer, crawl: Crawl
) -> None:
    asked = {"SITECRAWL_OBEY_NOFOLLOW": True, "SITECRAWL_CANONICAL_IS_IDENTITY": True}
    done = crawl(shop.url, settings={**SETTINGS, **asked, "SITECRAWL_FEED_REFUSED": True})
    reasons = {row["url"]: (row["reason"], row["rule"]) for row in done.succeeded().rows}
    assert UNFOLLOWED & {*shop.paths()} == set()
    assert {reasons[shop.at(path)] for path in UNFOLLOWED} == {(None, None)}, "listed all the same"
    assert reasons[shop.at("/copy")] == ("other_canonical", shop.at("/original/"))
    assert reasons[shop.at("/original")] == (None, None), "the slash makes no other page"
