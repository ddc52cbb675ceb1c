"""Runs the project as its users do: as a process, in a folder of its own, against a served site."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.site.forks import run_in_fork

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

ROOT = Path(__file__).parents[2]
_RUN_SECONDS = 240.0
_FORKED = {(sys.executable, "-m", module) for module in ("scrapy", "sitecrawl")}
# What would change a run when it is set where the tests are started: our own variables, those of
# the seed systems, Scrapy's, and proxies, through which loopback cannot be reached.
_FOREIGN_PREFIXES = ("SITECRAWL_", "URL_DISCOVERY_", "EMAIL_SMTP_", "SCRAPY_", "XDG_")
_FOREIGN_NAMES = frozenset(
    {
        *("MAX_PAGES", "MAX_SCAN_TIME_MINUTES", "USER_AGENT", "CRON_TOKEN"),
        "PYTHONDONTWRITEBYTECODE",  # every process would compile the whole project
    }
)
_PROXY_SUFFIX = "_PROXY"


@dataclass(frozen=True, slots=True)
class ProcessResult:
    command: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
    database: Path
    """The SQLite file of the project; absent when the run never opened it."""

    def succeeded(self) -> Self:
        """Itself, or a failed test that shows what the process said."""
        assert self.returncode == 0, f"{self.command}: {self.returncode}\n{self.output}"
        return self

    def ended_in_part(self) -> Self:
        """Itself, or a failed test: a limit has left something out."""
        assert self.returncode == 3, f"{self.command}: {self.returncode}\n{self.output}"
        return self

    @property
    def output(self) -> str:
        return f"{self.stdout}\n{self.stderr}"

    def query(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Rows of the project's SQLite database."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return connection.execute(sql, parameters).fetchall()


@dataclass(frozen=True, slots=True)
class CrawlResult(ProcessResult):
    feed: Path = Path()
    """Where the crawl was told to write its pages."""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """The feed's pages; empty when the crawl wrote none, or not as JSON lines."""

    @property
    def urls(self) -> list[str]:
        return [row["url"] for row in self.rows]


@dataclass(frozen=True, slots=True)
class Project:
    """A clean working folder and environment in which the project's commands run."""

    folder: Path
    database: Path
    environment: Mapping[str, str]

    @classmethod
    def in_folder(cls, folder: Path, database_url: str | None = None) -> Project:
        work, home = folder / "work", folder / "home"
        for path in (work, home):
            path.mkdir(exist_ok=True)
        database = work / "sitecrawl.db"
        environment = {
            **{name: value for name, value in os.environ.items() if not _is_foreign(name)},
            "SITECRAWL_DATABASE_URL": database_url or f"sqlite:///{database}",
            "SCRAPY_SETTINGS_MODULE": "settings_profiles.fast",
            # Most tests are of what sitemaps give; those of the crawl say so.
            "SITECRAWL_CRAWL": "never",
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "HOME": str(home),  # where Scrapy and others look for a configuration
            "COLUMNS": "120",
        }
        return cls(work, database, environment)

    def run(
        self,
        *command: str,
        environment: Mapping[str, str] | None = None,
        timeout_seconds: float = _RUN_SECONDS,
    ) -> ProcessResult:
        """The command as a process, or as a fork if it runs this copy of the project."""
        variables = {**self.environment, **(environment or {})}
        if command[:3] in _FORKED and variables["PYTHONPATH"].startswith(str(ROOT)):
            ended = run_in_fork(
                *command[2:],
                folder=self.folder,
                environment=variables,
                timeout_seconds=timeout_seconds,
            )
            return ProcessResult(command, *ended, self.database)
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_seconds,
            check=False,
        )
        return ProcessResult(command, done.returncode, done.stdout, done.stderr, self.database)

    def start(
        self, *command: str, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[str]:
        """A running process, for a test that stops it midway; the caller ends and waits for it."""
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**self.environment, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def crawl(
        self,
        domain: str,
        *,
        spider: str = "discover",
        profile: str = "fast",
        settings: Mapping[str, object] | None = None,
        feed: str = "urls.jsonl",
        environment: Mapping[str, str] | None = None,
        timeout_seconds: float = _RUN_SECONDS,
        **arguments: object,
    ) -> CrawlResult:
        """``scrapy crawl``; an empty ``profile`` runs the default settings."""
        command = crawl_command(
            domain, spider=spider, settings=settings, feed=feed, arguments=arguments
        )
        variables = {**profile_environment(profile), **(environment or {})}
        done = self.run(*command, environment=variables, timeout_seconds=timeout_seconds)
        path = self.folder / feed
        return CrawlResult(
            command=command,
            returncode=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
            database=self.database,
            feed=path,
            rows=_json_lines(path),
        )


def crawl_command(
    domain: str,
    *,
    spider: str = "discover",
    settings: Mapping[str, object] | None = None,
    feed: str = "urls.jsonl",
    arguments: Mapping[str, object] | None = None,
) -> tuple[str, ...]:
    command = [sys.executable, "-m", "scrapy", "crawl", spider, "-a", f"domain={domain}"]
    for name, value in (arguments or {}).items():
        command += ["-a", f"{name}={value}"]
    for name, value in (settings or {}).items():
        command += ["-s", f"{name}={value}"]
    return (*command, "-O", feed)


def profile_environment(profile: str) -> dict[str, str]:
    module = f"settings_profiles.{profile}" if profile else "sitecrawl.settings"
    return {"SCRAPY_SETTINGS_MODULE": module}


def _is_foreign(name: str) -> bool:
    upper = name.upper()
    return (
        upper.startswith(_FOREIGN_PREFIXES)
        or upper in _FOREIGN_NAMES
        or upper.endswith(_PROXY_SUFFIX)
    )


def _json_lines(path: Path) -> list[dict[str, Any]]:
    if path.suffix != ".jsonl" or not path.exists():
        return []
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
