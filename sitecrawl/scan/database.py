"""The store of one scan, used off the event loop."""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sitecrawl.items import Visit
from sitecrawl.store.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from sitecrawl.config import Config
    from sitecrawl.items import KnownPage, Validators
    from sitecrawl.scan.arguments import SpiderArguments
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.known_documents import RobotsCopy
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.store.writers.records import NextAnswer, ScanHandle, WaitingVisit
    from sitecrawl.store.writers.scan_fetchers import FetchersResult
    from sitecrawl.store.writers.scan_writer import ScanWriter

logger = logging.getLogger(__name__)

T = TypeVar("T")
_LEASE_POLL_SECONDS = 0.1


class KnownDocument(NamedTuple):
    """A document that an earlier scan has read completely."""

    validators: Validators
    children: Sequence[tuple[str, str]]
    """The documents that it names, and how."""


class ScanDatabase:
    """Begins, writes and ends the record of one scan, and reads what earlier scans have left.

    One thread does all of it, because a SQLite connection belongs to one. The first error of the
    database is logged and calls *on_failure*; after it nothing is written and nothing is known.
    """

    def __init__(self, config: Config, on_failure: Callable[[], None]):
        self.failure = ""
        self.error: StoreError | None = None
        self.record: ScanHandle | None = None
        self.resumption: Resumption | None = None
        self.fingerprint = ""
        """Of all that decides what is read from a document in this scan."""
        self.validators: dict[str, Validators] = {}
        self._config = config
        self._on_failure = on_failure
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._database: Database
        self._writer: ScanWriter | None = None
        self._newest: asyncio.Future[Any] | None = None  # the last task of the thread
        self._opening: asyncio.Future[None] | None = None
        self.flush: Callable[[], Awaitable[None]] = _nothing
        """Waits until what the store pipeline gathers is written; that pipeline sets it."""

    # --- life cycle --------------------------------------------------------------------------

    def open(
        self, arguments: SpiderArguments, settings: dict[str, Any], feeds: Mapping[str, str]
    ) -> None:
        """Begin the scan's record, or take up that of the scan to resume.

        *feeds* are the files that are to be written at its end, each with its format.

        Opening takes as long as the first response of the site, so both happen at once: callers
        that need the database wait for :meth:`opened`.
        """
        self._opening = asyncio.ensure_future(self._open(arguments, settings, feeds))

    async def opened(self) -> None:
        assert self._opening is not None
        await self._opening

    @property
    def has_begun(self) -> bool:
        """Whether there is a record, so that there is something to read."""
        return self._writer is not None

    async def heartbeat(self) -> bool:
        """Say that the scan is alive; return whether it is to stop."""
        return bool(await self.run(self.writer.heartbeat))

    @property
    def writer(self) -> ScanWriter:
        """For functions that run on the store's thread."""
        assert self._writer is not None
        return self._writer

    @property
    def reader(self) -> Database:
        """For functions that run on the store's thread."""
        return self._database

    async def close(self) -> None:
        if self._writer is not None:
            await self._in_thread(self._database.close)
        self._thread.shutdown()

    async def _open(
        self, arguments: SpiderArguments, settings: dict[str, Any], feeds: Mapping[str, str]
    ) -> None:
        try:
            await self._in_thread(self._begin, arguments, settings, feeds)
        except StoreError as error:
            self._fail(error)

    def _begin(
        self, arguments: SpiderArguments, settings: dict[str, Any], feeds: Mapping[str, str]
    ) -> None:
        # SQLAlchemy would delay the first request.
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.queries.known_documents import load_validators
        from sitecrawl.store.queries.resume import load_resumption
        from sitecrawl.store.writers.scan_writer import ScanWriter

        config = self._config
        self._database = open_database(
            config.database_url, busy_timeout_seconds=config.database_wait_seconds
        )
        writer = ScanWriter(self._database)
        if arguments.resume is not None:
            self.record = writer.resume(arguments.resume, feeds, arguments.job)
            self.resumption = load_resumption(self._database, self.record)
        else:
            self.record = writer.begin(
                asked=arguments.asked,
                workspace_id=config.workspace,
                site_key=arguments.target.site_key,
                root_url=arguments.target.url,
                profile=config.profile,
                settings=settings,
                key_rules=asdict(config.key_rules()),
                feeds=feeds,
            )
        self._writer = writer
        self.fingerprint = config.reading_fingerprint(arguments.bases, datetime.now(UTC).date())
        # A map whose pages are to be visited is read, to put them into the frontier.
        are_visited = config.crawl_listed_pages and config.crawl != "never"
        if config.conditional_requests and not are_visited:
            self.validators = load_validators(self._database, self.record.site_id, self.fingerprint)

    # --- work --------------------------------------------------------------------------------

    async def run(self, function: Callable[..., T], *args: Any) -> T | None:
        """Call *function* on the store's thread; None after a failure of the database."""
        await self.opened()
        if self.failure:
            return None
        try:
            return await self._in_thread(function, *args)
        except StoreError as error:
            self._fail(error)
            return None

    async def caught_up(self) -> None:
        """Wait until everything handed over is written; always yields to the event loop."""
        await asyncio.sleep(0)
        if self._newest is not None:
            await asyncio.wait({self._newest})

    async def _in_thread(self, function: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        done = loop.run_in_executor(self._thread, partial(function, *args))
        self._newest = done
        return await done

    def _fail(self, error: StoreError) -> None:
        if not self.failure:
            self.failure, self.error = str(error), error
            logger.error("%s", error)
            logger.debug("The database failed", exc_info=error)
            self._on_failure()

    # --- what earlier scans and visits have left -----------------------------------------------

    async def waiting_visits(self, after: int, limit: int) -> list[Visit]:
        """The next pages of the frontier behind number *after*."""
        await self.flush()
        return await self.run(self._waiting_visits, after, limit) or []

    async def begin_checks(self, limit: int, wanted: Callable[[list[str]], list[bool]]) -> None:
        """Choose the pages to check; *wanted* says which URLs may be fetched."""
        await self.flush()
        await self.run(lambda: self.writer.choose_checks(limit, wanted))

    async def begin_dive(self, dive_id: int, wanted: Callable[[list[str]], list[bool]]) -> None:
        """Choose the pages that a dive wants to have fetched."""
        await self.run(lambda: self.writer.choose_dive(dive_id, wanted))

    async def waiting_checks(self, after: int, limit: int) -> list[Visit]:
        """The next pages to check behind number *after*."""
        await self.flush()
        return await self.run(partial(self._waiting_visits, are_checks=True), after, limit) or []

    async def open_queues(
        self, page_requests: int, seconds_left: float | None, *, has_browser: bool
    ) -> None:
        """Let fetchers work on the frontier, with what is left of the budget."""
        await self.flush()
        queues = partial(self.writer.open_queues, has_browser=has_browser)
        await self.run(queues, self._config.shards, page_requests, seconds_left)

    async def close_queues(self) -> None:
        """Wait until no fetcher sends requests any more, and all have reported."""
        while await self.run(self.writer.close_queues) is False:  # noqa: ASYNC110  of others
            await asyncio.sleep(_LEASE_POLL_SECONDS)

    async def next_answers(self, after: int, limit: int) -> list[NextAnswer]:
        """The next visits behind number *after*, each with what a fetcher has read, if any."""
        await self.flush()
        return await self.run(lambda: self.writer.next_answers(after, limit)) or []

    async def want_renderings(self, numbers: Sequence[int]) -> None:
        """Let a fetcher with a browser render these pages, which were doubtful."""
        await self.run(lambda: self.writer.want_renderings(numbers))

    async def release_queues(self, holder: str) -> None:
        """End the leases of a dead process, so that others need not wait for their end."""
        await self.run(lambda: self.writer.release_queues(holder))

    async def fetchers_result(self) -> FetchersResult | None:
        """What the fetchers have done; None: the database does not say."""
        return await self.run(self.writer.fetchers_result)

    async def forget_answers(self, up_to: int) -> None:
        """Remove the answers up to a number, which were taken: their visits are written first."""
        await self.flush()
        await self.run(lambda: self.writer.forget_answers(up_to))

    async def known_document(self, url: str) -> KnownDocument | None:
        """What earlier scans know of the document, if it would be read the same way today."""
        await self.opened()
        validators = self.validators.get(url)
        if validators is None:
            return None
        children = await self.run(self._children, validators)
        return KnownDocument(validators, children or ())

    async def robots_copies(self, url: str) -> tuple[RobotsCopy | None, RobotsCopy | None]:
        """The last answer of earlier scans to this robots.txt, and the last one with rules."""
        return await self.run(self._robots_copies, url) or (None, None)

    def _waiting_visits(self, after: int, limit: int, *, are_checks: bool = False) -> list[Visit]:
        rows = self.writer.waiting_visits(after, limit, are_checks=are_checks)
        return self._as_visits(rows, are_checks=are_checks)

    def _as_visits(self, rows: Sequence[WaitingVisit], *, are_checks: bool = False) -> list[Visit]:
        known = self._known_pages(rows, are_checks=are_checks)
        return [
            Visit(
                row.number,
                row.url,
                row.clicks,
                row.external_hops,
                tuple(json.loads(row.redirected_from or "[]")),
                known.get(row.number),
                are_checks,
            )
            for row in rows
        ]

    def _known_pages(
        self, rows: Sequence[WaitingVisit], *, are_checks: bool
    ) -> dict[int, KnownPage]:
        assert self.record is not None
        config = self._config
        # The language that a link names is not stored, and may decide whether it is followed.
        is_read_anyway = not are_checks and config.skip_other_languages and config.languages
        may_be_known = config.conditional_requests and self.record.has_pages
        if not rows or not may_be_known or is_read_anyway:
            return {}
        return self._load_known_pages(
            range(rows[0].number, rows[-1].number + 1),
            self.fingerprint,
            leaves_site=config.max_external_hops > 0,
            are_checks=are_checks,
            needs_body=lambda size: config.keeps_body(size, of_page=True),
        )

    def _load_known_pages(self, *args: Any, **options: Any) -> dict[int, KnownPage]:
        return self.writer.known_pages(*args, **options)

    def _children(self, validators: Validators) -> Sequence[tuple[str, str]]:
        from sitecrawl.store.queries.known_documents import children

        return children(self._database, validators.document_id)

    def _robots_copies(self, url: str) -> tuple[RobotsCopy | None, RobotsCopy | None]:
        from sitecrawl.store.queries.known_documents import last_answer, last_good_copy

        assert self.record is not None
        site_id = self.record.site_id
        return (
            last_answer(self._database, site_id, url),
            last_good_copy(self._database, site_id, url),
        )


async def _nothing() -> None:
    """No pipeline gathers anything."""
