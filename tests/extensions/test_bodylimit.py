"""What is too long is cut, and what is no page is not even fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import StopDownload
from scrapy.http import Headers
from scrapy.signalmanager import SignalManager

from sitecrawl.extensions.bodylimit import BodyLimit
from sitecrawl.items import DocumentKind
from sitecrawl.scan.documents import document_request
from tests.site import Reply
from tests.site.bodies import repeated
from tests.site.build import page
from tests.stages.stored import fetches, scan, truncations

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

    from tests.site import SiteServer
    from tests.site.project import CrawlResult

MEGABYTE = 1024 * 1024


class Stats(dict[str, int]):
    def inc_value(self, name: str) -> None:
        self[name] = self.get(name, 0) + 1


class FakeCrawler:
    def __init__(self) -> None:
        self.stats = Stats()
        self.signals = SignalManager(self)


@pytest.fixture
def crawler() -> Any:
    return FakeCrawler()


def a_request(kind: DocumentKind = DocumentKind.PAGE, max_bytes: int = 10) -> Request:
    return document_request(
        "https://example.com/a",
        kind,
        "a test",
        callback=None,
        errback=None,
        timeout_seconds=1,
        max_bytes=max_bytes,
    )


class TestBytes:
    def test_a_download_is_stopped_behind_its_limit_and_kept(self, crawler: Any) -> None:
        limit, request = BodyLimit(crawler), a_request()
        limit.bytes_received(b"12345", request)
        limit.bytes_received(b"67890", request)
        assert crawler.stats == {}
        with pytest.raises(StopDownload) as stopped:
            limit.bytes_received(b"!", request)
        assert stopped.value.fail is False, "what has arrived is handed on"
        assert crawler.stats == {"sitecrawl/documents/cut": 1}

    def test_each_request_has_its_own_count(self, crawler: Any) -> None:
        limit = BodyLimit(crawler)
        for request in (a_request(), a_request()):
            limit.bytes_received(b"1234567890", request)
        assert crawler.stats == {}

    def test_without_a_limit_nothing_is_counted(self, crawler: Any) -> None:
        BodyLimit(crawler).bytes_received(b"1" * 100, a_request(max_bytes=0))
        assert crawler.stats == {}


@pytest.mark.parametrize(
    ("content_type", "kind", "is_read"),
    [
        ("application/pdf", DocumentKind.PAGE, False),
        ("image/svg+xml", DocumentKind.PAGE, False),
        ("VIDEO/mp4; codecs=x", DocumentKind.PAGE, False),
        ("application/octet-stream", DocumentKind.PAGE, False),
        ("text/html; charset=utf-8", DocumentKind.PAGE, True),
        ("application/xhtml+xml", DocumentKind.PAGE, True),
        ("application/rss+xml", DocumentKind.PAGE, True),
        ("", DocumentKind.PAGE, True),
        ("application/octet-stream", DocumentKind.SITEMAP, True),
        ("application/gzip", DocumentKind.SITEMAP, True),
    ],
)
def test_only_a_file_in_the_place_of_a_page_is_left_alone(
    crawler: Any, content_type: str, kind: DocumentKind, is_read: bool
) -> None:
    limit, headers = BodyLimit(crawler), Headers({"Content-Type": content_type})
    if is_read:
        limit.headers_received(headers, a_request(kind))
    else:
        with pytest.raises(StopDownload):
            limit.headers_received(headers, a_request(kind))


def test_a_file_without_an_extension_is_listed_as_what_it_is_and_not_transferred(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    body = repeated(b"%PDF of many pages ", 50 * MEGABYTE)
    long_page = repeated(b"<p>long</p>", 3 * MEGABYTE)
    site.routes.update(
        {
            "/": page("Home", "/report", "/a.zip", "/long"),
            "/report": Reply(body, content_type="application/pdf"),
            "/long": Reply(long_page, content_type="text/html"),
        }
    )
    settings = {
        "SITECRAWL_CRAWL": "auto",
        "SITECRAWL_SITEMAP_PLACES": "/sitemap.xml",
        "SITECRAWL_FEED_REFUSED": True,
        "SITECRAWL_MAX_PAGE_BYTES": MEGABYTE,
    }
    done = crawl(site.url, settings=settings).succeeded()
    rows = {row["url"]: row for row in done.rows}
    report = rows[site.at("/report")]
    assert (report["file_kind"], report["content_type"]) == ("document", "application/pdf")
    (request,) = site.requests("/report")
    assert request.body_bytes < 10 * MEGABYTE, "what fits into the buffers of two sockets"
    assert fetches(done)[site.at("/report")].truncated is False, "nothing of it was to be read"
    archive = rows[site.at("/a.zip")]
    assert (archive["reason"], archive["file_kind"]) == ("skipped_file_type", "archive")
    assert "/a.zip" not in site.paths()
    cut = fetches(done)[site.at("/long")]
    assert (cut.truncated, cut.complete) == (True, False)
    assert truncations(done) == {"SITECRAWL_MAX_PAGE_BYTES": MEGABYTE}
    assert "a limit was hit" in scan(done)[1]
