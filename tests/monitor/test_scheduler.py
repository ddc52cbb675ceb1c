"""What is due becomes one job, in order, and none is lost."""

from __future__ import annotations

import os
import socket
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest
from sqlalchemy import delete, update

from sitecrawl.monitor import scheduler
from sitecrawl.monitor.jobs import JobEngine, WorkflowState
from sitecrawl.monitor.scheduler import (
    forget_old,
    hand_over_waiting,
    queue_due,
    queue_forgotten,
    queue_lost,
    recover_dead,
)
from sitecrawl.services.jobs import list_jobs, monitor_status, scan_site
from sitecrawl.services.sites import NewSite, SiteEdit, add_site, edit_site, get_site
from sitecrawl.store import schema as t
from sitecrawl.store.processes import process_token
from sitecrawl.store.queries.jobs import workers
from sitecrawl.store.writers.jobs import claim_job, register_worker, remove_worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.scheduling.worker_tags import WorkerKind
    from sitecrawl.store.engine import Database

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@dataclass
class FakeEngine:
    """Remembers what it is given."""

    handed: list[tuple[int, str, int]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    kinds: dict[int, str] = field(default_factory=dict)
    """By job."""
    buried: list[str] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)
    running: set[int] = field(default_factory=set)

    def hand_over(self, workflow_id: str, job_id: int, number: int, kind: WorkerKind) -> bool:
        self.handed.append((number, workflow_id, job_id))
        self.sizes.append(kind.scans_at_once)
        self.kinds[job_id] = str(kind)
        return True

    def runs(self, job_id: int) -> bool:
        return job_id in self.running

    def give_up(self, workflow_id: str) -> None:
        self.given_up.append(workflow_id)

    def give_up_all(self, worker: str) -> None:
        self.buried.append(worker)

    def states(self, workflow_ids: Sequence[str]) -> dict[str, WorkflowState]:
        def state(name: str) -> WorkflowState:
            if name in self.ended:
                return WorkflowState.ENDED
            return WorkflowState.UNKNOWN if name in self.unknown else WorkflowState.ACTIVE

        return {name: state(name) for name in workflow_ids}


@pytest.fixture
def fake() -> FakeEngine:
    return FakeEngine()


def engine(fake: FakeEngine) -> JobEngine:
    return cast("JobEngine", fake)


def due_sites(database: Database, *sites: tuple[int, datetime | None]) -> None:
    """Sites with a priority and a last scan, all due for an hour, without a job."""
    with_jobs = [
        add_site(database, 1, NewSite(f"s{number}.example", priority=priority, interval_minutes=60))
        for number, (priority, _) in enumerate(sites)
    ]
    with database.writing() as connection:
        connection.execute(delete(t.jobs))
        for site, (_, last_scan_at) in zip(with_jobs, sites, strict=True):
            connection.execute(
                update(t.watched_sites)
                .where(t.watched_sites.c.id == site.id)
                .values(next_due_at=NOW - timedelta(minutes=200), last_scan_at=last_scan_at)
            )


def change_jobs(database: Database, **values: Any) -> None:
    with database.writing() as connection:
        connection.execute(update(t.jobs).values(values))


def living_worker(
    database: Database, name: str = "alive", capacity: int = 4, tags: Sequence[str] = ()
) -> None:
    worker(database, name, os.getpid(), process_token(), capacity, tags)


def worker(
    database: Database,
    name: str,
    pid: int,
    token: str,
    capacity: int = 4,
    tags: Sequence[str] = (),
) -> None:
    values = {
        "name": name,
        "hostname": socket.gethostname(),
        "pid": pid,
        "process_token": token,
        "is_scheduler": False,
        "capacity": capacity,
        "is_draining": False,
        "tags": list(tags),
    }
    with database.writing() as connection:
        register_worker(connection, values, datetime.now(UTC))


def test_missed_times_are_made_up_for_once(database: Database) -> None:
    due_sites(database, (3, None))
    assert queue_due(database, NOW) == 1
    assert queue_due(database, NOW) == 0
    (job,) = list_jobs(database, 1).rows
    assert (job.kind, job.trigger, job.status) == ("scan", "schedule", "queued")
    # Every hour from 8:40 on.
    assert get_site(database, 1, 1).next_due_at == NOW + timedelta(minutes=40)


def test_an_overlap_is_skipped_and_recorded(database: Database) -> None:
    due_sites(database, (3, None))
    queue_due(database, NOW)
    change_jobs(database, status="running")
    assert queue_due(database, NOW + timedelta(hours=1)) == 0
    skipped, running = list_jobs(database, 1).rows
    assert (skipped.status, skipped.reason) == ("skipped", "skipped_overlap")
    assert running.status == "running"


def test_sites_that_are_off_or_not_due_are_left_alone(sqlite_database: Database) -> None:
    due_sites(sqlite_database, (3, None), (3, None))
    with sqlite_database.writing() as connection:
        first = t.watched_sites.c.id == 1
        connection.execute(update(t.watched_sites).where(first).values(enabled=False))
        connection.execute(update(t.watched_sites).where(~first).values(next_due_at=NOW))
    assert queue_due(sqlite_database, NOW - timedelta(seconds=1)) == 0
    assert queue_due(sqlite_database, NOW) == 1


