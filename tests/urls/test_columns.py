from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls import columns as columns_module
from sitecrawl.urls.canonical import (
    CanonicalRules,
    canonicalize,
    page_id,
    page_key,
)
from sitecrawl.urls.columns import (
    ColumnMemo,
    canonicalize_all,
    canonicalize_batch,
    page_ids,
    page_keys,
    shared_origin,
)
from tests.urls.nasty import likely_urls, nasty_urls

BASE = "https://www.example.com/dir/page.html?q=1"
SMALL = 5


@settings(max_examples=300)
@given(
    st.lists(likely_urls(), max_size=12) | st.lists(nasty_urls() | likely_urls(), max_size=12),
    st.sampled_from([None, BASE, "no url"]),
    st.sampled_from([CanonicalRules(), CanonicalRules(max_length=30, keep_hash_routes=True)]),
)
def test_batch_answers_as_one_by_one(
    urls: list[str], base: str | None, rules: CanonicalRules
) -> None:
    assert canonicalize_all(urls, base, rules) == [canonicalize(url, base, rules) for url in urls]


def test_canonical_batch_of_any_origin_is_taken_as_it_is() -> None:
    for origin in ("http://127.0.0.1:65123", "https://[::1]:8443", "https://xn--bcher-kva.example"):
        urls = [f"{origin}/a", f"{origin}/b/c.html", f"{origin}/"]
        assert canonicalize_all(urls) == urls


@pytest.mark.parametrize(
    "odd", ["https://example.com/\nb", "https://example.com/..", "http://example.com/b"]
)
@pytest.mark.parametrize(
    "origin", ["https://example.com", "https://example.com:443", "https://u@example.com"]
)
def test_odd_one_of_a_batch_is_noticed(odd: str, origin: str) -> None:
    urls = [f"{origin}/a", odd, f"{origin}/c"]
    assert canonicalize_all(urls) == [canonicalize(url) for url in urls]


_PATHS = st.sampled_from(
    [
        *("", "a", "a/", "a//", "www.", "a/b.html", "about", "%61b", "a/../c", ".", "a b", "é"),
        *(
            "?",
            "?a=1",
            "a?b=2&a=1",
            "a/?utm_source=x",
            "a/../c?a",
            "%61b?c",
            "#x",
            "a/#!/b/",
            "a?#",
        ),
    ]
)
_ORIGINS = st.sampled_from(
    ["https://example.com/", "http://www.example.com:8080/", "https://EXAMPLE.com/", "http://www./"]
)


@settings(max_examples=300)
@given(
    st.lists(_PATHS, max_size=12),
    _ORIGINS,
    st.sampled_from(
        ["https://example.com/", "?b=2", "#b", "/b", "mailto:b", "https://b.example/?c"]
    ),
    st.sampled_from([CanonicalRules(), CanonicalRules(max_length=30, keep_hash_routes=True)]),
)
def test_batch_of_one_origin_answers_as_one_by_one(
    paths: list[str], origin: str, other: str, rules: CanonicalRules
) -> None:
    own = [origin + path for path in paths]
    for urls in (own, [*own, other], [other, *own]):
        batch = canonicalize_batch(urls, BASE, rules)
        assert batch.urls == [canonicalize(url, BASE, rules) for url in urls]
        found = [url for url in batch.urls if url is not None]
        shared = shared_origin(found)
        if batch.origin is not None:
            # It may say too much, but nothing is missing.
            assert shared is not None
            assert found == batch.urls
            assert batch.origin.prefix == shared.prefix
            assert batch.origin.path_starts >= shared.path_starts
            assert set(batch.origin.query_rows) >= set(shared.query_rows)
        keys = [page_key(url) for url in found]
        assert page_keys(found) == keys
        for known in filter(None, (batch.origin, shared)):
            assert page_keys(found, origin=known) == keys
            assert page_ids(found, 7, origin=known) == [page_id(url, 7) for url in found]


