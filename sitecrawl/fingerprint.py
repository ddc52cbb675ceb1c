"""Requests for the same canonical URL are the same request."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sitecrawl.config import Config
from sitecrawl.urls.canonical import canonicalize

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler


class CanonicalFingerprinter:
    """Scrapy's request identity by the one canonicalisation of the project."""

    def __init__(self, config: Config):
        self._rules = config.canonical_rules()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Config.from_settings(crawler.settings))

    def fingerprint(self, request: Request) -> bytes:
        url = canonicalize(request.url, None, self._rules) or request.url
        return hashlib.sha1(
            b"\0".join((request.method.encode(), url.encode(), request.body)),
            usedforsecurity=False,
        ).digest()
