"""Runs a monitor whose processes are killed at random, and checks its scans.

Every site is due once. At the end each must have been scanned exactly once in effect: one scan that
finished, one job that succeeded. While it runs, no site may be scanned by two processes at once.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import delete, func, select, update

from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store import schema as t
from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import ACTIVE_JOBS
from tests.monitor.many_sites import many_sites

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sitecrawl.store.engine import Database

_SAMPLE_SECONDS = 0.1
_RUNNING_JOBS = (
    select(t.jobs.c.id, t.jobs.c.worker, t.scans.c.pid)
    .outerjoin_from(t.jobs, t.scans, t.scans.c.id == t.jobs.c.scan_id)
    .where(t.jobs.c.status == "running")
)


@dataclass(slots=True)
class Proof:
    """What was seen."""

    sites: int
    kills: int = 0
    """Processes that were killed or, if the plan is a rolling restart, stopped."""
    kills_with_scans: int = 0
    """Kills of a process that was running scans."""
    seconds: float = 0.0
    most_at_once: int = 0
    """Jobs that ran at the same time, in all processes together."""
    scans: Counter[str] = field(default_factory=Counter)
    """Scans by status."""
    jobs: Counter[str] = field(default_factory=Counter)
    restarts: int = 0
    """Jobs that were taken up again, each time counted."""
    taken_up: list[float] = field(default_factory=list, repr=False)
    """Seconds from a kill until each scan of that process went on elsewhere, or its job ended."""
    doubled: list[str] = field(default_factory=list)
    """Sites that two processes scanned at the same time."""
    left_behind: list[int] = field(default_factory=list)
    """Processes of scans that were alive after the end."""
    gaps: list[float] = field(default_factory=list, repr=False)
    """Seconds between requests to the same site as the sites saw them, the shortest first."""
    shared: list[str] = field(default_factory=list)
    """Sites that two machines asked in turns; known if each process has an address of its own."""

    def check(self) -> None:
        assert self.jobs == {"success": self.sites}, self
        assert self.scans == {"finished": self.sites}, self
        assert self.doubled == [], self
        assert self.shared == [], self
        assert self.left_behind == [], self


class Machine(Protocol):
    """Where a process of the monitor runs."""

    def command(self, arguments: list[str]) -> list[str]:
        """The same, to be run there."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many sites, which processes, how many kills."""

    sites: int
    kills: int | None
    """None: until all scans are done."""
    scans_at_once: int
    workers: int = 1
    """Processes; the first is the scheduler."""
    seed: int = 1
    pages: int = 3
    timeout_seconds: float = 120.0
    between_kills: tuple[float, float] = (1.0, 6.0)
    """Shortest and longest pause, in seconds."""
    profile: str = "monitor,fast"
    crawl_delay: int = 0
    """What the robots.txt of each site asks for, in seconds."""
    is_rolling: bool = False
    """Processes are not killed at random but stopped by SIGTERM and started again, in turn."""
    machines: Sequence[Machine] = ()
    """One for each process; then half of the kills take the processes of its scans with it."""
    sites_address: str = "127.0.0.1"


@dataclass(slots=True)
class _Worker:
    """A process of the monitor, which is started again whenever it has ended."""

    url: str
    folder: Path
    environment: Mapping[str, str]
    role: str
    scans: int
    machine: Machine | None
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "sitecrawl", *self.role.split(), "--database", self.url]
        command += ["--scans", str(self.scans)]
        if self.machine is not None:
            command = self.machine.command(command)
        with (self.folder / "monitor.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=self.folder, env=dict(self.environment), stderr=log
            )

    def kill(self, *, with_children: bool) -> None:
        pids = [self.process.pid, *(_children(self.process.pid) if with_children else ())]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def prove(url: str, folder: Path, environment: Mapping[str, str], plan: Plan) -> Proof:
    """Run the plan on the database at *url*."""
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(open_database(url))
        sites = stack.enter_context(
            many_sites(plan.sites, plan.pages, plan.crawl_delay, plan.sites_address)
        )
        _add_sites(database, sites.roots, plan.profile)
        workers = stack.enter_context(_running(url, folder, environment, plan))
        proof = _Trial(database, plan, workers).run()
        proof.gaps = sites.gaps()
        proof.shared = sites.shared() if plan.machines else []
    return proof


