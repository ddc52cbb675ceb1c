"""What is shown to the browser of an answer, and what is kept for the next page."""

from __future__ import annotations

import pytest

from sitecrawl.render.siteanswers import ResourceShelf, SiteAnswer

URL = "https://a.example/app.js"


def answer(url: str = URL, *headers: tuple[str, str], body: bytes = b"x") -> SiteAnswer:
    return SiteAnswer(url, 200, headers, body)


def test_what_was_true_of_the_transfer_is_not_shown() -> None:
    shown = answer(
        URL,
        ("Content-Type", "text/html"),
        ("Content-Encoding", "gzip"),
        ("Content-Length", "7"),
        ("Transfer-Encoding", "chunked"),
    ).shown_headers()
    assert shown == {"content-type": "text/html"}


def test_headers_that_come_twice_are_both_shown() -> None:
    shown = answer(
        URL, ("Set-Cookie", "a=1"), ("set-cookie", "b=2"), ("Vary", "A"), ("Vary", "B")
    ).shown_headers()
    assert shown == {"set-cookie": "a=1\nb=2", "vary": "A, B"}


def test_a_resource_serves_the_next_page() -> None:
    shelf = ResourceShelf()
    shelf.put(answer())
    assert shelf.get(URL) == answer()
    assert shelf.get(URL + "?2") is None


@pytest.mark.parametrize(
    "unwanted",
    [
        answer(URL, ("Cache-Control", "private, No-Store")),
        answer(body=b"x" * 8_000_001),
    ],
    ids=["not to be kept", "too large"],
)
def test_some_are_not_kept(unwanted: SiteAnswer) -> None:
    shelf = ResourceShelf()
    shelf.put(unwanted)
    assert shelf.get(URL) is None


def test_a_full_shelf_lets_the_oldest_go() -> None:
    shelf = ResourceShelf()
    urls = [f"{URL}?{number}" for number in range(9)]
    for url in urls:
        shelf.put(answer(url, body=b"x" * 8_000_000))
    assert [url for url in urls if shelf.get(url) is None] == urls[:1]
