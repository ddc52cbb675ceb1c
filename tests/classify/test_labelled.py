"""How often the classifier agrees with a person; docs/classification.md states these figures."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.classify.labelled import Labelled, labelled_pages
from tests.site.project import ROOT

_PAGES = labelled_pages()
_SEEN = [page for page in _PAGES if not page.is_held_out]
_HELD_OUT = [page for page in _PAGES if page.is_held_out]


def _share(pages: list[Labelled], what: str) -> float:
    return sum(page.is_right(what) for page in pages) / len(pages)


def test_the_table_is_large_and_varied() -> None:
    assert len(_PAGES) >= 300
    assert len({page.url for page in _PAGES}) == len(_PAGES)
    assert len({page.url.split("/")[2] for page in _PAGES}) >= 30
    assert len(_HELD_OUT) >= len(_PAGES) / 4
    # Every type is there more than once, so that none is judged by luck.
    assert min(Counter(page.page_type for page in _PAGES).values()) > 1


@pytest.mark.parametrize("pages", [_SEEN, _HELD_OUT], ids=["seen", "held-out"])
@pytest.mark.parametrize(
    ("what", "least"), [("category", 0.95), ("type", 0.88), ("language", 0.98)]
)
def test_it_agrees_with_the_labels(pages: list[Labelled], what: str, least: float) -> None:
    assert _share(pages, what) >= least


def test_the_figures_in_the_documentation_are_these() -> None:
    text = (ROOT / "docs" / "classification.md").read_text(encoding="utf-8")
    for name, pages in (("looked at", _SEEN), ("held out", _HELD_OUT), ("all", _PAGES)):
        shares = [f"{_share(pages, what):.1%}" for what in ("category", "type", "language")]
        assert f"| {name} | {len(pages)} | {' | '.join(shares)} |" in text


def test_what_is_found_has_a_reason() -> None:
    assert all(page.found.reason for page in _PAGES)
