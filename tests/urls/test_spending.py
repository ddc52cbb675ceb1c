from __future__ import annotations

import pytest

from sitecrawl.urls.choices import Choices
from sitecrawl.urls.places import Shape, place_of
from sitecrawl.urls.spending import TERMS, UNLIMITED, Spending

ADDRESSES = {
    Shape.PAGES: "/about",
    Shape.NUMBERED: "/item/1",
    Shape.DATED: "/cal/2024/05",
    Shape.LISTING: "/list?page=2",
    Shape.PARAMETER: "/index.php?id=2",
    Shape.COMBINATION: "/shop?a=1&b=2",
    Shape.TOKEN: "/go/9f86d081884c7d65",
    Shape.LOOP: "/a/b/a",
}


def spending(shape: Shape, pages: int = 10) -> Spending:
    place = place_of(f"https://example.com{ADDRESSES[shape]}")
    assert place.shape is shape
    return Spending(place, number=0, pages=pages, growth=4)


def spend(budget: Spending, *, productive: int = 0, others: int = 0, waiting: int = 0) -> int:
    """Visit these one after another, let those wait, and say how many more are trusted."""
    for is_productive in [True] * productive + [False] * others:
        budget.admitted += 1
        budget.record(is_productive=is_productive)
    budget.admitted += waiting
    return budget.trust()


def test_every_shape_has_its_terms() -> None:
    assert TERMS.keys() == set(Shape) == ADDRESSES.keys()


@pytest.mark.parametrize("shape", Shape)
def test_a_pattern_that_brings_nothing_is_given_up(shape: Shape) -> None:
    budget = spending(shape)
    assert spend(budget, others=9) > 0
    assert spend(budget, others=1) == 0
    assert budget.brings_little


@pytest.mark.parametrize("shape", Shape)
def test_a_pattern_that_brought_much_is_given_up_as_soon(shape: Shape) -> None:
    budget = spending(shape)
    assert spend(budget, productive=1_000) > 0
    assert not budget.brings_little
    assert spend(budget, others=10) == 0
    assert budget.brings_little


@pytest.mark.parametrize("shape", Shape)
def test_no_limit_is_no_limit(shape: Shape) -> None:
    assert spend(spending(shape, pages=0), others=1_000, waiting=1_000) == UNLIMITED


@pytest.mark.parametrize(
    ("shape", "is_enough"), [(Shape.NUMBERED, True), (Shape.TOKEN, True), (Shape.DATED, False)]
)
def test_one_productive_visit_makes_up_for_several_others(shape: Shape, is_enough: bool) -> None:
    budget = spending(shape)
    for _ in range(20):
        spend(budget, productive=1, others=4)
    assert (budget.trust() > 0) is is_enough


@pytest.mark.parametrize(
    ("shape", "trust"),
    [(Shape.PAGES, UNLIMITED), (Shape.NUMBERED, 10 + 4 * 5), (Shape.DATED, 10), (Shape.TOKEN, 10)],
)
def test_how_many_may_wait(shape: Shape, trust: int) -> None:
    budget = spending(shape)
    assert spend(budget, productive=5) == trust
    if trust < UNLIMITED:
        assert spend(budget, waiting=7) == trust - 7
        assert spend(budget, others=2) == trust - 9


def test_filters_do_not_grow_with_what_they_bring() -> None:
    budget = spending(Shape.COMBINATION)
    budget.choices = Choices()
    assert spend(budget, productive=5) == 30
    budget.choices.are_combined = True
    assert budget.trust() == 10


def test_a_visit_that_nobody_admitted_does_no_harm() -> None:
    budget = spending(Shape.NUMBERED)
    budget.record(is_productive=False)
    assert budget.trust() == 9
