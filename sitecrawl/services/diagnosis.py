"""Checks an installation: packages, the database, the disk, scans, workers and deliveries.

Each check says what is wrong and what to do about it.
"""

from __future__ import annotations

import os
import platform
import sys
from datetime import UTC, datetime
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl import __version__
from sitecrawl.config import ConfigError
from sitecrawl.config.scrapyd_node import setuptools_problem
from sitecrawl.politeness.ledger import byte_words
from sitecrawl.render.browser import find_browser
from sitecrawl.report.words import counted
from sitecrawl.services.database import reading
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.secret_keys import check_key
from sitecrawl.store.engine import parse_url, without_password
from sitecrawl.store.errors import DatabaseMissingError, StoreError
from sitecrawl.store.queries.health import Health, health
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import URL

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

_REQUIRED: Final = (
    "scrapy",
    "twisted",
    "protego",
    "ada-url",
    "sqlalchemy",
    "isal",
    "brotli",
    "xxhash",
    "numpy",
)
_OPTIONAL: Final = {
    "psycopg": "PostgreSQL databases (pip install 'sitecrawl[postgres]')",
    "xlsxwriter": "sitecrawl urls --format xlsx (pip install 'sitecrawl[excel]')",
    "pyarrow": "Parquet files (pip install 'sitecrawl[parquet]')",
    "duckdb": "sitecrawl sql (pip install 'sitecrawl[sql]')",
    "polars": "data frames in the library (pip install 'sitecrawl[frames]')",
    "playwright": "rendering pages in a browser (pip install 'sitecrawl[render]')",
    "fastapi": "sitecrawl serve, the API and the dashboard (pip install 'sitecrawl[web]')",
    "joserfc": "single sign-on (pip install 'sitecrawl[oidc]')",
    "httpx": "the client of the API (pip install 'sitecrawl[client]')",
    "dbos": "sitecrawl monitor and worker (pip install 'sitecrawl[monitor]')",
    "apprise": "channels of Apprise (pip install 'sitecrawl[apprise]')",
    "trafilatura": "sitecrawl dive, search and ask (pip install 'sitecrawl[dive]')",
    "pypdf": "PDF files in dives (pip install 'sitecrawl[files]')",
    "py3langid": "the language of a text (pip install 'sitecrawl[language]')",
    "mcp": "sitecrawl mcp (pip install 'sitecrawl[mcp]')",
    "opentelemetry-exporter-otlp-proto-http": "traces (pip install 'sitecrawl[otel]')",
    "scrapyd": "Scrapyd (pip install 'sitecrawl[scrapyd]')",
    "scrapy-fake-useragent": (
        "SITECRAWL_BROWSER_USER_AGENTS (pip install 'sitecrawl[browserlike]')"
    ),
}
_MIN_FREE_BYTES: Final = 500 << 20
# Each connection, file and pipe of a scan is one.
_MIN_OPEN_FILES: Final = 1_024
_MANY_SCANS: Final = 100


class Check(NamedTuple):
    """The result of one check."""

    name: str
    is_fine: bool
    is_optional: bool
    """If it is not fine: it need not be."""
    words: str


@requires(Permission.MANAGE)
def run_checks(config: Config, user_agent: str) -> Iterator[Check]:
    """All checks of the database that the configuration names, and of this machine."""
    yield Check("sitecrawl", True, False, f"{__version__} on Python {platform.python_version()}")
    for package in _REQUIRED:
        yield _package(package)
    for package, purpose in _OPTIONAL.items():
        yield _package(package, purpose)
    if find_spec("scrapyd") is not None:
        yield _setuptools()
    yield from _database(config)
    if sys.platform != "win32":
        yield _open_files()
    yield _contact(user_agent)
    yield _browser(config.browser)


def _package(name: str, purpose: str = "") -> Check:
    try:
        return Check(name, True, bool(purpose), metadata.version(name))
    except metadata.PackageNotFoundError:
        words = f"not installed; needed for {purpose}" if purpose else "not installed"
        return Check(name, False, bool(purpose), words)


def _setuptools() -> Check:
    if problem := setuptools_problem():
        return Check("setuptools", False, False, problem)
    return Check("setuptools", True, False, f"{metadata.version('setuptools')}, for Scrapyd")


def _database(config: Config) -> Iterator[Check]:
    shown = without_password(config.database_url)
    try:
        with reading(config.database_url) as database:
            found = health(database, datetime.now(UTC))
            words = f"{shown}, {counted(found.sites, 'site')}, {byte_words(found.bytes)}"
            words += f", schema {found.revision}"
            if database.is_sqlite and not _may_write(parse_url(config.database_url)):
                words += "; you may only read it, so nothing can be scanned into it"
                yield Check("database", False, True, words)
            else:
                yield Check("database", True, False, words)
            yield from _contents(found, config)
            yield from _key(database, config, found)
    except DatabaseMissingError:
        yield _missing_database(config.database_url, shown)
    except StoreError as error:
        yield Check("database", False, False, str(error))


