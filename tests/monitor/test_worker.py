"""What the scheduler does besides jobs, and how a worker ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from sitecrawl.monitor import worker
from sitecrawl.monitor.worker import MonitorProcess
from sitecrawl.services.jobs import list_jobs
from sitecrawl.services.sites import NewSite, add_site
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.jobs import workers
from sitecrawl.store.queries.scans import scans
from tests.site import Reply
from tests.site.build import robots, sitemap
from tests.store.scanning import scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo
    from typing import Self

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database
    from tests.site import SiteServer
    from tests.site.project import Project


@pytest.mark.parametrize(("keep_scans", "left"), [(0, 4), (1, 1)])
def test_old_scans_are_removed_by_itself_if_the_settings_say_so(
    database: Database, config: Config, keep_scans: int, left: int
) -> None:
    for _ in range(4):
        scan(database, {"https://example.com/sitemap.xml": ["https://example.com/a"]})
    process = MonitorProcess(database, replace(config, keep_scans=keep_scans), is_scheduler=True)
    [prune] = [duty for duty in process._duties() if duty.do == process._prune]
    prune.do(datetime.now(UTC))
    assert process._pruning is not None
    process._pruning.join()
    assert len(scans(database, 10)) == left


def test_others_are_not_taken_for_dead_right_after_an_outage(
    database: Database, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[bool] = []
    monkeypatch.setattr(worker, "recover_dead", lambda *_: looked.append(True))
    process = MonitorProcess(database, config, is_scheduler=True)
    process._register()
    [look] = [duty for duty in process._duties() if duty.do == process._recover_dead]
    now = datetime.now(UTC)
    look.do(now)
    assert looked == [True]
    # Nothing was heard of anybody for a minute, also not of this process itself.
    after = now + timedelta(minutes=1)
    look.do(after)
    process._beat(after)
    look.do(after)
    assert looked == [True]
    monkeypatch.setattr(process, "_trusts_heartbeats_from", 0.0)  # later
    look.do(after)
    assert looked == [True, True]


def test_duties_go_on_after_the_clock_was_set_back(
    database: Database, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_HAND_OVER", timedelta(seconds=0.01))
    process = MonitorProcess(database, config, is_scheduler=True)
    seen: list[datetime] = []

    def hand_over(_database: Database, _engine: object, now: datetime) -> None:
        seen.append(now)
        if len(seen) == 1:
            monkeypatch.setattr(worker, "datetime", SetBack)
        else:
            process.stop()

    monkeypatch.setattr(worker, "hand_over_waiting", hand_over)
    duties = [each for each in process._duties() if each.do == process._hand_over]
    monkeypatch.setattr(process, "_duties", lambda: duties)
    ending = threading.Timer(120, process.stop)
    ending.start()
    process._work()
    ending.cancel()
    assert seen[1] < seen[0]


class SetBack(datetime):
    """A clock that an hour was taken from."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return super().now(tz) - timedelta(hours=1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_asked_to_stop_ends_its_scan_and_begins_no_other(
    number: signal.Signals, make_site: Callable[..., SiteServer], project: Project
) -> None:
    first, second = make_site(), make_site()
    is_asked = threading.Event()
    for each in (first, second):
        each.routes["/robots.txt"] = robots("/sitemap.xml")
        each.routes["/sitemap.xml"] = Reply(sitemap(each.at("/a")), hold=is_asked)
    with open_database(f"sqlite:///{project.database}") as database:
        for priority, each in ((5, first), (1, second)):
            new = NewSite(each.url, profile="monitor,fast", priority=priority, allow_private=True)
            add_site(database, 1, new)
        monitor = subprocess.Popen(
            [sys.executable, "-m", "sitecrawl", "monitor", "run", "--scans", "1"],
            cwd=project.folder,
            env=dict(project.environment),
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert monitor.stderr is not None
        with monitor.stderr as log:
            first.log.wait_for(lambda seen: any(r.path == "/sitemap.xml" for r in seen), 120)
            # As Ctrl+C in a terminal does: all processes of the group get it.
            os.killpg(monitor.pid, number)
            assert any("stopping when the scans" in line for line in log)
            is_asked.set()
            assert monitor.wait(120) == 0
        jobs = {each.root_url: each.status for each in list_jobs(database, 1).rows}
        assert jobs == {first.at("/"): "success", second.at("/"): "queued"}
        assert [each.status for each in scans(database, 10)] == ["finished"]
        assert workers(database) == []
