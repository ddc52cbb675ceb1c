from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecrawl.robots.patterns import parse_patterns, path_lines, path_of


def pieces(value: str, *, is_allow: bool = False) -> list[tuple[tuple[str, ...], bool]]:
    patterns = parse_patterns(value.encode(), is_allow=is_allow)
    return [(each.pieces, each.is_anchored) for each in patterns]


@pytest.mark.parametrize(
    ("value", "expected", "is_anchored"),
    [
        ("/a", ("/a",), False),
        ("/a$", ("/a",), True),
        ("/a$b", ("/a$b",), False),
        ("/a$$", ("/a$",), True),
        ("/a*b", ("/a", "b"), False),
        ("/a**b*$", ("/a", "b"), False),
        ("/a*", ("/a",), False),
        ("/a*$", ("/a",), False),
        ("*a", ("", "a"), False),
        ("*", ("",), False),
        ("*$", ("",), False),
        ("/*a$", ("/", "a"), True),
        ("/%2A%24", ("/*$",), False),
        ("/a%2a*b%24", ("/a*", "b$"), False),
        ("/café %C3%A9", ("/caf%C3%A9%20%C3%A9",), False),
    ],
)
def test_pieces(value: str, expected: tuple[str, ...], is_anchored: bool) -> None:
    assert pieces(value) == [(expected, is_anchored)]


@pytest.mark.parametrize("value", ["a", "a*", "https://shop.example/a", "$", "?a"])
def test_what_no_path_matches(value: str) -> None:
    assert pieces(value) == []


@pytest.mark.parametrize(
    ("value", "octets"),
    [("/", 1), ("/a?&", 4), ("/**$", 4), ("/日", 10), ("/%E6%97%A5", 10), ("/%7Ea", 5)],
)
def test_the_length_is_that_of_the_octets_as_written(value: str, octets: int) -> None:
    assert [each.octets for each in parse_patterns(value.encode(), is_allow=False)] == [octets]


@pytest.mark.parametrize(
    ("value", "added"),
    [
        ("/index.html", ("/",)),
        ("/a/index.htm", ("/a/",)),
        ("/a/index.html$", ("/a/",)),
        ("/*/index.html", ("/", "/")),
        ("*/index.htm", ("", "/")),
    ],
)
def test_who_allows_the_page_of_a_directory_allows_the_directory(
    value: str, added: tuple[str, ...]
) -> None:
    assert pieces(value, is_allow=True)[1:] == [(added, True)]
    assert len(pieces(value)) == 1


@pytest.mark.parametrize("value", ["/index.xml", "/index.html/a", "index.html", "/a-index.html"])
def test_other_pages_are_none_of_a_directory(value: str) -> None:
    assert len(pieces(value, is_allow=True)) <= 1


@pytest.mark.parametrize(
    ("value", "queries"),
    [
        ("/a?b=https://c", {"b=https://c", "b=https:%2F%2Fc"}),
        ("/a?b=https%3A%2F%2Fc", {"b=https://c", "b=https:%2F%2Fc"}),
        ("/a?b?/", {"b?/", "b%3F%2F"}),
        ("/a?b%2F/", {"b//", "b%2F/", "b%2F%2F"}),
        ("/a/b%2F?c", {"c"}),
    ],
)
def test_slashes_in_a_query_may_be_written_either_way(value: str, queries: set[str]) -> None:
    assert {each[0].partition("?")[2] for each, _ in pieces(value)} == queries


def test_behind_a_wildcard_the_query_is_known_by_its_mark_only() -> None:
    assert pieces("/*b%2Fc") == [(("/", "b%2Fc"), False)]
    assert pieces("/*?b*/c") == [(("/", "?b", "/c"), False), (("/", "?b", "%2Fc"), False)]


ORIGIN = "https://shop.example"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://shop.example", "/"),
        ("https://shop.example/", "/"),
        ("https://shop.example?a", "/?a"),
        ("https://shop.example#a", "/"),
        ("https://shop.example/a#b?c", "/a"),
        ("https://shop.example:8080/a", "/a"),
        ("https://u:p@shop.example/a?b=https://c.example/d", "/a?b=https://c.example/d"),
        ("//shop.example/a", "/a"),
        ("https://shop.example//a", "//a"),
        ("/a?b", "/a?b"),
        ("a", "/a"),
        ("", "/"),
        ("/%7e%41%2d", "/~A-"),
        ("/%2a%24%3a%3D", "/*$:="),
        ("/%2f%3f%23%25", "/%2F%3F%23%25"),
        ("/%e6%97%a5", "/%E6%97%A5"),
        ("/日", "/%E6%97%A5"),
        ("/%ff%20%0a%7f", "/%FF%20%0A%7F"),
        ("/a b\n\x7f", "/a%20b%0A%7F"),
        ("/100%", "/100%"),
        ("/%zz%4", "/%zz%4"),
        ("/%2541", "/%2541"),
        ("/\ud800", "/%ED%A0%80"),
    ],
)
def test_path_of(url: str, path: str) -> None:
    assert path_of(url) == path


URL = st.builds(
    str.__add__,
    st.sampled_from([ORIGIN, ORIGIN, ORIGIN, ORIGIN + ".evil.example", "http://b.example", ""]),
    st.text(st.sampled_from("/ab?#%2fF41\né $")) | st.text(st.sampled_from("/ab-.?")),
)


@given(st.lists(URL, max_size=6))
@example([f"{ORIGIN}/a", f"{ORIGIN}.evil.example/a"])
@example([f"{ORIGIN}/a", f"{ORIGIN}/a\n{ORIGIN}/b"])
@example([f"{ORIGIN}/a\nb"])
@example([f"{ORIGIN}/%D0%9A", f"{ORIGIN}/%d0%9a", f"{ORIGIN}/%2F%41"])
@example([f"{ORIGIN}/\x7f", f"{ORIGIN}/ "])
def test_a_column_of_paths_is_what_each_of_them_is(urls: list[str]) -> None:
    lines = path_lines(urls)
    assert lines == "".join(f"\n{path_of(url)}" for url in urls) + "\n"
