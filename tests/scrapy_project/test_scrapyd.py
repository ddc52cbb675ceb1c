"""A real Scrapyd: jobs of a deployed egg and of the profiles in ``scrapy.cfg``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
import time
import zipfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import requests
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader
from sqlalchemy import create_engine, text

from sitecrawl.settings import SPIDER_MODULES
from tests.scrapy_project.conftest import DEPLOYED_VERSION
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
_SPIDERS = SpiderLoader.from_settings(Settings({"SPIDER_MODULES": SPIDER_MODULES})).list()
_CONFIGURATION = """
[scrapyd]
bind_address = 127.0.0.1
http_port = {port}
poll_interval = 0.2
eggs_dir = eggs
logs_dir = logs
dbs_dir = dbs
items_dir = items
"""


@dataclass(frozen=True)
class Scrapyd:
    url: str
    database_url: str
    project: str = "sitecrawl"

    def schedule(self, spider: str, *settings: str, **arguments: str) -> str:
        data = {
            "project": self.project,
            "spider": spider,
            "setting": [f"SITECRAWL_DATABASE_URL={self.database_url}", *settings],
            **arguments,
        }
        answer = self._call("POST", "schedule.json", data)
        assert answer["status"] == "ok", answer
        job: str = answer["jobid"]
        return job

    def cancel(self, job: str) -> None:
        data = {"project": self.project, "job": job}
        assert self._call("POST", "cancel.json", data)["prevstate"] == "running"

    def kill(self, job: str) -> None:
        """End the process of the job as a crash or a lack of memory would."""
        [pid] = [each["pid"] for each in self._jobs()["running"] if each["id"] == job]
        os.kill(pid, signal.SIGKILL)

    def log(self, job: str, spider: str = "discover") -> str:
        address = f"{self.url}logs/{self.project}/{spider}/{job}.log"
        return requests.get(address, timeout=_WAIT_SECONDS).text

    def item_urls(self, job: str, spider: str = "discover") -> set[str]:
        address = f"{self.url}items/{self.project}/{spider}/{job}.jl"
        lines = requests.get(address, timeout=_WAIT_SECONDS).text.splitlines()
        return {json.loads(line)["url"] for line in lines}

    def projects(self) -> list[str]:
        found: list[str] = self._call("GET", "listprojects.json")["projects"]
        return found

    def status(self, job: str) -> str:
        found: str = self._call("GET", f"status.json?job={job}")["currstate"]
        return found

    def wait_until_finished(self, job: str) -> None:
        wait_until(lambda: job in [each["id"] for each in self._jobs()["finished"]])

    def _jobs(self) -> dict[str, Any]:
        return self._call("GET", f"listjobs.json?project={self.project}")

    def _call(self, method: str, path: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = requests.request(method, self.url + path, data=data, timeout=_WAIT_SECONDS)
        found: dict[str, Any] = answer.json()
        return found

    def scans(self) -> list[tuple[str, dict[str, Any]]]:
        """The status and the settings of each scan."""
        return [
            (status, settings if isinstance(settings, dict) else json.loads(settings))
            for status, settings in self._rows("SELECT status, settings FROM scans ORDER BY id")
        ]

    def profiles(self) -> list[str]:
        return [name for (name,) in self._rows("SELECT profile FROM scans ORDER BY id")]

    def urls(self) -> list[str]:
        return [url for (url,) in self._rows("SELECT url FROM pages ORDER BY url")]

    def _rows(self, statement: str) -> list[tuple[Any, ...]]:
        engine = create_engine(self.database_url)
        try:
            with engine.connect() as connection:
                return [tuple(row) for row in connection.execute(text(statement))]
        finally:
            engine.dispose()


def wait_until(is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + _WAIT_SECONDS
    while not is_done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(_POLL_SECONDS)


@pytest.fixture
def cli(project: Project) -> Callable[..., ProcessResult]:
    return lambda *args: project.run(sys.executable, "-m", "sitecrawl", *args)


@contextmanager
def running_scrapyd(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """The URL of a server with a port of its own, which keeps its files in the folder."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    (folder / "scrapyd.conf").write_text(_CONFIGURATION.format(port=port))
    url = f"http://127.0.0.1:{port}/"
    runner = Project(folder, folder / "none", environment)
    server = runner.start(sys.executable, "-m", "scrapyd")
    try:
        wait_until(lambda: _answers(url))
        yield url
    finally:
        os.kill(server.pid, signal.SIGTERM)
        server.communicate(timeout=_WAIT_SECONDS)


