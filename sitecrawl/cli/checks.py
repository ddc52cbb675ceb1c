"""The checks of ``sitecrawl doctor``."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl import __version__
from sitecrawl.config import Config, ConfigError, apply_environment
from sitecrawl.config.profiles import load_settings
from sitecrawl.store.errors import DatabaseMissingError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

_REQUIRED = ("scrapy", "twisted", "ada-url", "sqlalchemy", "isal", "brotli", "xxhash", "numpy")
_OPTIONAL = {
    "psycopg": "PostgreSQL databases (pip install 'sitecrawl[postgres]')",
    "xlsxwriter": "sitecrawl urls --format xlsx (pip install 'sitecrawl[excel]')",
    "pyarrow": "sitecrawl urls --format parquet (pip install 'sitecrawl[parquet]')",
    "playwright": "rendering pages in a browser (pip install 'sitecrawl[render]')",
    "scrapy-fake-useragent": (
        "SITECRAWL_BROWSER_USER_AGENTS (pip install 'sitecrawl[browserlike]')"
    ),
}


class Check(NamedTuple):
    """One thing that was looked at."""

    name: str
    is_fine: bool
    is_optional: bool
    words: str


def run_checks(profile: str) -> Iterator[Check]:
    yield Check("sitecrawl", True, False, f"{__version__} on Python {platform.python_version()}")
    for package in _REQUIRED:
        yield _package(package)
    for package, purpose in _OPTIONAL.items():
        yield _package(package, purpose)
    settings = load_settings(profile)
    apply_environment(settings)
    config = Config.from_settings(settings)
    yield _database(config)
    yield _contact(settings["USER_AGENT"])
    yield _browser(config.browser)


def _package(name: str, purpose: str = "") -> Check:
    try:
        return Check(name, True, bool(purpose), metadata.version(name))
    except metadata.PackageNotFoundError:
        words = f"not installed; needed for {purpose}" if purpose else "not installed"
        return Check(name, False, bool(purpose), words)


def _database(config: Config) -> Check:
    from sitecrawl.cli.database import reading
    from sitecrawl.store.engine import without_password
    from sitecrawl.store.queries import sites

    shown = without_password(config.database_url)
    try:
        with reading(config.database_url) as database:
            number = len(sites(database))
    except DatabaseMissingError:
        return Check("database", True, False, f"{shown}, made by the first scan")
    except StoreError as error:
        return Check("database", False, False, str(error))
    return Check("database", True, False, f"{shown}, {number} sites")


def _contact(user_agent: str) -> Check:
    is_own = ".example" not in user_agent
    hint = "" if is_own else "; set USER_AGENT with a contact address of yours"
    return Check("user agent", is_own, True, user_agent + hint)


def _browser(setting: str) -> Check:
    from sitecrawl.render.browsers import find_browser

    try:
        browser = find_browser(setting)
    except ConfigError as error:
        return Check("browser", False, False, str(error))
    if browser is None:
        words = "none found; pages are read as they are sent; sitecrawl doctor --install-browser"
        return Check("browser", False, True, words)
    version = browser.version()
    if not version:
        words = f"{browser.path} does not start; sitecrawl doctor --install-browser"
        return Check("browser", False, True, words)
    return Check("browser", True, True, f"{browser.path}, {version} ({browser.origin})")
