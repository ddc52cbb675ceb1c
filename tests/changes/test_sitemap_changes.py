from __future__ import annotations

import pytest

from sitecrawl.changes.sitemap_changes import MapHealth, MapState, compare_maps

URL = "https://example.com/a.xml"


def state(health: MapHealth = MapHealth.READ, entries: int = 10, foreign: int = 0) -> MapState:
    status = 404 if health is MapHealth.NOT_FOUND else 200
    return MapState(1, URL, health, entries, status, "HTML", foreign)


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        (None, state(), ["added"]),
        (None, state(MapHealth.NOT_FOUND, 0), []),
        (state(), None, ["gone"]),
        (state(), state(), []),
        (state(), state(MapHealth.EMPTY, 0), ["empty"]),
        (state(), state(MapHealth.NOT_FOUND, 0), ["not_found"]),
        (state(), state(MapHealth.NOT_A_SITEMAP, 0), ["not_a_sitemap"]),
        (state(), state(MapHealth.UNREACHABLE, 0), ["unreachable"]),
        (state(), state(MapHealth.CUT, 5), ["cut"]),
        (state(), state(MapHealth.LIMITED, 5), ["limited"]),
        (state(), state(foreign=9), ["other_hosts"]),
        (state(foreign=9), state(foreign=9), []),
        # one trouble after the other is still the same one
        (state(MapHealth.EMPTY, 0), state(MapHealth.UNREACHABLE, 0), []),
        (state(MapHealth.EMPTY, 0), state(), ["readable_again"]),
    ],
)
def test_what_happened_to_a_sitemap(
    before: MapState | None, after: MapState | None, kinds: list[str]
) -> None:
    assert [each.kind.value for each in compare_maps(before, after)] == kinds


def test_words() -> None:
    [found] = compare_maps(state(), state(MapHealth.EMPTY, 0))
    assert found.words == f"{URL} is empty; it had 10 entries"
    [found] = compare_maps(state(), state(MapHealth.NOT_FOUND, 0))
    assert found.words == f"{URL} answers 404"
