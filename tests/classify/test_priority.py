from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.pages import Category
from sitecrawl.classify.priority import (
    PrioritySignals,
    SiteScale,
    freshness,
    month_of,
    priority,
    priority_parts,
)

_SCALE = SiteScale(most_inlinks=100, newest_month="2026-03", has_menu=True, has_priorities=True)
_USUAL = PrioritySignals(Category.PRIMARY, 2, inlinks=5, region="content-link", freshness=0.6)

_signals = st.builds(
    PrioritySignals,
    st.sampled_from(Category),
    st.integers(0, 30),
    st.booleans(),
    st.none() | st.integers(0, 10**6),
    st.sampled_from(["", "navigation", "footer", "elsewhere"]),
    st.none() | st.floats(allow_nan=False),
    st.sampled_from([None, 0.1, 1.0]),
)


@given(_signals, st.sampled_from([_SCALE, SiteScale()]))
def test_it_is_between_0_and_1(signals: PrioritySignals, scale: SiteScale) -> None:
    assert 0 <= priority(signals, scale) <= 1
    assert all(0 <= part.value <= 1 for part in priority_parts(signals, scale))


@pytest.mark.parametrize(
    "better",
    [
        {"depth": 1},
        {"is_structural": True},
        {"inlinks": 50},
        {"region": "navigation"},
        {"sitemap_priority": 1.0},
        {"freshness": 1.0},
    ],
    ids=lambda better: next(iter(better)),
)
def test_more_of_anything_is_more(better: dict[str, object]) -> None:
    worse = _USUAL._replace(sitemap_priority=0.1)
    improved = worse._replace(**better)  # type: ignore[arg-type]
    assert priority(improved, _SCALE) > priority(worse, _SCALE)


def test_utility_pages_matter_least() -> None:
    scores = [priority(_USUAL._replace(category=category), _SCALE) for category in Category]
    assert scores == sorted(scores, reverse=True)


def test_what_is_not_known_does_not_count() -> None:
    bare = PrioritySignals(Category.PRIMARY, 0)
    assert {part.name for part in priority_parts(bare, SiteScale())} == {"category", "depth"}
    assert priority(bare, SiteScale()) == 1.0
    # The same priority for all pages says nothing.
    same = bare._replace(sitemap_priority=0.5)
    assert priority(same, SiteScale()) == 1.0


@pytest.mark.parametrize(
    ("lastmod", "expected"),
    [
        ("2026-03-14", 1.0),
        ("2026-02-01", 1.0),
        ("2025-09-30", 0.8),
        ("2025-08-31", 0.6),
        ("2023-03-01", 0.35),
        ("2023-02-28", 0.1),
        ("2027-01-01", 1.0),
        ("soon", None),
    ],
)
def test_freshness_is_told_from_the_newest_pages(lastmod: str, expected: float | None) -> None:
    assert freshness(lastmod, "2026-03") == expected
    assert freshness(lastmod, "") is None


@pytest.mark.parametrize(
    ("lastmod", "month"),
    [
        ("2026-03-14", "2026-03"),
        ("2026-03", "2026-03"),
        ("2026-13-01", ""),
        ("2026-00-01", ""),
        ("26-03-14", ""),
        ("²026-03-01", ""),
        ("soon", ""),
        ("", ""),
    ],
)
def test_months(lastmod: str, month: str) -> None:
    assert month_of(lastmod) == month
