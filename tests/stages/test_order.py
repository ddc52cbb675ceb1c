"""Pages are stored in the order in which they were named, and nothing waits for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sitecrawl.stages.order import InOrder
from tests.site import Reply
from tests.site.build import page, robots

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult


async def drained(order: InOrder[str]) -> list[str]:
    return [answer async for answer in order.drain()]


def test_answers_come_in_the_order_of_their_announcement() -> None:
    order = InOrder[str]()
    for number in (1, 2, 3):
        order.announce(number)
    order.add(2, "b")
    assert asyncio.run(drained(order)) == []
    order.add(1, "a")
    assert asyncio.run(drained(order)) == ["a", "b"]
    assert len(order) == 1


def test_what_comes_while_answers_are_given_is_given_as_well() -> None:
    order = InOrder[str]()
    for number in (1, 2):
        order.announce(number)
    order.add(1, "a")

    async def run() -> list[str]:
        found = []
        async for answer in order.drain():
            found.append(answer)
            if answer == "a":
                order.add(2, "b")
                assert await drained(order) == [], "only one gets them"
        return found

    assert asyncio.run(run()) == ["a", "b"]


def test_what_never_comes_is_given_up() -> None:
    order = InOrder[str]()
    for number in (1, 2):
        order.announce(number)
    order.add(2, "b")
    assert order.give_up_missing() == 1
    assert asyncio.run(drained(order)) == ["b"]
    assert len(order) == 0


def test_a_page_that_times_out_before_large_ones_does_not_stop_the_scan(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    """All of them are more than SCRAPER_SLOT_MAX_ACTIVE_SIZE, above which the engine waits."""
    large = [f"/large/{number}" for number in range(24)]
    filling = b"<!--" + b"x" * 1_000_000 + b"-->"
    site.routes |= {
        "/robots.txt": robots(),
        "/": page("Home", "/slow", *large),
        "/slow": Reply(delay_seconds=30),
        "/large/*": lambda request: page(request.path) + filling,
    }
    settings = {
        "SITECRAWL_CRAWL": "always",
        "SITECRAWL_SITEMAP_PLACES": "/none.xml",
        "SITECRAWL_SOFT_404": False,
        "SITECRAWL_PAGE_TIMEOUT_SECONDS": 3,
        "RETRY_TIMES": 1,
    }
    done = crawl(site.url, settings=settings, timeout_seconds=100).succeeded()
    assert site.paths().count("/slow") == 2
    visits = "SELECT p.url FROM visits AS v JOIN pages AS p ON p.id = v.page_id ORDER BY v.number"
    assert [url for (url,) in done.query(visits)] == [
        site.at(path) for path in ("/", "/slow", *large)
    ]
    titles = {row["url"]: row["title"] for row in done.rows}
    assert [titles[site.at(path)] for path in large] == large
