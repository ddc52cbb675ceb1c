"""A process of the monitor: runs jobs and, as a scheduler, makes and hands out those that are due.

It sends a heartbeat every few seconds (table ``workers``). When it is asked to stop it takes no
more jobs, lets its scans end, and removes itself. Asked a second time it ends at once, and another
process resumes its scans.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import SitecrawlError
from sitecrawl.monitor.announcements import announce, compare_pending
from sitecrawl.monitor.deliveries import deliver, forget_old_deliveries, prepare_due
from sitecrawl.monitor.jobs import JobEngine
from sitecrawl.monitor.memory import MemoryGate
from sitecrawl.monitor.runner import JobRunner, RetryRule
from sitecrawl.monitor.scheduler import (
    forget_old,
    hand_over_waiting,
    queue_due,
    queue_forgotten,
    queue_lost,
    recover_dead,
)
from sitecrawl.render.browser import why_no_browser
from sitecrawl.scheduling.worker_tags import BROWSER, WorkerKind, checked_worker_tags
from sitecrawl.services.callers import SessionRules
from sitecrawl.services.change_detection import detect_changes
from sitecrawl.services.database import AskedScan
from sitecrawl.services.inventory_lists import refresh_page_index
from sitecrawl.services.maintenance import prune_by_itself
from sitecrawl.services.sessions import clear_expired
from sitecrawl.store.engine import beside, open_database
from sitecrawl.store.errors import StoreError
from sitecrawl.store.processes import own_process, process_token
from sitecrawl.store.queries.jobs import running_workers
from sitecrawl.store.queries.scans import scan_by_id, site_by_id
from sitecrawl.store.writers.jobs import register_worker, remove_worker, update_worker
from sitecrawl.tracing import Tracer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

logger = logging.getLogger(__name__)

TICK: Final = timedelta(minutes=1)
_HEARTBEAT: Final = timedelta(seconds=5)
# A heartbeat may be so late on a machine that is busy.
_GRACE: Final = 3 * _HEARTBEAT
_HAND_OVER: Final = timedelta(seconds=1)
_DELIVER: Final = timedelta(seconds=5)
_LOOK_FOR_DEAD: Final = timedelta(seconds=5)
_LOOK_FOR_LOST: Final = timedelta(seconds=30)
_CLEAN_UP: Final = timedelta(minutes=10)
_PRUNE: Final = timedelta(hours=24)
_KEEP_WORKFLOWS: Final = timedelta(hours=1)
_STEP_SECONDS: Final = 0.25


@dataclass(slots=True)
class _Duty:
    """A task that is repeated."""

    every: timedelta
    do: Callable[[datetime], object]
    due_at: float
    """By the monotonic clock: the other one may be set back by hours."""


class MonitorProcess:
    """Runs a scheduler and workers, or workers alone, until :meth:`stop`."""

    def __init__(
        self,
        database: Database,
        config: Config,
        *,
        is_scheduler: bool,
        scans_at_once: int | None = None,
        tracer: Tracer | None = None,
        tags: Iterable[str] = (),
    ):
        self._database = database
        self._config = config
        self._is_scheduler = is_scheduler
        self._kind = WorkerKind(
            scans_at_once or config.monitor_scans, _tags(tags or config.monitor_tags, config)
        )
        self.name = f"{socket.gethostname()}-{os.getpid()}-{process_token()}"
        self._stopping = threading.Event()
        self._pruning: threading.Thread | None = None
        self._beat_at = datetime.now(UTC)
        self._trusts_heartbeats_from = time.monotonic()
        self._memory = MemoryGate(config.monitor_min_free_mb)
        self._runner = JobRunner(
            database,
            config.database_url,
            self.name,
            RetryRule(config.monitor_retries, config.monitor_retry_minutes),
            after_scan=(_find_changes, announce, _index_pages),
            machine_settings=_machine_settings(config),
            tracer=tracer,
        )
        self._engine = JobEngine(
            config.monitor_database_url or beside(config.database_url, "-jobs"),
            self.name,
            self._kind,
            scan=self._scan_when_memory_is_free,
            finish=self._runner.finish,
            deliver=self._deliver,
        )

    def run(self) -> None:
        """Work until :meth:`stop` is called, then wait for the scans that run."""
        self._engine.start()
        self._register()
        with self._beating():
            self._work()
            logger.info("stopping when the scans that run have ended; once more to end at once")
            self._drain()
        with self._database.writing() as connection:
            # If a scan did not end in time, the worker stays: it counts as dead, and its scan is
            # resumed by another one.
            if self.name not in running_workers(connection):
                remove_worker(connection, self.name)

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    def stop(self) -> None:
        """Take no more jobs, and end when the running ones have ended; for signal handlers."""
        self._stopping.set()

    def _scan_when_memory_is_free(self, job_id: int) -> str | None:
        # A job that is not begun is not claimed: the scheduler gives it to another worker.
        if not self._memory.wait(self._stopping):
            return None
        return self._runner.scan_or_fail(job_id)

    def _register(self) -> None:
        now = datetime.now(UTC)
        values = {
            "name": self.name,
            **own_process(),
            "is_scheduler": self._is_scheduler,
            "capacity": self._kind.scans_at_once,
            "tags": list(self._kind.tags),
            "is_draining": self.is_stopping,
        }
        with self._database.writing() as connection:
            register_worker(connection, values, now)
        self._beat_at = now

    def _work(self) -> None:
        duties = self._duties()
        while not self._stopping.wait(_STEP_SECONDS):
            for duty in duties:
                if duty.due_at <= time.monotonic():
                    duty.due_at = time.monotonic() + duty.every.total_seconds()
                    with _logged_errors(duty.do.__name__.strip("_")):
                        duty.do(datetime.now(UTC))

    def _duties(self) -> list[_Duty]:
        now = time.monotonic()
        later = now + _CLEAN_UP.total_seconds()
        duties = [_Duty(_LOOK_FOR_LOST, self._queue_forgotten, now)]
        if not self._is_scheduler:
            return duties
        return [
            *duties,
            _Duty(_LOOK_FOR_DEAD, self._recover_dead, now),
            _Duty(_LOOK_FOR_LOST, self._queue_lost, now),
            _Duty(TICK, self._tick, now),
            _Duty(_HAND_OVER, self._hand_over, now),
            _Duty(_DELIVER, self._hand_over_deliveries, now),
            _Duty(_CLEAN_UP, self._clean_up, later),
            # Soon after the start: a monitor may be restarted every day.
            _Duty(_PRUNE, self._prune, later),
        ]

    @contextmanager
    def _beating(self) -> Iterator[None]:
        """Send heartbeats from a thread: a duty that takes long must not look like a death."""
        is_over = threading.Event()

        def beat() -> None:
            while not is_over.wait(_HEARTBEAT.total_seconds()):
                with _logged_errors("heartbeat"):
                    self._beat(datetime.now(UTC))

        thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()

    def _beat(self, now: datetime) -> None:
        with self._database.writing() as connection:
            is_known = update_worker(connection, self.name, heartbeat_at=now)
        if not self._has_beaten(now):
            # The database was away, the machine slept, or its clock has jumped: all the others seem
            # dead until they have sent their next heartbeat.
            self._trusts_heartbeats_from = time.monotonic() + _GRACE.total_seconds()
        self._beat_at = now
        if not is_known:
            # Another process took this one for dead, such as after the machine was suspended.
            logger.warning("worker %s was taken for dead; it is registered again", self.name)
            self._register()

    def _has_beaten(self, now: datetime) -> bool:
        """Whether the last heartbeat of this process is as recent as it should be."""
        return timedelta(0) <= now - self._beat_at <= _GRACE

    def _recover_dead(self, now: datetime) -> None:
        if self._has_beaten(now) and time.monotonic() >= self._trusts_heartbeats_from:
            recover_dead(self._database, self._engine)

    def _queue_forgotten(self, _now: datetime) -> None:
        queue_forgotten(self._database, self._engine, self.name)

    def _queue_lost(self, _now: datetime) -> None:
        queue_lost(self._database, self._engine)

    def _tick(self, now: datetime) -> None:
        if number := queue_due(self._database, now):
            logger.info("%d scans are due", number)
        compare_pending(self._database)
        with self._database.writing() as connection:
            update_worker(connection, self.name, last_tick_at=now)

    def _hand_over(self, now: datetime) -> None:
        hand_over_waiting(self._database, self._engine, now)

    def _hand_over_deliveries(self, now: datetime) -> None:
        """One workflow for each delivery: a slow receiver delays no other."""
        for delivery_id in prepare_due(self._database, now, self._config):
            self._engine.hand_over_delivery(delivery_id, now)

    def _deliver(self, delivery_id: int) -> None:
        deliver(self._database, delivery_id, datetime.now(UTC), self._config)

    def _clean_up(self, now: datetime) -> None:
        if self._config.monitor_keep_days:
            before = now - timedelta(days=self._config.monitor_keep_days)
            forget_old(self._database, before)
            forget_old_deliveries(self._database, before)
        clear_expired(self._database, SessionRules.of(self._config))
        self._engine.forget_ended(now - _KEEP_WORKFLOWS)

    def _prune(self, _now: datetime) -> None:
        """Prune in a thread: it may take minutes, and jobs have to start meanwhile."""
        if self._pruning is None or not self._pruning.is_alive():
            self._pruning = threading.Thread(target=self._prune_now, name="prune", daemon=True)
            self._pruning.start()

    def _prune_now(self) -> None:
        try:
            report = prune_by_itself(self._database, self._config)
        except SitecrawlError as error:
            logger.warning("old scans could not be removed: %s", error)
            return
        if report is not None and report.removals:
            logger.info("%d old scans removed, about %d bytes", report.scans, report.bytes)

    def _drain(self) -> None:
        with _logged_errors("drain"), self._database.writing() as connection:
            update_worker(connection, self.name, is_draining=True)
        self._engine.stop(self._config.monitor_drain_seconds)


def _tags(given: Iterable[str], config: Config) -> tuple[str, ...]:
    """The tags that were given, and those that the machine has by itself."""
    has_browser = not why_no_browser(config.browser)
    return checked_worker_tags((*given, *((BROWSER,) if has_browser else ())))


def _machine_settings(config: Config) -> dict[str, Any]:
    """What the operator of the machine has set for its scans, also by ``serve -s``."""
    allowed = config.address_allow
    return {
        "SITECRAWL_LOG_FORMAT": config.log_format,
        "SITECRAWL_TRACES_URL": config.traces_url,
        "SITECRAWL_TRACES_REQUESTS": config.traces_requests,
        **({"SITECRAWL_ADDRESS_ALLOW": allowed} if allowed else {}),
    }


def _find_changes(database: Database, scan_id: int, _now: datetime) -> None:
    detect_changes(database, scan_id)


def _index_pages(database: Database, scan_id: int, _now: datetime) -> None:
    """Make lists of pages fast. A failure only leaves them slow, so it fails no job."""
    scan = scan_by_id(database, scan_id)
    site = site_by_id(database, scan.site_id) if scan else None
    if scan is None or site is None or scan.next_scan_id is not None:
        return
    try:
        refresh_page_index(AskedScan(database, site, scan))
    except StoreError as error:
        logger.warning("scan %d: the pages of %s are not indexed: %s", scan_id, site.key, error)


@contextmanager
def _logged_errors(name: str) -> Iterator[None]:
    """Log errors: what fails is repeated at its next time, when the database may be back."""
    try:
        yield
    except SitecrawlError as error:
        logger.warning("%s: %s", name, error)
    except Exception:
        logger.exception("%s", name)


@contextmanager
def monitor_process(
    config: Config,
    *,
    is_scheduler: bool,
    scans_at_once: int | None = None,
    tags: Iterable[str] = (),
) -> Iterator[MonitorProcess]:
    """A process of the monitor on the configured database."""
    with open_database(config.database_url) as database, closing(Tracer.from_config(config)) as it:
        yield MonitorProcess(
            database,
            config,
            is_scheduler=is_scheduler,
            scans_at_once=scans_at_once,
            tags=tags,
            tracer=it,
        )
