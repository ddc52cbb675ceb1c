from __future__ import annotations

import pytest

from sitecrawl.parse.links import places
from tests.parse.links.reading import read, regions


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> places._KeptPlaces:
    """An empty memory of places, instead of what other tests have filled."""
    memory = places._KeptPlaces()
    monkeypatch.setattr(places, "_kept", memory)
    return memory


def test_places_of_a_page_serve_the_next_one(kept: places._KeptPlaces) -> None:
    html = "<nav><ul class=menu>" + "<li><a href=/a>a</a></li>" * 50
    read(html)
    number = kept._number
    assert number == len(["html", "body", "nav", "ul", "li"])
    read(html)
    assert kept._number == number


def test_there_are_never_many_more_than_the_limit(
    kept: places._KeptPlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "_MAX_KEPT_PLACES", 20)
    for page in range(30):
        html = f"<nav id=menu-{page}><p class=x-{page}><a href=/{page}>a</a>"
        assert regions(html) == {f"/{page}": "navigation"}
        assert kept._number <= 25


def test_huge_names_are_not_kept(kept: places._KeptPlaces) -> None:
    read("<p><a href=/a>")
    number = kept._number
    read(f"<nav class='{'x' * 5_000}'><a href=/a>")
    assert kept._number == number


def test_many_names_are_not_kept(kept: places._KeptPlaces) -> None:
    page = read("".join(f"<x-{number} data-href=/a></x-{number}>" for number in range(99)))
    assert page.links.paths == ["body > x-0"]
    place = kept.root(200)
    for name in ("html", "body"):
        place = place.inner[name]
    assert len(place.links) == 20
    (path,) = read(f"<{'x' * 999} data-href=/a>").links.paths
    assert path == f"body > {'x' * 40}"
