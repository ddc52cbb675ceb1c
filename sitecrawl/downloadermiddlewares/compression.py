"""Transport compression that unpacks no more than a document may have."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware

from sitecrawl.items import DocumentKind

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

_UNREADABLE = (OSError, EOFError, ValueError, zlib.error, brotli.error)
_GZIP = {b"gzip", b"x-gzip"}
# A robots.txt that unpacks to more than so many times its limit is a bomb; up to that it is cut.
_ROBOTS_TXT_TIMES = 20


class BoundedCompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's middleware, with four differences.

    * The document's own limit holds for what is unpacked. Scrapy has one meta key,
      ``download_maxsize``, for that and for the bytes on the wire, where
      :class:`~sitecrawl.extensions.bodylimit.BodyLimit` cuts instead of refusing.
    * A gzipped sitemap is left as it is: its reader unpacks it piece by piece, and keeps what comes
      before the limit.
    * A robots.txt is cut at its limit, as one that is not compressed, and marked as cut by the flag
      ``download_stopped``. What unpacks to more than 20 times the limit is refused.
    * A body that is not in the encoding it claims is taken as it is.

    Meta: ``sitecrawl_document``, ``sitecrawl_max_bytes``.
    """

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        limit = request.meta.get("sitecrawl_max_bytes", 0)
        is_robots_txt = _kind(request) is DocumentKind.ROBOTS_TXT
        if limit:
            times = _ROBOTS_TXT_TIMES if is_robots_txt else 1
            request.meta["download_maxsize"] = limit * times
        if self._is_left_to_reader(request, response):
            return _without_encoding(response)
        try:
            unpacked: Response = super().process_response(request, response)  # type: ignore[assignment]
        except _UNREADABLE:
            return _without_encoding(response)
        return _cut(unpacked, limit) if limit and is_robots_txt else unpacked

    def _is_left_to_reader(self, request: Request, response: Response) -> bool:
        encodings = {name.strip().lower() for name in response.headers.getlist("Content-Encoding")}
        return _kind(request) is DocumentKind.SITEMAP and bool(encodings) and encodings <= _GZIP


def _kind(request: Request) -> DocumentKind | None:
    kind: DocumentKind | None = request.meta.get("sitecrawl_document", {}).get("kind")
    return kind


def _cut(response: Response, limit: int) -> Response:
    """One byte more than the limit stays, by which the reader knows that there was more."""
    if len(response.body) <= limit:
        return response
    flags = list(dict.fromkeys([*response.flags, "download_stopped"]))
    return response.replace(body=response.body[: limit + 1], flags=flags)


def _without_encoding(response: Response) -> Response:
    headers = response.headers.copy()
    headers.pop(b"Content-Encoding", None)
    return response.replace(headers=headers)
