from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.paths import path_depth, section
from sitecrawl.urls.canonical import canonicalize
from tests.urls.nasty import nasty_urls

_ORIGIN = "https://a.example"


@pytest.mark.parametrize(
    ("path", "depth"),
    [
        ("/", 0),
        ("/a", 1),
        ("/a/", 1),
        ("/a/b.html", 2),
        ("/a/b/c/", 3),
        ("/?q=/x/y", 0),
        ("/a?q=/x/y", 1),
        ("/a/?q=/", 1),
        ("/#/x/y", 0),
        ("/a#!/x", 1),
        ("/a/b?x#/y?z", 2),
    ],
)
def test_depth_counts_the_segments_of_the_path(path: str, depth: int) -> None:
    assert path_depth(_ORIGIN + path) == depth


@pytest.mark.parametrize("text", ["mailto:joe", "", "//"])
def test_what_is_no_address_has_no_depth(text: str) -> None:
    assert path_depth(text) == 0


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", ""),
        ("/about", ""),
        ("/about?x=/y/", ""),
        ("/about#/x/", ""),
        ("/?a=/b/c", ""),
        ("/blog/", "/blog"),
        ("/blog/a", "/blog"),
        ("/blog/a/b?c=/d", "/blog"),
        ("/Blog/a", "/Blog"),
        ("/%C3%BCber/a", "/%C3%BCber"),
    ],
)
def test_section_is_the_first_segment_of_what_lies_below_it(path: str, expected: str) -> None:
    assert section(_ORIGIN + path) == expected


@given(st.text() | nasty_urls())
def test_no_text_does_harm(text: str) -> None:
    assert path_depth(text) >= 0
    assert section(text)[:1] in {"", "/"}


@given(nasty_urls())
def test_depth_of_a_page_is_that_of_its_segments(url: str) -> None:
    canonical = canonicalize(url, "https://a.example/b/")
    if canonical is None:
        return
    path = canonical.split("?")[0].split("#")[0].split("/", 3)[3]
    segments = path.removesuffix("/").split("/") if path else []
    assert path_depth(canonical) == len(segments)
    assert section(canonical) == ("/" + segments[0] if "/" in path else "")
