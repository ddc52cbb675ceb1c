from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from ada_url import normalize_url
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.urls.canonical import (
    MAX_RAW_LENGTH,
    PLAIN_URL,
    CanonicalRules,
    KeyRules,
    canonicalize,
    explain_refusal,
    page_id,
    page_key,
    strict_url,
)
from sitecrawl.urls.columns import (
    canonicalize_all,
    page_ids,
)
from sitecrawl.urls.refusal import Reason
from tests.urls.nasty import likely_urls, nasty_urls

DATA = Path(__file__).parent / "data"
BASE = "https://www.example.com/dir/page.html?q=1"
SESSION = "0123456789abcdef0123456789abcdef"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize(
    "case", rows("url_cases.jsonl"), ids=lambda case: f"{case['why']}: {case['in']}"[:100]
)
def test_reference_case(case: dict[str, Any]) -> None:
    assert canonicalize(case["in"], case["base"]) == case["out"]


@pytest.mark.parametrize("case", rows("url_equiv.jsonl"), ids=lambda case: case["why"])
def test_equivalence_case(case: dict[str, Any]) -> None:
    assert (canonicalize(case["a"]) == canonicalize(case["b"])) is case["same"]


# host and port


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com.:8443/", "https://example.com:8443/"),
        ("https://example.com../", "https://example.com../"),
        ("http://0177.0.0.1../", "http://0177.0.0.1../"),
        ("http://1.2.3.4./", "http://1.2.3.4/"),
        ("http://./", None),
        ("https://.:80/", None),
        ("https://example.com..:80/", "https://example.com..:80/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("https://example.com:0443/", "https://example.com/"),
        ("https://example.com:/", "https://example.com/"),
        ("https://example.com:65536/", None),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("https://a@b@example.com/", "https://example.com/"),
        ("https://user@example.com.:8443/@x", "https://example.com:8443/@x"),
        ("http://foo.0x1/", None),
    ],
)
def test_host(url: str, expected: str | None) -> None:
    assert canonicalize(url) == expected


# path


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/%2e%2E/b", "/b"),
        ("/a%2eb", "/a.b"),
        ("/a%2Db%2Ec", "/a-b.c"),
        ("/%2e%2e%2e/a", "/.../a"),
        ("/%41%5a%61%7A%30%39%2d%5F%7e", "/AZaz09-_~"),
        ("/%40%5b%60%7B%2f%3a%2c", "/%40%5B%60%7B%2F%3A%2C"),
        ("/%2%65", "/%2%65"),
        ("/%%34%31", "/%%341"),
        ("/%4%31", "/%4%31"),
        ("/%4%3a", "/%4%3A"),
        ("/%25%34%31", "/%2541"),
        ("/a;jsessionid=1/b", "/a/b"),
        ("/a;JSessionID=1.node;v=2", "/a;v=2"),
        ("/a;jsession%69d=1", "/a"),
        ("/a;phpsessid=1", "/a"),
        ("/a;id=1", "/a;id=1"),
        ("/a/..;jsessionid=1/b", "/a/..;jsessionid=1/b"),
        ("/a/%2e;jsessionid=1;jsessionid=2", "/a/.;jsessionid=1"),
        ("/(S(lit3py55t21z5v55vlm25s55))", "/"),
        ("/app/(X(1)S(lit3py55t21z5v55vlm25s55))/a.aspx", "/app/a.aspx"),
        ("/(S(hort))/a", "/(S(hort))/a"),
        ("/wiki/Foo_(S(lit3py55t21z5v55vlm25s55))", "/wiki/Foo_(S(lit3py55t21z5v55vlm25s55))"),
    ],
)
def test_path(path: str, expected: str) -> None:
    assert canonicalize(f"https://example.com{path}") == f"https://example.com{expected}"


# query


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?", ""),
        ("?&&", ""),
        ("?=", "?="),
        ("?b&a&b=1", "?a&b&b=1"),
        ("?B=1&a=2", "?B=1&a=2"),
        ("?a=2;b=1&a=1", "?a=2;b=1&a=1"),
        ("?q=%41%7e%2f", "?q=A~%2F"),
        ("?q='", "?q=%27"),
        ("?q=a+b%20c", "?q=a+b%20c"),
    ],
)
def test_query_is_sorted_by_name_and_otherwise_kept(query: str, expected: str) -> None:
    assert canonicalize(f"https://example.com/{query}") == f"https://example.com/{expected}"


