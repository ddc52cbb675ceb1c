from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.site import learn_site
from sitecrawl.classify.spotmemory import SpotMemory

if TYPE_CHECKING:
    from sitecrawl.classify.site import LearnedSite

_SECTIONS = ("blog", "shop", "docs")
BATCHES = [
    [f"https://a.example/{section}/some-words-{number}" for number in range(30)]
    for section in _SECTIONS
]


def learned(sample_rows: int = 10_000) -> LearnedSite:
    return learn_site(lambda: map(PageColumns, BATCHES), sample_rows=sample_rows)


@pytest.mark.parametrize("sample_rows", [10_000, 10], ids=["all", "sample"])
def test_what_was_learned_remembers_where_every_page_lies(sample_rows: int) -> None:
    site = learned(sample_rows)
    afresh = PageClassifier(site.model)
    remembered = list(site.spots.recall())
    assert len(remembered) == len(BATCHES)
    for batch, urls in zip(remembered, BATCHES, strict=True):
        assert batch.is_of(urls)
        known = site.classifier.classify(PageColumns(urls), batch.spots())
        read = afresh.classify(PageColumns(urls))
        assert [(each.template, each.clusters, each.priority) for each in known] == [
            (each.template, each.clusters, each.priority) for each in read
        ]


def test_it_can_be_recalled_more_than_once() -> None:
    memory = learned().spots
    first = [batch.spots() for batch in memory.recall()]
    assert first == [batch.spots() for batch in memory.recall()]


@pytest.mark.parametrize(
    "urls",
    [BATCHES[1], BATCHES[0][:-1], [*BATCHES[0], BATCHES[0][-1]]],
    ids=["other", "less", "more"],
)
def test_another_batch_is_not_taken_for_it(urls: list[str]) -> None:
    assert not next(learned().spots.recall()).is_of(urls)


def test_it_remembers_no_more_than_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sitecrawl.classify.spotmemory._MAX_SPOTS", 0)
    memory, spots = SpotMemory(), learned().classifier.spots(BATCHES[0])
    memory.add(BATCHES[0], spots)
    memory.add(BATCHES[1], spots)
    memory.add([], [])
    assert len(list(memory.recall())) == 1
