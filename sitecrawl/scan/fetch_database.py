"""The store of a fetcher: it reads the record of a scan, leases queues and writes answers."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.config import ConfigError
from sitecrawl.render.browser import why_no_browser
from sitecrawl.render.trials import RenderMode
from sitecrawl.scan.database import ScanDatabase
from sitecrawl.scan.fetchers import lease_holder
from sitecrawl.store.processes import is_alive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.config import Config
    from sitecrawl.items import KnownPage, Visit
    from sitecrawl.politeness.scan import Host
    from sitecrawl.scan.arguments import SpiderArguments
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.writers.records import Answer, Lease, WaitingVisit
    from sitecrawl.store.writers.scan_fetchers import FrontierState

# Of one queue: handed to Scrapy and not read. More are asked for when half of them are done.
_UNDER_WAY: Final = 8
# A queue without work is given back after this time: links of other hosts may bring some.
_IDLE_SECONDS: Final = 2.0


@dataclass(slots=True, eq=False)
class HeldQueue:
    """A queue that this process has the lease of."""

    lease: Lease
    ends: float
    """Of the lease, by this process's clock, a little early."""
    after: int = 0
    under_way: set[int] = field(default_factory=set)
    idle_since: float = 0.0
    host: Host | None = None

    @property
    def has_room(self) -> bool:
        """Whether few of its pages are under way."""
        return len(self.under_way) <= _UNDER_WAY // 2


class FoundWork(NamedTuple):
    """What is to be done next in the queues that this process holds."""

    visits: Sequence[tuple[HeldQueue, Visit]] = ()
    to_render: Sequence[tuple[HeldQueue, bytes]] = ()
    """Pages that were read, as they lie in the database."""


