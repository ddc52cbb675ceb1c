"""Plays a monitor whose processes are killed at random, and checks what comes of its scans.

Every site is due once. At the end each must have been scanned exactly once in effect: one scan that
finished, one job that succeeded. While it runs, no site may be scanned by two processes at once.
"""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, select, update

from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store import schema as t
from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import ACTIVE_JOBS
from tests.monitor.many_sites import many_sites

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from sitecrawl.store.engine import Database

_SAMPLE_SECONDS = 0.1


@dataclass(slots=True)
class Proof:
    """What was seen."""

    sites: int
    kills: int = 0
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
    doubled: list[str] = field(default_factory=list)
    """Sites that two processes scanned at the same time."""
    left_behind: list[int] = field(default_factory=list)
    """Processes of scans that were alive after the end."""
    gaps: list[float] = field(default_factory=list, repr=False)
    """Seconds between requests to the same site as the sites saw them, the shortest first."""

    def check(self) -> None:
        assert self.jobs == {"success": self.sites}, self
        assert self.scans == {"finished": self.sites}, self
        assert self.doubled == [], self
        assert self.left_behind == [], self


@dataclass(frozen=True, slots=True)
class Plan:
    """How many sites, which processes, how many kills."""

    sites: int
    kills: int
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


def prove(url: str, folder: Path, environment: Mapping[str, str], plan: Plan) -> Proof:
    """Run the plan on the database at *url*."""
    chance = random.Random(plan.seed)
    proof = Proof(plan.sites)
    with contextlib.ExitStack() as stack:
        database = stack.enter_context(open_database(url))
        sites = stack.enter_context(many_sites(plan.sites, plan.pages, plan.crawl_delay))
        _add_sites(database, sites.roots, plan.profile)
        roles = ["monitor run"] + ["worker"] * (plan.workers - 1)
        processes = stack.enter_context(
            _running(url, folder, environment, plan.scans_at_once, roles)
        )
        started = time.monotonic()
        next_kill = started + chance.uniform(*plan.between_kills)
        seen: dict[int, set[int]] = {}
        while _is_active(database) or proof.kills < plan.kills:
            now = time.monotonic()
            assert now - started < plan.timeout_seconds, (proof, _open_jobs(database))
            _sample(database, seen, proof)
            if proof.kills < plan.kills and now >= next_kill:
                place = chance.randrange(len(processes))
                proof.kills_with_scans += _runs_scans(database, processes[place].pid)
                processes[place] = _replaced(
                    processes[place], url, folder, environment, plan.scans_at_once, roles[place]
                )
                proof.kills += 1
                next_kill = time.monotonic() + chance.uniform(*plan.between_kills)
            time.sleep(_SAMPLE_SECONDS)
        proof.seconds = time.monotonic() - started
        _count(database, proof)
        proof.gaps = sites.gaps()
        proof.left_behind = [pid for pids in seen.values() for pid in pids if _is_child(pid)]
    return proof


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
    url: str, folder: Path, environment: Mapping[str, str], scans: int, roles: Sequence[str]
) -> Iterator[list[subprocess.Popen[bytes]]]:
    processes = [_start(url, folder, environment, scans, role) for role in roles]
    try:
        yield processes
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            assert process.wait(60) == 0


def _start(
    url: str, folder: Path, environment: Mapping[str, str], scans: int, role: str
) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sitecrawl", *role.split(), "--database", url]
    with (folder / "monitor.log").open("ab") as log:
        return subprocess.Popen(
            [*command, "--scans", str(scans)], cwd=folder, env=dict(environment), stderr=log
        )


def _replaced(
    process: subprocess.Popen[bytes],
    url: str,
    folder: Path,
    environment: Mapping[str, str],
    scans: int,
    role: str,
) -> subprocess.Popen[bytes]:
    process.kill()
    process.wait()
    return _start(url, folder, environment, scans, role)


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


def _runs_scans(database: Database, pid: int) -> bool:
    with database.reading() as connection:
        statement = select(func.count()).where(
            t.jobs.c.status == "running", t.jobs.c.worker.contains(f"-{pid}-")
        )
        return bool(connection.scalar(statement))


def _sample(database: Database, seen: dict[int, set[int]], proof: Proof) -> None:
    """Look which processes are alive of those that have ever scanned a site."""
    with database.reading() as connection:
        running = t.scans.c.status == "running"
        rows = connection.execute(select(t.scans.c.site_id, t.scans.c.pid).where(running)).all()
        running_jobs = connection.scalar(select(func.count()).where(t.jobs.c.status == "running"))
    for row in rows:
        seen.setdefault(row.site_id, set()).add(row.pid)
    proof.most_at_once = max(proof.most_at_once, running_jobs or 0)
    for site_id, pids in seen.items():
        alive = [pid for pid in pids if _is_child(pid)]
        if len(alive) > 1:
            proof.doubled.append(f"site {site_id}: {alive}")


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
