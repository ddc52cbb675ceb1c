from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecrawl.exporters.rows import FIELDS, RowMaker
from sitecrawl.store.queries.scans import VisitFields
from sitecrawl.urls.canonical import KeyRules, page_key
from tests.exporters.pages import DOCUMENTS, chunk_of, maker, page, pages

_CONTRACT = {
    *("url", "key", "status", "reason", "source", "sources", "depth", "parent", "title"),
    *("lastmod", "changefreq", "sitemap_priority", "robots_allowed", "robots_rule", "category"),
    *("clusters", "language", "importance", "priority", "discovered_at"),
}


def test_the_fields_of_the_contract_are_there() -> None:
    assert set(FIELDS) >= _CONTRACT
    assert len(FIELDS) == len(set(FIELDS))


def test_a_row() -> None:
    [row] = maker().rows(chunk_of(page(3, "https://www.a.example/blog/x/", title="X")))
    assert list(row) == list(FIELDS)
    assert row == {
        "url": "https://www.a.example/blog/x/",
        "key": "a.example/blog/x",
        "lastmod": "2026-01-02",
        "depth": 2,
        "clusters": ["type:article"],
        "category": "primary",
        "type": "article",
        "language": None,
        "language_source": None,
        "other_language": None,
        "template": "//{…}/{slug}",
        "priority": 0.63,
        "parent": DOCUMENTS[1],
        "source": "sitemap",
        "sources": ["sitemap", "feed"],
        "status": "listed",
        "discovered_at": "2026-11-16T04:02:29Z",
        "reason": None,
        "rule": None,
        "title": "X",
        "file_kind": None,
        "changefreq": None,
        "sitemap_priority": None,
        "robots_allowed": None,
        "robots_rule": None,
        "importance": None,
        "region": None,
        "anchor": None,
        "inlinks": None,
        "clicks": None,
        "http_status": None,
        "content_type": None,
        "text_hash": None,
        "canonical": None,
        "duplicate_of": None,
    }


def test_a_row_has_what_a_visit_has_shown() -> None:
    linked, unvisited = maker().rows(chunk_of(page(4, region="footer", anchor="Home"), page(5)))
    assert (linked["region"], linked["anchor"]) == ("footer", "Home")
    assert linked["sources"] == ["sitemap", "feed", "sitemap-alternate"]
    assert {name: linked[name] for name in VisitFields._fields} == {
        "clicks": 2,
        "http_status": 200,
        "content_type": "text/html",
        "text_hash": "00ff",
        "canonical": 'https://a.example/"\\ü',
        "duplicate_of": None,
    }
    assert (unvisited["clicks"], unvisited["http_status"]) == (0, None)


def test_what_robots_txt_says_is_in_the_row() -> None:
    judged, refused = maker().rows(
        chunk_of(page(verdict_id=1), page(verdict_id=2, reason="offsite"))
    )
    assert (judged["status"], judged["robots_allowed"], judged["robots_rule"]) == (
        "listed",
        True,
        None,
    )
    assert (refused["status"], refused["robots_allowed"]) == ("refused", False)
    assert refused["robots_rule"].startswith("Disallow: ")


def test_the_key_follows_the_rules_of_the_site() -> None:
    url = "https://www.a.example/x/"
    rules = KeyRules(fold_www=False, fold_trailing_slash=False)
    [row] = maker(rules).rows(chunk_of(page(url=url)))
    assert row["key"] == page_key(url, rules) == "www.a.example/x/"
    text = maker(rules).json_rows(chunk_of(page(url=url)), "\n")
    assert json.loads(text)["key"] == "www.a.example/x/"


@pytest.mark.parametrize(
    "facts",
    [
        {"sitemap_priority": 0.0},
        {"importance": 0.0},
        {"lastmod": None},
        {"rule": "/x"},
        {"title": ""},
    ],
)
def test_a_fact_that_looks_like_none_is_written(facts: dict[str, Any]) -> None:
    row = json.loads(maker().json_rows(chunk_of(page(**facts)), "\n"))
    assert {name: row[name] for name in facts} == facts


@given(st.lists(pages(), max_size=6))
@example([page(url='https://a.example/"\\\n\x00\x1b\u2028/y')])
@example([page(url="a\nb"), page(url="c")])
@example([page(url="\\n"), page(url="\n\\"), page(url="")])
@example([page(url="https://a.example/\u00fc"), page(title="\u65e5\u672c", lastmod="\u00fc")])
@example([page(1), page(4), page(5), page(6)])
@example([page(4, anchor="a"), page(4, anchor="b"), page(1)])
@example([page(1, lastmod=None), page(3, lastmod=None), page(2, sitemap_priority=0.0)])
def test_both_ways_to_write_a_row_agree(some: list[tuple[object, ...]]) -> None:
    both: RowMaker = maker()
    text = both.json_rows(chunk_of(*some), "\n").decode()
    # One line each, so that JSON lines stay lines.
    lines = text.split("\n")
    assert lines.pop() == ""
    assert "\r" not in text
    assert [json.loads(line) for line in lines] == both.rows(chunk_of(*some))
    assert [list(json.loads(line)) for line in lines] == [list(FIELDS)] * len(some)


@given(st.lists(pages(), min_size=2, max_size=6))
def test_a_row_does_not_depend_on_its_neighbours(some: list[tuple[object, ...]]) -> None:
    together = maker().json_rows(chunk_of(*some), "\n")
    assert together == b"".join(maker().json_rows(chunk_of(one), "\n") for one in some)
