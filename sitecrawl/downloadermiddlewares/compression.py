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


class BoundedCompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's middleware, with three differences.

    * The document's own limit holds for what is unpacked. Scrapy has one meta key,
      ``download_maxsize``, for that and for the bytes on the wire, where
      :class:`~sitecrawl.extensions.bodylimit.BodyLimit` cuts instead of refusing.
    * A gzipped sitemap is left as it is: its reader unpacks it piece by piece, and keeps what comes
      before the limit.
    * A body that is not in the encoding it claims is taken as it is.

    Meta: ``sitecrawl_document``, ``sitecrawl_max_bytes``.
    """

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        if limit := request.meta.get("sitecrawl_max_bytes"):
            request.meta["download_maxsize"] = limit
        if self._is_left_to_reader(request, response):
            return _without_encoding(response)
        try:
            return super().process_response(request, response)
        except _UNREADABLE:
            return _without_encoding(response)

    def _is_left_to_reader(self, request: Request, response: Response) -> bool:
        kind = request.meta.get("sitecrawl_document", {}).get("kind")
        encodings = {name.strip().lower() for name in response.headers.getlist("Content-Encoding")}
        return kind is DocumentKind.SITEMAP and bool(encodings) and encodings <= _GZIP


def _without_encoding(response: Response) -> Response:
    headers = response.headers.copy()
    headers.pop(b"Content-Encoding", None)
    return response.replace(headers=headers)
