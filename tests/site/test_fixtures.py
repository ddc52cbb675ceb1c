"""The fixtures of conftest.py that other tests trust."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.site.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.site import SiteServer
    from tests.site.project import ProcessResult


def test_the_project_runs_in_a_clean_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    inherited = ("SITECRAWL_RENDER", "URL_DISCOVERY_MAX", "MAX_PAGES", "SCRAPY_PROJECT")
    for name in (*inherited, "https_proxy"):
        monkeypatch.setenv(name, "1")
    project = Project.in_folder(tmp_path)
    assert not {*inherited, "https_proxy"} & project.environment.keys()
    assert project.environment["SITECRAWL_DATABASE_URL"] == f"sqlite:///{project.database}"
    assert project.folder.is_relative_to(tmp_path)


def test_a_process_result_tells_what_happened(project: Project) -> None:
    done = project.run(sys.executable, "-c", "import os; print(os.getcwd()); raise SystemExit(3)")
    assert (done.returncode, done.stdout.strip()) == (3, str(project.folder))
    with pytest.raises(AssertionError, match=str(project.folder)):
        done.succeeded()


def test_scrapy_runs_as_a_process(run_scrapy: Callable[..., ProcessResult]) -> None:
    version = run_scrapy("version", environment={"SCRAPY_SETTINGS_MODULE": ""})
    assert version.succeeded().stdout.startswith("Scrapy 2.")


def test_several_sites_at_once(site: SiteServer, make_site: Callable[..., SiteServer]) -> None:
    urls = {site.url, make_site().url, make_site(address="127.0.0.2").url, make_site(tls=True).url}
    assert len(urls) == 4


@pytest.mark.parametrize("attempt", [1, 2])
def test_each_test_gets_an_empty_database(postgres_url: str, attempt: int) -> None:
    with psycopg.connect(postgres_url.replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE only_here (attempt int)")
        connection.execute("INSERT INTO only_here VALUES (%s)", (attempt,))
        assert connection.execute("SELECT attempt FROM only_here").fetchall() == [(attempt,)]
