"""The job engine. It is the only module that knows DBOS.

DBOS keeps workflows in a database of its own (a SQLite file beside ours, or a schema ``dbos`` in
PostgreSQL): which job is next, which worker runs it, which of its steps are done. A worker is an
executor of DBOS. When it dies, the scheduler cancels its workflows and makes new ones for its jobs,
which can go to any worker and ahead of others. All that people see of jobs is in our own tables;
the rows of DBOS are deleted after a while.

DBOS limits how many workflows of a queue a worker runs at once, with one limit for all workers of
the queue. So workers with the same number of scans at once and the same tags share a queue, and the
scheduler chooses the queue of each job.
"""

from __future__ import annotations

import logging
from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Final

from sitecrawl.errors import ExtraMissingError
from sitecrawl.logs import identified
from sitecrawl.store.engine import engine_url, use_write_ahead_log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from dbos import Queue

    from sitecrawl.scheduling.worker_tags import WorkerKind

# DBOS runs no workflows of another version. Raise it when the steps of a workflow change.
_WORKFLOW_VERSION: Final = "1"
_NAME: Final = "sitecrawl"
_DELIVERIES: Final = "deliveries"
_DELIVERIES_AT_ONCE: Final = 8
_POLL_SECONDS: Final = 0.5
_FORGOTTEN_AT_ONCE: Final = 1000
_BEGUN: Final = "PENDING"
_ENDED: Final = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
# DBOS takes the lower number first, up to 2^31 - 1: priority first, then the minute of the last
# scan, which fits into 28 bits until the year 2480.
_PRIORITY_SHIFT: Final = 28
_HIGHEST_PRIORITY: Final = 7


def queue_number(priority: int, last_scan_at: datetime | None) -> int:
    """
    >>> from datetime import UTC, datetime
    >>> long_ago, lately = datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)
    >>> in_order = [(6, lately), (5, None), (5, long_ago), (5, lately), (1, None)]
    >>> numbers = [queue_number(*each) for each in in_order]
    >>> numbers == sorted(numbers) and 1 <= numbers[0] and numbers[-1] < 2**31
    True
    """
    minutes = 0 if last_scan_at is None else int(last_scan_at.timestamp()) // 60
    return ((_HIGHEST_PRIORITY - priority) << _PRIORITY_SHIFT) + minutes


def _job_queue(kind: WorkerKind) -> str:
    return f"jobs-{kind}"


class WorkflowState(Enum):
    """What the engine knows of a workflow."""

    UNKNOWN = "unknown"
    ACTIVE = "active"
    ENDED = "ended"
    """The engine does nothing more for it."""


