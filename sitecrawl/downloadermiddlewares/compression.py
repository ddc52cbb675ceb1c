"""Transport compression that unpacks no more than a document may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class BoundedCompressionMiddleware(HttpCompressionMiddleware):
    """Scrapy's middleware, with the document's own limit for what it unpacks.

    Scrapy has one meta key, ``download_maxsize``, for the bytes on the wire and for the
    unpacked ones. On the wire :class:`~sitecrawl.extensions.bodylimit.BodyLimit` cuts instead of
    refusing, so only the unpacking is limited here.

    Meta: ``sitecrawl_max_bytes``.
    """

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        if limit := request.meta.get("sitecrawl_max_bytes"):
            request.meta["download_maxsize"] = limit
        return super().process_response(request, response)