class _Trial:
    """Kills processes while they work, and looks what they do."""

    def __init__(self, database: Database, plan: Plan, workers: Sequence[_Worker]):
        self._database = database
        self._plan = plan
        self._workers = workers
        self._chance = random.Random(plan.seed)
        self._proof = Proof(plan.sites)
        self._leaving: _Worker | None = None
        self._seen: dict[int, set[int]] = {}
        """The processes that have scanned a site."""
        self._orphans: dict[int, tuple[str, int | None, float]] = {}
        """Jobs of killed processes: its worker, the process of its scan, the time."""

    def run(self) -> Proof:
        proof, plan = self._proof, self._plan
        started = time.monotonic()
        self._next_kill = started + self._chance.uniform(*plan.between_kills)
        while _is_active(self._database) or proof.kills < (plan.kills or 0) or self._leaving:
            now = time.monotonic()
            assert now - started < plan.timeout_seconds, (proof, _open_jobs(self._database))
            self._sample()
            self._look_for_orphans()
            if self._leaving is not None:
                self._start_again(self._leaving)
            elif now >= self._next_kill and (plan.kills is None or proof.kills < plan.kills):
                self._disturb()
            time.sleep(_SAMPLE_SECONDS)
        self._look_for_orphans()
        proof.seconds = time.monotonic() - started
        _count(self._database, proof)
        every = {pid for pids in self._seen.values() for pid in pids}
        proof.left_behind = [pid for pid in every if _is_child(pid)]
        return proof

    def _disturb(self) -> None:
        """Kill a process, or ask it to stop."""
        proof, plan = self._proof, self._plan
        if plan.is_rolling:
            worker = self._workers[proof.kills % len(self._workers)]
            if not self._is_ready(worker):
                return
            self._leaving = worker
            proof.kills_with_scans += bool(self._jobs_of(self._leaving))
            self._leaving.process.send_signal(signal.SIGTERM)
            return
        worker = self._chance.choice(self._workers)
        jobs = self._jobs_of(worker)
        worker.kill(with_children=bool(plan.machines) and self._chance.random() < 1 / 2)
        now = time.monotonic()
        self._orphans |= {job.id: (job.worker, job.pid, now) for job in jobs}
        proof.kills_with_scans += bool(jobs)
        worker.start()
        self._count_kill()

    def _is_ready(self, worker: _Worker) -> bool:
        """Whether it listens to signals and takes jobs."""
        is_it = t.workers.c.name.contains(f"-{worker.process.pid}-")
        with self._database.reading() as connection:
            return connection.execute(select(t.workers).where(is_it)).first() is not None

    def _start_again(self, worker: _Worker) -> None:
        if (code := worker.process.poll()) is None:
            return
        assert code == 0, code
        worker.start()
        self._leaving = None
        self._count_kill()

    def _count_kill(self) -> None:
        self._proof.kills += 1
        self._next_kill = time.monotonic() + self._chance.uniform(*self._plan.between_kills)

    def _jobs_of(self, worker: _Worker) -> Sequence[Any]:
        of_worker = t.jobs.c.worker.contains(f"-{worker.process.pid}-")
        with self._database.reading() as connection:
            return connection.execute(_RUNNING_JOBS.where(of_worker)).all()

    def _look_for_orphans(self) -> None:
        """Note which jobs of killed processes have ended, or are scanned by another process."""
        if not self._orphans:
            return
        with self._database.reading() as connection:
            rows = connection.execute(
                select(t.jobs, t.scans.c.pid, t.scans.c.status.label("scan_status"))
                .outerjoin_from(t.jobs, t.scans, t.scans.c.id == t.jobs.c.scan_id)
                .where(t.jobs.c.id.in_(self._orphans))
            ).all()
        for job in rows:
            worker, pid, killed_at = self._orphans[job.id]
            is_elsewhere = job.worker != worker and job.pid != pid
            is_scanned = is_elsewhere and job.scan_status == "running"
            if is_scanned or job.status not in ACTIVE_JOBS:
                self._proof.taken_up.append(time.monotonic() - killed_at)
                del self._orphans[job.id]

    def _sample(self) -> None:
        """Look which processes are alive of those that have ever scanned a site."""
        with self._database.reading() as connection:
            running = t.scans.c.status == "running"
            rows = connection.execute(select(t.scans.c.site_id, t.scans.c.pid).where(running)).all()
            running_jobs = connection.scalar(
                select(func.count()).where(t.jobs.c.status == "running")
            )
        for row in rows:
            self._seen.setdefault(row.site_id, set()).add(row.pid)
        self._proof.most_at_once = max(self._proof.most_at_once, running_jobs or 0)
        for site_id, pids in self._seen.items():
            alive = [pid for pid in pids if _is_child(pid)]
            if len(alive) > 1:
                self._proof.doubled.append(f"site {site_id}: {alive}")


