"""Lists of pages by the API: filters, orders, cursors, facets, files."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.web.world import World


def get(world: World, path: str, **params: Any) -> Any:
    answer = world.viewer.get(f"/api/sites/{world.site_id}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("sort", ["first_seen", "url", "title", "http_status", "priority"])
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_come_in_any_order_piece_by_piece(shared_world: World, sort: str, order: str) -> None:
    whole = get(shared_world, "pages", sort=sort, order=order)["pages"]
    pieces: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        part = get(shared_world, "pages", sort=sort, order=order, limit=2, **cursor)
        pieces += part["pages"]
        if part["nextCursor"] is None:
            break
        cursor = {"cursor": part["nextCursor"]}
    assert pieces == whole
    assert len(whole) == get(shared_world, "pages/count")["pages"] > 4


def test_filters_facets_and_counts_agree(shared_world: World) -> None:
    every = {"refused": "true"}
    facets = get(shared_world, "pages/facets", **every)["facets"]
    for each in facets["status"]:
        found = get(shared_world, "pages", status=each["value"])["pages"]
        assert len(found) == each["pages"]
    for each in facets["httpStatus"]:
        if each["value"]:
            wanted = {"httpStatus": int(each["value"]), **every}
            assert get(shared_world, "pages/count", **wanted)["pages"] == each["pages"]


def test_a_filter_that_is_not_there_is_told(shared_world: World) -> None:
    path = f"/api/sites/{shared_world.site_id}/pages"
    for wrong, field in (
        ({"colour": "red"}, "colour"),
        ({"sort": "colour"}, "sort"),
        ({"httpStatus": "abc"}, "httpStatus"),
        ({"cursor": "abc"}, "cursor"),
        ({"limit": "0"}, "limit"),
    ):
        answer = shared_world.viewer.get(path, params=wrong)
        assert answer.status_code == 422
        assert answer.json()["field"] == field


def test_what_is_seen_can_be_downloaded(shared_world: World) -> None:
    path = f"/api/sites/{shared_world.site_id}"
    wanted = {"contains": "/blog/"}
    shown = {each["url"] for each in get(shared_world, "pages", **wanted)["pages"]}
    text = shared_world.viewer.get(f"{path}/pages.csv", params=wanted).text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["url"] for row in rows} == shown
    lines = shared_world.viewer.get(f"{path}/pages.jsonl", params=wanted).text.splitlines()
    assert {json.loads(line)["url"] for line in lines} == shown
    starts = {"xlsx": b"PK", "parquet": b"PAR1", "text": b"http", "json": b"["}
    for format_, start in starts.items():
        assert shared_world.viewer.get(f"{path}/pages.{format_}").content.startswith(start)
