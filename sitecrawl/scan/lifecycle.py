"""Begins a scan when its spider opens, and ends it when the spider closes."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from sitecrawl import __version__
from sitecrawl.changes.baseline import VERSION
from sitecrawl.config import Config
from sitecrawl.config.environment import apply_environment
from sitecrawl.errors import ExitCode
from sitecrawl.items import EvidenceType, FetchOutcome
from sitecrawl.logs import identify
from sitecrawl.politeness.ledger import ledger_words
from sitecrawl.politeness.scan import ScanPoliteness
from sitecrawl.safety.policy import AddressPolicy, endpoint_of
from sitecrawl.scan import Scan
from sitecrawl.scan.arguments import plain_feeds
from sitecrawl.scan.database import ScanDatabase
from sitecrawl.scan.frontier import Frontier
from sitecrawl.scan.robots import RobotsRegistry
from sitecrawl.scan.summary import (
    build_summary,
    given_up_families,
    is_exhaustive,
    parameter_copies,
    scan_ending,
)
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from sitecrawl.scan.arguments import SpiderArguments
    from sitecrawl.scan.summary import Summary

logger = logging.getLogger(__name__)

_HEARTBEAT_SECONDS = 4.0


class ScanLifecycle:
    """Makes the crawler's :class:`Scan`; records it for a spider that asks for an inventory.

    A spider asks for it by its attribute ``scan_arguments`` (:class:`SpiderArguments`). Every
    other spider gets a scan without a database: robots verdicts, skip rules, pace, budget and
    the guard on addresses hold for it, and nothing is stored.

    Stats: ``sitecrawl/scan/id``, ``sitecrawl/scan/status``, ``sitecrawl/scan/reason``,
    ``sitecrawl/politeness``, and those of :class:`~sitecrawl.scan.counters.ScanCounters`, renewed
    every few seconds.
    """

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._started = time.monotonic()
        self._arguments: SpiderArguments | None = getattr(crawler.spider, "scan_arguments", None)
        self._heartbeat = create_looping_call(self._beat)
        self._closing: asyncio.Future[None] | None = None
        self._is_finalized = False
        self.summary: Summary | None = None
        self.is_finished = asyncio.Event()
        """The record is complete, and can be read."""
        self.scan = self._make_scan()
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def _make_scan(self) -> Scan:
        config = self._read_config()
        arguments = self._arguments
        start_urls = getattr(self._crawler.spider, "start_urls", ())
        named = arguments.named_endpoints() if arguments else map(endpoint_of, start_urls)
        scan = Scan(
            config=config,
            politeness=ScanPoliteness(
                config.pace_rules(), config.scan_budget(self._started), config.slot_wait_seconds
            ),
            address_policy=AddressPolicy(
                named if config.allow_private_site else (), config.address_allow
            ),
        )
        scan.frontier, scan.checks = Frontier(), Frontier()
        scan.put = self._put
        is_stored = arguments is not None and getattr(self._crawler.spider, "is_stored", True)
        if is_stored:
            kind = getattr(self._crawler.spider, "database_class", ScanDatabase)
            scan.database = kind(config, self._close_spider)
        scan.robots = RobotsRegistry(self._crawler, scan)
        return scan

    def _read_config(self) -> Config:
        """Read the settings of any spider: extensions are made before Scrapy freezes them."""
        settings = self._crawler.settings
        apply_environment(settings)
        config = Config.from_settings(settings)
        settings.set("DOWNLOAD_VERIFY_CERTIFICATES", config.verify_certificates, "project")
        settings.set("HTTPPROXY_ENABLED", config.use_proxies, "project")
        return config

    # --- begin -------------------------------------------------------------------------------

    def spider_opened(self) -> None:
        database = self.scan.database
        if database is not None:
            assert self._arguments is not None
            record: dict[str, Any] = getattr(self._crawler.spider, "record", dict)()
            # Comparisons of scans need it: another version may find other pages.
            settings = {VERSION: __version__, **self.scan.config.as_dict(), **record}
            database.open(self._arguments, settings, plain_feeds(self._crawler.settings))
            self._preparing = asyncio.ensure_future(self._prepare(database))

    async def _prepare(self, database: ScanDatabase) -> None:
        await database.opened()
        if database.record is None:
            return
        self._crawler.stats.set_value("sitecrawl/scan/id", database.record.scan_id)
        identify(scan=database.record.scan_id)
        if database.resumption is not None:
            self.scan.counters.restore(database.resumption.stats)
        self._heartbeat.start(_HEARTBEAT_SECONDS, now=False)

    async def ready(self) -> None:
        """Wait until the scan has its record, and a resumed one its counters."""
        await self._preparing

    def _beat(self) -> None:
        self.scan.counters.publish(self._crawler.stats)
        self._beating = asyncio.ensure_future(self._send_heartbeat())

    async def _send_heartbeat(self) -> None:
        database = self.scan.database
        assert database is not None
        if await database.heartbeat():
            self._close_spider("cancelled")

    # --- what documents say --------------------------------------------------------------------

    async def _put(self, item: Any) -> None:
        """Send an item through the pipelines of the inventory.

        It does not go through Scrapy's item pipelines as a whole: pipelines of a user and feeds get
        pages, not batches of mentions.
        """
        database = self.scan.database
        if database is None or database.failure or not database.has_begun:
            return
        for pipeline in self.scan.pipelines:
            try:
                processed = pipeline.process_item(item)
                if inspect.isawaitable(processed):
                    await processed
            except Exception:
                logger.exception("%r was lost in %s", item, type(pipeline).__name__)
                self.scan.counters.items_lost += 1
                for each in self.scan.pipelines:
                    each.item_lost(item)
                return

    # --- end ---------------------------------------------------------------------------------

    def _close_spider(self, reason: str = "store") -> None:
        """Close the spider; by default because the database has failed."""
        if self._closing is None:
            closing = self._crawler.engine.close_spider_async(reason=reason)
            self._closing = asyncio.ensure_future(closing)

    async def spider_closed(self, reason: str) -> None:
        await self.finalize(reason)

    async def finalize(self, reason: str) -> None:
        """Classify, summarize and close the record, once."""
        async with self.scan.finalize_lock:
            if self._is_finalized:
                return
            self._is_finalized = True
        scan, database, stats = self.scan, self.scan.database, self._crawler.stats
        if database is not None:
            await self.ready()
            if self._heartbeat.running:
                self._heartbeat.stop()
        for pipeline in self.scan.pipelines:
            await pipeline.conclude()
        politeness = scan.politeness
        for limit in politeness.limits():
            scan.counters.hit(**limit)
        if database is not None and database.has_begun and scan.frontier.has_begun:
            scan.counters.visits_waiting = await database.run(self._count_waiting) or 0
        failure = scan.failure
        if database is not None and database.failure:
            reason, failure = "store", ""
        status, words = scan_ending(reason, scan, failure)
        try:
            if database is not None and database.has_begun:
                done = await database.run(self._finish, status, words)
                if done is None:
                    status, words = scan_ending("store", scan)
        finally:
            scan.counters.publish(stats)
            self.summary = self.summary or self._summarize(status, words)
            stats.set_value("sitecrawl/politeness", politeness.report())
            stats.set_value("sitecrawl/scan/status", status)
            stats.set_value("sitecrawl/scan/reason", words)
            if database is not None:
                await database.close()
            self.is_finished.set()

    def _summarize(self, status: ScanStatus, words: str, known: int = 0) -> Summary:
        return build_summary(
            self.scan,
            status=status,
            reason=words,
            asked=self._arguments.asked if self._arguments else "",
            seconds=time.monotonic() - self._started,
            known=known,
        )

    # --- on the store's thread ---------------------------------------------------------------

    def _finish(self, status: ScanStatus, words: str) -> bool:
        from sitecrawl.store.queries.visits import count_listed_visits

        scan, database = self.scan, self.scan.database
        assert database is not None
        writer = database.writer
        writer.finalize(
            is_exhaustive=is_exhaustive(status, scan),
            cut_families=given_up_families(scan.counters.given_up_patterns),
            copies=parameter_copies(scan.counters.given_up_patterns),
        )
        known = self._count_exactly()
        scan.counters.listed_visited = count_listed_visits(database.reader, scan.record.scan_id)
        self.summary = summary = self._summarize(status, words, known)
        if summary.visited > 1:
            writer.add_evidence(
                EvidenceType.CRAWL_STATS,
                f"{summary.visited} pages visited, {summary.not_checked} URLs not checked"
                f" in {len(summary.cut_patterns)} patterns",
                metadata={
                    "visited": summary.visited,
                    "not_visited": summary.not_visited,
                    "found": scan.counters.visits_found,
                    "beyond_depth": scan.counters.beyond_depth,
                    "cut_patterns": summary.cut_patterns,
                },
            )
        if summary.politeness:
            writer.add_evidence(
                EvidenceType.POLITENESS_LEDGER,
                ledger_words(summary.politeness),
                metadata=summary.politeness,
            )
        writer.add_evidence(
            EvidenceType.DISCOVERY_SUMMARY,
            f"{summary.pages} URLs, {summary.status}: {summary.reason}",
            metadata=summary.as_dict(),
        )
        writer.finish(summary.status, summary.reason, summary.as_dict())
        return True

    def _count_waiting(self) -> int:
        from sitecrawl.store.queries.coverage import waiting_visits

        assert self.scan.database is not None
        return waiting_visits(self.scan.database.reader, self.scan.record.scan_id)

    def _count_exactly(self) -> int:
        """Let the database count the pages where the counters may be wrong.

        Changed and unchanged documents may list the same page, and a crawl, also an earlier one,
        may have found that a listed page does not exist. Returns the size of the inventory; 0 if it
        was not counted.
        """
        counters, database, record = self.scan.counters, self.scan.database, self.scan.record
        assert database is not None
        listed, unchanged = counters.pages_listed, counters.pages_unchanged
        has_crawled = counters.visited > 1
        read = counters.checks[FetchOutcome.OK] + counters.checks[FetchOutcome.NOT_MODIFIED]
        has_checked = bool(counters.checks) and (unchanged or counters.checks.total() > read)
        may_overlap = has_crawled or has_checked or bool(listed and unchanged)
        if not may_overlap and (unchanged or not record.has_pages):
            return 0
        from sitecrawl.store.queries.pages import count_listed, has_unconfirmed
        from sitecrawl.store.queries.resume import page_stats
        from sitecrawl.store.queries.scans import scan_by_id

        scan = scan_by_id(database.reader, record.scan_id)
        assert scan is not None
        if not may_overlap and not listed:
            return count_listed(database.reader, scan)  # of earlier scans
        if unchanged and not has_crawled and not has_unconfirmed(database.reader, scan):
            known = count_listed(database.reader, scan)
            counters.pages_unchanged = max(known - listed, 0)
            return known
        counters.recount_pages(page_stats(database.reader, scan))
        counters.pages_unchanged = 0
        return count_listed(database.reader, scan) if record.has_pages else 0


def exit_code(crawler: Crawler) -> ExitCode:
    """What a command returns to the shell after *crawler* has ended."""
    lifecycle = crawler.get_extension(ScanLifecycle)
    if lifecycle is None or lifecycle.summary is None:
        return ExitCode.FAILED
    if lifecycle.scan.database is None:
        return ExitCode.DONE  # a spider without an inventory
    if lifecycle.scan.counters.feeds_failed:
        return ExitCode.FAILED
    status = lifecycle.summary.status
    if status == ScanStatus.FINISHED:
        return ExitCode.DONE
    is_partial = status in {ScanStatus.PARTIAL, ScanStatus.CANCELLED}
    return ExitCode.PARTIAL if is_partial else ExitCode.FAILED
