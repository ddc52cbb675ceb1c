"""Content encodings, unpacked up to the document's limit."""

from __future__ import annotations

import sys
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.responsetypes import responsetypes

from sitecrawl.downloader import is_page
from sitecrawl.items import DocumentKind

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.http import Response

_GZIP = {b"gzip", b"x-gzip"}
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_TYPES = (b"application/gzip", b"application/x-gzip")
_ZLIB_GZIP, _ZLIB_ANY, _ZLIB_RAW = 31, 15, -15
_CHUNK_BYTES = 65_536
_ROBOTS_TXT_TIMES = 20


class BoundedCompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's middleware; for documents with a limit of their own, with these differences.

    * What unpacks to more than the limit is cut there, as a document that is not compressed, and
      marked by the flag ``download_stopped``. Scrapy drops it. A robots.txt that unpacks to more
      than 20 times the limit is an attack, and dropped.
    * A gzipped sitemap is left as it is: its reader unpacks it piece by piece.
    * A body that is not in its declared encoding, or in an unknown one, is taken as it is.
    * A page that is served as a gzip file is unpacked.

    Meta: ``sitecrawl_document``, ``sitecrawl_max_bytes``.
    Stats: Scrapy's ``httpcompression/response_count`` and ``httpcompression/response_bytes``.
    """

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        limit: int = request.meta.get("sitecrawl_max_bytes", 0)
        if not limit or request.method == "HEAD":
            unbounded: Request | Response = super().process_response(request, response)
            return unbounded
        encodings = _encodings(response)
        if (
            not encodings
            and is_page(request)
            and is_gzip_type(response.headers.get(b"Content-Type"))
        ):
            return _unpacked_page(response, limit)
        kind = request.meta.get("sitecrawl_document", {}).get("kind")
        is_left_to_reader = kind is DocumentKind.SITEMAP and set(encodings) <= _GZIP
        if not encodings:
            return response
        if is_left_to_reader:
            return _replaced(response, response.body)
        if kind is not DocumentKind.ROBOTS_TXT:
            return self._unpacked(response, encodings, limit)
        unpacked = self._unpacked(response, encodings, limit * _ROBOTS_TXT_TIMES)
        if "download_stopped" in unpacked.flags:
            raise IgnoreRequest(
                f"robots.txt unpacks to more than {limit * _ROBOTS_TXT_TIMES} bytes"
            )
        return _cut(unpacked, limit)

    def _unpacked(self, response: Response, encodings: list[bytes], limit: int) -> Response:
        body = response.body
        while encodings and encodings[-1] in _UNPACKERS and body:
            unpacked = _unpack(body, encodings[-1], limit)
            if unpacked is None:
                break
            body = unpacked
            encodings.pop()
        assert self.stats is not None
        self.stats.inc_value("httpcompression/response_count")
        self.stats.inc_value("httpcompression/response_bytes", len(body))
        return _cut(_replaced(response, body), limit)


def is_gzip_type(content_type: bytes | None) -> bool:
    return (content_type or b"").lower().startswith(_GZIP_TYPES)


def starts_as_markup(packed: bytes) -> bool:
    """Whether the beginning of a gzip file unpacks to markup.

    >>> import gzip
    >>> starts_as_markup(gzip.compress(b"  <!doctype html>")), starts_as_markup(b"PK")
    (True, False)
    """
    unpacked = _unpack(packed, b"gzip", 1_000) or b""
    return unpacked.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _unpacked_page(response: Response, limit: int) -> Response:
    if not starts_as_markup(response.body):
        return response
    body = _unpack(response.body, b"gzip", limit)
    assert body is not None
    headers = response.headers.copy()
    headers[b"Content-Type"] = b"text/html"
    return _cut(_replaced(response.replace(headers=headers), body), limit)


def _encodings(response: Response) -> list[bytes]:
    """In the order in which they were applied."""
    values = b",".join(response.headers.getlist("Content-Encoding")).lower().split(b",")
    return [name for value in values if (name := value.strip())]


def _replaced(response: Response, body: bytes) -> Response:
    headers = response.headers.copy()
    headers.pop(b"Content-Encoding", None)
    cls = responsetypes.from_args(headers=headers, url=response.url, body=body)
    # Not `response.replace`: it would guess the text encoding of the packed bytes, which takes
    # longer than reading the page.
    kept = {name: getattr(response, name) for name in cls.attributes if name != "encoding"}
    return cls(**kept | {"headers": headers, "body": body})


def _cut(response: Response, limit: int) -> Response:
    """One byte more than the limit stays, by which the reader knows that there was more."""
    if len(response.body) <= limit:
        return response
    flags = list(dict.fromkeys([*response.flags, "download_stopped"]))
    return response.replace(body=response.body[: limit + 1], flags=flags)


def _unpack(body: bytes, encoding: bytes, limit: int) -> bytes | None:
    """Return at most *limit* bytes and one; None if *body* is not in this encoding."""
    for unpacker in _UNPACKERS[encoding]:
        try:
            return unpacker(body, limit + 1)
        except (zlib.error, brotli.error, zstd.ZstdError):
            continue
    return None


def _zlib(wbits: int) -> Callable[[bytes, int], bytes]:
    def unpack(body: bytes, length: int) -> bytes:
        return zlib.decompressobj(wbits).decompress(body, length)

    return unpack


def _gunzip(body: bytes, length: int) -> bytes:
    """A gzip file may have several members, and padding behind them."""
    if not body.startswith(_GZIP_MAGIC):
        raise zlib.error("no gzip")
    unpacked = b""
    while body.startswith(_GZIP_MAGIC) and len(unpacked) < length:
        member = zlib.decompressobj(_ZLIB_GZIP)
        unpacked += member.decompress(body, length - len(unpacked))
        body = member.unused_data
    return unpacked


def _unbrotli(body: bytes, length: int) -> bytes:
    unpacker = brotli.Decompressor()
    unpacked: bytes = unpacker.process(body, output_buffer_limit=length)
    while len(unpacked) < length and (more := unpacker.process(b"", output_buffer_limit=length)):
        unpacked += more
    return unpacked


def _unzstd(body: bytes, length: int) -> bytes:
    unpacked = BytesIO()
    frames = zstd.ZstdFile(BytesIO(body))
    while unpacked.tell() < length:
        try:
            chunk = frames.read(min(_CHUNK_BYTES, length - unpacked.tell()))
        except EOFError:  # cut off: what came before counts
            break
        if not chunk:
            break
        unpacked.write(chunk)
    return unpacked.getvalue()


_UNPACKERS: dict[bytes, tuple[Callable[[bytes, int], bytes], ...]] = {
    b"gzip": (_gunzip,),
    b"x-gzip": (_gunzip,),
    # By the RFC in the zlib format; some servers send raw deflate.
    b"deflate": (_zlib(_ZLIB_ANY), _zlib(_ZLIB_RAW)),
    b"br": (_unbrotli,),
    b"zstd": (_unzstd,),
}
