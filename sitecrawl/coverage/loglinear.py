"""The log-linear model of capture and recapture, for several parts of a site at once.

The number of pages of a part that are known to exactly a set of sources is a Poisson count::

    log(expected) = unseen + reach of each of these sources + dependence of each pair of them

``unseen`` is the logarithm of the number of pages that no source knows. With two independent
sources this is the estimate of Lincoln and Petersen.

* Reach differs from part to part, around that of the whole site. So a part that only one source
  knows has an estimate as well, with a wide interval.
* Dependence is the same in all parts. Three sources show some of it; two show none, and then it is
  as uncertain as ``DEPENDENCE_DEVIATION``. Priors express this uncertainty: choosing one model, by
  AIC for example, would hide it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# All on the scale of logarithms; docs/coverage.md shows on which sites they hold.
# The prior for 95 % of all pairs of sources: being in one changes the odds of being in the other by
# a factor between 0.14 and 7.
DEPENDENCE_DEVIATION: Final = 1.0
REACH_DEVIATION: Final = 1.0
_REACH_OF_SITE_DEVIATION: Final = 20.0
_SIZE_DEVIATION: Final = 50.0
_MAX_STEPS: Final = 200
_LONGEST_STEP: Final = 2.0
_SMALLEST_STEP: Final = 1e-9
_HIGHEST: Final = 30.0  # of a logarithm: nothing here has more than 10,000,000,000,000 pages


@dataclass(frozen=True, slots=True)
class UnseenModel:
    """The logarithms of the unseen pages of each part: mean and covariance."""

    mean: Floats
    covariance: Floats


def fit_unseen(counts: Floats) -> UnseenModel:
    """Fit the model to *counts*: a row for each part, a column for each mask but 0.

    Column ``m - 1`` has the pages that exactly the sources of the bits of ``m`` know.
    """
    parts, cells = counts.shape
    sources = cells.bit_length()
    design = _design(parts, sources)
    precision = _precision(parts, sources)
    # Evans and Bonett, 1994: an empty cell is no certainty, and small numbers are not biased.
    observed = (counts + 0.5 ** (sources - 1)).ravel()
    coefficients = np.zeros(design.shape[1])
    coefficients[:parts] = np.log(counts.sum(axis=1) / cells + 1.0)
    for _ in range(_MAX_STEPS):
        expected = np.exp(np.minimum(design @ coefficients, _HIGHEST))
        gradient = design.T @ (observed - expected) - precision * coefficients
        hessian = (design.T * expected) @ design + np.diag(precision)
        step = np.linalg.solve(hessian, gradient)
        largest = float(np.abs(step).max())
        # Far from the solution a whole step overshoots.
        coefficients += step * min(1.0, _LONGEST_STEP / max(largest, _LONGEST_STEP))
        if largest < _SMALLEST_STEP:
            break
    expected = np.exp(np.minimum(design @ coefficients, _HIGHEST))
    hessian = (design.T * expected) @ design + np.diag(precision)
    covariance = np.asarray(np.linalg.inv(hessian), np.float64)
    return UnseenModel(coefficients[:parts], covariance[:parts, :parts])


def _design(parts: int, sources: int) -> Floats:
    """Columns: unseen by part, reach by source, its deviation by part, dependence by pair."""
    masks = range(1, 1 << sources)
    reach = np.array([[mask >> bit & 1 for bit in range(sources)] for mask in masks], float)
    pairs = list(combinations(range(sources), 2))
    dependence = np.array([[row[a] * row[b] for a, b in pairs] for row in reach], float)
    dependence = dependence.reshape(len(reach), len(pairs))
    here = np.eye(parts)
    every = np.ones((parts, 1))
    return np.hstack(
        [
            np.kron(here, np.ones((len(reach), 1))),
            np.kron(every, reach),
            np.kron(here, reach),
            np.kron(every, dependence),
        ]
    )


def _precision(parts: int, sources: int) -> Floats:
    """Of the priors, all of which are centred at 0."""
    sizes = (parts, sources, parts * sources, sources * (sources - 1) // 2)
    deviations = (
        _SIZE_DEVIATION,
        _REACH_OF_SITE_DEVIATION,
        REACH_DEVIATION,
        DEPENDENCE_DEVIATION,
    )
    return np.repeat(1.0 / np.square(deviations), sizes)
