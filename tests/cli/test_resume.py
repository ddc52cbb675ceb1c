"""``sitecrawl resume`` and ``stop``: which scan goes on or ends, and what is said when none can."""

from __future__ import annotations

import re
import shlex
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from sitecrawl.store.engine import open_database
from sitecrawl.store.vocabulary import ScanStatus
from tests.site.build import robots, sitemap
from tests.store.scanning import Scanning, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sitecrawl.store.engine import Database
    from tests.site import SiteServer
    from tests.site.project import ProcessResult, Project


@pytest.fixture
def database(project: Project) -> Iterator[Database]:
    """The one that the commands of the project ask."""
    with open_database(f"sqlite:///{project.database}") as opened:
        yield opened


def refused(done: ProcessResult, words: str) -> bool:
    assert done.returncode == 2
    assert done.stdout == ""
    return done.stderr == f"sitecrawl: {words}\n"


def test_without_a_scan_there_is_nothing_to_go_on_with(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    words = "there is no scan to resume; see: sitecrawl scans"
    assert refused(cli("resume"), words)
    scan(database, {})
    assert refused(cli("resume"), words)


def test_a_scan_that_has_ended_is_not_resumed(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    scan(database, {})
    words = "scan 1 of example.com has finished: there is nothing to resume"
    assert refused(cli("resume", "1"), words)


def test_a_number_that_there_is_not(database: Database, cli: Callable[..., ProcessResult]) -> None:
    assert refused(cli("resume", "7"), "there is no scan 7; see: sitecrawl scans")


def test_a_later_scan_takes_its_place(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    scan(database, {}, ScanStatus.INTERRUPTED)
    scan(database, {})
    words = "scan 1 of example.com is not its newest: scan 2 came later"
    assert refused(cli("resume", "1"), words)


def test_a_scan_that_runs_is_left_alone(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    scanning = Scanning(database)
    scanning.writer.commit()
    words = "scan 1 of example.com is running; wait for it, or: sitecrawl stop 1"
    assert refused(cli("resume", "1"), words)
    scanning.writer.close()


def test_a_running_scan_is_asked_to_stop(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    scanning = Scanning(database)
    scanning.writer.commit()
    assert "scan 1 of " in cli("stop", "1").succeeded().stdout
    assert scanning.writer.heartbeat()
    scanning.writer.close()


def test_only_a_running_scan_can_be_stopped(
    database: Database, cli: Callable[..., ProcessResult]
) -> None:
    scan(database, {})
    words = "scan 1 of example.com is not running: it is finished"
    assert refused(cli("stop", "1"), words)
    assert refused(cli("stop", "7"), "there is no scan 7; see: sitecrawl scans")


def test_without_a_database_the_answer_is_what_to_do(cli: Callable[..., ProcessResult]) -> None:
    done = cli("resume")
    assert done.returncode == 1
    assert "does not exist; a first scan creates it" in done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("next",), "Invalid value for 'scan'"),
        (("-o", "urls.txt"), "-o urls.txt"),
        (("-s", "nonsense"), "NAME=VALUE"),
        (("--database", "mysql://h/d"), "'mysql' is not supported"),
    ],
)
def test_wrong_usage(cli: Callable[..., ProcessResult], args: tuple[str, ...], words: str) -> None:
    done = cli("resume", *args)
    assert done.returncode in {1, 2}
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scan_that_was_killed_goes_on(
    site: SiteServer, project: Project, run_cli: Callable[..., ProcessResult]
) -> None:
    pages = {f"/{number}" for number in range(30)}
    last = "/last"
    site.routes |= {
        "/": "".join(f"<a href={path}>{path}</a>" for path in sorted(pages)).encode(),
        "/robots.txt": robots(),
        **{path: f"<title>{path}</title><a href={last}>last</a>".encode() for path in pages},
        last: b"<title>last</title>",
    }
    feed = ("-o", "asked.jsonl")
    command = (sys.executable, "-m", "sitecrawl", "discover", site.url, "--profile", "fast", *feed)
    slowly = ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "DOWNLOAD_DELAY=0.05")
    always = {"SITECRAWL_CRAWL": "always", "SITECRAWL_MAX_CRAWL_DEPTH": "0"}
    process = project.start(*command, *slowly, environment=always)
    site.wait_for("/19")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    listed = run_cli("scans").succeeded()
    assert re.search(r"  interrupted .* \(process \d+ on \S+ ended without a word\)", listed.stdout)
    assert listed.query("SELECT status FROM scans") == [("running",)], "reading writes nothing"

    done = run_cli("resume", environment=always).succeeded()
    assert re.search(r"resuming scan 1 of \S+ \(interrupted: process \d+ ", done.stderr)
    assert done.query("SELECT status FROM scans") == [("finished",)]
    assert site.max_in_flight() == 1, "it is as polite as it was"
    visited = done.query("SELECT count(*) FROM visits WHERE outcome = 'ok'")
    assert visited == [(len(pages) + 2,)]
    assert (project.folder / "asked.jsonl").read_text().count("\n") == len(pages) + 2
    again = run_cli("resume")
    assert again.returncode == 2


def test_a_scan_that_was_killed_while_it_wrote_its_feed_writes_it(
    site: SiteServer, project: Project, run_cli: Callable[..., ProcessResult]
) -> None:
    site.routes |= {"/robots.txt": robots("/map.xml"), "/map.xml": sitemap("/a", "/b", "/c")}
    exporters = '{"jsonl": "tests.extensions.dying.DyingExporter"}'
    killed = run_cli("discover", site.url, "-o", "urls.jsonl", "-s", f"FEED_EXPORTERS={exporters}")
    assert killed.returncode == -signal.SIGKILL
    feed = project.folder / "urls.jsonl"
    assert not feed.exists()
    asked = len(site.paths())

    done = run_cli("resume").succeeded()
    assert f"scan 1 has finished: 3 URLs written to {feed}" in done.stderr
    assert feed.read_text().count("\n") == 3
    assert [path.name for path in project.folder.glob(".*partial")] == [], "nothing is left behind"
    assert len(site.paths()) == asked, "nothing is fetched for it"
    assert run_cli("resume").returncode == 2, "once is enough"
    run_cli("resume", "1", "-o", "again.jsonl").succeeded()
    run_cli("urls", site.url, "-o", "urls.csv").succeeded()
    assert (project.folder / "again.jsonl").read_bytes() == feed.read_bytes()
    assert (project.folder / "urls.csv").read_text().count("\n") == 4


def test_a_scan_whose_database_failed_goes_on(
    site: SiteServer, project: Project, run_cli: Callable[..., ProcessResult], tmp_path: Path
) -> None:
    names = [f"/{number}-{'x' * 200}" for number in range(40)]
    site.routes |= {
        "/": b"".join(b"<a href=%b>a</a>" % name.encode() for name in names),
        "/robots.txt": robots(),
        **{
            name: b"".join(b"<a href=%b?%d>a</a>" % (name.encode(), n) for n in range(60))
            for name in names
        },
    }
    command = shlex.join([sys.executable, "-m", "sitecrawl", "discover", site.url])
    with open_database(f"sqlite:///{tmp_path}/empty.db"):
        pass
    # In KiB: enough for the tables and the first pages, and not for all.
    enough = (tmp_path / "empty.db").stat().st_size // 1024 + 1200
    limited = f"ulimit -f {enough}; exec {command} --profile fast -s SITECRAWL_MAX_CRAWL_DEPTH=1"
    always = {"SITECRAWL_CRAWL": "always", "SITECRAWL_KEEP_BODIES": "0"}
    failed = project.run("bash", "-c", limited, environment=always)
    assert failed.returncode == 1
    assert "the disk" in failed.stderr
    assert "Traceback" not in failed.stderr
    [(visited,)] = failed.query("SELECT count(*) FROM visits WHERE outcome = 'ok'")
    assert 0 < visited < len(names)

    done = run_cli("resume", environment=always).succeeded()
    assert "resuming scan 1 of " in done.stderr
    assert done.query("SELECT status FROM scans") == [("finished",)]
    assert done.query("SELECT count(*) FROM visits WHERE outcome = 'ok'") == [(len(names) + 1,)]
