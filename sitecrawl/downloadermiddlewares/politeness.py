"""Requests that the downloader would refuse are refused before anything is done for them."""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest

from sitecrawl.downloader import check_download_components, is_page
from sitecrawl.scan import scan_of
from sitecrawl.scan.errors import NotSentError

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class PolitenessMiddleware:
    """Refuse what is over the scan's budget, and what would go to a host that is left alone.

    A shortcut: no robots.txt is fetched for such a request, and it does not wait in a slot. What
    is sent is decided by the downloader alone.

    Why a request was refused, here or by another component, is logged, as Scrapy does not: at INFO
    if the user named its URL, otherwise at DEBUG. Requests of a scan are recorded instead.

    Settings: ``SITECRAWL_MAX_PAGES``, ``SITECRAWL_MAX_SCAN_MINUTES``,
    ``SITECRAWL_MAX_ERRORS_IN_A_ROW``. Meta: ``sitecrawl_document``, ``sitecrawl_deadline``.
    """

    def __init__(self, crawler: Crawler):
        check_download_components(crawler.settings)  # also when DOWNLOADER is another
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        not_sent = scan_of(self._crawler).politeness.refusal(
            request.url,
            is_page=is_page(request),
            now=time.monotonic(),
            deadline=request.meta.get("sitecrawl_deadline", math.inf),
        )
        if not_sent:
            raise NotSentError(not_sent)

    def process_exception(self, request: Request, exception: Exception) -> None:
        if isinstance(exception, IgnoreRequest) and "sitecrawl_document" not in request.meta:
            is_named = not request.meta.get("depth")
            level = logging.INFO if is_named else logging.DEBUG
            logger.log(level, "%s was refused: %s", request, exception)