def test_jobs_are_handed_over_by_priority_then_longest_unscanned(
    database: Database, fake: FakeEngine
) -> None:
    long_ago, lately = NOW - timedelta(days=9), NOW - timedelta(hours=1)
    living_worker(database)
    due_sites(database, (1, None), (5, lately), (5, long_ago), (5, None), (3, long_ago))
    queue_due(database, NOW)
    assert hand_over_waiting(database, engine(fake), NOW) == 5
    sites = {job.id: job.watched_site_id for job in list_jobs(database, 1).rows}
    assert [sites[job_id] for _, _, job_id in sorted(fake.handed)] == [4, 3, 2, 5, 1]
    assert hand_over_waiting(database, engine(fake), NOW) == 0


def test_what_a_person_asks_for_need_not_wait_behind_a_backlog(
    sqlite_database: Database, fake: FakeEngine
) -> None:
    living_worker(sqlite_database)
    due_sites(sqlite_database, *[(5, None)] * 20)
    queue_due(sqlite_database, NOW)
    assert hand_over_waiting(sqlite_database, engine(fake), NOW) == 8
    urgent = add_site(sqlite_database, 1, NewSite("urgent.example", enabled=False))
    job = scan_site(sqlite_database, 1, urgent.id)
    assert hand_over_waiting(sqlite_database, engine(fake), NOW) == 1
    assert min(fake.handed)[2] == job.id


def test_each_worker_is_given_what_it_can_run(sqlite_database: Database, fake: FakeEngine) -> None:
    living_worker(sqlite_database, "small", 1)
    living_worker(sqlite_database, "large", 5)
    living_worker(sqlite_database, "as large", 5)
    due_sites(sqlite_database, *[(5, None)] * 40)
    queue_due(sqlite_database, NOW)
    assert hand_over_waiting(sqlite_database, engine(fake), NOW) == 22
    assert Counter(fake.sizes) == {1: 2, 5: 20}
    # Those that are free get the next ones: the small one still runs.
    with sqlite_database.writing() as connection:
        first = fake.handed[fake.sizes.index(1)][2]
        claim_job(connection, first, "small", None, NOW)
        connection.execute(update(t.jobs).where(t.jobs.c.id != first).values(workflow_id=None))
    fake.sizes.clear()
    hand_over_waiting(sqlite_database, engine(fake), NOW)
    assert fake.sizes[:10] == [5] * 10
    assert Counter(fake.sizes) == {1: 1, 5: 20}


def test_jobs_of_workers_that_nobody_replaces_go_to_others(
    sqlite_database: Database, fake: FakeEngine
) -> None:
    living_worker(sqlite_database, "gone", 3)
    due_sites(sqlite_database, (3, None))
    queue_due(sqlite_database, NOW)
    assert hand_over_waiting(sqlite_database, engine(fake), NOW) == 1
    [(_, name, job_id)] = fake.handed
    assert queue_lost(sqlite_database, engine(fake)) == 0
    with sqlite_database.writing() as connection:
        remove_worker(connection, "gone")
    assert queue_lost(sqlite_database, engine(fake)) == 0  # it may come back
    living_worker(sqlite_database, "other", 4)
    assert queue_lost(sqlite_database, engine(fake)) == 1
    assert fake.given_up == [name]
    hand_over_waiting(sqlite_database, engine(fake), NOW)
    assert fake.handed[-1][1:] == (f"job-{job_id}-1-4", job_id)


def test_jobs_go_to_workers_with_their_tags(database: Database, fake: FakeEngine) -> None:
    always = {"SITECRAWL_RENDER": "always"}
    needs = [("any", (), {}), ("eu", ("eu",), {}), ("both", ("EU",), always), ("us", ("us",), {})]
    jobs: dict[str, int] = {}
    for name, tags, settings in needs:
        new = NewSite(f"{name}.example", worker_tags=tags, settings=settings)
        jobs[name] = add_site(database, 1, new).active_job_id or 0
    living_worker(database, "plain", 2)
    living_worker(database, "eu", 9, ("eu",))
    assert hand_over_waiting(database, engine(fake), datetime.now(UTC)) == 2
    # What any worker can do is left to those with fewer tags, although others have more room.
    assert fake.kinds == {jobs["any"]: "2", jobs["eu"]: "9+eu"}
    waiting = {job.root_url: job.reason for job in list_jobs(database, 1).rows if job.reason}
    seen = "workers: 1 without tags, 1 with eu"
    assert waiting == {
        "https://both.example/": f"no worker has the tags browser and eu; {seen}",
        "https://us.example/": f"no worker has the tag us; {seen}",
    }
    assert monitor_status(database, 1).waiting == dict.fromkeys(waiting.values(), 1)
    living_worker(database, "both", 2, ("browser", "eu"))
    edit_site(database, 1, 4, SiteEdit(worker_tags=()))
    assert hand_over_waiting(database, engine(fake), datetime.now(UTC)) == 2
    assert (fake.kinds[jobs["both"]], fake.kinds[jobs["us"]]) == ("2+browser+eu", "2")
    assert not any(job.reason for job in list_jobs(database, 1).rows)
    assert monitor_status(database, 1).waiting == {}