@pytest.mark.parametrize(
    "pair",
    [
        *("utm_source=x", "UTM_TERM", "utm%5Fid=1", "utm_=", "gclid=1", "GCLSRC=aw.ds", "dclid=1"),
        *("gbraid=1", "wbraid=1", "fbclid=1", "msclkid=1", "yclid=1", "ysclid=1", "twclid=1"),
        *(
            "ttclid=1",
            "li_fat_id=1",
            "igshid=1",
            "mc_cid=1",
            "mc_eid=1",
            "_ga=1.2",
            "_gl=1",
            "_hsenc=1",
        ),
        *(
            "_hsmi=1",
            "mkt_tok=1",
            "oly_anon_id=1",
            "oly_enc_id=1",
            "vero_id=1",
            "epik=1",
            "srsltid=1",
        ),
        *("amp;utm_source=x", "amp;GCLID=1"),
        *("gad=1", "mibextid=a", "pk_source=x", "ga_campaign=x", "at_medium=x", "xtor=AL-1"),
        *("PHPSESSID=1", "jsessionid=1", "ASPSESSIONIDQQABCD=1", "ASP.NET_SessionId=1"),
        *(f"sid={SESSION}", f"SessionID={SESSION}", "session_id=a1b2c3d4-e5f6-7890"),
    ],
)
def test_parameter_of_the_visit_is_dropped(pair: str) -> None:
    assert canonicalize(f"https://example.com/p?id=1&{pair}") == "https://example.com/p?id=1"
    assert canonicalize(f"https://example.com/p?{pair}") == "https://example.com/p"


@pytest.mark.parametrize(
    "pair",
    [
        *("utm=1", "utmost=1", "gallery=1", "cid=1", "reference=1", "ref=x", "source=x", "gcl=1"),
        *("amp;id=1", "amp;", "amp;amp;page=2"),
        *("campaign=x", "gclid_x=1", "xgclid=1", "my_utm_source=1", "s=1", "_g=1", "mc=1"),
        *("sid=12", "sid=", "sid", "sid=a-story-about-sessions", "sid=1234567890123456789"),
        *("sessionid=42", "session=opening-keynote-2024", "PHPSESSIDX=1"),
    ],
)
def test_look_alike_parameter_is_kept(pair: str) -> None:
    assert canonicalize(f"https://example.com/p?{pair}") == f"https://example.com/p?{pair}"


def test_rules_name_other_parameters() -> None:
    rules = CanonicalRules(tracking_names=frozenset({"REF"}), tracking_prefixes=("x_",))
    url = "https://example.com/?Ref=1&X_y=1&gclid=2&utm_id=3"
    assert canonicalize(url, rules=rules) == "https://example.com/?gclid=2&utm_id=3"


# fragment


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("#/a%7e", "#/a~"),
        ("#!/a", "#!/a"),
        ("#!a", "#!a"),
        ("#/", ""),
        ("#!/", ""),
        ("#/./", ""),
        ("#/./b", "#/b"),
        ("#/b/../c", "#/c"),
        ("#/../../c", "#/c"),
        ("#/b/.", "#/b/"),
        ("#/b/..", ""),
        ("#!/./b", "#!/b"),
        ("#/b/%2e/c", "#/b/c"),
        ("#/.b/..c", "#/.b/..c"),
        ("#/b?y=2&x=1&utm_source=z", "#/b?x=1&y=2"),
        ("#/b?utm_source=z", "#/b"),
        ("#/?", ""),
        ("#/?id=b", "#/?id=b"),
        ("#!", ""),
        ("#", ""),
        ("#top", ""),
    ],
)
def test_hash_route_is_kept_on_demand(fragment: str, expected: str) -> None:
    url = f"https://example.com/a?b=1{fragment}"
    keeping = CanonicalRules(keep_hash_routes=True)
    assert canonicalize(url, rules=keeping) == f"https://example.com/a?b=1{expected}"
    assert canonicalize(url) == "https://example.com/a?b=1"


@pytest.mark.parametrize("rules", [CanonicalRules(), CanonicalRules(keep_hash_routes=True)])
def test_fragment_of_a_plain_url_is_what_the_parser_makes_of_it(rules: CanonicalRules) -> None:
    fragments = [*map(chr, range(256)), "", "/r", "!r", "a#b", "?a=1", "\ud800", " ", "%zz", "/%7e"]
    for address in ("https://example.com/a", "https://example.com/?b=1&utm_id=2&a=%41"):
        for fragment in fragments:
            url = f"{address}#{fragment}"
            # The space hides the URL from the fast path; the parser drops it.
            assert canonicalize(url, BASE, rules) == canonicalize(f" {url}", BASE, rules)
            plain = "https://example.com/c"
            assert canonicalize_all([plain, url], BASE, rules) == [
                plain,
                canonicalize(f" {url}", BASE, rules),
            ]


