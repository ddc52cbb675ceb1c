"""Which data and scripts a rendered page may have."""

from __future__ import annotations

import pytest

from sitecrawl.render.requests import PageRequest, RequestKind, is_data_wanted, is_tracker


def wanted(url: str, page: str = "https://www.example.co.uk/app") -> PageRequest:
    return PageRequest(page, url, RequestKind.DATA, "GET", {}, 0.0)


@pytest.mark.parametrize(
    ("url", "is_same_site"),
    [
        ("https://www.example.co.uk/data", True),
        ("https://api.example.co.uk/data", True),
        ("http://example.co.uk:8080/data", True),
        ("https://other.co.uk/data", False),
        ("https://example.co.uk.evil.example/data", False),
        ("https://127.0.0.1/data", False),
    ],
)
def test_data_by_setting(url: str, is_same_site: bool) -> None:
    request = wanted(url)
    decisions = [is_data_wanted(setting, request) for setting in ("same-site", "all", "none")]
    assert decisions == [is_same_site, True, False]


@pytest.mark.parametrize(
    ("url", "is_same_site"),
    [
        ("http://127.0.0.1:9000/data", True),
        ("http://127.0.0.2/data", False),
        ("http://0.0.1/data", False),
    ],
)
def test_addresses_have_no_subdomains(url: str, is_same_site: bool) -> None:
    assert is_data_wanted("same-site", wanted(url, "http://127.0.0.1/")) is is_same_site


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.googletagmanager.com/gtm.js?id=1", True),
        ("https://cdn.example.net/react.js", False),
        ("https://www.example.co.uk/matomo.js", False),
    ],
)
def test_scripts_of_other_sites_that_watch_visitors_are_not_wanted(
    url: str, expected: bool
) -> None:
    assert is_tracker(wanted(url)) is expected
