"""A document that is too long is cut, not refused: what came before the cut still counts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import StopDownload

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler


class BodyLimit:
    """Stop a download at the document's limit and hand on what has arrived.

    Meta: ``sitecrawl_max_bytes``. Stats: ``sitecrawl/documents/cut``.
    """

    def __init__(self, crawler: Crawler):
        self._stats = crawler.stats
        self._received: WeakKeyDictionary[Request, int] = WeakKeyDictionary()
        crawler.signals.connect(self.bytes_received, signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def bytes_received(self, data: bytes, request: Request) -> None:
        limit = request.meta.get("sitecrawl_max_bytes")
        if not limit:
            return
        received = self._received.get(request, 0) + len(data)
        self._received[request] = received
        if received > limit:
            self._stats.inc_value("sitecrawl/documents/cut")
            raise StopDownload(fail=False)
