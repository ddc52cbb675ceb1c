"""Conditional requests: an unchanged document is neither sent nor read again."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from sitecrawl.config import Config
from sitecrawl.items import DocumentKind
from sitecrawl.scan import scan_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.items import KnownPage, Validators
    from sitecrawl.scan.database import KnownDocument

_CONDITIONS = ("If-None-Match", "If-Modified-Since")


class ConditionalRequestMiddleware:
    """Ask with the validators of the last scan; recognise an unchanged answer.

    * What is known of a sitemap is looked up in the store; the request for a page carries it
      (``sitecrawl_known_page``). Without it the request has no conditions.
    * A 304, and for a sitemap a 200 with the same bytes, puts that into ``sitecrawl_unchanged``.
      See :meth:`is_unchanged` to use another policy.
    * A 304 although nothing is known is useless: the request is sent once more, past caches.

    Settings: ``SITECRAWL_CONDITIONAL_REQUESTS``. Meta: ``sitecrawl_document``,
    ``sitecrawl_known_page``, ``sitecrawl_unchanged``. Stats: ``sitecrawl/documents/unchanged``.
    """

    def __init__(self, crawler: Crawler):
        if not Config.from_settings(crawler.settings).conditional_requests:
            raise NotConfigured
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        # A redirected or retried request keeps the answer for the address asked first.
        if "sitecrawl_document" not in request.meta or "sitecrawl_known" in request.meta:
            return
        known = await self._known(request)
        if known is not None and not await self._is_judged_alike(known.validators):
            known = None
        request.meta["sitecrawl_known"] = known
        if known is None:
            return
        if known.validators.etag:
            request.headers["If-None-Match"] = known.validators.etag
        if known.validators.last_modified:
            request.headers["If-Modified-Since"] = known.validators.last_modified

    async def _known(self, request: Request) -> KnownDocument | KnownPage | None:
        kind = request.meta["sitecrawl_document"]["kind"]
        if kind is DocumentKind.PAGE:
            page: KnownPage | None = request.meta.get("sitecrawl_known_page")
            return page
        database = scan_of(self._crawler).database
        # A robots.txt is small, and needed whole in every scan.
        if kind is not DocumentKind.SITEMAP or database is None:
            return None
        return await database.known_document(request.url)

    async def _is_judged_alike(self, validators: Validators) -> bool:
        """Whether robots.txt still says the same of its pages: otherwise all are judged again."""
        registry = scan_of(self._crawler).robots
        for origin, fingerprint in validators.policies.items():
            robots = await registry.robots_of(origin)
            if robots.policy.fingerprint != fingerprint:
                return False
        return True

    def process_response(self, request: Request, response: Response) -> Response | Request:
        if "sitecrawl_known" not in request.meta:
            return response
        known = request.meta["sitecrawl_known"]
        if known is None:
            return self._asked_again(request, response)
        if self.is_unchanged(request, response):
            request.meta["sitecrawl_unchanged"] = known
            scan_of(self._crawler).counters.documents_unchanged += 1
        return response

    def is_unchanged(self, request: Request, response: Response) -> bool:
        """Whether a known document need not be read again; override it to use another policy."""
        if response.status == HTTPStatus.NOT_MODIFIED:
            return True
        # Not for pages: with the same bytes their headers may name other links.
        is_sitemap = request.meta["sitecrawl_document"]["kind"] is DocumentKind.SITEMAP
        known = request.meta["sitecrawl_known"].validators.sha256
        is_read = is_sitemap and response.status == HTTPStatus.OK
        return is_read and hashlib.sha256(response.body).hexdigest() == known

    def _asked_again(self, request: Request, response: Response) -> Response | Request:
        """A cache in between may answer 304 to a request without conditions."""
        if response.status != HTTPStatus.NOT_MODIFIED or "Cache-Control" in request.headers:
            return response
        again = request.replace(dont_filter=True)
        for name in _CONDITIONS:
            again.headers.pop(name, None)
        again.headers["Cache-Control"] = "no-cache"
        return again
