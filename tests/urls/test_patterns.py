from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.columns import canonicalize_all
from sitecrawl.urls.patterns import url_pattern
from tests.urls.nasty import likely_urls, nasty_urls


def pattern(target: str) -> str:
    return url_pattern(f"https://www.example.com{target}")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        # names
        ("/", "/"),
        ("/about", "/about"),
        ("/about/", "/about"),
        ("/a//b", "/a/b"),
        ("/Wiki/Foo_(bar)", "/Wiki/Foo_(bar)"),
        # numbers
        ("/product/12345", "/product/{n}"),
        ("/item-12.html", "/item-{n}.html"),
        ("/v1.2/guide", "/v{n}.{n}/guide"),
        ("/top-10-tips", "/top-{n}-tips"),
        ("/size/1920x1080", "/size/{n}x{n}"),
        # dates
        ("/calendar/2024/05", "/calendar/{n}/{n}"),
        ("/calendar/2024/05/17", "/calendar/{n}/{n}/{n}"),
        ("/events/2024-05", "/events/{date}"),
        ("/events/2024-05-17", "/events/{date}"),
        ("/events/17.05.2024", "/events/{date}"),
        ("/events/may-2024", "/events/{date}"),
        ("/events/2024-September", "/events/{date}"),
        ("/report20240517.html", "/report{date}.html"),
        ("/id/20249917", "/id/{n}"),
        ("/id/202405171", "/id/{n}"),
        ("/1024-05", "/{n}-{n}"),
        ("/dismay-2024", "/dismay-{n}"),
        # what programs make up
        ("/x/550e8400-e29b-41d4-a716-446655440000", "/x/{id}"),
        ("/x/9F86D081884C7D65", "/x/{id}"),
        ("/commit/a3f9c2e", "/commit/a{n}f{n}c{n}e"),
        ("/commit/a3f9c2e1", "/commit/{id}"),
        ("/watch/dQw4w9WgXcQ", "/watch/{id}"),
        ("/t/aB3-x9_Qz71k", "/t/{id}"),
        ("/doc/my-page-9f86d081884c7d65", "/doc/my-page-{id}"),
        ("/My-Article-2024-Part2", "/My-Article-{n}-Part{n}"),
        # escapes are letters
        ("/%D0%BF%D1%80%D0%B8", "/%D0%BF%D1%80%D0%B8"),
        ("/%E4%B8%AD-7", "/%E4%B8%AD-{n}"),
        # repetitions
        ("/a/b/a/b", "/a/b/{again}"),
        ("/a/b/a/b/a", "/a/b/{again}"),
        ("/a/b/a/b/a/b/c", "/a/b/{again}/c"),
        ("/a/a", "/a/{again}"),
        ("/a/b/a", "/a/b/a"),
        ("/a/a/b/a/a/b", "/a/{again}/b/{again}"),
        ("/level-1/level-2/level-3", "/level-{n}/{again}"),
        ("/2024/05/17/4711", "/{n}/{n}/{n}/{n}"),
        ("/1/2/3/4/5", "/{n}/{again}"),
        # queries
        ("/shop?size=m&color=red", "/shop?color={v}&size={v}"),
        ("/shop?tag=a&tag=b", "/shop?tag={v}"),
        ("/?id=7", "/?id={v}"),
        ("/a?flag", "/a?flag={v}"),
        # routes of the client
        ("/#/users/7", "/#/users/{n}"),
        ("/app?x=1#!/a?b", "/app/#/!/a?b={v}&x={v}"),
    ],
)
def test_pattern(target: str, expected: str) -> None:
    assert pattern(target) == expected


def test_hosts_and_schemes_share_patterns() -> None:
    assert url_pattern("http://blog.example.com:8080/a/1") == url_pattern("https://example.com/a/2")


_WORDS = st.sampled_from(["a", "bc", "news", "x-y"])


@given(
    st.lists(_WORDS, max_size=2, unique=True).map(lambda words: [f"p{word}" for word in words]),
    st.lists(_WORDS, min_size=1, max_size=3, unique=True),
    st.integers(2, 6),
    st.integers(0, 2),
)
def test_the_number_of_rounds_does_not_matter(
    before: list[str], group: list[str], rounds: int, more: int
) -> None:
    path = [*before, *group * rounds, *group[:more]]
    once = [*before, *group * 2]
    assert pattern("/" + "/".join(path)) == pattern("/" + "/".join(once))


@given(
    st.lists(st.integers(0, 10**8), min_size=1, max_size=3),
    st.lists(st.integers(0, 10**8), min_size=1, max_size=3),
)
def test_numbers_do_not_matter(some: list[int], others: list[int]) -> None:
    count = min(len(some), len(others))
    first, second = (
        "/".join(f"item{number:05}x" for number in numbers[:count]) for numbers in (some, others)
    )
    assert pattern(f"/list/{first}") == pattern(f"/list/{second}")


@settings(max_examples=150)
@given(st.lists(nasty_urls() | likely_urls(), max_size=10))
def test_any_url_has_a_short_pattern(urls: list[str]) -> None:
    for url in filter(None, canonicalize_all(urls)):
        found = url_pattern(url)
        assert found.startswith("/")
        assert len(found) <= 900


@pytest.mark.parametrize(
    "target",
    [
        *("/" + "a/" * 1_000, "/" + "a/b/" * 500, "/?" + "a=1&" * 2_000, "/" + "1" * 16_000),
        *("/" + "1-" * 8_000, "/" + "2024-" * 3_000, "/" + "a1" * 8_000, "/" + "%C3" * 5_000),
    ],
    ids=lambda target: target[:10],
)
def test_hostile_urls_cost_little(target: str) -> None:
    started = time.process_time()
    assert len(pattern(target)) <= 900
    assert time.process_time() - started < 1
