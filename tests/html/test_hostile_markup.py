from __future__ import annotations

import resource
import time
import timeit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from sitecrawl.html.hostile_markup import Rewriter, _is_suspicious, defuse
from sitecrawl.html.links import PageLimits
from sitecrawl.parsing.findings import Findings
from tests.html.reading import kinds, read

LINK = b"<a href=/x>x</a>"


def numbered(unit: bytes, number: int) -> bytes:
    return b"".join(unit % count for count in range(number))


# Each would take the parser minutes or more memory than there is, at ten times the size at most.
BOMBS = {
    "nested elements": b"<div>" * 100_000 + LINK,
    "end tags in nested elements": b"<div>" * 50_000 + b"</p>" * 50_000 + LINK,
    "items in nested elements": b"<div>" * 50_000 + b"<li>" * 50_000 + LINK,
    "formatting in every paragraph": numbered(b"<p><font a=%d>x</p>", 20_000) + LINK,
    "closed by another's end tag": numbered(b"<p><font a=%d>x</b></p>", 20_000) + LINK,
    "closed where it cannot be": numbered(b"<p><b a=%d><table></b></table></p>", 20_000) + LINK,
    "upper case": numbered(b"<P><FONT A=%d>x</P>", 20_000) + LINK,
    "formatting without attributes": b"<b><i><u><s><em><tt><big>" * 3 + b"<p>x" * 100_000 + LINK,
    "in a style of a drawing": b"<svg><style>" + numbered(b"<p><i a=%d>x</p>", 20_000) + LINK,
    "after a comment that is none": b"<!-->" + numbered(b"<p><i a=%d>x</p>", 20_000) + LINK,
    "links in cells in links": numbered(b"<a href=/x>x<table><tr><td a=%d>", 20_000) + LINK,
    "empty elements in a drawing": b"<svg>" + b"<link>" * 50_000 + b"</q>" * 50_000 + LINK,
    "attributes": b"<a href=/x " + numbered(b"a%d=1 ", 100_000) + b">" + LINK,
    "attributes with brackets": b"<a href=/x " + numbered(b"a%d='>' ", 100_000) + b">" + LINK,
    "templates": b"<template>" * 50_000 + LINK,
    "formatting and blocks": b"<b><div>" * 50_000 + b"</b>" * 50_000 + LINK,
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_hostile_pages_cost_little_and_keep_their_links(bomb: bytes) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    page = read(bomb)
    assert time.process_time() - started < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400 * 1024
    assert "/x" in page.links.locs
    assert (page.truncated, kinds(page)) == (True, ["hostile_nesting"])


def test_links_nested_in_a_drawing_cost_little_and_are_all_there() -> None:
    started = time.process_time()
    page = read(b"<svg>" + numbered(b"<a href=/%d>x", 20_000) + b"</q>" * 20_000)
    assert time.process_time() - started < 10
    assert (len(page.links), page.truncated) == (20_000, False)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param(b"<div>" * 4_000 + LINK, id="deep, but small"),
        pytest.param((b"<div><p><b>x</b> <i class=y>z</i></p></div>" + LINK) * 5_000, id="large"),
        pytest.param(b"<p><b><i>x" * 50 + LINK, id="a little unclosed formatting"),
        pytest.param(b"<p><b><span>x</span></b>" * 3_000 + LINK, id="much closed formatting"),
        pytest.param(
            b"<dl><dt><code><a href=/y><span>x</span></a></code>"
            b"<dd><div><p>y <strong><em><code>z</code></em></strong></p></div></dl>"
            * 15_000
            + LINK,
            id="a large index with closed formatting",
        ),
        pytest.param(b"<ul>" + b"<li><p>x" * 30_000 + LINK, id="end tags that may be left out"),
        pytest.param(b"<svg><path/></svg><input><br>" * 5_000 + LINK, id="drawings"),
        pytest.param(b"<script>if (a<b) {c='<div>'}</script>" * 5_000 + LINK, id="scripts"),
        pytest.param(b"<SCRIPT x='>'>a<b</SCRIPT ><p>" * 5_000 + b"<script>a<b", id="open script"),
    ],
)
def test_large_and_careless_pages_stay_as_they_are(html: bytes) -> None:
    findings = Findings()
    assert defuse(html, PageLimits(), findings) == html
    assert findings.as_list() == []


