from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.columns import canonicalize_all, shared_origin
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.rules import DEFAULT_SKIP_EXTENSIONS, DEFAULT_SKIP_PATHS
from sitecrawl.urls.skip import SkipRules
from tests.urls.nasty import likely_urls, nasty_urls


def rule(rules: SkipRules, path: str) -> str | None:
    url = f"https://www.example.com{path}"
    refusal = rules.refusal(url)
    assert rules.refusals(["https://example.com/ok", url]) == ({1: refusal} if refusal else {})
    return refusal.rule if refusal else None


# paths


@pytest.mark.parametrize(
    ("pattern", "skipped", "kept"),
    [
        (
            "/admin",
            ["/admin", "/admin/", "/ADMIN/x", "/admin?a"],
            ["/administration", "/x/admin", "/"],
        ),
        ("/admin/", ["/admin/", "/admin/x"], ["/admin", "/administration"]),
        ("/api/*", ["/api/", "/api/v1/x", "/Api/x"], ["/api", "/apis/x", "/v1/api/x"]),
        ("/a/b", ["/a/b", "/a/b/c"], ["/a", "/a/bc", "/a/c/b"]),
        (
            "*/print",
            ["/print", "/a/print", "/a/b/print/c"],
            ["/printer", "/a/blueprint", "/a/prints"],
        ),
        (
            "/tag-*/feed",
            ["/tag-a/feed", "/tag-a/b/feed/x", "/tag-/feed"],
            ["/tag/feed", "/tag-a/feeds"],
        ),
        ("/*/print", ["/a/print", "/a/b/print"], ["/print", "/a/printer"]),
        ("*.bak", ["/a.bak", "/a.bak/b"], ["/a.bakery", "/bak"]),
        ("*x*y*", ["/xy", "/axbyc"], ["/yx", "/x"]),
        ("/a*a/b", ["/aa/b", "/a/x/a/b"], ["/a/b"]),
        ("/größe", ["/gr%C3%B6%C3%9Fe/x"], ["/gr"]),
        ("/a b", ["/a%20b"], ["/a"]),
        ("/a.b+(c)", ["/a.b+(c)"], ["/aXb+(c)", "/a.bb(c)"]),
    ],
)
def test_path_pattern(pattern: str, skipped: list[str], kept: list[str]) -> None:
    rules = SkipRules([pattern], [])
    assert [rule(rules, path) for path in skipped] == [pattern] * len(skipped)
    assert [rule(rules, path) for path in kept] == [None] * len(kept)


def test_host_and_query_are_not_searched() -> None:
    rules = SkipRules(["*/admin", "/login", "*example*"], [])
    assert rule(rules, "/a?next=/admin") is None
    assert rule(rules, "/?/login") is None
    assert rule(rules, "/a#/admin") is None


def test_first_rule_that_matches_is_named() -> None:
    assert rule(SkipRules(["*/x", "/a"], ["pdf"]), "/a/x.pdf") == "/a"
    assert rule(SkipRules(["/a/*", "*/x", "/a"], []), "/a/x") == "/a/*"
    assert rule(SkipRules(["*/x", "/a"], []), "/a/x") == "*/x"


@pytest.mark.parametrize(
    "path", ["admin", "", "/a?b", "/a#b", "/", "*", "/*", "https://example.com/a"]
)
def test_bad_path_rule_is_an_error_at_start(path: str) -> None:
    with pytest.raises(ValueError, match="skip path"):
        SkipRules([path], [])


def test_wildcards_cost_no_more_than_the_length() -> None:
    rules = SkipRules(["*" + "a*" * 30 + "b"], [])
    started = time.process_time()
    assert rule(rules, "/" + "a" * 2000) is None
    assert time.process_time() - started < 1


# file types


