"""Log lines for people: no line per item."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.logformatter import LogFormatterResult


class QuietLogFormatter(LogFormatter):
    """Scrapy's lines, without those that show whole items: an item holds up to 5,000 URLs.

    The line of an answer is made only if it is shown, with ``LOG_LEVEL`` ``DEBUG``: Scrapy makes
    each, and then lets the handler of the log drop it.
    """

    def __init__(self, *, shows_answers: bool = True):
        self._shows_answers = shows_answers

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        level = logging.getLevelNamesMapping().get(crawler.settings["LOG_LEVEL"], logging.DEBUG)
        return cls(shows_answers=level <= logging.DEBUG)

    def crawled(self, *args: Any, **kwargs: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return super().crawled(*args, **kwargs) if self._shows_answers else None

    def scraped(self, *args: Any, **kwargs: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return None

    def dropped(self, *args: Any, **kwargs: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return None
