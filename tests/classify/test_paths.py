from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.paths import path_depths, section
from sitecrawl.urls.canonical import canonicalize
from sitecrawl.urls.plain import shared_origin
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
    assert path_depths([_ORIGIN + path]) == [depth]


def test_depths_of_a_batch_do_not_disturb_each_other() -> None:
    urls = ["https://a.example/x", "mailto:joe", "", "https://a.example/x/y?z", "//"]
    assert path_depths(urls) == [1, 0, 0, 2, 0]
    assert path_depths([]) == []


@given(st.lists(st.sampled_from(["", "a", "a/", "a//", "a/b/c", "?/x", "a/?/x/", "#/", "a#b"])))
def test_depths_are_the_same_when_the_origin_is_known(paths: list[str]) -> None:
    urls = [f"{_ORIGIN}/{path}" for path in paths]
    assert path_depths(urls, shared_origin(urls)) == [path_depths([url])[0] for url in urls]


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


@given(st.lists(st.text() | nasty_urls(), max_size=5))
def test_no_text_does_harm(urls: list[str]) -> None:
    depths = path_depths(urls)
    assert len(depths) == len(urls)
    assert all(depth >= 0 for depth in depths)
    assert all(section(url)[:1] in {"", "/"} for url in urls)


@given(nasty_urls())
def test_depth_of_a_page_is_that_of_its_segments(url: str) -> None:
    canonical = canonicalize(url, "https://a.example/b/")
    if canonical is None:
        return
    path = canonical.split("?")[0].split("#")[0].split("/", 3)[3]
    segments = path.removesuffix("/").split("/") if path else []
    assert path_depths([canonical]) == [len(segments)]
    assert section(canonical) == ("/" + segments[0] if "/" in path else "")
