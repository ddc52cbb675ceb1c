"""Log lines for people: no line per item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.logformatter import LogFormatter

if TYPE_CHECKING:
    from scrapy.logformatter import LogFormatterResult


class QuietLogFormatter(LogFormatter):
    """Scrapy's lines, without those that show whole items: an item holds up to 5,000 URLs."""

    def scraped(self, *args: Any, **kwargs: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return None

    def dropped(self, *args: Any, **kwargs: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return None