def test_what_is_inside_of_left_out_elements_stays() -> None:
    html = b"<nav>" + b"<div>" * 20_000 + b"text " + LINK + b"</div>" * 20_000 + b"</nav><p>end"
    page = read(html)
    assert page.links.locs == ["/x"]
    assert page.text_hash == read("<p>text x end").text_hash


def test_end_tags_of_left_out_elements_close_nothing_else() -> None:
    deep = b"<div>" * 20_000 + b"</div>" * 20_000
    page = read(b"<nav>" + deep + b"<a href=/in>in</a></nav><a href=/out>out</a>")
    assert page.links.regions == ["navigation", "content-link"]
    page = read(b"<div class=sidebar>" + deep + b"<a href=/in>in</a></div><a href=/out>out</a>")
    assert page.links.regions == ["aside", "content-link"]


def test_pages_of_too_many_tags_are_cut_and_said() -> None:
    page = read(b"<br>" * 20_000 + LINK, limits=PageLimits(max_tags=15_000))
    assert len(page.links) == 0
    assert (page.truncated, kinds(page)) == (True, ["over_limit"])
    assert len(read(b"<br>" * 20_000 + LINK, limits=PageLimits(max_tags=20_002)).links) == 1


NAMES = ["a", "b", "font", "div", "span", "p", "table", "td", "svg", "ul", "li", "h1", "button"]
TAGS = st.one_of(
    st.sampled_from(NAMES).map(lambda name: f"<{name}>"),
    st.sampled_from(NAMES).map(lambda name: f"</{name}>"),
    st.integers(0, 99).map(lambda number: f"<a href=/{number}>"),
    st.integers(0, 99).map(lambda number: f"<A x='>' HREF = '/{number}' >"),
    st.sampled_from(["text", "<!-- x -->", "<br/>", "<", "&amp;", '<i class="x>y">']),
)


@settings(max_examples=300)
@given(st.lists(TAGS, max_size=60))
@example(["<svg>", "<a href=/1>", "<a href=/2>", "</svg>", "<a href=/3>"])
def test_rewriting_loses_no_link(tags: list[str]) -> None:
    markup = "".join(tags).encode()

    def links(html: bytes) -> set[str | None]:
        return {node.attributes["href"] for node in LexborHTMLParser(html).css("a[href]")}

    assert links(markup) <= links(Rewriter(4, 1).rewrite(markup))


@settings(max_examples=100)
@given(st.lists(TAGS, max_size=60))
def test_rewriting_within_the_limits_changes_nothing(tags: list[str]) -> None:
    markup = "".join(tags)
    before = read(markup)
    after = read(Rewriter(1_000, 1_000).rewrite(markup.encode()))
    assert after.text_hash == before.text_hash
    assert set(after.links.locs) == set(before.links.locs)
    if "<svg>" not in tags:  # where links can be nested; then their texts change
        assert after.links == before.links


