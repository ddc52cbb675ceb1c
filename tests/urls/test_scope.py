from __future__ import annotations

import pytest

from sitecrawl.urls.columns import shared_origin
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.scope import Scope


def reason(scope: Scope, url: str) -> Reason | None:
    refusals = scope.refusals([url])
    assert scope.contains(url) is (refusals == {})
    return refusals[0].reason if refusals else None


# host


@pytest.mark.parametrize(
    "base", ["https://example.com", "http://www.example.com/", "HTTPS://EXAMPLE.com:443"]
)
@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/", None),
        ("http://example.com/a?b", None),
        ("https://www.example.com/a/b", None),
        ("https://example.com.evil.net/", Reason.OFFSITE),
        ("https://example.comevil/", Reason.OFFSITE),
        ("https://notexample.com/", Reason.OFFSITE),
        ("https://evil.net/https://example.com/", Reason.OFFSITE),
        ("https://evil.net/?https://example.com/", Reason.OFFSITE),
        ("https://sub.example.com/", Reason.OFFSITE),
        ("https://www.www.example.com/", Reason.OFFSITE),
        ("https://example.com:8443/", Reason.OFFSITE),
    ],
)
def test_host(base: str, url: str, expected: Reason | None) -> None:
    assert reason(Scope.from_urls([base]), url) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8000/a", None),
        ("https://127.0.0.1:8000/a", None),
        ("http://127.0.0.1:80001/a", Reason.OFFSITE),
        ("http://127.0.0.1/a", Reason.OFFSITE),
    ],
)
def test_explicit_port_has_to_match(url: str, expected: Reason | None) -> None:
    assert reason(Scope.from_urls(["http://127.0.0.1:8000/"]), url) is expected


def test_ipv6_host() -> None:
    scope = Scope.from_urls(["http://[::1]:8080/a"])
    assert reason(scope, "http://[::1]:8080/a/b") is None
    assert reason(scope, "http://[::1]:8080/b") is Reason.OUTSIDE_BASE
    assert reason(scope, "http://[::2]:8080/a") is Reason.OFFSITE


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/docs", None),
        ("https://a.b.example.com/docs/x", None),
        ("https://www.example.com/docs?x", None),
        ("https://a.example.com/docs-old", Reason.OUTSIDE_BASE),
        ("https://a.example.com/", Reason.OUTSIDE_BASE),
        ("https://notexample.com/docs", Reason.OFFSITE),
        ("https://example.com.evil.net/docs", Reason.OFFSITE),
        ("https://evil.net/a.example.com/docs", Reason.OFFSITE),
        ("https://a.example.com:8443/docs", Reason.OFFSITE),
        ("https://examplexcom/docs", Reason.OFFSITE),
    ],
)
def test_subdomains_on_demand(url: str, expected: Reason | None) -> None:
    scope = Scope.from_urls(["https://www.example.com/docs/"], subdomains=True)
    assert reason(scope, url) is expected


def test_subdomains_of_a_loose_base_and_of_a_whole_host() -> None:
    loose = Scope.from_urls(["https://example.com/docs"], strict=False, subdomains=True)
    assert reason(loose, "https://a.example.com/docs-old") is None
    whole = Scope.from_urls(["https://example.com"], subdomains=True)
    assert reason(whole, "https://a.example.com/x") is None


def test_www_is_not_taken_off_a_top_level_domain() -> None:
    scope = Scope.from_urls(["https://www.com/"], subdomains=True)
    assert reason(scope, "https://www.com/a") is None
    assert reason(scope, "https://other.com/") is Reason.OFFSITE


# path


@pytest.mark.parametrize(
    ("path", "strict", "loose"),
    [
        ("/financial-apis", None, None),
        ("/financial-apis/", None, None),
        ("/financial-apis/overview", None, None),
        ("/financial-apis?x=1", None, None),
        ("/financial-apis#/x", None, None),
        ("/financial-apis-blog", Reason.OUTSIDE_BASE, None),
        ("/financial-apis%2Fx", Reason.OUTSIDE_BASE, None),
        ("/Financial-apis", Reason.OUTSIDE_BASE, Reason.OUTSIDE_BASE),
        ("/financial", Reason.OUTSIDE_BASE, Reason.OUTSIDE_BASE),
        ("/", Reason.OUTSIDE_BASE, Reason.OUTSIDE_BASE),
        ("/x/financial-apis", Reason.OUTSIDE_BASE, Reason.OUTSIDE_BASE),
    ],
)
@pytest.mark.parametrize(
    "base", ["https://example.com/financial-apis", "http://www.example.com/financial-apis/?x#y"]
)
def test_base_path(base: str, path: str, strict: Reason | None, loose: Reason | None) -> None:
    url = f"https://example.com{path}"
    assert reason(Scope.from_urls([base]), url) is strict
    assert reason(Scope.from_urls([base], strict=False), url) is loose


@pytest.mark.parametrize(
    "name", ["index.html", "a.HTM", "index.php", "default.asp", "default.aspx", "a.jsp"]
)
def test_base_that_names_a_file_stands_for_its_directory(name: str) -> None:
    scope = Scope.from_urls([f"https://example.com/docs/{name}"])
    assert reason(scope, "https://example.com/docs/other") is None
    assert reason(scope, "https://example.com/") is Reason.OUTSIDE_BASE
    assert reason(Scope.from_urls([f"https://example.com/{name}"]), "https://example.com/x") is None


def test_base_with_a_dot_that_is_no_file_keeps_its_segment() -> None:
    assert (
        reason(Scope.from_urls(["https://example.com/v1.2"]), "https://example.com/v1.3")
        is Reason.OUTSIDE_BASE
    )


def test_base_path_is_read_in_canonical_form() -> None:
    scope = Scope.from_urls(["https://example.com/größe/../%7Ejoe"])
    assert reason(scope, "https://example.com/~joe/a") is None


# several bases, batches, text


def test_several_bases() -> None:
    scope = Scope.from_urls(
        [f"https://example.com/{name}" for name in ("api", "sdk")] + ["https://example.net"]
    )
    urls = [
        "https://example.com/api/x",
        "https://example.com/sdk",
        "https://example.com/guides",
        "https://www.example.net/guides",
        "https://example.org/api",
    ]
    rule = "https://example.com/api, https://example.com/sdk, https://example.net/"
    assert scope.refusals(urls) == {2: (Reason.OUTSIDE_BASE, rule), 4: (Reason.OFFSITE, rule)}


@pytest.mark.parametrize("base", ["https://example.com", "https://example.com/docs"])
@pytest.mark.parametrize("host", ["example.com", "www.example.com", "example.com.evil.example"])
def test_batch_of_one_origin_answers_as_one_by_one(base: str, host: str) -> None:
    scope = Scope.from_urls([base])
    urls = [f"https://{host}/", f"https://{host}/docs/a", f"https://{host}/docs-old"]
    origin = shared_origin(urls)
    assert origin is not None
    assert scope.refusals(urls, origin) == scope.refusals(urls)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "http://example.com:81/docs"),
        ({"strict": False}, "http://example.com:81/docs*"),
        ({"subdomains": True}, "http://*.example.com:81/docs"),
    ],
)
def test_rule_is_the_scope_as_text(options: dict[str, bool], text: str) -> None:
    assert Scope.from_urls(["http://www.example.com:81/docs/"], **options).text == text


def test_base_has_to_be_a_url() -> None:
    with pytest.raises(ValueError, match=r"'example\.com' is not an http or https URL"):
        Scope.from_urls(["https://example.com/", "example.com"])
    with pytest.raises(ValueError, match="at least one"):
        Scope.from_urls([])
