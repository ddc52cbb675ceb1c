from __future__ import annotations

import contextlib
import gc
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.site import SiteServer
from tests.site.postgres import PostgresDatabases, running_postgres
from tests.site.project import CrawlResult, ProcessResult, Project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# What a test takes says nothing while others run beside it. A submission is judged by what it
# changed: new examples are looked for everywhere else.
settings.register_profile(
    "sitecrawl",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("sitecrawl")


def pytest_collection_finish() -> None:
    # The garbage collector would go through thousands of collected tests again and again.
    gc.freeze()


@pytest.fixture
def site() -> Iterator[SiteServer]:
    """A site without routes, on a port of its own."""
    with SiteServer() as server:
        yield server


@pytest.fixture
def make_site() -> Iterator[Callable[..., SiteServer]]:
    """Further sites: on another address, with TLS; takes what ``SiteServer`` takes."""
    with contextlib.ExitStack() as stack:
        yield lambda *args, **kwargs: stack.enter_context(SiteServer(*args, **kwargs))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can enter; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A clean folder and environment, with a SQLite database that does not exist yet."""
    return Project.in_folder(tmp_path)


@pytest.fixture
def project_env(project: Project) -> Mapping[str, str]:
    return project.environment


@pytest.fixture
def crawl(project: Project) -> Callable[..., CrawlResult]:
    """``scrapy crawl discover`` on a domain, as a process; see ``Project.crawl``."""
    return project.crawl


@pytest.fixture
def run_scrapy(project: Project) -> Callable[..., ProcessResult]:
    return lambda *args, **options: project.run(sys.executable, "-m", "scrapy", *args, **options)


@pytest.fixture
def run_cli(project: Project) -> Callable[..., ProcessResult]:
    return lambda *args, **options: project.run(sys.executable, "-m", "sitecrawl", *args, **options)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresDatabases]:
    with running_postgres() as databases:
        yield databases


@pytest.fixture
def postgres_url(postgres_server: PostgresDatabases) -> Iterator[str]:
    """A SQLAlchemy URL to a database that only this test uses."""
    with postgres_server.fresh() as url:
        yield url


@pytest.fixture
def postgres_tables_url(postgres_server: PostgresDatabases) -> Iterator[str]:
    """As ``postgres_url``, with empty tables: much cheaper."""
    with postgres_server.fresh_with_tables() as url:
        yield url
