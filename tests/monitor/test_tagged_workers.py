"""Workers with tags, and workers that are restarted in turn, as processes on PostgreSQL."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sitecrawl.services.jobs import list_jobs, monitor_status
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store.engine import open_database
from tests.cli.inprocess import run_inside
from tests.monitor.many_sites import many_sites
from tests.monitor.proving import Plan, prove

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.store.engine import Database
    from tests.site.project import Project

_SECONDS = 120.0


@contextmanager
def running(project: Project, url: str, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "sitecrawl", *command, "--database", url],
        cwd=project.folder,
        env=dict(project.environment),
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(_SECONDS) == 0


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def statuses(database: Database) -> dict[str, str]:
    return {job.site_name: job.status for job in list_jobs(database, 1).rows}


def test_a_scan_waits_for_a_worker_with_its_tags(project: Project, postgres_url: str) -> None:
    with open_database(postgres_url) as database, many_sites(2, 1) as sites:
        for root, name, tags in zip(sites.roots, ("any", "eu"), ((), ("eu",)), strict=True):
            new = NewSite(
                *(root, name), profile="monitor,fast", worker_tags=tags, allow_private=True
            )
            add_site(database, 1, new)
        with running(project, postgres_url, "monitor", "run"):
            wait_for(lambda: statuses(database) == {"any": "success", "eu": "queued"})
            [waiting] = monitor_status(database, 1).waiting
            assert waiting.startswith("no worker has the tag eu; workers: 1 with")
            for command in ("job list", "site show eu", "monitor status", "doctor"):
                environment = {"SITECRAWL_DATABASE_URL": postgres_url}
                shown = run_inside(project, *command.split(), environment=environment).stdout
                assert waiting in " ".join(shown.split()), command
            with running(project, postgres_url, "worker", "--tag", "eu") as worker:
                wait_for(lambda: statuses(database)["eu"] == "success")
                [by_tag] = [job for job in list_jobs(database, 1).rows if job.site_name == "eu"]
                assert f"-{worker.pid}-" in (by_tag.worker or "")
            assert monitor_status(database, 1).waiting == {}


def test_workers_that_are_restarted_in_turn_lose_nothing(
    project: Project, postgres_url: str
) -> None:
    plan = Plan(
        sites=4,
        kills=2,  # each process once
        scans_at_once=1,
        workers=2,
        is_rolling=True,
        between_kills=(1.0, 2.0),
        timeout_seconds=300.0,
    )
    proof = prove(postgres_url, project.folder, project.environment, plan)
    proof.check()
    assert proof.kills == 2