def test_fragment_does_not_count_for_the_length() -> None:
    url = "https://example.com/" + "a" * (2083 - 20)
    assert canonicalize_all([f"{url}#b", f"{url}a#b"]) == [url, None]


# base


@pytest.mark.parametrize("base", ["", "no url", "mailto:a@example.com", "\ud800", "https://[::1"])
def test_absolute_url_needs_no_valid_base(base: str) -> None:
    assert canonicalize("https://example.com/a", base) == "https://example.com/a"
    assert canonicalize("HTTPS://example.com/a", base) == "https://example.com/a"
    assert canonicalize("a", base) is None


def test_hash_route_of_the_base_is_not_inherited() -> None:
    rules = CanonicalRules(keep_hash_routes=True)
    assert canonicalize("", "https://example.com/a#/b", rules) == "https://example.com/a"


# limits and refusals


def test_longest_url_is_taken_and_one_more_is_not() -> None:
    url = "https://example.com/" + "a" * (2083 - 20)
    assert canonicalize(url) == url
    assert canonicalize_all([url, url + "a"]) == [url, None]
    assert canonicalize_all([url, "https://example.com/é"])[0] == url
    assert explain_refusal(url + "a").reason is Reason.TOO_LONG
    assert canonicalize(url + "?utm_source=" + "x" * 9000) == url


def test_escaping_counts_for_the_length() -> None:
    assert explain_refusal("https://example.com/" + "é" * 400).rule == "at most 2083 characters"


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/" + "a" * 10_000_000,
        "https://example.com/" + "%41" * 5_000_000,
        "a" * 10_000_000,
        "https://" + "a." * 5_000_000,
    ],
    ids=["path", "escapes", "word", "host"],
)
def test_huge_text_is_refused_at_once(text: str) -> None:
    started = time.process_time()
    assert explain_refusal(text).rule == f"at most {MAX_RAW_LENGTH} characters as written"
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "text",
    [
        "https://" + "a-" * 8000,
        "https://" + "ä." * 8000,
        "https://example.com/" + "a." * 8000 + "ö",
        "https://example.com/?" + "&" * 16000,
        "https://example.com/?" + "sid=a1&" * 2300,
        "https://example.com/" + ";jsessionid=" * 1300,
        "https://example.com/" + "/(" * 8000,
        "https://example.com/(" + "A(a)" * 4000,
    ],
)
def test_cost_is_bounded(text: str) -> None:
    started = time.process_time()
    canonicalize(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("url", "reason", "rule"),
    [
        ("JavaScript:alert(1)", Reason.SCHEME_NOT_ALLOWED, "http and https only, not javascript:"),
        ("tel:+49 30", Reason.SCHEME_NOT_ALLOWED, "http and https only, not tel:"),
        ("foo://[bad", Reason.SCHEME_NOT_ALLOWED, "http and https only, not foo:"),
        ("https://exa mple.com/", Reason.INVALID_URL, "not a valid URL"),
        ("relative", Reason.INVALID_URL, "not a valid URL"),
        ("", Reason.INVALID_URL, "not a valid URL"),
        ("http://./", Reason.INVALID_URL, "not a valid URL"),
        ("\ud800", Reason.INVALID_URL, "not a valid URL"),
    ],
)
def test_refusal_names_reason_and_rule(url: str, reason: Reason, rule: str) -> None:
    assert canonicalize(url) is None
    assert explain_refusal(url) == (reason, rule)


def test_only_a_refusal_is_explained() -> None:
    with pytest.raises(ValueError, match="not refused"):
        explain_refusal("https://example.com/")


@pytest.mark.parametrize("length", [0, -1, MAX_RAW_LENGTH + 1])
def test_impossible_length_is_an_error_at_start(length: int) -> None:
    with pytest.raises(ValueError, match=f"max_length={length}"):
        CanonicalRules(max_length=length)


# properties


@settings(max_examples=2000)
@given(nasty_urls(), st.sampled_from([CanonicalRules(), CanonicalRules(keep_hash_routes=True)]))
def test_canonical_form_is_a_fixed_point(url: str, rules: CanonicalRules) -> None:
    canonical = canonicalize(url, BASE, rules)
    if canonical is not None:
        assert canonicalize(canonical, None, rules) == canonical
        assert normalize_url(canonical) == canonical
        assert canonical.isascii()
        assert canonical.startswith(("https://", "http://"))
        assert "@" not in canonical.split("/", 3)[2]