# Every way to repeat an element that parsers treat in its own way.
REPEATED = {
    "options": ("<select>", "<option value={}>one"),
    "closed options": ("<select>", "<option value={}>one</option>"),
    "upper-case options": ("<SELECT>", "<OPTION>one"),
    "option groups": ("<select>", "<optgroup label=x><option>a</optgroup>"),
    "open option groups": ("<select>", "<optgroup label=x><option>a"),
    "options without a select": ("", "<option>one"),
    "option groups without a select": ("", "<optgroup label=x><option>a"),
    "nested selects": ("", "<select><option>x"),
    "selects": ("", "<select><option>x</select>"),
    "items": ("<ul>", "<li>x"),
    "nested items": ("", "<ul><li>x"),
    "links": ("", "<a href=/x{}>x</a>"),
    "unclosed links": ("", "<a href=/x>x"),
    "links in elements": ("", "<a href=/x><div>x"),
    "cells": ("<table><tr>", "<td>x"),
    "rows": ("<table>", "<tr><td>x"),
    "nested tables": ("", "<table><tr><td>x"),
    "captions": ("<table>", "<caption>x"),
    "text in tables": ("<table>", "x<tr>"),
    "nested elements": ("", "<div>x"),
    "nested spans": ("", "<span>x"),
    "paragraphs": ("", "<p>x"),
    "definitions": ("<dl>", "<dt>x<dd>y"),
    "headings": ("", "<h2>x"),
    "buttons": ("", "<button>x"),
    "forms": ("", "<form action=/x>x"),
    "details": ("", "<details><summary>x"),
    "formatting": ("", "<b>x"),
    "formatting in paragraphs": ("", "<p><font color={}>x"),
    "ruby": ("<ruby>", "<rb>x<rt>y"),
    "annotations without ruby": ("", "<rt>x"),
    "templates": ("", "<template>x"),
    "drawings": ("", "<svg><desc>x"),
    "formulas": ("<math>", "<mi>x"),
    "frames": ("", "<iframe src=/x></iframe>"),
    "text areas": ("", "<textarea>x</textarea>"),
    "scripts": ("", "<script>x</script>"),
    "hidden links": ("", "<noscript><a href=/x>x</a></noscript>"),
    "handlers": ("", "<div onclick=\"location.href='/x'\">x</div>"),
    "classes": ("", "<div class=c{}><a href=/{}>x</a></div>"),
    "relations": ("", "<link rel=next href=/x>"),
    "end tags": ("", "</p>"),
    "comments": ("", "<!--x-->"),
    "attributes": ("<div ", "a{}=1 "),
}
ELEMENTS = 12_000


def seconds_to_read(start: str, unit: str, number: int) -> float:
    numbers = ((count,) * unit.count("{}") for count in range(number))
    body = ("<!doctype html><body>" + start + "".join(unit.format(*n) for n in numbers)).encode()
    # Without the garbage collector, which goes through all that other tests have left.
    return timeit.timeit(lambda: read(body), timer=time.process_time, number=1)


@pytest.mark.parametrize(("start", "unit"), REPEATED.values(), ids=REPEATED)
def test_twice_the_elements_take_twice_the_time(start: str, unit: str) -> None:
    # Four times the time would be quadratic. On a busy machine one measurement may be wrong.
    for _ in range(4):
        once = seconds_to_read(start, unit, ELEMENTS)
        twice = seconds_to_read(start, unit, 2 * ELEMENTS)
        if twice < 3 * once + 0.1:
            return
    pytest.fail(f"{ELEMENTS} elements took {once:.2f} s, twice as many {twice:.2f} s")


def test_the_links_and_the_text_of_many_options_are_read() -> None:
    options = "".join(f"<option data-url=/{number}>one</option>" for number in range(5_000))
    page = read(f"<nav><select class=x>{options}</select></nav><a href=/x>end</a>")
    assert page.links.locs == [*(f"/{number}" for number in range(5_000)), "/x"]
    assert set(page.links.regions) == {"navigation", "content-link"}
    assert page.text_characters == 5_000 * len("one") + len("end")
    assert not page.truncated


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(b"<p><code class=x><span>x</span></code>", id="as Sphinx writes code"),
        pytest.param(b"<p><strong><em>x</em> y</strong>", id="formatting in formatting"),
        pytest.param(b'<p><b title="a > b">x</b>', id="a bracket in an attribute"),
    ],
)
def test_closed_formatting_is_not_suspicious(unit: bytes) -> None:
    assert not _is_suspicious(unit * 2_000)


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param(b'<p><b title=">x</b>">', id="an end tag in an attribute"),
        pytest.param(b"<p><b><span title='></b>'>", id="in the attribute of another element"),
        pytest.param(b"<p><b><svg><desc></b></desc></svg>", id="an end tag that does not count"),
        pytest.param(b"<p><b><!--</b>-->", id="an end tag in a comment"),
        pytest.param(b"<p></b><b>", id="an end tag before the start"),
    ],
)
def test_formatting_that_only_seems_closed_is_suspicious(unit: bytes) -> None:
    assert _is_suspicious(unit * 2_000)