@pytest.mark.parametrize("extension", ["pdf", ".pdf", "PDF", "*.pdf"])
def test_extension_is_that_of_the_last_segment(extension: str) -> None:
    rules = SkipRules([], [extension])
    for path in ("/a.pdf", "/a/B.PDF", "/a.html.pdf", "/a.pdf?x=1", "/a.pdf#/x", "/.pdf"):
        assert rule(rules, path) == "*.pdf"
    for path in (
        "/pdf",
        "/a.pdf/b",
        "/a.b/pdf",
        "/a.pdfx",
        "/a?x=.pdf",
        "/a#/b.pdf",
        "/a.html",
        "/a.pdf/",
    ):
        assert rule(rules, path) is None
    assert rules.refusal("https://example.pdf/") is None
    assert rules.refusal("https://example.com/a.pdf") == (Reason.SKIPPED_FILE_TYPE, "*.pdf")


@pytest.mark.parametrize("extension", ["", ".", "a/b", "p df", "tar.gz"])
def test_bad_extension_is_an_error_at_start(extension: str) -> None:
    with pytest.raises(ValueError, match="skip extension"):
        SkipRules([], [extension])


# queries


def test_queries_are_skipped_on_demand() -> None:
    assert rule(SkipRules([], []), "/a?b") is None
    skipping = SkipRules(["/admin"], ["pdf"], skip_queries=True)
    assert skipping.refusal("https://example.com/a?b") == (Reason.SKIPPED_QUERY, "?")
    assert rule(skipping, "/a#/b?c") is None
    assert rule(skipping, "/admin?a") == "/admin"
    assert rule(skipping, "/a.pdf?a") == "*.pdf"


# defaults and batches


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        *(
            (path, path)
            for path in ("/admin", "/cart", "/checkout", "/account", "/login", "/logout")
        ),
        *((path, path) for path in ("/register", "/signin", "/signup")),
        ("/api/v1", "/api/*"),
        ("/_next/x.html", "/_next/*"),
        ("/static/x", "/static/*"),
        *(
            (f"/a.{name}", f"*.{name}")
            for name in ("pdf", "zip", "doc", "jpg", "png", "xlsm", "7z", "apk")
        ),
        *(
            (f"/a.{name}", f"*.{name}")
            for name in ("csv", "xml", "json", "sql", "mp4", "mov", "dmg", "exe")
        ),
        *((f"/a.{name}", None) for name in ("html", "htm", "php", "aspx", "jsp", "md", "txt")),
        ("/accounting", None),
        ("/a/login", None),
        ("/", None),
    ],
)
def test_defaults(path: str, expected: str | None) -> None:
    assert rule(SkipRules(), path) == expected


def test_defaults_have_no_repeats() -> None:
    for names in (DEFAULT_SKIP_PATHS, DEFAULT_SKIP_EXTENSIONS):
        assert len(set(names)) == len(names)


_PATHS = [
    "/admin",
    "/Api/x",
    "/api/*",
    "/static/a.pdf",
    "/a.PDF",
    "/a.pdf?x",
    "/cart?x=/",
    "/x.html",
    "/blog/print",
]


@settings(max_examples=200)
@given(
    st.lists(
        nasty_urls()
        | likely_urls()
        | st.sampled_from([f"https://example.com{path}" for path in _PATHS]),
        max_size=20,
    ),
    st.sampled_from(
        [SkipRules(), SkipRules(skip_queries=True), SkipRules(["*/print"]), SkipRules([], [])]
    ),
)
def test_batch_answers_as_one_by_one(urls: list[str], rules: SkipRules) -> None:
    canonical = [url for url in canonicalize_all(urls) if url is not None]
    one_by_one = {index: rules.refusal(url) for index, url in enumerate(canonical)}
    refused = {i: refusal for i, refusal in one_by_one.items() if refusal}
    assert rules.refusals(canonical) == refused
    assert rules.refusals(canonical, shared_origin(canonical)) == refused


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from([*_PATHS, "/a?b=1", "/API/x", "/ap", "/a#!b"]), max_size=4),
    st.sampled_from([SkipRules(), SkipRules(["/a", "/blog/*"], ["c"]), SkipRules([], ["html"])]),
)
def test_batch_of_one_origin_answers_as_one_by_one(paths: list[str], rules: SkipRules) -> None:
    urls = [f"https://example.com{path}" for path in ("/", *paths)]
    origin = shared_origin(urls)
    assert origin is not None
    one_by_one = {index: rules.refusal(url) for index, url in enumerate(urls)}
    assert rules.refusals(urls, origin) == {i: each for i, each in one_by_one.items() if each}
