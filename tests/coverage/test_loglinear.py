"""The model of what no source knows."""

from __future__ import annotations

import numpy as np
import pytest

from sitecrawl.coverage.loglinear import fit_unseen


def unseen(*parts: list[int]) -> list[float]:
    return [float(each) for each in np.exp(fit_unseen(np.array(parts, float)).mean)]


@pytest.mark.parametrize(
    ("first_only", "second_only", "both"),
    [(40, 60, 400), (300, 20, 700), (150, 900, 450), (5, 2_000, 3_000)],
)
def test_two_sources_give_the_estimate_of_chapman(
    first_only: int, second_only: int, both: int
) -> None:
    chapman = first_only * second_only / (both + 1)
    assert unseen([first_only, second_only, both])[0] == pytest.approx(chapman, rel=0.15, abs=0.5)


def independent(pages: int, *reaches: float) -> list[int]:
    """What sources of these reaches know of so many pages, if they know nothing of each other."""
    masks = range(1, 1 << len(reaches))
    return [
        round(pages * np.prod([p if mask >> bit & 1 else 1 - p for bit, p in enumerate(reaches)]))
        for mask in masks
    ]


def test_independent_sources_find_what_is_missing() -> None:
    assert unseen(independent(10_000, 0.8, 0.7, 0.3))[0] == pytest.approx(420, rel=0.1)


def test_a_third_source_shows_that_two_depend_on_each_other() -> None:
    # Of what the third knows, the first two miss the same pages: four times the odds.
    with_third = np.array([300, 300, 1_500, 375], float)
    counts = [300, 300, 1_500, 375, 300, 300, 1_500]
    assert with_third[0] * with_third[1] / with_third[2] == 60
    assert unseen(counts)[0] > 150


def test_a_part_that_one_source_knows_is_measured_by_the_rest() -> None:
    known_by_links, whole = [0, 1_000, 0], [50, 450, 4_500]
    alone, _ = unseen(known_by_links, whole)
    # Elsewhere links miss 1 %.
    assert 2 < alone < 60
    model = fit_unseen(np.array([known_by_links, whole], float))
    assert model.covariance[0, 0] > 2 * model.covariance[1, 1]


def test_empty_cells_are_no_certainty() -> None:
    model = fit_unseen(np.array([[0, 0, 30]], float))
    assert np.isfinite(model.mean).all()
    assert 0 < np.exp(model.mean[0]) < 1
    assert model.covariance[0, 0] > 1


def test_more_pages_make_it_more_certain() -> None:
    small = fit_unseen(np.array([[10, 10, 80]], float)).covariance[0, 0]
    large = fit_unseen(np.array([[1_000, 1_000, 8_000]], float)).covariance[0, 0]
    assert large < small
    # What sources have in common by habit stays unknown, however many pages there are.
    assert large > 0.5
