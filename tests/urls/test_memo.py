from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.urls import memo as memo_module
from sitecrawl.urls.columns import canonicalize_all
from sitecrawl.urls.memo import LinkMemo

if TYPE_CHECKING:
    import pytest

LOCS = (
    *("/a", "/a/", "a", "../a", "?q=1", "#top", "", "//other.example/x", "/größe"),
    *("http:a", "https:a", "http:/a", "http://example.com/b", "HTTPS://Example.com/C"),
    *("mailto:a@b.example", "tel:1", "javascript:void(0)", "data:,x", "\0", " /a", "/%zz"),
)
BASES = (
    *("https://example.com/", "https://example.com/docs/intro", "http://example.com/docs/"),
    "http://example.com/",
    *("https://example.com:8443/", "https://other.example/docs/intro"),
)
COLUMNS = st.lists(st.sampled_from(LOCS), max_size=6)
SMALL = 5


class TestLinks:
    @given(st.lists(st.tuples(COLUMNS, st.sampled_from(BASES)), max_size=8))
    def test_what_is_known_is_where_the_link_leads_on_this_page(
        self, pages: list[tuple[list[str], str]]
    ) -> None:
        memo = LinkMemo()
        for locs, base in pages:
            leads_to = dict(zip(locs, map(hash, canonicalize_all(locs, base)), strict=True))
            found = zip(locs, memo.all(locs, base), strict=True)
            assert all(page_id in (None, leads_to[loc]) for loc, page_id in found)
            memo.learn(base, leads_to)

    def test_what_depends_on_the_folder_is_not_known(self) -> None:
        memo = LinkMemo()
        locs = ["/a", "b", "http:c", "mailto:x@y.example"]
        memo.learn("http://example.com/one/", dict(zip(locs, range(4), strict=True)))
        assert memo.all(locs, "http://example.com/two/") == [0, None, None, 3]

    def test_what_is_known_of_one_origin_stays_while_another_is_read(self) -> None:
        memo = LinkMemo()
        memo.learn(BASES[0], {"/a": 1})
        assert memo.all(["/a"], "https://other.example/") == [None]
        memo.learn("https://other.example/", {"/a": 2})
        assert memo.all(["/a"], BASES[0]) == [1]

    def test_long_addresses_are_not_remembered(self) -> None:
        memo = LinkMemo()
        long = "/" + "a" * 500
        memo.learn(BASES[0], {long: 1, long[:-1]: 2})
        assert memo.all([long, long[:-1]], BASES[0]) == [None, 2]

    def test_only_so_many_are_remembered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(memo_module, "_MAX_KNOWN", SMALL)
        memo = LinkMemo()
        for number in range(100):
            memo.learn(BASES[number % len(BASES)], {f"/{number}": number})
            assert sum(map(len, memo._known.values())) <= SMALL + 1
