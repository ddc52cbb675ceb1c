"""The job engine: DBOS on a file, with workers that die."""

from __future__ import annotations

import logging
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.monitor.jobs import JobEngine, WorkflowState
from sitecrawl.scheduling.worker_tags import WorkerKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ONE = WorkerKind(1)
LARGER = WorkerKind(3, ("browser", "eu-west"))
# A worker that says which job it has, and is killed before it can end it.
_DYING = """
import sys, threading
from sitecrawl.monitor.jobs import JobEngine
from sitecrawl.scheduling.worker_tags import WorkerKind
def scan(job_id):
    print(job_id, flush=True)
    threading.Event().wait()
engine = JobEngine(sys.argv[1], "dying", WorkerKind(1), scan=scan, finish=print, deliver=print)
engine.start()
engine.hand_over("job-7-0", 7, 1, WorkerKind(1))
threading.Event().wait()
"""


class Steps:
    """Notes what the engine calls."""

    def __init__(self) -> None:
        self.seen: list[object] = []
        self.is_over = threading.Event()
        self.wanted = 1

    def scan(self, job_id: int) -> str | None:
        self.seen.append(job_id)
        return "success"

    def finish(self, job_id: int, status: str) -> bool:
        self.seen.append((job_id, status))
        self._count()
        return True

    def deliver(self, delivery_id: int) -> None:
        self.seen.append(f"delivery {delivery_id}")
        self._count()

    def _count(self) -> None:
        self.wanted -= 1
        if not self.wanted:
            self.is_over.set()

    def wait(self) -> None:
        assert self.is_over.wait(120)


@pytest.fixture
def steps() -> Steps:
    return Steps()


@pytest.fixture
def engine_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/jobs.db"


@pytest.fixture
def start(engine_url: str, steps: Steps) -> Iterator[Callable[[], JobEngine]]:
    started: list[JobEngine] = []

    def start() -> JobEngine:
        engine = JobEngine(
            engine_url, "own", ONE, scan=steps.scan, finish=steps.finish, deliver=steps.deliver
        )
        engine.start()
        started.append(engine)
        return engine

    yield start
    for engine in started:
        engine.stop(0)
    logging.getLogger("dbos").handlers.clear()


def test_jobs_run_in_the_order_of_their_numbers_and_once(
    start: Callable[[], JobEngine], steps: Steps, engine_url: str
) -> None:
    engine = start()
    steps.wanted = 4
    for job_id, number in ((3, 30), (1, 10), (2, 20)):
        engine.hand_over(f"job-{job_id}-0", job_id, number, ONE)
    engine.hand_over("job-2-0", 2, 20, ONE)
    engine.hand_over_delivery(5, datetime.now(UTC))
    steps.wait()
    with closing(sqlite3.connect(engine_url.removeprefix("sqlite:///"))) as connection:
        forms = connection.execute("SELECT DISTINCT serialization FROM workflow_status").fetchall()
    assert forms == [("portable_json",)]  # no pickles
    jobs = [each for each in steps.seen if isinstance(each, int)]
    # The first may have been taken before the others came.
    assert sorted(jobs) == [1, 2, 3]
    assert jobs.index(1) < jobs.index(2)
    assert "delivery 5" in steps.seen
    assert engine.states(["job-9-0"]) == {"job-9-0": WorkflowState.UNKNOWN}


def test_a_delivery_that_waits_is_not_handed_over_again(
    start: Callable[[], JobEngine], steps: Steps
) -> None:
    engine = start()
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    # The scheduler looks every five seconds; what is slow would be in the queue hundreds of times.
    for seconds in (0, 5, 10, 15, 60):
        engine.hand_over_delivery(5, now + timedelta(seconds=seconds))
    steps.wanted = 3
    engine.hand_over_delivery(6, now)
    steps.wait()
    assert sorted(map(str, steps.seen)) == ["delivery 5", "delivery 5", "delivery 6"]


def test_what_a_killed_worker_had_is_taken_back(
    start: Callable[[], JobEngine], steps: Steps, engine_url: str
) -> None:
    dying = subprocess.Popen([sys.executable, "-c", _DYING, engine_url], stdout=subprocess.PIPE)
    assert dying.stdout is not None
    with dying.stdout:
        assert dying.stdout.readline() == b"7\n"
        dying.kill()
        dying.wait()
    engine = start()
    assert engine.states(["job-7-0"]) == {"job-7-0": WorkflowState.ACTIVE}
    engine.give_up_all("dying")
    assert engine.states(["job-7-0"]) == {"job-7-0": WorkflowState.ENDED}
    engine.hand_over("job-7-1", 7, 1, ONE)
    steps.wait()
    assert steps.seen == [7, (7, "success")]


def test_a_job_waits_for_workers_of_its_queue_and_can_be_taken_back(
    start: Callable[[], JobEngine], steps: Steps, engine_url: str
) -> None:
    larger = subprocess.Popen(
        [
            sys.executable,
            "-c",
            _DYING.replace('"dying", WorkerKind(1)', f'"larger", {LARGER!r}'),
            engine_url,
        ],
        stdout=subprocess.PIPE,
    )
    assert larger.stdout is not None
    with larger.stdout:
        # Its own job is for workers with one scan at once: nobody takes it yet.
        engine = start()
        steps.wait()
        larger.kill()
        larger.wait()
    assert steps.seen == [7, (7, "success")]
    assert engine.hand_over("job-8-0", 8, 1, LARGER)
    assert not engine.hand_over("job-9-0", 9, 1, WorkerKind(3))
    engine.give_up("job-8-0")
    assert engine.states(["job-8-0"]) == {"job-8-0": WorkflowState.ENDED}
    assert 8 not in steps.seen


def test_what_has_ended_is_forgotten(start: Callable[[], JobEngine], steps: Steps) -> None:
    engine = start()
    engine.hand_over("job-1-0", 1, 1, ONE)
    steps.wait()
    later = datetime.now(UTC) + timedelta(hours=1)
    while engine.states(["job-1-0"])["job-1-0"] is not WorkflowState.ENDED:
        threading.Event().wait(0.05)
    assert engine.forget_ended(later) == 1
    assert engine.states(["job-1-0"]) == {"job-1-0": WorkflowState.UNKNOWN}
