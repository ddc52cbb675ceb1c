from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.columns import canonicalize_all
from sitecrawl.urls.crawl_patterns import Shape, crawl_pattern
from sitecrawl.urls.traps import TrapKind
from tests.urls.nasty import likely_urls, nasty_urls

TOKEN = "9f86d081884c7d65"


@pytest.mark.parametrize(
    ("target", "pattern", "family", "shape", "kind"),
    [
        # names share the pattern of their folder
        ("/", "/", "/", "PAGES", "pattern"),
        ("/about", "/*", "/*", "PAGES", "pattern"),
        ("/wiki/Foo", "/wiki/*", "/wiki/*", "PAGES", "pattern"),
        ("/docs/guide/install.html", "/docs/guide/*", "/docs/guide/*", "PAGES", "pattern"),
        ("/news/ten-things-12345", "/news/*", "/news/*", "PAGES", "pattern"),
        (f"/notes/my-page-{TOKEN}", "/notes/*", "/notes/*", "PAGES", "pattern"),
        ("/%D0%BF%D1%80", "/*", "/*", "PAGES", "pattern"),
        # numbers
        ("/product/12", "/product/{n}", "/product/{n}", "NUMBERED", "pattern"),
        ("/product/12/reviews", "/product/{n}/*", "/product/{n}", "NUMBERED", "pattern"),
        ("/item-12.html", "/item-{n}.html", "/item-{n}.html", "NUMBERED", "pattern"),
        ("/2024/05/my-title", "/{n}/{n}/*", "/{n}/{n}/*", "NUMBERED", "pattern"),
        ("/news/2024/05/17/4711", "/news/{n}/{n}/{n}/{n}", "/news/{n}", "NUMBERED", "pattern"),
        ("/archive/2024", "/archive/{n}", "/archive/{n}", "NUMBERED", "pattern"),
        ("/topic/1234/5", "/topic/{n}/{n}", "/topic/{n}", "NUMBERED", "pattern"),
        # dates
        ("/cal/2024/05", "/cal/{n}/{n}", "{date}", "DATED", "calendar"),
        ("/cal/2024/05/17", "/cal/{n}/{n}/{n}", "{date}", "DATED", "calendar"),
        ("/cal/2024/may", "/cal/{n}/{n}", "{date}", "DATED", "calendar"),
        ("/cal/week/2024/52", "/cal/week/{n}/{n}", "{date}", "DATED", "calendar"),
        ("/cal/2024/05/print", "/cal/{n}/{n}/print", "{date}", "DATED", "calendar"),
        ("/cal/2024-05-17", "/cal/{date}", "{date}", "DATED", "calendar"),
        ("/cal/2024/05?view=day", "/cal/{n}/{n}", "{date}", "DATED", "calendar"),
        ("/cal?date=2024-05-17", "/cal?date={v}", "{date}", "DATED", "calendar"),
        ("/cal?at=2024-05&x=1", "/cal?at={v}", "{date}", "DATED", "calendar"),
        ("/cal?month=5&year=2024", "/cal?month={v}&year={v}", "{date}", "DATED", "calendar"),
        ("/list?day=of-the-dead", "/list?day={v}", "?*", "PARAMETER", "pattern"),
        # what programs make up
        (f"/go/{TOKEN}", "/go/{id}", "{id}", "TOKEN", "loop"),
        (f"/s/{TOKEN}/about", "/s/{id}/*", "{id}", "TOKEN", "session"),
        (f"/s/{TOKEN}/{TOKEN}/{TOKEN}", "/s/{id}", "{id}", "TOKEN", "session"),
        (f"/about?visitor={TOKEN}", "/*?visitor={id}", "{id}", "TOKEN", "session"),
        ("/about?t=1715940000123", "/*?t={id}", "{id}", "TOKEN", "session"),
        # paths that go round
        ("/a/b/a", "/a/{loop}", "{loop}", "LOOP", "loop"),
        ("/level-1/level-2", "/level-{n}/{loop}", "{loop}", "LOOP", "loop"),
        ("/1/2/3/4/5", "/{n}/{loop}", "{loop}", "LOOP", "loop"),
        ("/a/a?x=1", "/a/{loop}", "{loop}", "LOOP", "loop"),
        # parts of lists
        ("/news?page=2", "/news?page={v}", "?*", "LISTING", "pagination"),
        ("/shop?cat=5&page=2", "/shop?cat={v}&page={v}", "?*", "LISTING", "pagination"),
        ("/c/tents?page=2", "/c/tents?page={v}", "?*", "LISTING", "pagination"),
        ("/tag/red/page/3", "/tag/red/page/{n}", "/tag/red/page/{n}", "LISTING", "pagination"),
        ("/tag/page-3.html", "/tag/page-{n}.html", "/tag/page-{n}.html", "LISTING", "pagination"),
        # one parameter
        ("/index.php?id=7", "/index.php?id={v}", "/index.php?*", "PARAMETER", "pattern"),
        ("/article?id=7", "/article?id={v}", "?*", "PARAMETER", "pattern"),
        ("/wiki/Foo?action=edit", "/wiki/*?action={v}", "?*", "PARAMETER", "pattern"),
        ("/my-post?share=mail", "/*?share={v}", "?*", "PARAMETER", "pattern"),
        ("/?q=x", "/?q={v}", "?*", "PARAMETER", "pattern"),
        ("/item/7?color=red", "/item/{n}?color={v}", "/item/{n}", "PARAMETER", "pattern"),
        ("/list?sort=name", "/list?sort={v}", "?*", "PARAMETER", "facets"),
        # several parameters
        ("/shop?color=red&size=m", "/shop?*", "?*", "COMBINATION", "facets"),
        ("/c/tents?color=red&size=m", "/c/*?*", "?*", "COMBINATION", "facets"),
        ("/viewtopic.php?f=2&t=7", "/viewtopic.php?*", "/viewtopic.php?*", "COMBINATION", "facets"),
    ],
)
def test_pattern(target: str, pattern: str, family: str, shape: str, kind: str) -> None:
    found = crawl_pattern(f"https://example.com{target}")
    assert (found.name, found.family) == (pattern, family)
    assert (found.shape, found.kind) == (Shape[shape], TrapKind(kind))


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("/", ""),
        ("/index.html", ""),
        ("/a/b/", "/a/b"),
        ("/a/b?x=/c", "/a/b"),
        ("/a/b/Default.aspx", "/a/b"),
        ("/a/b.html", "/a/b.html"),
    ],
)
def test_an_index_is_its_folder(target: str, location: str) -> None:
    assert crawl_pattern(f"https://example.com{target}").location == location


@settings(max_examples=150)
@given(st.lists(nasty_urls() | likely_urls(), max_size=10))
def test_any_url_has_its_pattern(urls: list[str]) -> None:
    for url in filter(None, canonicalize_all(urls)):
        pattern = crawl_pattern(url)
        assert pattern.name.startswith("/")
        assert len(pattern.name) <= 900
        assert pattern == crawl_pattern(url + ("" if "?" in url or "#" in url else "/"))
