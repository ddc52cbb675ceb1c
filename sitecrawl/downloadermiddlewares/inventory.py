"""Answers requests for the inventory itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import Response

if TYPE_CHECKING:
    from scrapy import Request


class InventoryMiddleware:
    """Answer a request with the meta key ``sitecrawl_inventory`` without asking a site.

    Items can only be emitted by the callback of a request: this is the request by which a scan
    emits its pages when it has ended (``SITECRAWL_PAGE_ITEMS``).

    Meta: ``sitecrawl_inventory``.
    """

    def process_request(self, request: Request) -> Response | None:
        is_asked = request.meta.get("sitecrawl_inventory")
        return Response(request.url, request=request) if is_asked else None
