from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.cli.structure import tree_lines
from sitecrawl.urls.path_tree import PathTree


def lines(*urls: str, depth: int = 3, refused: tuple[str, ...] = (), **limits: int) -> list[str]:
    tree = PathTree(depth, **limits)
    for url in urls:
        tree.add(url, is_refused=False)
    for url in refused:
        tree.add(url, is_refused=True)
    return list(tree_lines(tree))


def on(*paths: str) -> list[str]:
    return [f"https://a.example{path}" for path in paths]


def test_a_folder_counts_all_that_is_in_it_and_below() -> None:
    found = lines(*on("/", "/shop", "/shop/", "/shop/hats/1", "/shop/hats/2", "/about"))
    assert found == [
        "https://a.example  6 pages",
        "  /shop  4 pages",
        "    /hats  2 pages",
        "  /about  1 page",
    ]


def test_refused_pages_are_counted_beside() -> None:
    found = lines(*on("/a/1", "/a/2"), refused=tuple(on("/a/3", "/b/1", "/b/2")))
    assert found == [
        "https://a.example  2 pages, 3 refused",
        "  /a  2 pages, 1 refused",
        "  /b  2 refused",
    ]


def test_queries_and_fragments_make_no_folders() -> None:
    found = lines(*on("/a?x=/b/c", "/a#/b/c", "/?p=1"))
    assert found == ["https://a.example  3 pages", "  /a  2 pages"]


@pytest.mark.parametrize(("depth", "number"), [(1, 2), (2, 3), (3, 4), (9, 5)])
def test_the_depth_is_bounded(depth: int, number: int) -> None:
    assert len(lines(*on("/a/b/c/d", "/a/b/c/d/"), depth=depth)) == number


def test_hosts_without_a_listed_page_share_a_line() -> None:
    found = lines(
        *("https://a.example/", "https://b.example/x"),
        refused=("https://other.example/", "https://more.example/1", "mailto:a@b.c", "#top", ""),
    )
    assert found == [
        "https://a.example  1 page",
        "https://b.example  1 page",
        "  /x  1 page",
        "elsewhere  5 refused",
    ]


def test_of_many_folders_the_largest_are_shown() -> None:
    found = lines(
        *on(
            *(f"/{number:02}/{page}" for number in range(20) for page in "ab"),
            "/big/a",
            "/big/b",
            "/big/c",
        )
    )
    assert found[1] == "  /big  3 pages"
    assert found[-1] == "  and 6 more: 12 pages"
    assert len(found) == 1 + 15 + 1


def test_below_the_first_level_single_pages_are_not_named() -> None:
    assert lines(*on("/a/1", "/a/2", "/a/b/1", "/a/b/2")) == [
        "https://a.example  4 pages",
        "  /a  4 pages",
        "    /b  2 pages",
        "    and 2 more: 2 pages",
    ]


def test_a_hostile_site_costs_no_more_than_its_limit() -> None:
    found = lines(*on(*(f"/{number}/x" for number in range(50))), max_folders=10)
    assert found[0] == "https://a.example  50 pages"
    assert len(found) <= 11


@given(st.lists(st.text(max_size=30)))
def test_any_text_is_counted(texts: list[str]) -> None:
    tree = PathTree(3)
    for text in texts:
        tree.add(text, is_refused=True)
    found = list(tree_lines(tree))
    assert len(found) == (1 if texts else 0)
