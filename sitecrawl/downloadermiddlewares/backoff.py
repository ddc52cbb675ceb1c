"""Retries that wait."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.retry import RetryMiddleware

from sitecrawl.config import Config

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.settings import BaseSettings


class BackoffRetryMiddleware(RetryMiddleware):
    """Scrapy's retries, never at once: 200 ms, 400 ms, 800 ms, ... each up to a quarter longer.

    Settings: ``SITECRAWL_RETRY_BACKOFF_SECONDS`` and Scrapy's ``RETRY_*``.
    Meta: ``sitecrawl_deadline`` (of the monotonic clock).
    """

    def __init__(self, settings: BaseSettings):
        super().__init__(settings)
        self._backoff_seconds = Config.from_settings(settings).retry_backoff_seconds

    async def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        result = super().process_response(request, response)
        if isinstance(result, Request):
            await self._wait(result)
        return result

    async def process_exception(  # type: ignore[override]
        self, request: Request, exception: Exception
    ) -> Request | Response | None:
        result = super().process_exception(request, exception)
        if isinstance(result, Request):
            await self._wait(result)
        return result

    def _retry(self, request: Request, reason: str | Exception | type[Exception]) -> Request | None:
        """Not when the time of the request's stage is over."""
        if time.monotonic() >= request.meta.get("sitecrawl_deadline", float("inf")):
            return None
        return super()._retry(request, reason)

    async def _wait(self, request: Request) -> None:
        tries: int = request.meta["retry_times"]
        delay = self._backoff_seconds * 2 ** (tries - 1)
        await asyncio.sleep(delay * (1 + random.random() / 4))  # noqa: S311  no secret
