from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from sitecrawl.html.links import LinkSource, PageLimits, Region

PAGE = Path(__file__).parents[2] / "docs" / "links.md"


@pytest.mark.parametrize("word", [*LinkSource, *Region])
def test_every_word_is_explained(word: str) -> None:
    assert f"`{word}`" in PAGE.read_text(encoding="utf-8")


def test_every_limit_is_positive() -> None:
    assert all(getattr(PageLimits(), limit.name) > 0 for limit in fields(PageLimits))
