from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecrawl.robots.paths import path_lines, path_of

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
