"""A real Scrapyd: the project is deployed as an egg, and its jobs are scheduled and cancelled."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import sys
import time
import zipfile
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import requests

from tests.site import Reply
from tests.site.build import robots, sitemap
from tests.site.project import ROOT, Project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import ProcessResult

_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.1
_DEPLOYED_VERSION = "9.9.9"
_CONFIGURATION = """
[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.2
eggs_dir = eggs
logs_dir = logs
dbs_dir = dbs
"""


@dataclass(frozen=True)
class Scrapyd:
    url: str
    database: Path

    def schedule(self, spider: str, *settings: str, **arguments: str) -> str:
        data = {
            "project": "sitecrawl",
            "spider": spider,
            "setting": [f"SITECRAWL_DATABASE_URL=sqlite:///{self.database}", *settings],
            **arguments,
        }
        answer = self._call("POST", "schedule.json", data)
        assert answer["status"] == "ok", answer
        job: str = answer["jobid"]
        return job

    def cancel(self, job: str) -> None:
        data = {"project": "sitecrawl", "job": job}
        assert self._call("POST", "cancel.json", data)["prevstate"] == "running"

    def kill(self, job: str) -> None:
        """End the process of the job as a crash or a lack of memory would."""
        [pid] = [each["pid"] for each in self._jobs()["running"] if each["id"] == job]
        os.kill(pid, signal.SIGKILL)

    def log(self, job: str, spider: str = "discover") -> str:
        address = f"{self.url}logs/sitecrawl/{spider}/{job}.log"
        return requests.get(address, timeout=_WAIT_SECONDS).text

    def status(self, job: str) -> str:
        found: str = self._call("GET", f"status.json?job={job}")["currstate"]
        return found

    def wait_until_finished(self, job: str) -> None:
        wait_until(lambda: job in [each["id"] for each in self._jobs()["finished"]])

    def _jobs(self) -> dict[str, Any]:
        return self._call("GET", "listjobs.json?project=sitecrawl")

    def _call(self, method: str, path: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = requests.request(method, self.url + path, data=data, timeout=_WAIT_SECONDS)
        found: dict[str, Any] = answer.json()
        return found

    def scans(self) -> list[tuple[str, dict[str, Any]]]:
        with closing(sqlite3.connect(self.database)) as connection:
            rows = connection.execute("SELECT status, settings FROM scans ORDER BY id").fetchall()
        return [(status, json.loads(settings)) for status, settings in rows]

    def urls(self) -> list[str]:
        with closing(sqlite3.connect(self.database)) as connection:
            return [url for (url,) in connection.execute("SELECT url FROM pages ORDER BY url")]


def wait_until(is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + _WAIT_SECONDS
    while not is_done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(_POLL_SECONDS)


@pytest.fixture
def cli(project: Project) -> Callable[..., ProcessResult]:
    return lambda *args: project.run(sys.executable, "-m", "sitecrawl", *args)


@pytest.fixture
def copied_project(project: Project) -> Path:
    """A copy of the project's files, whose version shows that it is the copy that runs."""
    folder = project.folder / "project"
    folder.mkdir()
    for name in ("sitecrawl", "settings_profiles"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("scrapy.cfg", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    module = folder / "sitecrawl" / "__init__.py"
    with module.open("a", encoding="utf-8") as file:
        file.write(f'\n__version__ = "{_DEPLOYED_VERSION}"\n')
    return folder


@pytest.fixture
def environment(project: Project) -> dict[str, str]:
    """Nothing in it tells where the project is: Scrapyd knows by the egg alone."""
    own = ("PYTHONPATH", "SCRAPY_SETTINGS_MODULE", "SITECRAWL_DATABASE_URL", "SITECRAWL_CRAWL")
    return {name: value for name, value in project.environment.items() if name not in own}


@pytest.fixture
def scrapyd(
    tmp_path: Path, project: Project, environment: dict[str, str], copied_project: Path
) -> Iterator[Scrapyd]:
    """A server on a port of its own, to which the project is deployed."""
    folder = tmp_path / "scrapyd"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    (folder / "scrapyd.conf").write_text(_CONFIGURATION.format(port=port))
    url = f"http://127.0.0.1:{port}/"
    server = Project(folder, tmp_path / "none", environment).start(sys.executable, "-m", "scrapyd")
    try:
        wait_until(lambda: _answers(url))
        home = tmp_path / "home"
        (home / ".scrapy.cfg").write_text(f"[deploy:test]\nurl = {url}\n")
        done = Project(copied_project, tmp_path / "none", environment).run(
            *(sys.executable, "-m", "scrapyd_client.deploy", "test", "--version", "1"),
        )
        done.succeeded()
        assert json.loads(done.stdout)["spiders"] == 4
        yield Scrapyd(url, project.folder / "scans.db")
    finally:
        os.kill(server.pid, signal.SIGTERM)
        server.communicate(timeout=_WAIT_SECONDS)


def _answers(url: str) -> bool:
    try:
        return requests.get(f"{url}daemonstatus.json", timeout=_WAIT_SECONDS).ok
    except requests.ConnectionError:
        return False


def test_jobs(scrapyd: Scrapyd, site: SiteServer) -> None:
    site.routes |= {
        "/robots.txt": robots("/map.xml"),
        "/map.xml": sitemap(*(site.at(f"/page/{number}") for number in range(12))),
    }
    job = scrapyd.schedule("discover", "DOWNLOAD_DELAY=0", domain=site.url, profile="fast")
    scrapyd.wait_until_finished(job)
    ((status, settings),) = scrapyd.scans()
    assert status == "finished"
    assert settings["job"] == job
    assert len(scrapyd.urls()) == 12
    assert scrapyd.status(job) == "finished"
    assert "Spider closed (finished)" in scrapyd.log(job)
    agents = {entry.header("User-Agent") for entry in site.requests()}
    assert {agent.split()[0] for agent in agents} == {f"sitecrawl/{_DEPLOYED_VERSION}"}

    site.routes["/map.xml"] = Reply(sitemap("/late"), delay_seconds=_WAIT_SECONDS)
    slow = scrapyd.schedule("discover", domain=site.url, profile="fast")
    site.wait_for("/map.xml", count=2, timeout_seconds=_WAIT_SECONDS)
    scrapyd.cancel(slow)
    scrapyd.wait_until_finished(slow)
    _, (status, settings) = scrapyd.scans()
    assert status == "partial"
    assert settings["job"] == slow


def test_a_job_that_crashed_is_interrupted(
    scrapyd: Scrapyd, site: SiteServer, cli: Callable[..., ProcessResult]
) -> None:
    site.routes["/robots.txt"] = Reply(robots("/map.xml"), delay_seconds=_WAIT_SECONDS)
    job = scrapyd.schedule("discover", domain=site.url, profile="fast")
    site.wait_for("/robots.txt", count=1, timeout_seconds=_WAIT_SECONDS)
    scrapyd.kill(job)
    scrapyd.wait_until_finished(job)
    assert scrapyd.status(job) == "finished"  # Scrapyd knows no other end
    shown = cli("scans", "--database", f"sqlite:///{scrapyd.database}").succeeded()
    assert "interrupted" in shown.stdout
    [(_, settings)] = scrapyd.scans()
    assert settings["job"] == job


def test_the_egg_is_complete(
    copied_project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    egg = tmp_path / "project.egg"
    build = (sys.executable, "-m", "scrapyd_client.deploy", "--build-egg", str(egg))
    Project(copied_project, tmp_path / "none", environment).run(*build).succeeded()
    with zipfile.ZipFile(egg) as archive:
        names = set(archive.namelist())
        entry_points = archive.read("EGG-INFO/entry_points.txt").decode()
    assert "[scrapy]\nsettings = sitecrawl.settings" in entry_points
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)
    for folder in ("sitecrawl", "settings_profiles"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert path.relative_to(ROOT).as_posix() in names
