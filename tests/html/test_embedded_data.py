from __future__ import annotations

import json
import time

import pytest

from tests.html.reading import kinds, named, read, rows


def island(data: object, attributes: str = 'type="application/json"') -> str:
    return f"<script {attributes}>{json.dumps(data)}</script>"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"href": "/a"}, ["/a"]),
        ({"URL": "/a", "pathName": "/b"}, ["/a", "/b"]),
        ({"items": [{"link": "/a"}, {"deep": {"permalink": "/b"}}]}, ["/a", "/b"]),
        ({"url": "https://www.shop.example/a"}, ["https://www.shop.example/a"]),
        ({"url": "https://shop.example/a"}, ["https://shop.example/a"]),
        ({"url": "//www.shop.example/a"}, ["//www.shop.example/a"]),
        ({"url": "https://other.example/a"}, []),
        ({"title": "/a", "src": "/b"}, []),
        ({"url": "a b", "href": "btn", "path": "/blog/[slug]", "to": "/u/:id"}, []),
        ({"url": "/_next/data/x", "href": "/api/x", "path": "/a.js", "uri": "/a.PNG?v=1"}, []),
        ({"url": 7, "href": None, "path": ["/a"]}, []),
        (["/a"], []),
    ],
)
def test_only_addresses_of_the_site_under_the_keys_of_links(data: object, found: list[str]) -> None:
    assert named(island(data)) == [("json-island", address) for address in found]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        pytest.param(
            island({"props": {"href": "/a"}}, 'id="__NEXT_DATA__" type="application/json"'),
            [("json-island", "/a")],
            id="Next.js",
        ),
        pytest.param(
            '<script>self.__next_f.push([1,"5:[\\"$\\",\\"a\\",null,{\\"href\\":\\"/a\\"}]"])</script>',
            [("json-island", "/a")],
            id="Next.js, streamed",
        ),
        pytest.param(
            island(
                [{"path": 1}, "/a", "/not-a-link"], 'id="__NUXT_DATA__" type="application/json"'
            ),
            [("json-island", "/a")],
            id="Nuxt, values by number",
        ),
        pytest.param(
            r'<script>window.__NUXT__=(function(a){return {path:"\u002Fa",to:a}}("/b"))</script>',
            [("json-island", "/a")],
            id="Nuxt, a script",
        ),
        pytest.param(
            '<script>window.__remixContext = {"url": "/a"};window.__x={"href":"/b"}</script>',
            [("json-island", "/a"), ("json-island", "/b")],
            id="Remix",
        ),
        pytest.param(
            '<script>/*<![CDATA[*/window.pagePath="/a/";window.___hash="x";/*]]>*/</script>',
            [("json-island", "/a/")],
            id="Gatsby",
        ),
        pytest.param(
            """<script>self.__BUILD_MANIFEST=function(a){return{"/":[a],"/about":["x.js"],
            "/blog/[slug]":[a],sortedPages:["/","/_app","/about","/team"]}}("y")</script>""",
            [("manifest", "/"), ("manifest", "/about"), ("manifest", "/team")],
            id="Next.js, routes",
        ),
        pytest.param(
            """<script>window.__remixManifest={"routes":{"root":{"id":"root"},
            "shop":{"path":"shop","parentId":"root"},"cart":{"path":"cart/","parentId":"shop"},
            "one":{"path":":id","parentId":"shop"}}}</script>""",
            [("manifest", "/"), ("manifest", "/shop"), ("manifest", "/shop/cart")],
            id="Remix, routes",
        ),
        pytest.param('<script>var x = {"href": "/a"}</script>', [], id="any other script"),
        pytest.param('<script src="x.js">window.__x={"url":"/a"}</script>', [], id="not in use"),
    ],
)
def test_frameworks(html: str, found: list[tuple[str, str]]) -> None:
    page = read(html)
    assert kinds(page) == []
    assert named(html) == found


def test_routes_that_are_their_own_parents_end() -> None:
    html = '<script>window.__remixManifest={"routes":{"a":{"path":"x","parentId":"a"}}}</script>'
    assert named(html) == [("manifest", "/" + "/".join(["x"] * 20))]


@pytest.mark.parametrize(
    "script",
    ["[" * 100_000, '{"a":' * 100_000, "1" * 10_000, '{"url": "/a"', "nonsense", "\ud800"],
    ids=["lists", "objects", "number", "cut", "words", "surrogate"],
)
def test_hostile_data_is_a_finding(script: str) -> None:
    body = f'<script type="application/json">{script}</script>'.encode("utf-8", "surrogatepass")
    page = read(body)
    assert len(page.links) == 0
    assert "bad_json" in kinds(page)


def test_many_assignments_cost_no_more_than_their_length() -> None:
    began = time.process_time()
    for text in ("window.__a=1;", "self.__BUILD_MANIFEST=", 'window.__a={"url":"/a"};', "__a=("):
        read(f"<script>{text * 20_000}</script>")
    assert time.process_time() - began < 5  # 0.2 is usual


def script(data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"url": "https://shop.example/a"}, ["https://shop.example/a"]),
        ({"@id": "/a"}, ["/a"]),
        ({"mainEntityOfPage": "/a"}, ["/a"]),
        ({"mainEntityOfPage": {"@type": "WebPage", "@id": "/a"}}, ["/a"]),
        ([{"url": "/a"}, {"url": "/b"}], ["/a", "/b"]),
        ({"@graph": [{"url": "/a"}, {"isPartOf": {"@id": "/b"}}]}, ["/a", "/b"]),
        ({"itemListElement": [{"item": "/a"}, {"item": {"@id": "/b"}}]}, ["/a", "/b"]),
        ({"url": " https://shop.example/a "}, ["https://shop.example/a"]),
        ({"url": "#part"}, []),
        ({"@id": "_:node"}, []),
        ({"url": "/search?q={term}"}, []),
        ({"url": "javascript:void(0)"}, []),
        ({"url": 5, "@id": None, "mainEntityOfPage": True}, []),
        ({"image": {"url": "/a.png"}, "logo": {"@id": "/b.png"}}, []),
        ({"x": {"@type": "ImageObject", "url": "/a.png"}}, []),
        ({"@context": {"@id": "/a"}}, []),
        ({"sameAs": "https://social.example/shop"}, []),
        ("https://shop.example/a", []),
        (None, []),
    ],
)
def test_addresses(data: object, found: list[str]) -> None:
    assert named(script(data)) == [("json-ld", address) for address in found]


def test_the_name_is_the_anchor() -> None:
    found = rows(script([{"url": "/a", "name": " The  name "}, {"url": "/b", "headline": "News"}]))
    assert [row.anchor for row in found] == ["The name", "News"]
    assert rows(script({"url": "/c", "name": ["no", "text"]}))[0].anchor == ""


def test_line_breaks_in_strings_are_forgiven() -> None:
    html = '<script type="application/ld+json">{"name": "two\nlines", "url": "/a"}</script>'
    assert named(html) == [("json-ld", "/a")]