@pytest.fixture
def scrapyd(
    tmp_path: Path, project: Project, environment: dict[str, str], copied_project: Path
) -> Iterator[Scrapyd]:
    """A server to which the project is deployed."""
    folder = tmp_path / "scrapyd"
    folder.mkdir()
    with running_scrapyd(folder, environment) as url:
        home = tmp_path / "home"
        (home / ".scrapy.cfg").write_text(f"[deploy:test]\nurl = {url}\n")
        done = Project(copied_project, tmp_path / "none", environment).run(
            *(sys.executable, "-m", "scrapyd_client.deploy", "test", "--version", "1"),
        )
        done.succeeded()
        assert json.loads(done.stdout)["spiders"] == len(_SPIDERS)
        yield Scrapyd(url, f"sqlite:///{project.folder / 'scans.db'}")


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
    assert scrapyd.item_urls(job) == set(scrapyd.urls())
    agents = {entry.header("User-Agent") for entry in site.requests()}
    assert {agent.split()[0] for agent in agents} == {f"sitecrawl/{DEPLOYED_VERSION}"}

    site.routes["/map.xml"] = Reply(sitemap("/late"), delay_seconds=_WAIT_SECONDS)
    slow = scrapyd.schedule("discover", domain=site.url, profile="fast")
    site.wait_for("/map.xml", count=2, timeout_seconds=_WAIT_SECONDS)
    scrapyd.cancel(slow)
    scrapyd.wait_until_finished(slow)
    _, (status, settings) = scrapyd.scans()
    assert status == "partial"
    assert settings["job"] == slow


def test_a_job_that_crashed_has_failed_and_can_go_on(
    scrapyd: Scrapyd, site: SiteServer, cli: Callable[..., ProcessResult]
) -> None:
    site.routes["/robots.txt"] = Reply(robots("/map.xml"), delay_seconds=_WAIT_SECONDS)
    job = scrapyd.schedule("discover", domain=site.url, profile="fast")
    site.wait_for("/robots.txt", count=1, timeout_seconds=_WAIT_SECONDS)
    scrapyd.kill(job)
    scrapyd.wait_until_finished(job)
    assert scrapyd.status(job) == "finished"  # Scrapyd knows no other end
    shown = cli("scans", "--database", scrapyd.database_url).succeeded()
    assert "  failed  " in shown.stdout
    assert f"(its process died: Scrapyd job {job}, process " in shown.stdout
    [(_, settings)] = scrapyd.scans()
    assert settings["job"] == job

    site.routes |= {"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a", "/b")}
    resumed = scrapyd.schedule("discover", resume="1")
    scrapyd.wait_until_finished(resumed)
    [(status, settings)] = scrapyd.scans()
    assert status == "finished"
    assert settings["job"] == resumed


def test_the_log_of_a_job_says_what_is_wrong_with_it(scrapyd: Scrapyd) -> None:
    wrong = {
        scrapyd.schedule("discover", domain="ftp://example.com"): "only http:// and https:// can",
        scrapyd.schedule("discover", "SITECRAWL_MAX_PAGES=many", domain="a.example"): (
            "SITECRAWL_MAX_PAGES='many' on the command line: expected a whole number"
        ),
    }
    for job, words in wrong.items():
        scrapyd.wait_until_finished(job)
        [line] = [line for line in scrapyd.log(job).splitlines() if " ERROR: " in line]
        assert words in line


def test_two_nodes_without_a_deployment_fill_one_inventory(
    tmp_path: Path,
    environment: dict[str, str],
    postgres_tables_url: str,
    make_site: Callable[..., SiteServer],
) -> None:
    sites = [make_site(), make_site(address="127.0.0.2")]
    for site in sites:
        site.routes |= {
            "/robots.txt": robots("/map.xml"),
            "/map.xml": sitemap(*(site.at(f"/page/{number}") for number in range(12))),
        }
    with ExitStack() as stack:
        nodes = []
        for number in range(len(sites)):
            folder = tmp_path / f"node{number}"
            folder.mkdir()
            shutil.copy(ROOT / "scrapy.cfg", folder)
            url = stack.enter_context(running_scrapyd(folder, environment))
            nodes.append(Scrapyd(url, postgres_tables_url, project="fast"))
        assert {"default", "audit", "fast"} <= set(nodes[0].projects())
        jobs = [
            node.schedule("discover", "SITECRAWL_CRAWL=never", domain=site.url)
            for node, site in zip(nodes, sites, strict=True)
        ]
        for node, site, job in zip(nodes, sites, jobs, strict=True):
            node.wait_until_finished(job)
            assert "Spider closed (finished)" in node.log(job)
            assert node.item_urls(job) == {site.at(f"/page/{number}") for number in range(12)}
        scans = nodes[0].scans()
        assert [status for status, _ in scans] == ["finished", "finished"]
        assert {settings["job"] for _, settings in scans} == set(jobs)
        assert nodes[0].profiles() == ["fast", "fast"]
        assert set(nodes[0].urls()) == nodes[0].item_urls(jobs[0]) | nodes[1].item_urls(jobs[1])


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
