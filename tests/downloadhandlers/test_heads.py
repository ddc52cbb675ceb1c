"""What is plain reads and is written as by Twisted; what is not is left to it."""

# Twisted has hardly any types.
# mypy: allow-untyped-calls
from __future__ import annotations

from typing import cast

import pytest
from scrapy.core.downloader.handlers.http11 import _LenientHTTPClientParser, _ScrapyAgent
from scrapy.http import Headers
from twisted.internet.testing import StringTransport
from twisted.web._newclient import Request as TxRequest
from twisted.web.client import URI, Agent
from twisted.web.http_headers import Headers as TxHeaders

from sitecrawl.downloadhandlers.heads import plain_answer, plain_request

HEADERS = {
    "accept": "text/html, */*;q=0.8",
    "Accept-Language": "en",
    "User-Agent": "sitecrawl/1",
    "Accept-Encoding": "gzip, deflate, br",
    "if-none-match": '"a"',
}


def written_by_twisted(url: str, headers: Headers) -> bytes:
    uri = URI.fromBytes(url.encode())
    host = Agent._computeHostValue(cast("Agent", None), uri.scheme, uri.host, uri.port)
    fields = TxHeaders(headers)
    fields.addRawHeader(b"Host", host)
    transport = StringTransport()
    TxRequest._construct(b"GET", uri.originForm, fields, None, True, uri).writeTo(transport)
    written: bytes = transport.value()
    return written


class TestRequests:
    @pytest.mark.parametrize(
        "url",
        [
            "http://example.com/",
            "https://example.com/a/b.html?x=1&y=%20;z#top",
            "http://example.com:8080/a%2Fb",
            "https://example.com:443/~a",
            "http://example.com:443/",
            "http://127.0.0.1:9/a,b:c@d",
            "https://xn--fa-hia.example/gr%C3%B6%C3%9Fe?q='\"|^`",
        ],
    )
    def test_as_twisted_writes_it(self, url: str) -> None:
        headers = Headers(HEADERS)
        plain = plain_request(url, headers)
        assert plain is not None
        assert plain.head == written_by_twisted(plain.url, headers)
        uri = URI.fromBytes(plain.url.encode())
        assert (plain.scheme, plain.host, plain.port) == (uri.scheme, uri.host, uri.port)

    @pytest.mark.parametrize(
        "url",
        [
            "http://example.com",
            "http://example.com?a",
            "http://example.com/a?",
            "http://example.com/a;",
            "http://example.com/a;b?c",
            "http://Example.com/",
            "http://example.com:/",
            "http://user@example.com/",
            "http://[::1]/",
            "http://example.com/a b",
            "http://example.com/\u00e4",
            "http://example.com/a\r\nX: y",
            "ftp://example.com/",
        ],
    )
    def test_an_address_that_is_not_plain(self, url: str) -> None:
        assert plain_request(url, Headers(HEADERS)) is None

    @pytest.mark.parametrize(
        "header",
        [
            {"Host": "other.example"},
            {"Cookie": "a=b"},
            {"Accept": "a\r\nX: y"},
            {"Accept": "a\ny"},
            {"Accept": "a\ry"},
        ],
    )
    def test_headers_that_are_not_plain(self, header: dict[str, str]) -> None:
        assert plain_request("http://example.com/", Headers({**HEADERS, **header})) is None


def read_by_twisted(head: bytes) -> tuple[int, Headers, object]:
    parser = _LenientHTTPClientParser(
        TxRequest._construct(b"GET", b"/", TxHeaders(), None, True, None), lambda _rest: None
    )
    parser.makeConnection(StringTransport())
    parser.dataReceived(head)
    response = parser.response
    return response.code, _ScrapyAgent._headers_from_twisted_response(response), response.length


class TestAnswers:
    @pytest.mark.parametrize(
        "head",
        [
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n",
            b"HTTP/1.1 200\r\ncontent-length:007 \r\n\r\n",
            b"HTTP/1.1 404 Not  Found: \xe4\r\nx:\r\nX: \t a b \r\nContent-Length: 1\r\n\r\n",
            b'HTTP/1.1 302 \r\nLocation: /\xc3\xa4\r\nETag: W/"x"\r\nContent-Length: 10\r\n\r\n',
            b"HTTP/1.1 200 OK\r\nDNT: 1\r\nx_y-z9a: 1\r\nContent-Length: 10\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nKeep-Alive: 5\r\nUpgrade: h2\r\nContent-Length: 10\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 10\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nte: x\r\nDate: now\r\n\r\n",
            b"HTTP/1.1 503 Busy\r\nVary: a\r\nvary: b\r\nContent-Length: 3\r\n\r\n",
        ],
    )
    def test_as_twisted_reads_it(self, head: bytes) -> None:
        plain = plain_answer(head)
        assert plain is not None
        status, headers, length = read_by_twisted(head)
        assert plain.status == status
        assert list(plain.headers.items()) == list(headers.items())
        assert plain.length == (length if b"Content-Length" in headers else None)

    @pytest.mark.parametrize(
        ("connection", "is_kept"), [(b"close", False), (b"keep-alive", True), (b"Upgrade", True)]
    )
    def test_whether_the_connection_is_kept(self, connection: bytes, is_kept: bool) -> None:
        head = b"HTTP/1.1 200 OK\r\nConnection: %b\r\nContent-Length: 3\r\n\r\n" % connection
        plain = plain_answer(head)
        assert plain is not None
        assert plain.keeps_connection == is_kept

    @pytest.mark.parametrize(
        "head",
        [
            b"HTTP/1.0 200 OK\r\nContent-Length: 7\r\n\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n",
            b"HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1_0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nContent-Length: 7\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 7, 7\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nno colon\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nX: folded\r\n line\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length : 7\r\n\r\n",
            b"HTTP/1.1 200 OK\nContent-Length: 7\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 7\nX: y\r\n\r\n",
            b"HTTP/1.1 2000 OK\r\nContent-Length: 7\r\n\r\n",
            b"ICY 200 OK\r\nContent-Length: 7\r\n\r\n",
        ],
    )
    def test_one_that_is_not_plain(self, head: bytes) -> None:
        assert plain_answer(head) is None
