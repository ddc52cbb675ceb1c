"""Links that pages repeat are set aside once all is decided about them."""

from __future__ import annotations

from typing import Any

import pytest

from sitecrawl.html.links import LinkSource, Region
from sitecrawl.items import MentionBatch, MenuItem, Visit
from sitecrawl.pipelines.repeats import RepeatedLinksPipeline
from sitecrawl.pipelines.rows import page_rows
from sitecrawl.urls.refusal import Reason, Refusal
from sitecrawl.urls.scope import Scope

ROOT = "https://example.com/"
SCOPE = Scope.from_urls([ROOT])
VISIT = Visit(2, f"{ROOT}a", clicks=1)
IDS = {"/a": 1, "/b": 2, "/c": 3, "d": 4}


def batch(*locs: str, **columns: Any) -> MentionBatch:
    return MentionBatch(
        **{
            "document": f"{ROOT}a",
            "base": f"{ROOT}a",
            "source": LinkSource.LINK,
            "scope": SCOPE,
            "positions": range(1, len(locs) + 1),
            "locs": list(locs),
            "sources": [LinkSource.LINK] * len(locs),
            "regions": [Region.NAVIGATION] * len(locs),
            "anchors": [loc.upper() for loc in locs],
            "rels": [f"rel {loc}" for loc in locs],
            "paths": [f"nav > {loc}" for loc in locs],
            "visit": VISIT,
            **columns,
        }
    )


def learned(*locs: str, hops: int = 0, **columns: Any) -> RepeatedLinksPipeline:
    pipeline = RepeatedLinksPipeline(hops)
    first = batch(*locs, **columns)
    first.ids = [IDS[loc] for loc in locs]
    pipeline.learn(first, {1, 2, 4})
    return pipeline


def test_where_languages_are_skipped_all_links_of_a_page_are_judged() -> None:
    pipeline = RepeatedLinksPipeline(0, skips_languages=True)
    first = batch("/a", "/b")
    first.ids = [1, 2]
    pipeline.learn(first, {1, 2})
    second = pipeline.process_item(batch("/b", "/x"))
    assert (second.repeats, second.locs) == (None, ["/b", "/x"])


def test_links_to_what_is_in_the_frontier_keep_their_looks_and_places() -> None:
    second = learned("/a", "/b", "/c").process_item(batch("/c", "/b", "/x", "/a"))
    assert second.repeats.ids == [2, 1]
    assert second.repeats.positions == [2, 4]
    assert second.repeats.anchors == ["/B", "/A"]
    assert second.repeats.rels == ["rel /b", "rel /a"]
    assert second.repeats.paths == ["nav > /b", "nav > /a"]
    assert second.repeats.regions == [Region.NAVIGATION] * 2
    assert second.repeats.sources == [LinkSource.LINK] * 2


def test_the_others_go_on() -> None:
    second = batch("/c", "/b", "/x", "/a", languages=["", "en", "de", ""])
    learned("/a", "/b", "/c").process_item(second)
    assert second.locs == ["/c", "/x"]
    assert second.positions == [1, 3]
    assert (second.anchors, second.paths) == (["/C", "/X"], ["nav > /c", "nav > /x"])
    assert second.languages == ["", "de"]


@pytest.mark.parametrize(
    ("reason", "hops", "is_decided"),
    [
        pytest.param(Reason.OFFSITE, 0, True, id="offsite"),
        pytest.param(Reason.OFFSITE, 1, False, id="offsite, which may be followed"),
        pytest.param(Reason.SCHEME_NOT_ALLOWED, 1, True, id="scheme"),
        pytest.param(Reason.SKIPPED_PATH, 0, True, id="path"),
        pytest.param(Reason.SKIPPED_FILE_TYPE, 0, False, id="file, which may be a feed elsewhere"),
        pytest.param(Reason.BLOCKED_BY_ROBOTS, 0, False, id="robots.txt, which may change"),
    ],
)
def test_a_refusal_is_final_if_the_address_alone_decides(
    reason: Reason, hops: int, is_decided: bool
) -> None:
    pipeline = learned("/c", hops=hops, refused={0: Refusal(reason, "rule")})
    assert (pipeline.process_item(batch("/c")).locs == []) is is_decided


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"base": "http://example.com/"}, id="another origin"),
        pytest.param({"scope": Scope.from_urls([f"{ROOT}docs/"])}, id="another scope"),
        pytest.param({"sources": None}, id="no links"),
        pytest.param({"is_rendered": True}, id="of a browser"),
        pytest.param({"menu": [MenuItem("A", 0, 0)]}, id="with the menu"),
    ],
)
def test_what_may_mean_something_else_goes_on(columns: dict[str, Any]) -> None:
    second = learned("/a").process_item(batch("/a", **columns))
    assert (second.locs, second.repeats) == (["/a"], None)


def test_a_relative_address_goes_on() -> None:
    assert learned("d").process_item(batch("d")).locs == ["d"]


def test_what_was_set_aside_is_stored_as_the_repeats_that_were_found_later() -> None:
    second = learned("/a").process_item(batch("/c", "/a", "/b"))
    second.urls, second.ids = [f"{ROOT}c", f"{ROOT}b"], [3, 2]
    second.is_new = [True, False]
    rows = page_rows(second, 7, lambda _judged: None)
    assert (rows.ids, rows.positions) == ([3], [1])
    assert rows.repeats is not None
    assert rows.repeats.links is not None
    assert sorted(zip(rows.repeats.positions, rows.repeats.ids, strict=True)) == [(2, 1), (3, 2)]
    assert sorted(rows.repeats.links.anchors) == ["/A", "/B"]
