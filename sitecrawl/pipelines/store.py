"""The end of the pipelines: everything goes into the database, off the event loop."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from scrapy import signals
from scrapy.exceptions import DropItem
from scrapy.utils.asyncio import create_looping_call

from sitecrawl.config import Config
from sitecrawl.items import EvidenceType, Visit, VisitedPage, mention_batches
from sitecrawl.pipelines.pagequeue import PageQueue
from sitecrawl.pipelines.recorder import ItemRecorder
from sitecrawl.politeness.words import ledger_words
from sitecrawl.register import robots_register
from sitecrawl.store.errors import StoreError
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.summary import build_summary, cut_families, ending

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from scrapy.crawler import Crawler

    from sitecrawl.spiders.staged import StagedSpider
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.archive import RobotsCopy, Validators
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.store.writers.records import ScanHandle
    from sitecrawl.store.writers.scan_writer import ScanWriter
    from sitecrawl.summary import Summary

logger = logging.getLogger(__name__)

T = TypeVar("T")

_HEARTBEAT_SECONDS = 4.0


class KnownDocument(NamedTuple):
    """A document that an earlier scan has read completely."""

    validators: Validators
    children: Sequence[tuple[str, str]]
    """The documents that it names, and how."""


class StorePipeline:
    """Write documents, pages, mentions and evidence; begin and end the scan's record.

    One thread does all the writing, because a SQLite connection belongs to one. The first error
    of the database ends the run with its message: nothing could be kept after it.

    Settings: ``SITECRAWL_DATABASE_URL``, ``SITECRAWL_KEEP_BODIES``,
    ``SITECRAWL_KEEP_BODIES_MAX_BYTES``.
    Stats: ``sitecrawl/scan/id``, ``sitecrawl/scan/status``, ``sitecrawl/scan/reason``,
    ``sitecrawl/items/lost``, and those of :class:`~sitecrawl.pipelines.recorder.ItemRecorder`.
    """

    scan: ScanHandle
    _database: Database

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._stats = crawler.stats
        self._config = Config.from_settings(crawler.settings)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._started = time.monotonic()
        self._writer: ScanWriter | None = None
        self._recorder: ItemRecorder | None = None
        self._validators: dict[str, Validators] = {}
        self._heartbeat = create_looping_call(self._beat)
        self._failure = ""
        self._newest: asyncio.Future[Any] | None = None  # what the thread will do last
        self._closing: asyncio.Future[None] | None = None
        self.is_finished = asyncio.Event()
        self.resumption: Resumption | None = None
        self._pages = PageQueue(
            lambda pages: self._write(self._take_pages, pages),
            lambda number: self._stats.inc_value("sitecrawl/items/lost", number),
        )
        crawler.signals.connect(self.item_error, signals.item_error)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def open_spider(self) -> None:
        robots_register(self._crawler).archive = self
        self._spider().context.frontier = self
        # Opening takes as long as the way to the first answer, so both happen at once.
        self._opening = asyncio.ensure_future(self._open())

    async def process_item(self, item: Any) -> Any:
        await self._opening
        if isinstance(item, VisitedPage):
            await self._pages.put(item)
        else:
            await self._pages.written()
            await self._write(self._take, item)
        if self._failure:
            self._close_spider()
            raise DropItem("the database cannot be used")
        return item

    async def _write(self, function: Callable[[Any], None], what: Any) -> None:
        try:
            if not self._failure:
                await self._in_thread(function, what)
        except StoreError as error:
            self._fail(error)
            self._close_spider()

    def item_error(self, item: Any) -> None:
        """A fault of a pipeline has lost something: the scan is not whole, and says so."""
        for batch in mention_batches(item):
            self._open_recorder().is_damaged(batch.document)
        if isinstance(item, VisitedPage):
            self._pages.accept(item)
        self._stats.inc_value("sitecrawl/items/lost")

    async def spider_closed(self, reason: str) -> None:
        await self._opening
        await self._pages.written()
        if self._heartbeat.running:
            self._heartbeat.stop()
        spider = self._spider()
        reason = "store" if self._failure else reason
        failure = self._failure or spider.context.failure
        status, words = ending(reason, self._stats.get_stats(), failure)
        self._stats.set_value("sitecrawl/scan/status", status)
        self._stats.set_value("sitecrawl/scan/reason", words)
        try:
            if self._writer is not None:
                await self._in_thread(self._finish)
        except StoreError as error:
            self._fail(error)
            self._stats.set_value("sitecrawl/scan/status", ScanStatus.FAILED)
            self._stats.set_value("sitecrawl/scan/reason", str(error))
        finally:
            self._thread.shutdown()
            self.is_finished.set()

    @property
    def has_scan(self) -> bool:
        """Whether the scan has been begun, so that there is something to read."""
        return self._writer is not None

    @property
    def has_failed(self) -> bool:
        """Whether the database cannot be used any more."""
        return bool(self._failure)

    async def waiting_visits(self, after: int, limit: int) -> list[Visit]:
        """The next pages of the frontier behind number *after*."""
        await self._opening
        await self._pages.written()
        try:
            if not self._failure:
                rows = await self._in_thread(self._open_writer().waiting_visits, after, limit)
                return [
                    Visit(*row[:-1], tuple(json.loads(row.redirected_from or "[]"))) for row in rows
                ]
        except StoreError as error:
            self._fail(error)
            self._close_spider()
        return []

    async def visit_accepted(self, visit: Visit) -> None:
        """Wait until it is clear what follows from the visit."""
        await self._pages.accepted(visit)

    async def caught_up(self) -> None:
        """Wait until what has come here is written; others get their turn in any case."""
        await asyncio.sleep(0)  # what was just handed over is on its way
        if self._newest is not None:
            await asyncio.wait({self._newest})

    async def scan_to_resume(self) -> Resumption | None:
        """What the interrupted run of this scan had come to; None: it is a new scan."""
        if self._spider().arguments.resume is None:
            return None  # and nobody has to wait for the database
        await self._opening
        return self.resumption

    async def known_document(self, url: str) -> KnownDocument | None:
        """What earlier scans know of the document, if it would be read the same way today."""
        await self._opening
        validators = self._validators.get(url)
        if validators is None:
            return None
        return KnownDocument(validators, await self._in_thread(self._children, validators))

    async def robots_copies(self, url: str) -> tuple[RobotsCopy | None, RobotsCopy | None]:
        """The last answer of earlier scans to this robots.txt, and the last one with rules."""
        await self._opening
        try:
            if not self._failure:
                return await self._in_thread(self._robots_copies, url)
        except StoreError as error:
            self._fail(error)
            self._close_spider()
        return None, None

    def _spider(self) -> StagedSpider:
        spider: StagedSpider = self._crawler.spider  # type: ignore[assignment]
        return spider

    async def _say_alive(self) -> None:
        try:
            await self._in_thread(self._open_writer().heartbeat)
        except StoreError as error:
            self._fail(error)
            self._close_spider()

    async def _in_thread(self, function: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(self._thread, partial(function, *args))
        self._newest = done
        return await done

    async def _open(self) -> None:
        try:
            await self._in_thread(self._begin)
        except StoreError as error:
            self._fail(error)
            return
        self._stats.set_value("sitecrawl/scan/id", self.scan.scan_id)
        self._heartbeat.start(_HEARTBEAT_SECONDS, now=False)

    def _fail(self, error: StoreError) -> None:
        if not self._failure:
            self._failure = str(error)
            logger.error("%s", error)

    def _close_spider(self) -> None:
        if self._closing is None:
            closing = self._crawler.engine.close_spider_async(reason="store")
            self._closing = asyncio.ensure_future(closing)

    # --- on the store's thread ---------------------------------------------------------------

    def _begin(self) -> None:
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.queries.archive import load_validators
        from sitecrawl.store.writers.scan_writer import ScanWriter

        config, arguments = self._config, self._spider().arguments
        self._database = open_database(config.database_url)
        writer = ScanWriter(self._database)
        if arguments.resume is not None:
            self.scan = writer.resume(arguments.resume)
            self._writer = writer
            self._take_up()
        else:
            self.scan = writer.begin(
                asked=arguments.asked,
                site_key=arguments.target.site_key,
                root_url=arguments.target.url,
                profile=config.profile,
                settings=config.as_dict() | self._spider().record(),
                key_rules=asdict(config.key_rules()),
            )
            self._writer = writer
        fingerprint = config.reading_fingerprint(arguments.bases)
        if config.conditional_requests:
            self._validators = load_validators(self._database, self.scan.site_id, fingerprint)
        self._recorder = ItemRecorder(writer, config, fingerprint, self._validators, self._stats)

    def _take_up(self) -> None:
        from sitecrawl.store.queries.resume import load_resumption

        self.resumption = load_resumption(self._database, self.scan)
        for name, value in self.resumption.stats.items():
            self._stats.inc_value(name, value)

    def _robots_copies(self, url: str) -> tuple[RobotsCopy | None, RobotsCopy | None]:
        from sitecrawl.store.queries.archive import last_answer, last_good_copy

        site_id = self.scan.site_id
        return (
            last_answer(self._database, site_id, url),
            last_good_copy(self._database, site_id, url),
        )

    def _children(self, validators: Validators) -> Sequence[tuple[str, str]]:
        from sitecrawl.store.queries.archive import children

        return children(self._database, validators.document_id)

    def _beat(self) -> None:
        self._beating = asyncio.ensure_future(self._say_alive())

    def _finish(self) -> None:
        writer = self._open_writer()
        writer.finalize(
            is_whole=self._stats.get_value("sitecrawl/scan/status") is ScanStatus.FINISHED,
            cut_families=cut_families(self._stats.get_value("sitecrawl/crawl/cuts", ())),
        )
        self._count_exactly()
        summary = build_summary(
            self._stats.get_stats(),
            self._spider().arguments.asked,
            time.monotonic() - self._started,
        )
        if summary.visited > 1:
            writer.add_evidence(
                EvidenceType.CRAWL_STATS,
                f"{summary.visited} pages visited, {len(summary.cut_patterns)} patterns given up",
                metadata=self._crawl_stats(summary),
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
        self._database.close()

    def _crawl_stats(self, summary: Summary) -> dict[str, Any]:
        return {
            "visited": summary.visited,
            "found": self._stats.get_value("sitecrawl/crawl/found", 0),
            "beyond_depth": self._stats.get_value("sitecrawl/crawl/beyond_depth", 0),
            "cut_patterns": summary.cut_patterns,
        }

    def _count_exactly(self) -> None:
        """Pages of changed and unchanged documents overlap: then the database must count.

        So it must when a crawl has found that a page is none.
        """
        listed = self._stats.get_value("sitecrawl/pages/listed", 0)
        unchanged = self._stats.get_value("sitecrawl/pages/unchanged", 0)
        has_crawled = self._stats.get_value("sitecrawl/crawl/visited", 0) > 1
        if not has_crawled and not (listed and unchanged):
            return
        from sitecrawl.store.queries.pages import count_listed
        from sitecrawl.store.queries.resume import page_stats
        from sitecrawl.store.queries.scans import scan_by_id

        scan = scan_by_id(self._database, self.scan.scan_id)
        assert scan is not None
        if unchanged:
            total = count_listed(self._database, scan)
            self._stats.set_value("sitecrawl/pages/unchanged", max(total - listed, 0))
            return
        counted = page_stats(self._database, scan)
        for name in list(self._stats.get_stats()):
            if name.startswith(("sitecrawl/pages/source/", "sitecrawl/pages/refused/")):
                self._stats.set_value(name, 0)
        for name, value in counted.items():
            self._stats.set_value(name, value)

    def _take(self, item: Any) -> None:
        self._open_recorder().take(item)

    def _take_pages(self, pages: list[VisitedPage]) -> None:
        self._open_recorder().take_pages(pages)

    def _open_writer(self) -> ScanWriter:
        assert self._writer is not None
        return self._writer

    def _open_recorder(self) -> ItemRecorder:
        assert self._recorder is not None
        return self._recorder