class FetchDatabase(ScanDatabase):
    """Leases queues of a running scan; the record of the scan is not written to."""

    def __init__(self, config: Config, on_failure: Any):
        super().__init__(config, on_failure)
        self.queues: dict[str, HeldQueue] = {}
        self.root_url = ""
        self.root_fingerprint: int | None = None
        self.report: Callable[[], dict[str, Any] | None] = lambda: None
        """What this process has sent and counted; the stage sets it."""
        self._holder = lease_holder(os.getpid())
        self._renders_pages = config.render != RenderMode.NEVER
        self._has_browser = False
        self._ends_at = math.inf  # the scan, by this process's clock

    @property
    def has_begun(self) -> bool:
        return False  # nothing of it is finished here

    async def close(self) -> None:
        if self.record is not None:
            await self.run(self._end, self.report())
            await self._in_thread(self._database.close)
        self._thread.shutdown()

    def _begin(
        self, arguments: SpiderArguments, _settings: dict[str, Any], _feeds: Mapping[str, str]
    ) -> None:
        from sitecrawl.store.engine import open_database
        from sitecrawl.store.queries.resume import join_scan
        from sitecrawl.store.queries.scans import scan_by_id

        config = self._config
        assert arguments.resume is not None
        self._database = open_database(config.database_url, create=False)
        scan = scan_by_id(self._database, arguments.resume)
        assert scan is not None
        check_fetchable(scan, is_sqlite=self._database.is_sqlite)
        self._has_browser = self._renders_pages and not why_no_browser(config.browser)
        self.root_url = scan.root_url
        self.record, self.root_fingerprint = join_scan(self._database, scan)
        self.fingerprint = config.reading_fingerprint(arguments.bases, datetime.now(UTC).date())
        with self._database.writing() as connection:
            self._note(connection, None)

    async def heartbeat(self) -> bool:
        """Renew the leases; return whether the scan is over."""
        return bool(await self.run(self._renew, self.report()))

    @property
    def has_room(self) -> bool:
        """Whether a queue has few pages under way."""
        return any(held.has_room for held in list(self.queues.values()))

    async def next_work(self) -> FoundWork:
        """What is to be done in queues that this process holds or gets now."""
        return await self.run(self._next_work) or FoundWork()

    async def write_answers(self, answers: Sequence[Answer]) -> None:
        await self.run(self._write_answers, answers)

    async def take_pages(self, wanted: int) -> int:
        """How many of the wanted pages the budget of the scan has."""
        return await self.run(self._take_pages, wanted) or 0

    # --- on the store's thread -------------------------------------------------------------------

    def _renew(self, report: dict[str, Any] | None) -> bool:
        from sitecrawl.store.queries.scans import scan_by_id
        from sitecrawl.store.vocabulary import ScanStatus
        from sitecrawl.store.writers.host_queues import renew_leases

        assert self.record is not None
        asked_at = time.monotonic()
        with self._database.writing() as connection:
            leases = [held.lease for held in self.queues.values()]
            kept = renew_leases(connection, self.record.scan_id, leases)
            self._note(connection, report)
        lost = [held for held in self.queues.values() if held.lease not in kept]
        for held in lost:
            if held.host is not None:
                held.host.pace.held_until = asked_at
        # If the scan has closed the queues, it waits for the end of the leases.
        self._release(lost)
        for held in self.queues.values():
            self._hold(held, asked_at)
        scan = scan_by_id(self._database, self.record.scan_id)
        is_running = scan is not None and scan.status == ScanStatus.RUNNING
        return scan is None or not is_running or not is_alive(scan, datetime.now(UTC))

    def _note(self, connection: Connection, report: dict[str, Any] | None) -> None:
        from sitecrawl.store.writers.scan_fetchers import note_fetcher

        assert self.record is not None
        own = self.record.scan_id, self._holder
        note_fetcher(connection, *own, report, has_browser=self._has_browser)

    def _next_work(self) -> FoundWork:
        from sitecrawl.store.writers.host_queues import fair_share, horizon, take_leases
        from sitecrawl.store.writers.scan_fetchers import frontier_state

        assert self.record is not None
        scan_id, config, asked_at = self.record.scan_id, self._config, time.monotonic()
        with self._database.writing() as connection:
            state = frontier_state(connection, scan_id)
            if state is None:
                return FoundWork()
            if state.seconds_left is not None:
                self._ends_at = asked_at + state.seconds_left
            pages_left = config.max_pages - state.page_requests if config.max_pages else None
            upto = horizon(connection, scan_id, config.max_crawl_pages, pages_left)
            fetchers = max(config.fetchers, state.fetchers, 1)
            renderers = self._renderers(state, fetchers)
            share = fair_share(
                connection, scan_id, upto=upto, fetchers=fetchers, renderers=renderers
            )
            for lease in take_leases(
                connection,
                scan_id,
                self._holder,
                upto=upto,
                limit=share - len(self.queues),
                renders=renderers > 0,
            ):
                held = self.queues[lease.queue] = HeldQueue(lease, asked_at, idle_since=asked_at)
                self._hold(held, asked_at)
            valid = [held for held in self.queues.values() if held.ends > asked_at]
            rows = {
                held: self._waiting_in(connection, held, upto, renders=renderers > 0)
                for held in valid
                if held.has_room
            }
            may_render = self._renders_pages and renderers > 0
            to_render = self._to_render(connection, valid) if may_render else []
        working = [held for held in self.queues.values() if held.under_way or rows.get(held)]
        given_up = working[share:] if fetchers > 1 else []
        for held in given_up:
            rows.pop(held, None)  # another one gets it, as soon as nothing of it is under way
        for held, found in rows.items():
            if found:
                held.after = found[-1].number
                held.under_way.update(row.number for row in found)
        for held in self.queues.values():
            if held.under_way:
                held.idle_since = asked_at
        self._release(
            held
            for held in self.queues.values()
            if not held.under_way
            and (held in given_up or asked_at - held.idle_since > _IDLE_SECONDS)
        )
        visits = [(held, visit) for held, found in rows.items() for visit in self._as_visits(found)]
        return FoundWork(visits, to_render)

    def _renderers(self, state: FrontierState, fetchers: int) -> int:
        """How many share the pages that need a browser, this one among them; 0: it does not.

        If nobody has a browser, all of them read such pages as they were sent.
        """
        if self._has_browser:
            own = self._config.fetchers if state.has_browser else 1
            return max(own, state.renderers)
        return 0 if state.has_browser or state.renderers else fetchers

    def _to_render(
        self, connection: Connection, queues: Sequence[HeldQueue]
    ) -> list[tuple[HeldQueue, bytes]]:
        from sitecrawl.store.writers.host_queues import pages_to_render

        assert self.record is not None
        under_way = {number for held in queues for number in held.under_way}
        found = pages_to_render(
            connection,
            self.record.scan_id,
            [held.lease.queue for held in queues],
            under_way=under_way,
            limit=_UNDER_WAY,
        )
        for page in found:
            self.queues[page.queue].under_way.add(page.number)
        return [(self.queues[page.queue], page.content) for page in found]

    def _waiting_in(
        self, connection: Connection, held: HeldQueue, upto: int, *, renders: bool
    ) -> list[WaitingVisit]:
        from sitecrawl.store.writers.host_queues import waiting_visits

        assert self.record is not None
        found = waiting_visits(
            connection,
            self.record.scan_id,
            held.lease,
            after=held.after,
            upto=upto,
            limit=_UNDER_WAY,
            renders=renders,
        )
        return [row for row in found if row.number not in held.under_way]

    def _take_pages(self, wanted: int) -> int:
        from sitecrawl.store.writers.scan_fetchers import take_pages

        assert self.record is not None
        with self._database.writing() as connection:
            scan_id, max_pages = self.record.scan_id, self._config.max_pages
            return take_pages(connection, scan_id, wanted, max_pages)

    def _end(self, report: dict[str, Any] | None) -> None:
        from sitecrawl.store.writers.scan_fetchers import end_fetcher

        assert self.record is not None
        with self._database.writing() as connection:
            self._note(connection, report)
            end_fetcher(connection, self.record.scan_id, self._holder)
        self._release(list(self.queues.values()))

    def _load_known_pages(self, *args: Any, **options: Any) -> dict[int, KnownPage]:
        from sitecrawl.store.queries.known_documents import load_known_pages

        assert self.record is not None
        with self._database.reading() as connection:
            return load_known_pages(connection, self.record, *args, **options)

    def _write_answers(self, answers: Sequence[Answer]) -> None:
        from sitecrawl.store.writers.host_queues import add_answers

        assert self.record is not None
        with self._database.writing() as connection:
            add_answers(connection, self.record.scan_id, answers)

    def _release(self, queues: Iterable[HeldQueue]) -> None:
        from sitecrawl.store.writers.host_queues import release_leases

        assert self.record is not None
        queues = list(queues)
        if queues:
            with self._database.writing() as connection:
                leases = [held.lease for held in queues]
                release_leases(connection, self.record.scan_id, leases)
        for held in queues:
            self.queues.pop(held.lease.queue, None)

    def _hold(self, held: HeldQueue, asked_at: float) -> None:
        from sitecrawl.store.writers.scan_fetchers import LEASE_SECONDS

        held.ends = min(asked_at + LEASE_SECONDS / 2, self._ends_at)
        if held.host is not None:
            held.host.pace.held_until = held.ends


def check_fetchable(scan: Scan, *, is_sqlite: bool) -> None:
    """ConfigError, if no fetcher can work for the scan."""
    from sitecrawl.store.vocabulary import ScanStatus

    if is_sqlite:
        raise ConfigError("fetchers need PostgreSQL: set SITECRAWL_DATABASE_URL=postgresql://...")
    if not scan.settings.get("fetchers"):
        raise ConfigError(
            f"scan {scan.id} of {scan.site_key} fetches its pages itself:"
            " it was started without SITECRAWL_FETCHERS"
        )
    if scan.status != ScanStatus.RUNNING:
        raise ConfigError(f"scan {scan.id} of {scan.site_key} is not running: it is {scan.status}")