def _may_write(url: URL) -> bool:
    """SQLite keeps its journal beside the file."""
    path = Path(url.database or "")
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _missing_database(url: str, shown: str) -> Check:
    folder = Path(parse_url(url).database or "").parent
    if not os.access(folder, os.W_OK):
        words = f"{shown} cannot be created: you may not write into {folder}"
        remedy = "change that, or set SITECRAWL_DATABASE_URL"
        return Check("database", False, False, f"{words}; {remedy}")
    return Check("database", True, False, f"{shown}, created by the first scan")


def _contents(found: Health, config: Config) -> Iterator[Check]:
    if found.free_bytes is not None:
        yield _disk(found.bytes, found.free_bytes)
    yield _scans(found)
    if found.most_scans >= _MANY_SCANS and not config.keep_scans:
        words = f"a site has {found.most_scans:,} scans, and all are kept; see SITECRAWL_KEEP_SCANS"
        yield Check("retention", False, True, words)
    if found.watched_sites:
        yield _monitor(found)
    if found.channels:
        yield _channels(found)


def _disk(size: int, free: int) -> Check:
    words = f"{byte_words(free)} free"
    if free < _MIN_FREE_BYTES:
        words += "; scans stop when it is full: make room, or sitecrawl prune --vacuum"
        return Check("disk", False, False, words)
    if free < size:
        words += ", less than the database has: no room for sitecrawl prune --vacuum"
        return Check("disk", False, True, words)
    return Check("disk", True, False, words)


def _scans(found: Health) -> Check:
    running = found.scans.get(ScanStatus.RUNNING, 0) - found.dead_scans
    words = f"{sum(found.scans.values()):,} in all, {running:,} running"
    if found.dead_scans:
        words += f"; the process of {found.dead_scans:,} is gone: sitecrawl resume goes on with it"
    return Check("scans", not found.dead_scans, True, words)


def _monitor(found: Health) -> Check:
    words = (
        f"{counted(found.watched_sites, 'site')} watched,"
        f" {counted(found.schedulers, 'scheduler')}, {counted(found.workers, 'worker')}"
        f" for {counted(found.capacity, 'scan')} at once"
    )
    if not found.schedulers:
        return Check("monitor", False, False, f"{words}; start one: sitecrawl monitor run")
    if found.waiting:
        waits = (f"{counted(jobs, 'scan')} wait: {why}" for why, jobs in found.waiting.items())
        return Check("monitor", False, True, f"{words}; {'; '.join(waits)}")
    if found.overdue_sites:
        words += f"; {found.overdue_sites:,} due for more than an hour: start more workers"
        return Check("monitor", False, True, words)
    return Check("monitor", True, False, words)


def _channels(found: Health) -> Check:
    words = f"{found.channels:,}"
    if found.disabled_channels:
        words += f", {found.disabled_channels:,} switched off because their deliveries failed"
    if found.failed_deliveries:
        words += (
            f", {counted(found.failed_deliveries, 'delivery', 'deliveries')} failed within a day"
        )
    is_fine = not (found.disabled_channels or found.failed_deliveries)
    hint = "" if is_fine else "; see: sitecrawl channel list"
    return Check("channels", is_fine, True, words + hint)


def _key(database: Database, config: Config, found: Health) -> Iterator[Check]:
    if not found.channels:
        return
    try:
        yield Check("secret key", True, False, check_key(database, config))
    except ConfigError as error:
        yield Check("secret key", False, False, str(error))


def _open_files() -> Check:
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    is_enough = limit >= _MIN_OPEN_FILES or limit == resource.RLIM_INFINITY
    hint = "" if is_enough else f"; raise it to {_MIN_OPEN_FILES:,} or more: ulimit -n"
    return Check("open files", is_enough, True, f"at most {limit:,}{hint}")


def _contact(user_agent: str) -> Check:
    is_own = ".example" not in user_agent
    hint = "" if is_own else "; set USER_AGENT to one with your contact address"
    return Check("user agent", is_own, True, user_agent + hint)


def _browser(setting: str) -> Check:
    try:
        browser = find_browser(setting)
    except ConfigError as error:
        return Check("browser", False, False, str(error))
    if browser is None:
        words = (
            "none found, so pages are not rendered; install one: sitecrawl doctor --install-browser"
        )
        return Check("browser", False, True, words)
    version = browser.version()
    if not version:
        words = (
            f"{browser.path} does not start; install another: sitecrawl doctor --install-browser"
        )
        return Check("browser", False, True, words)
    return Check("browser", True, True, f"{browser.path}, {version} ({browser.origin})")
