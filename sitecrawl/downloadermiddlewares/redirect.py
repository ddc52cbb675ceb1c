"""Redirects, read as browsers read them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from scrapy.downloadermiddlewares.redirect import RedirectMiddleware

from sitecrawl.urls.address import resolve

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

_ASCII = bytes(range(128))


class CleanRedirectMiddleware(RedirectMiddleware):
    """Scrapy's redirects, to what the one URL parser of the project makes of the target.

    So credentials in a target are not sent, stored or logged, odd spellings of an address become
    that address, and a target that is no http(s) address is not followed.
    """

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        location = response.headers.get("Location")
        if location is None:
            return response
        target = resolve(quote(location, safe=_ASCII), request.url)
        if target is None:
            return response
        headers = response.headers.copy()
        headers["Location"] = target
        return super().process_response(request, response.replace(headers=headers))
