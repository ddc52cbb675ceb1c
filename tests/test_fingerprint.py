from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.utils.misc import load_object

import sitecrawl.settings
from sitecrawl.config import Config
from sitecrawl.fingerprint import CanonicalFingerprinter
from sitecrawl.profiles import load_settings


def fingerprinter(**settings: object) -> CanonicalFingerprinter:
    values = load_settings("default")
    values.update(settings, "cmdline")
    return CanonicalFingerprinter(Config.from_settings(values))


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/x?b=2&a=1",
        "https://A.example:443/x?a=1&b=2",
        "https://a.example/x?a=1&b=2#top",
        "https://a.example/./y/../x?a=1&b=2",
        "https://a.example/%78?a=1&b=2&utm_source=news",
    ],
)
def test_requests_for_one_canonical_url_are_one_request(url: str) -> None:
    same = Request("https://a.example/x?a=1&b=2")
    assert fingerprinter().fingerprint(Request(url)) == fingerprinter().fingerprint(same)


@pytest.mark.parametrize(
    "other",
    [
        Request("https://a.example/x/"),  # pages share a key with it, requests do not
        Request("http://a.example/x"),
        Request("https://www.a.example/x"),
        Request("https://a.example/X"),
        Request("https://a.example/x", method="HEAD"),
        Request("https://a.example/x", method="POST", body=b"a=1"),
    ],
    ids=str,
)
def test_other_requests_are_others(other: Request) -> None:
    own = fingerprinter()
    assert own.fingerprint(Request("https://a.example/x")) != own.fingerprint(other)


def test_it_follows_the_settings() -> None:
    plain, tracked = Request("https://a.example/"), Request("https://a.example/?utm_source=x")
    cleaning, keeping = fingerprinter(), fingerprinter(SITECRAWL_QUERY_STRINGS="keep")
    assert cleaning.fingerprint(plain) == cleaning.fingerprint(tracked)
    assert keeping.fingerprint(plain) != keeping.fingerprint(tracked)


@pytest.mark.parametrize("url", ["data:,x", "https://a.example/" + "x" * 5000])
def test_what_has_no_canonical_form_stands_for_itself(url: str) -> None:
    own = fingerprinter()
    assert own.fingerprint(Request(url)) == own.fingerprint(Request(url))
    assert own.fingerprint(Request(url)) != own.fingerprint(Request(url + "y"))


def test_the_settings_name_it() -> None:
    named = load_object(sitecrawl.settings.REQUEST_FINGERPRINTER_CLASS)
    assert named is CanonicalFingerprinter
