"""Retries that wait."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.retry import RetryMiddleware

from sitecrawl.config import Config
from sitecrawl.downloader.polite import politeness_of
from sitecrawl.politeness.pace import backoff_seconds

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.settings import BaseSettings


class BackoffRetryMiddleware(RetryMiddleware):
    """Scrapy's retries, never at once: 200 ms, 400 ms, 800 ms, ... each up to a quarter longer.

    A retry waits where every request waits, for its turn at its host: there Retry-After is kept as
    well. What would wait in vain is not tried again; then the answer that is there counts.

    Settings: ``SITECRAWL_RETRY_BACKOFF_SECONDS`` and Scrapy's ``RETRY_*``.
    Meta: ``sitecrawl_deadline``, ``sitecrawl_not_before`` (of the monotonic clock).
    """

    def __init__(self, settings: BaseSettings):
        super().__init__(settings)
        self._backoff_seconds = Config.from_settings(settings).retry_backoff_seconds

    def _retry(self, request: Request, reason: str | Exception | type[Exception]) -> Request | None:
        now = time.monotonic()
        deadline = request.meta.get("sitecrawl_deadline", float("inf"))
        politeness = politeness_of(self.crawler)
        if now >= deadline or politeness.is_waiting_in_vain(request.url, now, deadline):
            return None
        retry = super()._retry(request, reason)
        if retry is not None:
            wait = backoff_seconds(
                self._backoff_seconds,
                retry.meta["retry_times"],
                random.random(),  # noqa: S311  no secret
            )
            retry.meta["sitecrawl_not_before"] = now + wait
        return retry
