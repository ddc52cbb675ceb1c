"""Conditional requests: a document that has not changed is not sent, and not read, again."""

from __future__ import annotations

import hashlib
from http import HTTPStatus
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from sitecrawl.config import Config
from sitecrawl.items import DocumentKind
from sitecrawl.scan.scan import scan_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from sitecrawl.scan.database import KnownDocument


class ConditionalRequestMiddleware:
    """Ask with the validators of the last scan; recognise an unchanged answer.

    A 304, or a 200 with the same bytes, puts what the store knows of the document into
    ``sitecrawl_unchanged``; without the store's knowledge nothing is asked conditionally.

    Settings: ``SITECRAWL_CONDITIONAL_REQUESTS``. Meta: ``sitecrawl_document``,
    ``sitecrawl_unchanged``. Stats: ``sitecrawl/documents/unchanged``.
    """

    def __init__(self, crawler: Crawler):
        if not Config.from_settings(crawler.settings).conditional_requests:
            raise NotConfigured
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        # A robots.txt is small, and needed whole in every scan.
        document = request.meta.get("sitecrawl_document", {})
        if document.get("kind") is not DocumentKind.SITEMAP or "sitecrawl_known" in request.meta:
            return
        database = scan_of(self._crawler).database
        known = await database.known_document(request.url) if database else None
        if known is not None and not await self._is_judged_alike(known):
            known = None
        # A redirected or retried request keeps the answer for the address asked first.
        request.meta["sitecrawl_known"] = known
        if known is None:
            return
        if known.validators.etag:
            request.headers["If-None-Match"] = known.validators.etag
        if known.validators.last_modified:
            request.headers["If-Modified-Since"] = known.validators.last_modified

    async def _is_judged_alike(self, known: KnownDocument) -> bool:
        """Whether robots.txt still says the same of its pages: otherwise all are judged again."""
        register = scan_of(self._crawler).robots
        for origin, fingerprint in known.validators.policies.items():
            robots = await register.robots_of(origin)
            if robots.policy.fingerprint != fingerprint:
                return False
        return True

    def process_response(self, request: Request, response: Response) -> Response:
        known = request.meta.get("sitecrawl_known")
        if known is not None and (
            response.status == HTTPStatus.NOT_MODIFIED
            or (
                response.status == HTTPStatus.OK
                and hashlib.sha256(response.body).hexdigest() == known.validators.sha256
            )
        ):
            request.meta["sitecrawl_unchanged"] = known
            scan_of(self._crawler).counters.documents_unchanged += 1
        return response
