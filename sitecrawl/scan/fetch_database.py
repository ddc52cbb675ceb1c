"""The store of a fetcher: it reads the record of a scan, leases queues and writes answers."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.config import ConfigError
from sitecrawl.scan.database import ScanDatabase
from sitecrawl.scan.fetchers import lease_holder
from sitecrawl.store.processes import is_alive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sitecrawl.config import Config
    from sitecrawl.items import KnownPage, Visit
    from sitecrawl.politeness.scan import Host
    from sitecrawl.scan.arguments import SpiderArguments
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.writers.host_queues import Answer, Lease

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


class FetchDatabase(ScanDatabase):
    """Leases queues of a running scan; the record of the scan is not written to."""

    def __init__(self, config: Config, on_failure: Any):
        super().__init__(config, on_failure)
        self.queues: dict[str, HeldQueue] = {}
        self.root_url = ""
        self.root_fingerprint: int | None = None

    @property
    def has_begun(self) -> bool:
        return False  # nothing of it is finished here

    async def close(self) -> None:
        if self.record is not None:
            await self.run(self._release, list(self.queues.values()))
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
        self.root_url = scan.root_url
        self.record, self.root_fingerprint = join_scan(self._database, scan)
        self.fingerprint = config.reading_fingerprint(arguments.bases, datetime.now(UTC).date())

    def heartbeat(self) -> bool:
        """Renew the leases; return whether the scan is over."""
        from sitecrawl.store.queries.scans import scan_by_id
        from sitecrawl.store.vocabulary import ScanStatus
        from sitecrawl.store.writers.host_queues import renew_leases

        assert self.record is not None
        asked_at = time.monotonic()
        with self._database.writing() as connection:
            leases = [held.lease for held in self.queues.values()]
            kept = renew_leases(connection, self.record.scan_id, leases)
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

    @property
    def has_room(self) -> bool:
        """Whether a queue has few pages under way."""
        return any(len(held.under_way) <= _UNDER_WAY // 2 for held in list(self.queues.values()))

    async def next_visits(self) -> list[tuple[HeldQueue, Visit]]:
        """Visits of queues that this process holds or gets now."""
        return await self.run(self._next_visits) or []

    async def write_answers(self, answers: Sequence[Answer]) -> None:
        await self.run(self._write_answers, answers)

    # --- on the store's thread -------------------------------------------------------------------

    def _next_visits(self) -> list[tuple[HeldQueue, Visit]]:
        from sitecrawl.store.writers.host_queues import horizon, take_leases, waiting_visits

        assert self.record is not None
        scan_id, config, asked_at = self.record.scan_id, self._config, time.monotonic()
        with self._database.writing() as connection:
            upto = horizon(connection, scan_id, config.max_crawl_pages)
            for lease in take_leases(
                connection,
                scan_id,
                lease_holder(os.getpid()),
                upto=upto,
                held=len(self.queues),
                fetchers=max(config.fetchers, 1),
            ):
                held = self.queues[lease.queue] = HeldQueue(lease, asked_at)
                self._hold(held, asked_at)
            rows = {
                held: [
                    row
                    for row in waiting_visits(
                        connection,
                        scan_id,
                        held.lease,
                        after=held.after,
                        upto=upto,
                        limit=_UNDER_WAY,
                    )
                    if row.number not in held.under_way
                ]
                for held in self.queues.values()
                if len(held.under_way) <= _UNDER_WAY // 2
            }
        idle = []
        for held, found in rows.items():
            if found or held.under_way:
                held.idle_since = asked_at
            elif asked_at - held.idle_since > _IDLE_SECONDS:
                idle.append(held)
            if found:
                held.after = found[-1].number
                held.under_way.update(row.number for row in found)
        self._release(idle)
        return [(held, visit) for held, found in rows.items() for visit in self._as_visits(found)]

    def _load_known_pages(self, *args: Any, **options: Any) -> dict[int, KnownPage]:
        from sitecrawl.store.queries.known_pages import load_known_pages

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
        from sitecrawl.store.writers.host_queues import LEASE_SECONDS

        held.ends = asked_at + LEASE_SECONDS / 2
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
