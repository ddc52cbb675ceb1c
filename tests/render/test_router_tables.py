from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.render.router_tables import RouteKind, reachable, table_routes

_START = "https://a.example/start"

_ADDRESSES = {
    "https://a.example/x": "https://a.example/x",
    "https://a.example/x?b=1": "https://a.example/x?b=1",
    "https://a.example/x#part": "https://a.example/x",
    "https://a.example/x#": "https://a.example/x",
    "https://a.example/x#/route": "https://a.example/x#/route",
    "https://a.example/x#!route": "https://a.example/x#!route",
    "https://b.example:443/": "https://b.example/",
    "https://a.example/start": "",
    "https://a.example/start#part": "",
    "https://a.example/start#/route": "https://a.example/start#/route",
    "javascript:void(0)": "",
    "mailto:a@b.example": "",
    "blob:https://a.example/1": "",
    "about:blank": "",
    "": "",
    "https://": "",
    "https://a.example/" + "x" * 3000: "",
}


@pytest.mark.parametrize(("address", "expected"), _ADDRESSES.items())
def test_only_other_pages_can_be_reached(address: str, expected: str) -> None:
    assert reachable(address, _START) == expected


_TABLE = {
    "plain": ("/about", ["/about"]),
    "without slash": ("about", ["/about"]),
    "root": ("/", ["/"]),
    "parameter": ("/user/:id", ["/user/:id"]),
    "two parameters": ("/user/:id/post/:post", ["/user/:id/post/:post"]),
    "rule for the value": (r"/user/:id(\d+)", ["/user/:id"]),
    "optional parameter": ("/user/:id?", ["/user/:id", "/user"]),
    "optional with rule": (r"/user/:id(\d+)?", ["/user/:id", "/user"]),
    "repeated parameter": ("/files/:path+", ["/files/:path"]),
    "part of a segment": ("/blog-:year", ["/blog-:year"]),
    "wildcard": ("*", []),
    "wildcard of Vue": ("/:pathMatch(.*)*", []),
    "wildcard of Angular": ("**", []),
    "below": ("/docs/*", ["/docs"]),
    "below a parameter": ("/user/:id/*", ["/user/:id"]),
    "Next.js": ("/blog/[slug]", ["/blog/:slug"]),
    "Next.js, all below": ("/docs/[...path]", ["/docs/:path"]),
    "Next.js, optional": ("/docs/[[...path]]", ["/docs/:path", "/docs"]),
    "Next.js, private": ("/_app", []),
    "TanStack": ("/user/$id", ["/user/:id"]),
}


@pytest.mark.parametrize(("path", "expected"), _TABLE.values(), ids=_TABLE)
def test_a_table_holds_pages_and_patterns(path: str, expected: list[str]) -> None:
    routes = list(table_routes("https://a.example/app/", [path], ""))

    assert [route.url.removeprefix("https://a.example/app") for route in routes] == expected
    assert [route.is_pattern for route in routes] == [":" in each for each in expected]
    assert {route.kind for route in routes} <= {RouteKind.ROUTER_TABLE}


def test_the_root_may_be_a_fragment() -> None:
    routes = table_routes("https://a.example/app/#/", ["/", "/user/:id"], "")

    assert [route.url for route in routes] == [
        "https://a.example/app/#/",
        "https://a.example/app/#/user/:id",
    ]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_no_table_breaks_the_reading(root: str, paths: list[str]) -> None:
    for start in (root, f"https://a.example/{root}"):
        for route in table_routes(start, paths, _START):
            assert route.url.startswith(("https://", "http://"))
