"""One scan: the :class:`Scan` object that its components share, and what keeps it going.

* :mod:`~sitecrawl.scan.arguments`: what the run was asked for;
* :mod:`~sitecrawl.scan.lifecycle`: the extension that begins and ends the scan's record;
* :mod:`~sitecrawl.scan.database`: the store, used off the event loop;
* :mod:`~sitecrawl.scan.frontier`: the pages that the crawl is to visit;
* :mod:`~sitecrawl.scan.robots`: the robots.txt of every authority;
* :mod:`~sitecrawl.scan.documents`: requests for documents, and their answers;
* :mod:`~sitecrawl.scan.counters`, :mod:`~sitecrawl.scan.summary`: what was found.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sitecrawl.scan.counters import ScanCounters

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy.crawler import Crawler

    from sitecrawl.config import Config
    from sitecrawl.politeness.scan import ScanPoliteness
    from sitecrawl.safety.policy import AddressPolicy
    from sitecrawl.scan.database import ScanDatabase
    from sitecrawl.scan.frontier import Frontier
    from sitecrawl.scan.robots import RobotsRegistry
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.store.writers.records import ScanHandle


class ItemPipeline(Protocol):
    """A pipeline of the inventory, see :class:`~sitecrawl.pipelines.InventoryPipeline`."""

    def process_item(self, item: Any) -> Any: ...
    def item_lost(self, item: Any) -> None: ...
    async def conclude(self) -> None: ...


@dataclass(slots=True)
class Scan:
    """One per crawler, made by :class:`~sitecrawl.scan.lifecycle.ScanLifecycle`.

    Every spider of the project has one: its requests are paced, guarded and judged by it. Only
    a scan with a ``database`` is recorded; :class:`~sitecrawl.spiders.site.SiteSpider` has one.
    """

    config: Config
    politeness: ScanPoliteness
    address_policy: AddressPolicy
    counters: ScanCounters = field(default_factory=ScanCounters)
    robots: RobotsRegistry = field(init=False)
    frontier: Frontier = field(init=False)
    """The pages that the crawl is to visit."""
    checks: Frontier = field(init=False)
    """The pages that are checked."""
    database: ScanDatabase | None = None
    root_url: str = ""
    """Where the site answers; empty until it has."""
    failure: str = ""
    """Why nothing of the site could be read, for a person."""
    root_problem: str = ""
    """Why the root page could not be read; there may still be sitemaps."""
    root_remedy: str = ""
    """What a person can do about it."""
    pipelines: list[ItemPipeline] = field(default_factory=list)
    """Of the inventory, in the order of ``ITEM_PIPELINES``."""
    put: Callable[[Any], Awaitable[None]] = field(init=False)
    """Sends what a document said through these pipelines."""
    finalize_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a stage stores items that no request waits for; the scan is finalized after it."""

    @property
    def record(self) -> ScanHandle:
        """Of the scan that has begun: its id, its site, the seed of its page ids."""
        assert self.database is not None
        assert self.database.record is not None, "the scan has not begun"
        return self.database.record

    @property
    def resumption(self) -> Resumption | None:
        """The state in which this scan was interrupted; None: it is a new scan."""
        return self.database.resumption if self.database else None


def scan_of(crawler: Crawler) -> Scan:
    """The scan of a crawler that is set up."""
    from sitecrawl.scan.lifecycle import ScanLifecycle

    lifecycle = crawler.get_extension(ScanLifecycle)
    assert lifecycle is not None, "EXTENSIONS must list sitecrawl.scan.lifecycle.ScanLifecycle"
    return lifecycle.scan
