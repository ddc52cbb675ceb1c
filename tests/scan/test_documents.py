"""From what Scrapy answers or raises to an outcome and words for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response
from twisted.python.failure import Failure

from sitecrawl.items import DocumentKind
from sitecrawl.scan.documents import document_request, failed_document, fetched_document

if TYPE_CHECKING:
    from scrapy import Request

URL = "https://shop.example/map.xml"


def a_request(**meta: Any) -> Request:
    request = document_request(
        URL,
        DocumentKind.SITEMAP,
        "robots.txt line 2",
        callback=print,
        errback=print,
        timeout_seconds=3,
        max_bytes=1_000,
        parent="https://shop.example/robots.txt",
        depth=1,
    )
    request.meta.update(meta)
    return request


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "ok"),
        (206, "ok"),
        (302, "http_error"),
        (304, "http_error"),
        (403, "http_error"),
        (404, "not_found"),
        (410, "not_found"),
        (429, "http_error"),
        (503, "http_error"),
    ],
)
def test_a_status_has_its_outcome(status: int, outcome: str) -> None:
    document = fetched_document(Response(URL, status, request=a_request()))
    assert (document.outcome, document.status) == (outcome, status)
    assert bool(document.error) == (outcome != "ok")


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (DownloadTimeoutError("took longer than 3 s"), "timeout", "in time"),
        (CannotResolveHostError("shop.example"), "unreachable", "cannot be resolved"),
        (DownloadConnectionRefusedError(), "unreachable", "refused the connection"),
        (ResponseDataLossError(), "incomplete", "cut off"),
        (IgnoreRequest("max redirections reached"), "too_many_redirects", "redirections"),
        (DownloadFailedError("[<twisted.python.failure.Failure x>]"), "unreachable", ""),
        (ValueError("broken encoding"), "unreachable", "broken encoding"),
    ],
)
def test_an_error_has_its_outcome_in_words(error: Exception, outcome: str, words: str) -> None:
    failure = Failure(error)  # type: ignore[no-untyped-call]
    failure.request = a_request()  # type: ignore[attr-defined]
    document = failed_document(failure)
    assert document.outcome == outcome
    assert words in document.error
    assert document.error
    assert "twisted" not in document.error


def test_a_document_keeps_the_address_that_was_asked_for() -> None:
    final = "https://www.shop.example/maps/map.xml"
    hops = [URL, "https://www.shop.example/map.xml"]
    request = a_request(redirect_urls=hops).replace(url=final)
    headers = {"ETag": '"v1"', "Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
    document = fetched_document(Response(final, 200, headers=headers, request=request))
    assert (document.url, document.final_url, document.redirects) == (URL, final, hops[1:])
    assert (document.etag, document.last_modified[:3]) == ('"v1"', "Thu")
    assert (document.found_by, document.depth) == ("robots.txt line 2", 1)


def test_a_request_carries_its_limits() -> None:
    request = a_request()
    assert request.meta["download_timeout"] == 3
    assert request.meta["sitecrawl_max_bytes"] == 1_000
    assert request.dont_filter, "a retry or a redirect must not be filtered out"
