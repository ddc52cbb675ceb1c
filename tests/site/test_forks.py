from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tests.site.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.site import SiteServer
    from tests.site.project import CrawlResult, ProcessResult, Project


@pytest.mark.parametrize(
    "arguments",
    [
        ("scrapy", "settings", "--get", "SITECRAWL_PROFILE"),
        ("scrapy", "list", "--no-such-option"),
        ("sitecrawl", "urls", "https://shop.example"),
        ("sitecrawl", "--help"),
    ],
    ids=" ".join,
)
def test_a_command_says_and_returns_what_a_new_process_does(
    project: Project, arguments: tuple[str, ...]
) -> None:
    command = (sys.executable, "-m", *arguments)
    fork = project.run(*command)
    process = subprocess.run(
        command,
        cwd=project.folder,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (fork.returncode, fork.stdout, fork.stderr) == (
        process.returncode,
        process.stdout,
        process.stderr,
    )


def test_a_command_sees_nothing_of_the_one_before(run_scrapy: Callable[..., ProcessResult]) -> None:
    profile = ("settings", "--get", "SITECRAWL_PROFILE")
    audit = run_scrapy(*profile, environment={"SCRAPY_SETTINGS_MODULE": "settings_profiles.audit"})
    fast = run_scrapy(*profile)
    assert (audit.stdout.strip(), fast.stdout.strip()) == ("audit", "fast")


def test_modules_are_found_in_the_working_folder_and_the_import_path(
    project: Project, run_scrapy: Callable[..., ProcessResult]
) -> None:
    libraries = project.folder / "libraries"
    libraries.mkdir()
    for folder in (project.folder, libraries):
        (folder / f"of_{folder.name}.py").write_text("BOT_NAME = __name__\n")
    path = f"{project.environment['PYTHONPATH']}:{libraries}"
    for name in ("of_work", "of_libraries"):
        environment = {"SCRAPY_SETTINGS_MODULE": name, "PYTHONPATH": path}
        done = run_scrapy("settings", "--get", "BOT_NAME", environment=environment).succeeded()
        assert done.stdout.strip() == name


def test_a_command_that_does_not_end_is_ended(
    site: SiteServer, crawl: Callable[..., CrawlResult]
) -> None:
    never = threading.Event()
    site.routes["/robots.txt"] = Reply(hold=never)
    with pytest.raises(subprocess.TimeoutExpired):
        crawl(site.url, timeout_seconds=1)
    never.set()


def test_a_command_runs_while_another_one_waits_for_it(
    site: SiteServer, crawl: Callable[..., CrawlResult], run_scrapy: Callable[..., ProcessResult]
) -> None:
    inner: list[ProcessResult] = []

    def run_another(_request: object) -> bytes:
        inner.append(run_scrapy("version"))
        return b""

    site.routes["/robots.txt"] = Reply(run_another)
    crawl(site.url)
    assert [each.returncode for each in inner] == [0]
