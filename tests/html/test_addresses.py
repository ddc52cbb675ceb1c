from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.html.addresses import cleaned, handler_targets, looks_like_address, refresh_target


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("location='/a'", ["/a"]),
        ("location.href = '/a'; return false", ["/a"]),
        ('window.location="/a"', ["/a"]),
        ("document.location.href='/a'", ["/a"]),
        ("top.location.assign('/a')", ["/a"]),
        ("location.replace( `/a` )", ["/a"]),
        ("window.open('/a', '_blank')", ["/a"]),
        ("this.$router.push('/a')", ["/a"]),
        ("router.navigate(['/a'])", ["/a"]),
        ("navigateTo('/a')", ["/a"]),
        ("history.pushState({}, '', '/a')", ["/a"]),
        ("if (x) location='/a'; else location='/b'", ["/a", "/b"]),
        ("location='page.html'", ["page.html"]),
        ("if (location == '/a') x()", []),
        ("location='/user/' + id", ["/user/"]),
        ("location=`/user/${id}`", []),
        ("window.open('_blank')", []),
        ("location='#'", []),
        ("mylocation='/a'", []),
        ("alert('/a')", []),
        ("location='/a\n'", []),
    ],
)
def test_handlers(script: str, found: list[str]) -> None:
    assert handler_targets(script) == found


def test_only_the_start_of_a_long_handler_is_read() -> None:
    assert handler_targets(" " * 5_000 + "location='/a'") == []
    assert len(handler_targets("location='/a';" * 100)) == 20


@pytest.mark.parametrize(
    ("text", "is_address"),
    [
        ("/", True),
        ("/a/b?c=d#e", True),
        ("//cdn.example/a", True),
        ("https://shop.example", True),
        ("HTTP://SHOP.EXAMPLE/A", True),
        ("./a", True),
        ("../a", True),
        ("?page=2", True),
        ("a/b.html", True),
        ("a.php?x=1", True),
        ("", False),
        ("a", False),
        ("btn-primary", False),
        ("#top", False),
        ("mailto:a@b.example", False),
        ("/a b", False),
        ("/{id}", False),
        ("/blog/[slug]", False),
        ("/users/:id", False),
        ("/docs/*", False),
        ("<p>/</p>", False),
        ("/" + "x" * 9_000, False),
    ],
)
def test_the_looks_of_an_address(text: str, is_address: bool) -> None:
    assert looks_like_address(text) is is_address


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/a", "/a"),
        ("0; URL = /a ", "/a"),
        ("0;/a", "/a"),
        ("0, url='/a' ", "/a"),
        ('0; url="/a"; x', "/a"),
        ("0; url='/a", "/a"),
        ("1.5; url=/a?url=b", "/a?url=b"),
        (";url=/a", "/a"),
        ("5", ""),
        ("", ""),
        ("0; url=", ""),
        ("0; url=#", ""),
    ],
)
def test_refreshes(content: str, target: str) -> None:
    assert refresh_target(content) == target


@given(st.text(max_size=80))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = cleaned(text)
    assert cleaned(once) == once
    assert "\n" not in once


@pytest.mark.parametrize(
    "hostile",
    [
        "javascript:void" + " " * 50_000 + "x",
        "#" * 50_000,
        "a." * 25_000 + "!",
        "pushState(" * 5_000,
        "0" + " " * 50_000 + "\n;",
        "location=" * 5_000,
    ],
)
def test_no_text_costs_more_than_its_length(hostile: str) -> None:
    cleaned(hostile)
    looks_like_address(hostile)
    assert handler_targets(hostile) == []
    refresh_target(hostile)
