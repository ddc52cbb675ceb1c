"""Pages by meaning: alike, competing, in topics, on a map; on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.dive.topics import list_competing, renew_topics, similar_pages, topic_map
from sitecrawl.errors import NotFoundError
from sitecrawl.report.gather import gather_report
from sitecrawl.store.queries.scans import latest_scan
from tests.store.scanning import SITE, page_id

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from tests.dive.conftest import Searchable


def _page(title: str, text: str) -> str:
    html = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>"
    return f"{html}<p>{text}</p></main></body></html>"


PAGES = {
    "/bread": _page("Bread with rye", "Mix rye flour with water and yeast, and bake the dough."),
    "/rolls": _page("Baking rolls", "Form small rolls of wheat dough and bake them in the oven."),
    "/cake": _page("Apple cake", "Put apples on the dough and bake the cake for an hour."),
    "/cake-2": _page("Cake of apples: apple cake", "Bake a cake with sliced apples on its dough."),
    "/mooring": _page("Mooring a boat", "Tie the boat to the pier with two lines and a fender."),
    "/knots": _page("Knots", "The bowline is a knot that sailors use to tie a boat to a ring."),
    "/sails": _page("Sails", "Set the sails before the boat leaves the harbour in the wind."),
    "/anchor": _page("Anchors", "An anchor holds the boat if its chain is long enough."),
}


def _url(path: str) -> str:
    return f"https://{SITE}{path}"


def test_pages_fall_into_topics_that_are_named_by_their_terms(
    database: Database, searchable: Searchable
) -> None:
    site = searchable(PAGES)
    renew_topics(database, site)
    renew_topics(database, site)  # What is there is replaced.
    found = topic_map(database, site)
    names = {topic.id: topic.name for topic in found.topics}
    assert sorted(topic.pages for topic in found.topics) == [4, 4]
    topics = {page.url: names[page.topic_id] for page in found.pages}
    for path, term in (("/bread", "bake"), ("/cake-2", "bake"), ("/knots", "boat")):
        assert term in topics[_url(path)].split(", ")
    assert len(set(topics.values())) == 2
    xs, ys = zip(*((page.x, page.y) for page in found.pages), strict=True)
    assert (min(xs), max(xs), min(ys), max(ys)) == pytest.approx((0, 1, 0, 1))
    # What is alike stands together.
    spots = {page.url: page.x for page in found.pages}
    baking = [spots[_url(path)] for path in ("/bread", "/rolls", "/cake", "/cake-2")]
    boats = [spots[_url(path)] for path in ("/mooring", "/knots", "/sails", "/anchor")]
    assert max(baking) < min(boats) or max(boats) < min(baking)


def test_pages_that_say_the_same_under_one_title_compete(
    database: Database, searchable: Searchable
) -> None:
    site = searchable(PAGES)
    renew_topics(database, site)
    [pair] = list_competing(database, site)
    assert {pair.url, pair.other} == {_url("/cake"), _url("/cake-2")}
    assert (pair.words, pair.cosine > 0.75) == ("apple cake", True)
    scan = latest_scan(database, site.id)
    assert scan is not None
    report = gather_report(database, scan)
    [finding] = [each for each in report["findings"] if each["kind"] == "competing_pages"]
    assert (finding["count"], finding["items"][0]["url"]) == (1, pair.url)
    assert sum(len(topic["points"]) for topic in report["topics"]) == len(PAGES)


def test_similar_pages_are_found(database: Database, searchable: Searchable) -> None:
    site = searchable(PAGES)
    first, *others = similar_pages(database, site, page_id(_url("/cake")), limit=3)
    assert first.url == _url("/cake-2")
    assert [each.cosine for each in others] == sorted(
        (each.cosine for each in others), reverse=True
    )
    assert len(others) == 2
    with pytest.raises(NotFoundError, match="has read page 77"):
        similar_pages(database, site, 77)


def test_too_few_pages_have_no_topics(database: Database, searchable: Searchable) -> None:
    site = searchable({"/bread": PAGES["/bread"]})
    renew_topics(database, site)
    assert topic_map(database, site).topics == []
    assert similar_pages(database, site, page_id(_url("/bread"))) == []
