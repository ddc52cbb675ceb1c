from __future__ import annotations

import pytest

from sitecrawl.robots.patterns import parse_patterns


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
