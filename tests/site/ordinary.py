"""A spider as any Scrapy user writes it, which knows nothing of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import scrapy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class OrdinarySpider(scrapy.Spider):
    name = "ordinary"
    custom_settings: ClassVar[dict[str, Any]] = {"STATS_DUMP": True}  # type: ignore[misc]
    domain = ""

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(self.domain, self.parse)

    def parse(self, response: Response) -> Iterator[Any]:
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse, errback=self.failed)

    def failed(self, failure: Any) -> None:
        self.logger.info("failed: %s", failure.value)
