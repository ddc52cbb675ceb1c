from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from sitecrawl.urls.canonical import canonicalize
from tests.site.sites import trap_site
from tests.site.sites.stockspider import links_of, stock_crawl

if TYPE_CHECKING:
    from tests.site.sites import ModelSite

REAL_PAGES = 67
REQUESTS = 600
ENTRANCES = {
    "loop": "/info/",
    "calendar": "/events/calendar/2026/05",
    "facets": "/shop?colour=red",
    "pagination": "/stories?page=6",
    "tokens": "/go/0",
    "depth": "/browse/wood",
    "sessions": "/help?visit=0",
}


@pytest.fixture(scope="module")
def model() -> ModelSite:
    return trap_site()


def test_a_stock_spider_is_lost_before_it_has_seen_the_pages(model: ModelSite) -> None:
    assert len(model.truth) == REAL_PAGES
    asked = stock_crawl(model, REQUESTS)
    traps = Counter(map(model.trap_of, asked))
    assert len(asked) == REQUESTS
    assert 40 <= traps[None] <= 50, "comparable to what stock spiders reach on such sites"
    assert traps["facets"] > 300


def test_taking_the_newest_first_is_no_better(model: ModelSite) -> None:
    traps = Counter(map(model.trap_of, stock_crawl(model, REQUESTS, newest_first=True)))
    assert traps["loop"] > 500


@pytest.mark.parametrize("trap", ENTRANCES)
def test_a_trap_does_not_end(model: ModelSite, trap: str) -> None:
    reached = {ENTRANCES[trap]}
    waiting = [*reached]
    while waiting and len(reached) < 500:
        links = {link for link in links_of(model, waiting.pop(0)) if model.trap_of(link) == trap}
        waiting += sorted(links - reached)
        reached |= links
    assert len(reached) >= 500


def test_every_kind_of_trap_has_its_limit(model: ModelSite) -> None:
    assert model.most_requests.keys() == {*ENTRANCES, "orderings"}
    assert [model.most_requests[trap] for trap in ("loop", "calendar", "facets")] == [50, 200, 300]


def test_all_real_pages_can_be_reached_within_the_limits(model: ModelSite) -> None:
    spent: Counter[str] = Counter()

    def may_follow(target: str) -> bool:
        trap = model.trap_of(target)
        if trap is not None:
            spent[trap] += 1
        return trap is None or spent[trap] <= model.most_requests[trap]

    asked = set(stock_crawl(model, 5_000, may_follow=may_follow, canonical=canonicalize))
    assert model.truth <= asked


@pytest.mark.parametrize(
    ("target", "trap"),
    [
        ("/info/", "loop"),
        ("/info/map/info/", "loop"),
        ("/events/calendar/2026/05", "calendar"),
        ("/events/calendar/2026/05/17", "calendar"),
        ("/events/calendar/2026/02/30", None),
        ("/events/regatta", None),
        ("/shop", None),
        ("/shop?maker=abel&size=m", "facets"),
        ("/gallery?sort=name", "orderings"),
        ("/stories?page=5", None),
        ("/stories?page=6", "pagination"),
        ("/go/abc", "tokens"),
        ("/browse/wood/ink", "depth"),
        ("/help?visit=abc", "sessions"),
        ("/members;jsessionid=abc", "sessions"),
        ("/members", None),
    ],
)
def test_targets_are_told_apart(model: ModelSite, target: str, trap: str | None) -> None:
    assert model.trap_of(target) == trap
