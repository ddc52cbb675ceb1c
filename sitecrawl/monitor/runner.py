"""Runs one job of a watched site: its scan in a child process, then changes and announcements.

If its worker is killed at any point, another worker runs the job again: the scan is resumed, or its
result is taken. Only the worker that holds the job (``jobs.worker``) writes; one that has lost it
to another writes nothing more.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from sitecrawl.errors import ScanCrashedError, SitecrawlError
from sitecrawl.logs import identified
from sitecrawl.monitor.dive_process import DiveProcess
from sitecrawl.services.scan_process import start_scan
from sitecrawl.services.scans import ScanRequest
from sitecrawl.store.errors import (
    DatabaseLockedError,
    DatabaseUnavailableError,
    NotADatabaseError,
    ScanRunningError,
)
from sitecrawl.store.queries.dives import dive_of_job
from sitecrawl.store.queries.jobs import Job, is_cancel_requested, job_to_run, worker_is_alive
from sitecrawl.store.queries.resume import find_dead_scans
from sitecrawl.store.queries.scans import scan_by_id, scan_since
from sitecrawl.store.queries.watched_sites import site_to_scan
from sitecrawl.store.vocabulary import (
    ACTIVE_JOBS,
    DiveStatus,
    JobKind,
    JobStatus,
    JobTrigger,
    ScanStatus,
)
from sitecrawl.store.writers.dives import abandon_dive
from sitecrawl.store.writers.jobs import (
    claim_job,
    end_job,
    note_facts,
    note_log,
    note_restart,
    note_scan,
    queue_job,
)
from sitecrawl.tracing import Tracer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.services.scan_process import ScanHandle, ScanResult
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.dives import Dive
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.queries.watched_sites import WatchedSite

    AfterScan = Callable[[Database, int, datetime], object]

logger = logging.getLogger(__name__)

# A scan whose process died so often is given up, ...
MAX_CRASHES: Final = 5
# ... and so is one that was restarted so often: it may be the reason why workers die.
MAX_RESTARTS: Final = 50
OVERLAP: Final = "skipped_overlap"
_POLL_SECONDS: Final = 0.5
# A child whose worker was killed has ten seconds to end; on another host its heartbeat has to stop.
# A database that is restarted is back earlier.
_MAX_WAIT_SECONDS: Final = 600
_STATUS: Final = {
    ScanStatus.FINISHED: JobStatus.SUCCESS,
    ScanStatus.PARTIAL: JobStatus.PARTIAL,
    ScanStatus.FAILED: JobStatus.FAILED,
    ScanStatus.CANCELLED: JobStatus.CANCELLED,
    ScanStatus.INTERRUPTED: JobStatus.INTERRUPTED,
}
_DIVE_STATUS: Final = {
    DiveStatus.FINISHED: JobStatus.SUCCESS,
    DiveStatus.PARTIAL: JobStatus.PARTIAL,
    DiveStatus.FAILED: JobStatus.FAILED,
    DiveStatus.CANCELLED: JobStatus.CANCELLED,
}
_WITH_RESULT: Final = (JobStatus.SUCCESS, JobStatus.PARTIAL)
_DATABASE_AWAY: Final = (DatabaseLockedError, DatabaseUnavailableError)

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _waits_for_database(work: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
    """Repeat *work*, which is one transaction, until the database can be reached again.

    A job must not fail because the database is restarted or locked for a while.
    """

    @wraps(work)
    def repeated(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        deadline = time.monotonic() + _MAX_WAIT_SECONDS
        is_told = False
        while True:
            try:
                return work(*args, **kwargs)
            except NotADatabaseError:
                raise  # it does not get better by waiting
            except _DATABASE_AWAY as error:
                if time.monotonic() > deadline:
                    raise
                if not is_told:
                    logger.warning("%s waits for the database: %s", work.__name__.strip("_"), error)
                is_told = True
                time.sleep(_POLL_SECONDS)

    return repeated


@dataclass(frozen=True, slots=True)
class RetryRule:
    """How often a failed job is repeated; each pause is twice as long as the one before."""

    retries: int
    minutes: float

    def delay(self, attempt: int) -> timedelta | None:
        """
        >>> rule = RetryRule(2, 5)
        >>> [str(rule.delay(attempt)) for attempt in (1, 2, 3)]
        ['0:05:00', '0:10:00', 'None']
        """
        if attempt > self.retries:
            return None
        return timedelta(minutes=self.minutes * 2 ** (attempt - 1))


class JobRunner:
    """Runs jobs for one worker; each method may be called from any thread."""

    def __init__(
        self,
        database: Database,
        database_url: str,
        worker: str,
        retry_rule: RetryRule,
        after_scan: tuple[AfterScan, ...] = (),
        machine_settings: Mapping[str, Any] | None = None,
        tracer: Tracer | None = None,
    ):
        self._database = database
        self._database_url = database_url
        self._worker = worker
        self._retry_rule = retry_rule
        self._after_scan = after_scan
        self._tracer = tracer or Tracer("")
        # Set by the operator of the machine; they override those of the site.
        self._machine_settings = dict(machine_settings or {})

    def scan(self, job_id: int) -> str | None:
        """Run the scan of the job to its end and return the status; None: another worker has it."""
        job = self._take(job_id)
        if job is None:
            return None
        site = self._site(job)
        if site is None:
            return None
        if self._is_cancelled(job_id):
            return self._noted(job_id, JobStatus.CANCELLED, "cancelled")
        if not site.enabled and job.trigger in {JobTrigger.SCHEDULE, JobTrigger.ADDED}:
            return self._noted(job_id, JobStatus.SKIPPED, "the site was switched off")
        if job.kind == JobKind.DIVE:
            return self._dive(job, site)
        with self._tracer.span("job", job=job.id, site=site.root_url, worker=self._worker) as span:
            status = self._run(job, site, span.traceparent)
            span.set(status=status)
            return status

    def scan_or_fail(self, job_id: int) -> str | None:
        """As :meth:`scan`; an unexpected error fails the job, not the worker."""
        try:
            return self.scan(job_id)
        except _DATABASE_AWAY:
            raise  # nothing can be noted; the job is queued again when the database is back
        except Exception as error:
            logger.exception("job %d", job_id)
            return self._noted(job_id, JobStatus.FAILED, f"internal error: {error!r}")

    def finish(self, job_id: int, status: str) -> bool:
        """Do what follows a scan, and end the job; False: another worker has it."""
        job = self._take(job_id)
        if job is None:
            return False
        with identified(scan=job.scan_id):
            return self._finish(job, status)

    def _finish(self, job: Job, status: str) -> bool:
        if status in _WITH_RESULT and job.scan_id is not None:
            try:
                for follow in self._after_scan:
                    self._follow(follow, job.scan_id)
            except _DATABASE_AWAY:
                raise
            except Exception as error:
                logger.exception("job %d: after scan %d", job.id, job.scan_id)
                status = self._noted(job.id, JobStatus.FAILED, f"after the scan: {error}")
        if not self._end(job, JobStatus(status)):
            return False
        reason = f": {job.reason}" if job.reason and status != JobStatus.SUCCESS else ""
        logger.info("job %d, %s: %s%s", job.id, job.root_url, status, reason)
        return True

    @_waits_for_database
    def _follow(self, follow: AfterScan, scan_id: int) -> None:
        follow(self._database, scan_id, datetime.now(UTC))

    @_waits_for_database
    def _end(self, job: Job, status: JobStatus) -> bool:
        with self._database.writing() as connection:
            now = datetime.now(UTC)
            if not end_job(connection, job.id, self._worker, status, now):
                return False
            abandon_dive(connection, job.id, DiveStatus.CANCELLED, "it was not started")
            self._retry(connection, job, status, now)
        return True

    # --- whose job it is -------------------------------------------------------------------------

    @_waits_for_database
    def _take(self, job_id: int) -> Job | None:
        """The job, if this worker holds or gets it; None: it has ended, or another one has it."""
        with self._database.writing() as connection:
            job = job_to_run(connection, job_id)
            if job is None or job.status not in ACTIVE_JOBS:
                return None
            if job.status == JobStatus.RUNNING and job.worker == self._worker:
                return job
            held_by = job.worker if job.status == JobStatus.RUNNING else None
            if held_by is not None and worker_is_alive(connection, held_by):
                return None
            now = datetime.now(UTC)
            if not claim_job(connection, job_id, self._worker, held_by, now):
                return None
            return job_to_run(connection, job_id)

    @_waits_for_database
    def _noted(
        self, job_id: int, status: JobStatus, reason: str | None, handle: ScanHandle | None = None
    ) -> str:
        facts: dict[str, Any] = {"reason": reason}
        if handle is not None:
            facts |= {"exit_code": handle.exit_code, "log_tail": handle.log_tail()}
        with self._database.writing() as connection:
            note_facts(connection, job_id, **facts)
        return str(status)

    def _note_log(self, job_id: int, tail: str, noted: str) -> str:
        """Store the end of the log of a running process; return what is stored now."""
        if tail == noted:
            return noted
        try:
            with self._database.writing() as connection:
                note_log(connection, job_id, self._worker, tail)
        except _DATABASE_AWAY:  # such as locked by the scan itself; it is tried again soon
            return noted
        return tail

    @_waits_for_database
    def _site(self, job: Job) -> WatchedSite | None:
        with self._database.reading() as connection:
            return site_to_scan(connection, job.watched_site_id)

    @_waits_for_database
    def _note_scan(self, job_id: int, scan_id: int) -> None:
        with self._database.writing() as connection:
            note_scan(connection, job_id, scan_id, datetime.now(UTC))

    # --- the scan --------------------------------------------------------------------------------

    @_waits_for_database
    def _scan_before(self, job: Job, site: WatchedSite) -> Scan | None:
        """The scan that a killed worker began for this job, once its process has ended."""
        deadline = time.monotonic() + _MAX_WAIT_SECONDS
        orphan_id = job.scan_id
        while True:
            find_dead_scans(self._database, orphan_id)
            if job.scan_id is not None:
                scan = scan_by_id(self._database, job.scan_id)
            else:
                began = job.started_at or job.queued_at
                scan = scan_since(self._database, site.workspace_id, site.key, began)
            if scan is None or scan.status != ScanStatus.RUNNING:
                return scan
            if time.monotonic() > deadline:
                return None
            orphan_id = scan.id
            time.sleep(_POLL_SECONDS)

    def _run(self, job: Job, site: WatchedSite, traceparent: str) -> str:
        restarts, crashes = job.restarts, 0
        before = self._scan_before(job, site) if restarts else None
        while restarts <= MAX_RESTARTS and crashes <= MAX_CRASHES:
            if before is not None and before.status != ScanStatus.INTERRUPTED:
                self._note_scan(job.id, before.id)
                return self._noted(job.id, _STATUS[ScanStatus(before.status)], before.reason)
            try:
                handle = start_scan(self._request(job, site, before, traceparent))
            except ScanRunningError as error:
                if not restarts:
                    return self._noted(job.id, JobStatus.SKIPPED, f"{OVERLAP}: {error}")
                # The child of a killed worker has just begun it.
                logger.warning("job %d: %s", job.id, error)
            except (ScanCrashedError, *_DATABASE_AWAY) as error:
                logger.warning("job %d: %s", job.id, error)
            except SitecrawlError as error:
                return self._noted(job.id, JobStatus.FAILED, str(error))
            else:
                self._note_scan(job.id, handle.id)
                status = self._wait(job.id, handle)
                if status is not None:
                    return status
                job = replace(job, scan_id=handle.id)
            self._note_restart(job.id)
            restarts, crashes = restarts + 1, crashes + 1
            before = self._scan_before(job, site)
        reason = f"its process died {restarts} times"
        return self._noted(job.id, JobStatus.INTERRUPTED, reason)

    def _dive(self, job: Job, site: WatchedSite) -> str:
        """Run a dive to its end, in a process of its own; one that dies is tried again later."""
        request = replace(self._request(job, site, None), domain="")
        noted = ""
        with DiveProcess(job.id, request) as process:
            while (code := process.wait(_POLL_SECONDS)) is None:
                noted = self._note_log(job.id, process.log_tail(), noted)
                if self._is_cancelled(job.id):
                    process.cancel()
            words = process.log_tail()
        dive = self._end_dive(job.id, code, words)
        if dive is None:
            return self._noted(job.id, JobStatus.FAILED, "its dive is gone")
        return self._noted(job.id, _DIVE_STATUS[DiveStatus(dive.status)], dive.reason)

    @_waits_for_database
    def _end_dive(self, job_id: int, code: int, log_tail: str) -> Dive | None:
        with self._database.writing() as connection:
            reason = f"its process ended with exit code {code}"
            abandon_dive(connection, job_id, DiveStatus.FAILED, reason)
            note_facts(connection, job_id, exit_code=code, log_tail=log_tail)
            return dive_of_job(connection, job_id)

    def _request(
        self, job: Job, site: WatchedSite, before: Scan | None, traceparent: str = ""
    ) -> ScanRequest:
        return ScanRequest(
            domain=site.root_url if before is None else "",
            resume=None if before is None else before.id,
            profile=site.profile,
            database=self._database_url,
            settings={
                **site.settings,
                "SITECRAWL_WORKSPACE": site.workspace_id,
                # Whoever may edit sites in the dashboard must not reach the machine's own network.
                "SITECRAWL_ALLOW_PRIVATE_SITE": site.allow_private,
                **self._machine_settings,
                "SITECRAWL_TRACES_PARENT": traceparent,
                "SITECRAWL_PROGRESS": "off",
            },
            log_ids={"job": job.id, "worker": self._worker},
        )

    @_waits_for_database
    def _note_restart(self, job_id: int) -> None:
        with self._database.writing() as connection:
            note_restart(connection, job_id)

    def _wait(self, job_id: int, handle: ScanHandle) -> str | None:
        """Until the scan has ended; None: its process died, and the scan can go on."""
        is_asked, noted = False, ""
        while True:
            try:
                result = handle.wait(timeout=_POLL_SECONDS)
            except TimeoutError:
                noted = self._note_log(job_id, handle.log_tail(), noted)
                if not is_asked and self._is_cancelled(job_id):
                    handle.cancel()
                    is_asked = True
                continue
            except ScanCrashedError as error:
                if is_asked:
                    return self._noted(job_id, JobStatus.CANCELLED, str(error), handle)
                logger.warning("job %d: %s", job_id, error)
                return None
            except SitecrawlError as error:
                return self._noted(job_id, JobStatus.FAILED, str(error), handle)
            if self._lost_database(result):
                logger.warning("job %d: scan %d had lost the database", job_id, handle.id)
                return None
            return self._noted(job_id, _STATUS[result.status], result.reason, handle)

    @_waits_for_database
    def _lost_database(self, result: ScanResult) -> bool:
        """Whether the scan failed and could not record it, so that it can go on."""
        scan = scan_by_id(self._database, result.scan_id)
        is_recorded = scan is None or scan.status == result.status
        return result.status is ScanStatus.FAILED and not is_recorded

    @_waits_for_database
    def _is_cancelled(self, job_id: int) -> bool:
        with self._database.reading() as connection:
            return is_cancel_requested(connection, job_id)

    # --- retries ---------------------------------------------------------------------------------

    def _retry(self, connection: Connection, job: Job, status: str, now: datetime) -> None:
        """Queue a failed job again, unless the schedule comes first."""
        if status not in {JobStatus.FAILED, JobStatus.INTERRUPTED}:
            return
        delay = self._retry_rule.delay(job.attempt)
        site = site_to_scan(connection, job.watched_site_id)
        if delay is None or site is None or not site.enabled:
            return
        if site.next_due_at is not None and site.next_due_at <= now + delay:
            return
        queue_job(
            connection,
            site.id,
            JobKind(job.kind),
            JobTrigger.RETRY,
            site.priority,
            now,
            retry_of=job.id,
            attempt=job.attempt + 1,
            not_before=now + delay,
        )