class JobEngine:
    """Runs jobs and deliveries on this machine, each in the order of the queue.

    *scan* and *finish* are the steps of a job: one that has ended is not repeated when another
    worker goes on. Only one engine can run in a process.
    """

    def __init__(
        self,
        url: str,
        worker: str,
        kind: WorkerKind,
        *,
        scan: Callable[[int], str | None],
        finish: Callable[[int, str], bool],
        deliver: Callable[[int], object],
    ):
        self._url = url
        self._worker = worker
        self._kind = kind
        self._scan = scan
        self._finish = finish
        self._deliver = deliver
        self._job_queues: dict[WorkerKind, Queue] = {}
        """By the workers that listen."""
        self._deliveries: Queue
        self._running: Counter[int] = Counter()

    def start(self, *, is_working: bool = True) -> None:
        """Start to take jobs; without *is_working* jobs are only handed over."""
        try:
            from dbos import DBOS, DBOSPortableJSONSerializer
        except ImportError as error:
            raise ExtraMissingError(
                "the monitor needs the dbos package: pip install 'sitecrawl[monitor]'"
            ) from error
        use_write_ahead_log(self._url)
        logging.getLogger("dbos").propagate = False
        DBOS(
            config={
                "name": _NAME,
                "system_database_url": engine_url(self._url),
                "executor_id": self._worker,
                "application_version": _WORKFLOW_VERSION,
                # The default is pickle.
                "serializer": DBOSPortableJSONSerializer(),
                "log_level": "WARNING",
                "use_listen_notify": False,
            }
        )
        self._register()
        own = _job_queue(self._kind)
        DBOS.listen_queues([own, _DELIVERIES] if is_working else [])
        DBOS.launch()
        self._job_queues[self._kind] = DBOS.register_queue(
            own,
            worker_concurrency=self._kind.scans_at_once,
            polling_interval_sec=_POLL_SECONDS,
            on_conflict="always_update",
        )
        self._deliveries = DBOS.register_queue(
            _DELIVERIES,
            worker_concurrency=_DELIVERIES_AT_ONCE,
            polling_interval_sec=_POLL_SECONDS,
            on_conflict="always_update",
        )

    def _register(self) -> None:
        from dbos import DBOS

        # DBOS marks the functions that it is given, which methods do not allow.
        @DBOS.step(name="scan")
        def scan(job_id: int) -> str | None:
            with identified(job=job_id):
                return self._scan(job_id)

        @DBOS.step(name="finish")
        def finish(job_id: int, status: str) -> None:
            with identified(job=job_id):
                self._finish(job_id, status)

        @DBOS.step(name="deliver")
        def deliver(delivery_id: int) -> None:
            self._deliver(delivery_id)

        # How often a job may be taken up again is counted and decided in our own table.
        @DBOS.workflow(name="job", max_recovery_attempts=None)
        def run_job(job_id: int) -> None:
            self._running[job_id] += 1
            try:
                status = scan(job_id)
                if status is not None:
                    finish(job_id, status)
            finally:
                self._running[job_id] -= 1

        @DBOS.workflow(name="delivery", max_recovery_attempts=None)
        def run_delivery(delivery_id: int) -> None:
            deliver(delivery_id)

        self._run_job, self._run_delivery = run_job, run_delivery

    def hand_over(self, workflow_id: str, job_id: int, number: int, kind: WorkerKind) -> bool:
        """Put a job into the queue of the workers of this kind; False: there are none.

        A workflow with this id that exists already stays as it is.
        """
        from dbos import DBOS, SetEnqueueOptions, SetWorkflowID

        queue = self._job_queues.get(kind) or DBOS.retrieve_queue(_job_queue(kind))
        if queue is None:
            return False
        self._job_queues[kind] = queue
        with SetWorkflowID(workflow_id), SetEnqueueOptions(priority=number):
            queue.enqueue(self._run_job, job_id)
        return True

    def hand_over_delivery(self, delivery_id: int, now: datetime) -> None:
        """Put an attempt into the queue, unless one of the same minute waits or runs."""
        from dbos import SetEnqueueOptions

        minute = int(now.timestamp()) // 60
        with SetEnqueueOptions(
            deduplication_id=f"{delivery_id}-{minute}", duplication_policy="return-existing"
        ):
            self._deliveries.enqueue(self._run_delivery, delivery_id)

    def runs(self, job_id: int) -> bool:
        """Whether this process works on the job now."""
        return self._running[job_id] > 0

    def give_up_all(self, worker: str) -> None:
        """Cancel all workflows that a dead worker had begun: nobody would end them."""
        from dbos import DBOS

        begun = DBOS.list_workflows(
            status=_BEGUN, executor_id=worker, load_input=False, load_output=False
        )
        DBOS.cancel_workflows([each.workflow_id for each in begun])

    def give_up(self, workflow_id: str) -> None:
        """Cancel a workflow that no process runs."""
        from dbos import DBOS

        DBOS.cancel_workflow(workflow_id)

    def states(self, workflow_ids: Sequence[str]) -> dict[str, WorkflowState]:
        """The state of each of these workflows."""
        from dbos import DBOS

        states = dict.fromkeys(workflow_ids, WorkflowState.UNKNOWN)
        if workflow_ids:
            for each in DBOS.list_workflows(
                workflow_ids=list(workflow_ids), load_input=False, load_output=False
            ):
                is_over = each.status in _ENDED
                states[each.workflow_id] = WorkflowState.ENDED if is_over else WorkflowState.ACTIVE
        return states

    def forget_ended(self, before: datetime) -> int:
        """Delete the workflows that ended before; return how many. People read our own tables."""
        from dbos import DBOS

        forgotten = 0
        while True:
            ended = DBOS.list_workflows(
                status=list(_ENDED),
                completed_before=before.isoformat(),
                limit=_FORGOTTEN_AT_ONCE,
                load_input=False,
                load_output=False,
            )
            DBOS.delete_workflows([each.workflow_id for each in ended])
            forgotten += len(ended)
            if len(ended) < _FORGOTTEN_AT_ONCE:
                return forgotten

    def stop(self, drain_seconds: int) -> None:
        """Take no more workflows, wait for those that run, and end."""
        from dbos import DBOS

        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=drain_seconds)