@settings(max_examples=200)
@given(st.lists(nasty_urls() | likely_urls(), max_size=20), st.integers(0, 2**64 - 1))
def test_page_ids_answer_as_one_by_one(urls: list[str], seed: int) -> None:
    rules = CanonicalRules(keep_hash_routes=True)
    canonical = [url for url in canonicalize_all(urls, BASE, rules) if url is not None]
    ids = page_ids(canonical, seed)
    assert ids == [page_id(url, seed) for url in canonical]
    assert all(-(2**63) <= number < 2**63 for number in ids)


def test_page_ids_differ_by_key_and_seed() -> None:
    same = ["https://example.com/a", "http://www.example.com/a/"]
    assert len(set(page_ids(same, 1))) == 1
    assert len(set(page_ids([*same, "https://example.com/b"], 1))) == 2
    assert page_ids(same, 1) != page_ids(same, 2)


class TestColumnMemo:
    def test_each_text_is_computed_once(self) -> None:
        asked: list[list[str]] = []

        def work_out(texts: list[str]) -> list[int]:
            asked.append(texts)
            return [len(text) for text in texts]

        memo = ColumnMemo(work_out)
        assert memo.all(["a", "bb", "a"]) == [1, 2, 1]
        assert memo.all(["bb", "ccc"]) == [2, 3]
        assert memo.all(["a", "ccc"]) == [1, 3]
        assert memo.all([]) == []
        assert asked == [["a", "bb"], ["ccc"]]

    def test_an_answer_of_none_is_an_answer(self) -> None:
        asked: list[str] = []

        def work_out(texts: list[str]) -> list[None]:
            asked.extend(texts)
            return [None] * len(texts)

        memo = ColumnMemo(work_out)
        assert memo.all(["a"]) == memo.all(["a"]) == [None]
        assert asked == ["a"]

    @given(st.lists(st.lists(st.text("abcd", max_size=2), max_size=8), max_size=6))
    def test_forgetting_changes_no_answer(self, columns: list[list[str]]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(columns_module, "_MAX_KNOWN", SMALL)
            memo = ColumnMemo(lambda texts: [text.upper() for text in texts])
            for column in columns:
                assert memo.all(column) == [text.upper() for text in column]
                assert len(memo._known) <= SMALL + max(map(len, columns))


_RELATIVE_PARTS = (
    "..",
    ".",
    "",
    "a",
    "b.html",
    "_c",
    "%2e%2e",
    "a:b",
    "é",
    "x y",
    "#d",
    "?e=1",
    "#",
)
_BASES = (
    "https://www.example.com/",
    "https://www.example.com/dir/page.html?q=1",
    "https://www.example.com/a/b/c/#x",
    "https://www.example.com/a/./b/",
    "https://www.example.com/a//b/c",
    "https://www.example.com/a/%2E%2e/b/c",
    "https://u@www.example.com:443/a/b",
    "https://www.example.com",
    "https://www.example.com?a/b",
)


@settings(max_examples=500)
@given(
    links=st.lists(st.lists(st.sampled_from(_RELATIVE_PARTS), max_size=5), min_size=1),
    base=st.sampled_from(_BASES),
    rules=st.sampled_from([CanonicalRules(), CanonicalRules(keep_hash_routes=True)]),
)
def test_relative_links_are_resolved_like_each_one_alone(
    links: list[list[str]], base: str, rules: CanonicalRules
) -> None:
    urls = ["/".join(parts) for parts in links]
    assert canonicalize_all(urls, base, rules) == [canonicalize(url, base, rules) for url in urls]


def test_long_links_are_refused_as_each_one_alone() -> None:
    urls = ["a" * length + "#" + "b" * length for length in (900, 2_000, 5_000, 9_000)]
    assert canonicalize_all(urls, BASE) == [canonicalize(url, BASE) for url in urls]
