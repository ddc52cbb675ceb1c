from __future__ import annotations

from itertools import combinations, product

import pytest

from sitecrawl.urls.choices import _MAX_VALUES, Choices

Parameters = list[tuple[str, str]]


def filters(names: str, values: str) -> list[Parameters]:
    """Every choice of two or more of the filters, the simple ones first."""
    return [
        list(zip(chosen, picked, strict=True))
        for count in range(2, len(names) + 1)
        for chosen in combinations(names, count)
        for picked in product(values, repeat=count)
    ]


def noticed_after(urls: list[Parameters]) -> int | None:
    choices = Choices()
    for count, parameters in enumerate(urls, 1):
        choices.add(parameters)
        if choices.are_combined:
            return count
    return None


@pytest.mark.parametrize(
    ("names", "values"), [("abcdef", "12345"), ("abcd", "1234"), ("abc", "12345678")]
)
def test_filters_are_noticed_early(names: str, values: str) -> None:
    urls = filters(names, values)
    noticed = noticed_after(urls)
    assert noticed is not None
    assert noticed <= min(len(urls) / 2, 10 * len(names) * len(values))


@pytest.mark.parametrize(
    "urls",
    [
        [[("f", str(n % 9)), ("t", str(n))] for n in range(3_000)],
        [
            [("t", str(n)), *extra]
            for n in range(500)
            for extra in (
                [("f", "1")],
                [("start", "20")],
                [("view", "next")],
                [("f", "1"), ("start", "20")],
                [("f", "1"), ("view", "next")],
            )
        ],
        [[("chapter", str(a)), ("verse", str(b))] for a in range(50) for b in range(50)],
        [
            [("album", str(a)), ("photo", str(b)), ("size", s)]
            for a in range(50)
            for b in range(20)
            for s in "ml"
        ],
    ],
    ids=["topics", "topics and their views", "two numbers that belong together", "sizes of photos"],
)
def test_parameters_that_choose_a_page_are_no_filters(urls: list[Parameters]) -> None:
    assert noticed_after(urls) is None


def test_more_values_than_a_list_has_filters_are_pages() -> None:
    many = [[("id", str(n)), ("x", "1")] for n in range(_MAX_VALUES + 1)]
    assert noticed_after(many + filters("abcdef", "12345")) is None


def test_what_was_noticed_stays() -> None:
    choices = Choices()
    for parameters in filters("abcd", "1234"):
        choices.add(parameters)
    assert choices.are_combined
    for number in range(1_000):
        choices.add([("a", f"x{number}"), ("b", f"y{number}")])
    assert choices.are_combined