@settings(max_examples=300)
@given(st.text(max_size=60), st.text(max_size=20))
def test_any_text_is_taken_or_refused(url: str, base: str) -> None:
    canonical = canonicalize(url, base)
    assert canonical is None or canonicalize(canonical) == canonical


@settings(max_examples=1000)
@given(nasty_urls() | likely_urls())
def test_plain_url_is_what_the_parser_makes_of_it(url: str) -> None:
    # The space hides the URL from the fast path; the parser drops it.
    assert canonicalize(url) == canonicalize(f" {url}")


def test_plain_url_is_conservative_about_every_character() -> None:
    for text in (
        "https://a{}b.example/p",
        "https://example.c{}/",
        "https://example.com/a{}b?c=d{}e",
    ):
        for char in map(chr, range(256)):
            url = text.replace("{}", char)
            if PLAIN_URL.fullmatch(url):
                assert normalize_url(url) == url
            assert canonicalize_all([url, url]) == [canonicalize(f" {url}")] * 2


@pytest.mark.parametrize("port", [1000, 8080, 10000, 59999, 64999])
def test_port_of_a_plain_url(port: int) -> None:
    assert PLAIN_URL.fullmatch(f"http://127.0.0.1:{port}/a")


@pytest.mark.parametrize("port", ["0", "80", "443", "0800", "65000", "65536", "99999", "100000"])
def test_port_that_needs_the_parser(port: str) -> None:
    assert not PLAIN_URL.fullmatch(f"http://127.0.0.1:{port}/a")


# page key and id


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://example.com/", "example.com"),
        ("http://www.example.com/", "example.com"),
        ("https://www.example.com/a/", "example.com/a"),
        ("https://example.com/a//", "example.com/a/"),
        ("https://example.com/a/?b=/c/", "example.com/a?b=/c/"),
        ("https://example.com/?b", "example.com?b"),
        ("https://example.com/a/#/b/", "example.com/a#/b/"),
        ("https://example.com/a/#/b?c", "example.com/a#/b?c"),
        ("http://example.com:8080/A", "example.com:8080/A"),
        ("https://wwwexample.com/", "wwwexample.com"),
        ("https://example.com/www.", "example.com/www."),
    ],
)
def test_page_key(url: str, key: str) -> None:
    assert page_key(url) == key
    assert page_ids([url], 7) == [page_id(url, 7)]


@pytest.mark.parametrize(
    ("rules", "key"),
    [
        (KeyRules(fold_scheme=False), "http://example.com/A"),
        (KeyRules(fold_www=False), "www.example.com/A"),
        (KeyRules(fold_trailing_slash=False), "example.com/A/"),
        (KeyRules(fold_path_case=True), "example.com/a"),
    ],
)
def test_each_folding_can_be_switched(rules: KeyRules, key: str) -> None:
    url = "http://www.example.com/A/"
    assert page_key(url, rules) == key
    assert page_ids([url], 7, rules) == [page_id(url, 7, rules)]
    assert page_ids([url], 7, rules) != page_ids([url], 7)


# RFC 3986: scheme, host (or one in brackets), then what paths, queries and fragments may have.
_RFC_3986 = re.compile(
    r"https?://(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::[0-9]+)?"
    r"(?:[/?#](?:[\w.~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?",
    re.ASCII,
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/", "https://a.example/"),
        ("https://a.example/a%20b?c=d&e='f'", "https://a.example/a%20b?c=d&e='f'"),
        ("https://a.example/%", "https://a.example/%25"),
        ("https://a.example/%2", "https://a.example/%252"),
        ("https://a.example/%zz%41", "https://a.example/%25zz%41"),
        ("https://a.example/{a}|^`", "https://a.example/%7Ba%7D%7C%5E%60"),
        ("https://a.example/?a[]=1", "https://a.example/?a%5B%5D=1"),
        ("http://[::1]:80/[a]", "http://[::1]:80/%5Ba%5D"),
        ('https://a.example"/', "https://a.example%22/"),
        ("https://a.example/ü", "https://a.example/%C3%BC"),
    ],
)
def test_what_rfc_3986_does_not_allow_is_escaped(url: str, expected: str) -> None:
    assert strict_url(url) == expected


@settings(max_examples=300)
@given(nasty_urls())
def test_every_canonical_url_becomes_a_strict_one(text: str) -> None:
    url = canonicalize(text, "https://a.example/")
    if url is not None:
        strict = strict_url(url)
        assert _RFC_3986.fullmatch(strict), strict
        assert strict_url(strict) == strict
