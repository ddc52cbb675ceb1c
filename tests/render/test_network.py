"""What is shown to the browser of a response, and which resources are kept for the next page."""

from __future__ import annotations

import asyncio

import pytest
from scrapy.http import Response

from sitecrawl.render.network import ResourceCache, shown_headers

URL = "https://a.example/app.js"


def response(url: str = URL, body: bytes = b"x", **headers: str | list[str]) -> Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(url, headers=named, body=body)


def asked_for(cache: ResourceCache, *responses: Response) -> list[str]:
    """Which of them the cache had to fetch, in this order."""
    fetched = []

    async def ask() -> None:
        for each in responses:

            async def fetch(each: Response = each) -> Response:
                fetched.append(each.url)
                return each

            assert await cache.get(each.url, fetch) is not None

    asyncio.run(ask())
    return fetched


def test_headers_of_the_transfer_are_not_shown() -> None:
    shown = shown_headers(
        response(
            Content_Type="text/html",
            Content_Encoding="gzip",
            Content_Length="7",
            Transfer_Encoding="chunked",
        )
    )
    assert shown == {"content-type": "text/html"}


def test_headers_that_come_twice_are_both_shown() -> None:
    shown = shown_headers(response(Set_Cookie=["a=1", "b=2"], Vary=["A", "B"]))
    assert shown == {"set-cookie": "a=1\nb=2", "vary": "A, B"}


def test_a_resource_serves_the_next_page() -> None:
    other = response(URL + "?2")
    assert asked_for(ResourceCache(), response(), response(), other, response()) == [URL, other.url]


@pytest.mark.parametrize(
    "unwanted",
    [response(Cache_Control="private, No-Store"), response(body=b"x" * 8_000_001)],
    ids=["not to be kept", "too large"],
)
def test_some_are_not_kept(unwanted: Response) -> None:
    assert asked_for(ResourceCache(), unwanted, unwanted) == [URL, URL]


def test_a_full_cache_drops_the_oldest() -> None:
    large = [response(f"{URL}?{number}", b"x" * 8_000_000) for number in range(9)]
    cache = ResourceCache()
    asked_for(cache, *large)
    assert asked_for(cache, large[8], large[1]) == []
    assert asked_for(cache, large[0]) == [large[0].url]


def test_pages_that_ask_at_once_share_one_request() -> None:
    fetches = 0

    async def ask() -> list[Response | None]:
        cache = ResourceCache()

        async def fetch() -> Response:
            nonlocal fetches
            fetches += 1
            await asyncio.sleep(0)
            return response()

        first = asyncio.ensure_future(cache.get(URL, fetch))
        others = [asyncio.ensure_future(cache.get(URL, fetch)) for _ in range(2)]
        await asyncio.sleep(0)
        # The page that asked first is closed.
        first.cancel()
        return await asyncio.gather(*others)

    assert None not in asyncio.run(ask())
    assert fetches == 1
