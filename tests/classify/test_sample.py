from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.sample import PageSample


def sampled(urls: list[str], limit: int, batch: int = 7) -> list[tuple[str, str | None]]:
    """The pages with their titles, in an order that does not depend on how they came."""
    sample = PageSample(limit)
    for start in range(0, len(urls), batch):
        some = urls[start : start + batch]
        # In some batches, no page has a title.
        titles = [f"title of {url}" if len(url) % 2 else None for url in some]
        sample.add(PageColumns(some, titles=titles if any(titles) else None))
    assert len(sample) == sum(len(chunk.urls) for chunk in sample.chunks)
    return sorted(
        (url, title)
        for chunk in sample.chunks
        for url, title in zip(chunk.urls, chunk.titles or [None] * len(chunk.urls), strict=True)
    )


@given(st.integers(0, 200), st.integers(1, 50), st.integers(1, 30), st.integers(0, 99))
def test_it_depends_on_the_pages_alone(pages: int, limit: int, batch: int, seed: int) -> None:
    urls = [f"page {number}" for number in range(pages)]
    shuffled = list(urls)
    Random(seed).shuffle(shuffled)
    assert sampled(urls, limit) == sampled(shuffled, limit, batch)


def test_few_pages_are_all_in_it_with_all_that_is_known_of_them() -> None:
    urls = [str(number) for number in range(20)]
    assert sampled(urls, 10) == sorted(
        (url, f"title of {url}" if len(url) % 2 else None) for url in urls
    )


def test_many_pages_are_few_in_it() -> None:
    pages = sampled([str(number) for number in range(5_000)], 100)
    assert 100 <= len(pages) <= 200
    # From everywhere.
    assert 1_500 < sum(int(url) for url, _ in pages) / len(pages) < 3_500
