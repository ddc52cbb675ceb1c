"""Retries after a pause that doubles each time."""

from __future__ import annotations

import math
import random
import time
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.retry import RetryMiddleware

from sitecrawl.config import Config
from sitecrawl.downloader import is_stopping, sleep_unless_stopping
from sitecrawl.politeness.pace import backoff_seconds
from sitecrawl.scan import scan_of
from sitecrawl.scan.errors import ScanStoppedError

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings


class BackoffRetryMiddleware(RetryMiddleware):
    """Scrapy's retries, but never at once: after 200 ms, 400 ms, 800 ms, ... and a random quarter.

    Retry-After is kept by the downloader. A request whose retry would be refused (its host is left
    alone, or asks to wait longer than the scan or the stage may take) is not retried. See
    :meth:`backoff_seconds` to use other pauses.

    Settings: ``SITECRAWL_RETRY_BACKOFF_SECONDS`` and Scrapy's ``RETRY_*``.
    Meta: ``sitecrawl_deadline`` (of the monotonic clock).
    """

    def __init__(self, settings: BaseSettings):
        super().__init__(settings)
        self._first_seconds = Config.from_settings(settings).retry_backoff_seconds

    async def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        if response.status not in self.retry_http_codes or self._is_in_vain(request):
            return response
        retry: Request | Response = super().process_response(request, response)
        return await self._back_off(retry) if isinstance(retry, Request) else retry

    async def process_exception(  # type: ignore[override]
        self, request: Request, exception: Exception
    ) -> Request | Response | None:
        if not isinstance(exception, self.exceptions_to_retry) or self._is_in_vain(request):
            return None
        retry: Request | Response | None = super().process_exception(request, exception)
        return await self._back_off(retry) if isinstance(retry, Request) else retry

    def _is_in_vain(self, request: Request) -> bool:
        now = time.monotonic()
        deadline = request.meta.get("sitecrawl_deadline", math.inf)
        politeness = scan_of(self.crawler).politeness
        return now >= deadline or politeness.is_waiting_in_vain(request.url, now, deadline)

    async def _back_off(self, retry: Request) -> Request:
        """Return the retry when its time has come.

        A scan that is stopped before has no answer yet: a resumed one asks again.
        """
        await sleep_unless_stopping(self.crawler, self.backoff_seconds(retry))
        if is_stopping(self.crawler):
            raise ScanStoppedError(f"the scan was stopped before a retry of {retry.url}")
        return retry

    def backoff_seconds(self, retry: Request) -> float:
        """The pause before a retry; override it to use other pauses."""
        chance = random.random()  # noqa: S311  no secret
        return backoff_seconds(self._first_seconds, retry.meta["retry_times"], chance)
