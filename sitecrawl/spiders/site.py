"""A spider that scans one site into the inventory, one stage after another."""

from __future__ import annotations

import asyncio
import logging
import time
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider

from sitecrawl.config import Config, ConfigError
from sitecrawl.config.environment import apply_environment, apply_scrapy_limits
from sitecrawl.config.packages import check_packages
from sitecrawl.downloader import check_download_components, is_stopping, unguarded_handlers
from sitecrawl.items import Evidence, EvidenceType, PageItem
from sitecrawl.scan import scan_of
from sitecrawl.scan.arguments import SpiderArguments, recorded_arguments, request_settings
from sitecrawl.scan.fetchers import FetcherProcesses
from sitecrawl.scan.lifecycle import ScanLifecycle
from sitecrawl.signals import stage_ended, stage_started
from sitecrawl.stages.base import ScanContext
from sitecrawl.stages.rendering import PageRendering

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from sitecrawl.stages.base import Stage

logger = logging.getLogger(__name__)


class SiteSpider(Spider):
    """Runs ``stages`` in turn: one ends when it has nothing to fetch and the engine is idle.

    What it finds goes into the inventory: its scan has a database.

    Arguments: see :class:`~sitecrawl.scan.arguments.SpiderArguments`.
    Settings: ``SITECRAWL_MAX_SCAN_MINUTES``, ``SITECRAWL_FETCHERS``, ``SITECRAWL_PAGE_ITEMS``,
    ``SITECRAWL_FEED_REFUSED``, ``SITECRAWL_DATABASE_URL``. Meta: ``sitecrawl_inventory``.
    """

    stages: ClassVar[tuple[type[Stage], ...]]
    is_stored: ClassVar[bool] = True

    scan_arguments: SpiderArguments
    context: ScanContext

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._waiting: list[type[Stage]] = []
        self._stage: Stage | None = None
        self._alarm: asyncio.TimerHandle | None = None
        self._going_on: asyncio.Task[None] | None = None
        self._has_emitted_pages = False

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Apply the environment; an invalid value stops the run here."""
        super().update_settings(settings)
        apply_environment(settings)
        # Stages read responses of any status.
        settings.set("HTTPERROR_ALLOW_ALL", True, "spider")
        config = Config.from_settings(settings)
        check_download_components(settings)
        if settings.get("JOBDIR"):
            raise ConfigError(
                "JOBDIR is not used by this spider: the database keeps its state;"
                " resume a stopped scan with: sitecrawl resume"
            )
        check_packages(config, settings)

    @classmethod
    def prepare(cls, settings: BaseSettings) -> None:
        """Check or change settings, once those of arguments and record are known."""
        config = Config.from_settings(settings)
        if config.fetchers and config.database_url.startswith("sqlite"):
            raise ConfigError(
                f"SITECRAWL_FETCHERS={config.fetchers}: fetchers need PostgreSQL;"
                " set SITECRAWL_DATABASE_URL=postgresql://..."
            )

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        if "resume" in kwargs:
            kwargs = recorded_arguments(kwargs, crawler.settings, cls.name)
        arguments = SpiderArguments.parse(kwargs)
        arguments.apply_to(crawler.settings)
        cls.prepare(crawler.settings)
        apply_scrapy_limits(crawler.settings)
        spider = super().from_crawler(crawler, *args)
        spider.scan_arguments = arguments
        crawler.signals.connect(spider.spider_opened, signals.spider_opened)
        return spider

    def spider_opened(self) -> None:
        arguments, scan, engine = self.scan_arguments, scan_of(self.crawler), self.crawler.engine
        self._waiting = [stage for stage in self.stages if stage.is_wanted(scan.config)]
        settings = self.crawler.settings
        follows_redirects = settings.getbool("REDIRECT_ENABLED")
        self.context = ScanContext(
            target=arguments.target,
            scan=scan,
            bases=arguments.bases,
            root_url=arguments.target.url,
            scope=scan.config.scope([arguments.target.url]),
            download=engine.download_async,
            crawl=engine.crawl,
            is_stopping=partial(is_stopping, self.crawler),
            start_fetchers=self._start_fetchers,
            rendering=PageRendering(scan.config),
            max_redirects=settings.getint("REDIRECT_MAX_TIMES") if follows_redirects else 0,
            is_resumed=arguments.resume is not None,
            dive=arguments.dive,
        )

    def _start_fetchers(self) -> FetcherProcesses:
        scan = self.context.scan
        return FetcherProcesses(
            self.crawler.settings, scan.record.scan_id, number=scan.config.fetchers
        )

    async def start(self) -> AsyncIterator[Any]:
        config, database = self.context.config, self.context.scan.database
        if database is not None:
            # Nothing is requested that cannot be stored. The first request, for robots.txt, needs
            # the database anyway.
            await database.opened()
            if database.failure:
                return
            if config.fetchers and (resumption := await self.context.resumption()):
                # Fetchers of the interrupted run may still send requests.
                await database.close_queues()
                politeness = self.context.scan.politeness
                politeness.host(resumption.root_url)
                politeness.note_sent_by_others(time.monotonic())
        if not self.crawler.settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"):
            await self.context.put(
                Evidence(
                    EvidenceType.CERTIFICATES_NOT_VERIFIED,
                    "certificates were not verified: anybody in between could have answered",
                    {"setting": "SITECRAWL_VERIFY_CERTIFICATES"},
                )
            )
        for scheme, handler in unguarded_handlers(self.crawler.settings).items():
            await self.context.put(
                Evidence(
                    EvidenceType.ADDRESSES_NOT_GUARDED,
                    f"{scheme}: {handler} does not check which addresses it connects to",
                    {"setting": "SITECRAWL_ALLOW_UNGUARDED_HANDLERS", "handler": handler},
                )
            )
        if config.max_scan_minutes:
            # When the budget refuses requests, not later: with all of them refused the scan would
            # end as if it had read everything.
            seconds = self.context.scan.politeness.budget.ends_at - time.monotonic()
            self._alarm = asyncio.get_running_loop().call_later(seconds, self._stop_for_time)
        # Not before: commands such as "scrapy parse" have their own start, and no stages.
        self.crawler.signals.connect(self.go_on_when_idle, signals.spider_idle)
        for request in await self._next_requests():
            yield request

    def go_on_when_idle(self) -> None:
        """Ask the stages for more; the spider closes when they have nothing left."""
        if self._going_on is None or self._going_on.done():
            self._going_on = asyncio.ensure_future(self._go_on())
        raise DontCloseSpider

    async def _go_on(self) -> None:
        engine = self.crawler.engine
        if not engine.spider_is_idle():
            return  # the frontier has handed out a page since then
        if self.context.scan.politeness.budget.is_over(time.monotonic()):
            return  # the timer closes the spider
        try:
            requests = await self._next_requests()
        except Exception:
            logger.exception("The stage %s has failed", self._stage and self._stage.name)
            await engine.close_spider_async(reason="stage_error")
            return
        if engine.spider is None:
            return  # it was stopped in the meantime
        for request in requests:
            engine.crawl(request)
        if not requests:
            await self._end("unreachable" if self.context.scan.failure else "finished")

    async def _end(self, reason: str) -> None:
        """Close the spider, after the pages of the inventory are emitted as items if asked for."""
        engine = self.crawler.engine
        if self.context.config.page_items and not self._has_emitted_pages:
            self._has_emitted_pages = True
            lifecycle = self.crawler.get_extension(ScanLifecycle)
            assert lifecycle is not None
            await lifecycle.finalize(reason)
            if lifecycle.scan.database is not None and lifecycle.scan.database.has_begun:
                meta = {"sitecrawl_inventory": True, "dont_cache": True}
                engine.crawl(
                    Request(
                        self.context.root_url,
                        callback=self.emit_pages,
                        meta=meta,
                        dont_filter=True,
                    )
                )
                return
        await engine.close_spider_async(reason=reason)

    async def emit_pages(self, _response: Response) -> AsyncIterator[PageItem]:
        """One item for each page of the scan."""
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.queries.feed import iter_page_rows
        from sitecrawl.store.queries.page_filter import PageFilter

        scan = self.context.scan
        wanted = PageFilter(include_refused=scan.config.feed_refused)
        with open_database(scan.config.database_url, create=False) as database:
            for row in iter_page_rows(database, scan.record.scan_id, wanted):
                yield PageItem(**row)

    def record(self) -> dict[str, Any]:
        """What is recorded with the scan, besides its settings, so that it can be resumed."""
        arguments = self.scan_arguments
        return {
            "spider": self.name,
            "bases": list(arguments.bases),
            **({"job": arguments.job} if arguments.job else {}),
            **request_settings(self.crawler.settings),
        }

    def closed(self, reason: str) -> None:
        if self._alarm:
            self._alarm.cancel()
        if self._stage:
            self._stage.end_reason = f"the scan was stopped ({reason})"
            self._end_stage(self._stage)
        scan_of(self.crawler).counters.stages += [stage.unreached() for stage in self._waiting]

    async def _next_requests(self) -> list[Request]:
        """Of the current stage, or of the first later one that has any."""
        while True:
            if self._stage:
                if requests := list(await self._stage.next_requests()):
                    return requests
                self._end_stage(self._stage)
                self._stage = None
            if self.context.scan.failure or not self._waiting:
                return []
            self._stage = self._waiting.pop(0)(self.context)
            self.context.counters.stage = self._stage.name
            self.crawler.signals.send_catch_log(stage_started, name=self._stage.name)

    def _end_stage(self, stage: Stage) -> None:
        outcome = stage.outcome()
        logger.info("Stage %s ended: %s", stage.name, outcome["ended"])
        self.context.counters.stages.append(outcome)
        self.crawler.signals.send_catch_log(stage_ended, outcome=outcome)

    def _stop_for_time(self) -> None:
        if self._stage:
            minutes = self.context.config.max_scan_minutes
            self._stage.truncate(
                "what was left when the time was up", "SITECRAWL_MAX_SCAN_MINUTES", minutes
            )
        self._closing = asyncio.ensure_future(
            self.crawler.engine.close_spider_async(reason="time_limit")
        )