def _add_sites(database: Database, roots: Sequence[str], profile: str) -> None:
    for number, root in enumerate(roots):
        new = NewSite(root, profile=profile, priority=1 + number % 5, allow_private=True)
        add_site(database, 1, new)
    long_due = datetime.now(UTC) - timedelta(days=3)
    with database.writing() as connection:
        # What is asked for is the schedule: every site missed three of its times.
        connection.execute(delete(t.jobs))
        connection.execute(update(t.watched_sites).values(next_due_at=long_due))


@contextlib.contextmanager
def _running(
    url: str, folder: Path, environment: Mapping[str, str], plan: Plan
) -> Iterator[list[_Worker]]:
    roles = ["monitor run"] + ["worker"] * (plan.workers - 1)
    places: Sequence[Machine | None] = plan.machines or [None] * plan.workers
    workers = [
        _Worker(url, folder / f"worker-{number}", environment, role, plan.scans_at_once, machine)
        for number, (role, machine) in enumerate(zip(roles, places, strict=True))
    ]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.process.send_signal(signal.SIGTERM)
        for worker in workers:
            # One that has just been started may not listen to signals yet.
            assert worker.process.wait(60) in {0, -signal.SIGTERM}


def _children(pid: int) -> list[int]:
    """All processes below this one."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += [child, *_children(child)]
    return found


def _is_active(database: Database) -> bool:
    with database.reading() as connection:
        waiting = connection.scalar(
            select(func.count()).where(t.watched_sites.c.next_due_at < datetime.now(UTC))
        )
        active = connection.scalar(select(func.count()).where(t.jobs.c.status.in_(ACTIVE_JOBS)))
    return bool(waiting or active)


def _open_jobs(database: Database) -> list[object]:
    with database.reading() as connection:
        is_open = t.jobs.c.status.in_(ACTIVE_JOBS)
        return list(connection.execute(select(t.jobs).where(is_open)).all())


def _is_child(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:  # noqa: PTH123  a hundred times a second
            return b"scan_child" in file.read()
    except OSError:
        return False


def _count(database: Database, proof: Proof) -> None:
    with database.reading() as connection:
        for table, counter in ((t.scans, proof.scans), (t.jobs, proof.jobs)):
            rows = connection.execute(
                select(table.c.status, func.count()).group_by(table.c.status)
            ).all()
            counter.update({row[0]: row[1] for row in rows})
        proof.restarts = connection.scalar(select(func.sum(t.jobs.c.restarts))) or 0
