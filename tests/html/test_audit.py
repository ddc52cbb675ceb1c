"""What an audit asks of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.html.links import PageLimits
from tests.html.reading import named, read

if TYPE_CHECKING:
    from sitecrawl.html.audit import PageAudit


def audit(html: str, **options: object) -> PageAudit:
    return read(html, **options).audit  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("html", "description"),
    [
        ('<meta name="description" content=" Two \n words ">', "Two words"),
        ('<META NAME="Description" CONTENT="A">', "A"),
        ('<meta name="description" content=""><meta name="description" content="B">', "B"),
        ('<meta name="description" content="A"><meta name="description" content="B">', "A"),
        ('<meta property="og:description" content="A">', ""),
        ("<p>Text", ""),
    ],
)
def test_the_first_description_that_says_something(html: str, description: str) -> None:
    assert audit(html).description == description


@pytest.mark.parametrize(
    ("html", "h1", "number"),
    [
        ("<h1>One <em>and</em>\n two</h1>", "One and two", 1),
        ("<h1> </h1><h1>Two</h1>", "Two", 2),
        ('<h1><img src="logo.png" alt="The shop"></h1>', "The shop", 1),
        ("<h1><script>x()</script>Text</h1>", "Text", 1),
        ("<h2>No</h2>", "", 0),
    ],
)
def test_main_headings(html: str, h1: str, number: int) -> None:
    found = audit(html)
    assert (found.h1, found.h1_count) == (h1, number)


def test_long_texts_are_cut() -> None:
    html = f'<meta name="description" content="{"d" * 99}"><h1>{"h" * 99}</h1>'
    found = audit(html, limits=PageLimits(max_title_characters=10))
    assert (found.description, found.h1) == ("d" * 10, "h" * 10)


@pytest.mark.parametrize(
    ("html", "without"),
    [
        ('<img src="a.png">', 1),
        ('<img src="a.png" alt="">', 0),
        ('<img src="a.png" alt>', 0),
        ('<img src="a.png" role="presentation">', 0),
        ('<img src="a.png" aria-hidden="true">', 0),
        ('<a href="/x"><img src="a.png"></a>', 1),
    ],
)
def test_images_without_alt(html: str, without: int) -> None:
    found = audit(html)
    assert (found.images, found.images_without_alt) == (1, without)


RESOURCES = (
    '<img src="http://a.example/1.png">',
    '<script src="HTTP://a.example/1.js"></script>',
    '<link rel="stylesheet" href="http://a.example/1.css">',
    '<iframe src=" http://a.example/1"></iframe>',
    '<video src="http://a.example/1.mp4"></video>',
    '<object data="http://a.example/1.swf"></object>',
)


@pytest.mark.parametrize("html", RESOURCES)
def test_insecure_resources(html: str) -> None:
    found = audit(html)
    assert found.insecure_resources == 1
    assert found.insecure_example.lower().startswith("http://a.example/1")
    assert audit(html, url="http://www.shop.example/").insecure_resources == 0
    assert (
        audit(html.replace("http://", "https://").replace("HTTP://", "//")).insecure_resources == 0
    )


@pytest.mark.parametrize(
    "html",
    [
        '<a href="http://a.example/">',
        '<link rel="canonical" href="http://a.example/">',
        "<script>load('http://a.example/1.js')</script>",
        '<img data-src="http://a.example/1.png">',
    ],
)
def test_what_the_browser_does_not_load_is_not_insecure(html: str) -> None:
    assert audit(html).insecure_resources == 0


@pytest.mark.parametrize(
    ("value", "bad"), [("de", ""), ("x-default", ""), ("german!", "german!"), ("", "")]
)
def test_languages_that_are_none(value: str, bad: str) -> None:
    html = f'<link rel="alternate" hreflang="{value}" href="/de">'
    assert audit(html).bad_hreflang == bad


def test_images_and_headings_that_act_as_links_still_do() -> None:
    html = '<img alt="" data-href="/a"><h1 onclick="location.href=\'/b\'">B</h1>'
    assert [loc for _, loc in named(html)] == ["/a", "/b"]
    assert audit(html).h1 == "B"