def test_jobs_that_no_worker_can_run_do_not_hinder_others(
    sqlite_database: Database, fake: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_DUE_AT_ONCE", 2)
    living_worker(sqlite_database)
    for number in range(4):
        new = NewSite(f"s{number}.example", priority=5, worker_tags=("eu",))
        add_site(sqlite_database, 1, new)
    plain = add_site(sqlite_database, 1, NewSite("plain.example", priority=1))
    assert hand_over_waiting(sqlite_database, engine(fake), datetime.now(UTC)) == 1
    assert fake.kinds == {plain.active_job_id: "4"}


def test_a_retry_waits_for_its_time(sqlite_database: Database, fake: FakeEngine) -> None:
    living_worker(sqlite_database)
    due_sites(sqlite_database, (3, None))
    queue_due(sqlite_database, NOW)
    change_jobs(sqlite_database, not_before=NOW + timedelta(minutes=5))
    assert hand_over_waiting(sqlite_database, engine(fake), NOW) == 0
    assert hand_over_waiting(sqlite_database, engine(fake), NOW + timedelta(minutes=5)) == 1


def test_the_jobs_of_the_dead_go_on_before_others(database: Database, fake: FakeEngine) -> None:
    worker(database, "dead", os.getpid(), "another token")
    due_sites(database, (1, None), (1, None), *[(5, None)] * 20)
    queue_due(database, NOW)
    of_dead, of_forgotten = sorted(job.id for job in list_jobs(database, 1).rows)[-2:]
    with database.writing() as connection:
        assert claim_job(connection, of_dead, "dead", None, NOW)
        # A worker that nobody knows any more has one, too.
        assert claim_job(connection, of_forgotten, "forgotten", None, NOW)
    living_worker(database)
    assert recover_dead(database, engine(fake)) == ["dead", "forgotten"]
    assert fake.buried == ["dead", "forgotten"]
    assert [each.name for each in workers(database)] == ["alive"]
    hand_over_waiting(database, engine(fake), NOW)
    assert {job_id for _, _, job_id in sorted(fake.handed)[:2]} == {of_dead, of_forgotten}
    assert recover_dead(database, engine(fake)) == []


def test_jobs_that_the_engine_has_lost_are_queued_again(
    database: Database, fake: FakeEngine
) -> None:
    living_worker(database)
    due_sites(database, *[(3, None)] * 4)
    queue_due(database, NOW)
    hand_over_waiting(database, engine(fake), NOW)
    names = [workflow_id for _, workflow_id, _ in fake.handed]
    ids = [job_id for _, _, job_id in fake.handed]
    with database.writing() as connection:
        for job_id in ids[1:3]:
            claim_job(connection, job_id, "alive", None, NOW)
    # One is fine, one was given up, one is unknown but runs, one is unknown and waits.
    fake.ended, fake.unknown = {names[1]}, {names[2], names[3]}
    assert queue_lost(database, engine(fake)) == 2
    fake.handed.clear()
    assert hand_over_waiting(database, engine(fake), NOW) == 2
    assert {(name, job_id) for _, name, job_id in fake.handed} == {
        (f"job-{ids[1]}-1-4", ids[1]),
        (f"job-{ids[3]}-1-4", ids[3]),
    }


def test_jobs_that_their_own_worker_has_lost_are_queued_again(
    database: Database, fake: FakeEngine
) -> None:
    due_sites(database, (3, None), (3, None), (3, None), (3, None))
    queue_due(database, NOW)
    living_worker(database, "me")
    living_worker(database, "other")
    hand_over_waiting(database, engine(fake), NOW)
    mine, lost, foreign, waiting = sorted(job.id for job in list_jobs(database, 1).rows)
    with database.writing() as connection:
        for job_id, name in ((mine, "me"), (lost, "me"), (foreign, "other")):
            claim_job(connection, job_id, name, None, NOW)
    fake.running = {mine}
    assert queue_forgotten(database, engine(fake), "me") == 1
    jobs = {job.id: (job.status, job.worker, job.restarts) for job in list_jobs(database, 1).rows}
    assert jobs == {
        mine: ("running", "me", 0),
        lost: ("queued", None, 1),
        foreign: ("running", "other", 0),
        waiting: ("queued", None, 0),
    }
    [given_up] = fake.given_up
    assert given_up.startswith(f"job-{lost}-")


def test_old_jobs_are_forgotten_but_the_newest_of_a_site(database: Database) -> None:
    due_sites(database, (3, None), (3, None))
    for hours in range(3):
        queue_due(database, NOW + timedelta(hours=hours))
        change_jobs(database, status="success", finished_at=NOW)
    assert forget_old(database, NOW) == 0
    assert forget_old(database, NOW + timedelta(days=1)) == 4
    assert [job.watched_site_id for job in list_jobs(database, 1).rows] == [2, 1]
