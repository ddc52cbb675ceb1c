from __future__ import annotations

import gzip

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from sitecrawl.downloadermiddlewares.compression import BoundedCompressionMiddleware

URL = "https://example.com/"
MARKUP = "<p>für</p>".encode("latin-1")


class UndetectedResponse(HtmlResponse):
    """Fails when its text encoding is asked for."""

    @property
    def encoding(self) -> str:
        raise AssertionError("the encoding of packed bytes was detected")


def packed_answer() -> Response:
    headers = {"Content-Encoding": "gzip", "Content-Type": "text/html; charset=latin-1"}
    return UndetectedResponse(
        URL, body=gzip.compress(MARKUP), headers=headers, flags=["kept"], ip_address=None
    )


def test_page_is_unpacked_without_a_guess_at_the_packed_bytes() -> None:
    middleware = BoundedCompressionMiddleware.from_crawler(get_crawler())
    request = Request(URL, meta={"sitecrawl_max_bytes": 1_000})
    response = middleware.process_response(request, packed_answer())
    assert isinstance(response, HtmlResponse)
    assert (response.body, response.encoding, response.text) == (MARKUP, "cp1252", "<p>für</p>")
    assert (response.url, response.status, response.flags) == (URL, 200, ["kept"])
    assert "Content-Encoding" not in response.headers
