"""Runs scans in this process, and finds, resumes and stops those of others.

Scrapy's reactor runs once in a process, so only a command that runs a single scan calls
:func:`run_scan`; :mod:`sitecrawl.services.scan_process` runs it in a child process.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sitecrawl.config import Config, ConfigError
from sitecrawl.config.environment import apply_environment
from sitecrawl.config.profiles import load_settings
from sitecrawl.errors import ExitCode
from sitecrawl.services.permissions import Permission, requires

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from scrapy.crawler import Crawler
    from scrapy.settings import Settings

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan


@dataclass(frozen=True, slots=True)
class ScanRequest:
    """What to scan, and how; it can be sent to another process."""

    domain: str = ""
    """A domain or URL; empty if a scan is resumed."""
    resume: int | None = None
    """The number of a scan to go on with."""
    spider: str = "discover"
    profile: str = "default"
    database: str = ""
    """A database URL; empty: the one of the settings."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings by name, as ``-s`` gives them."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Further arguments of the spider: ``base``, ``skip``, ``render``."""
    feeds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Scrapy's ``FEEDS``: files to write when the scan has ended."""
    log_ids: Mapping[str, int | str] = field(default_factory=dict)
    """What its log is to name besides the scan: ``job``, ``worker``."""

    def to_json(self) -> str:
        try:
            return json.dumps(asdict(self))
        except TypeError as error:
            raise ConfigError(
                f"settings of a scan: {error}; give text, numbers, flags, lists or dictionaries"
            ) from error

    @classmethod
    def from_json(cls, text: str | bytes) -> ScanRequest:
        return cls(**json.loads(text))

    def spider_arguments(self) -> dict[str, str]:
        if self.resume is not None:
            return {"resume": str(self.resume)}
        return {"domain": self.domain, **self.arguments}

    def scrapy_settings(self) -> Settings:
        """The settings of the profile, overridden by those of the request."""
        settings = load_settings(self.profile)
        for name, value in self.settings.items():
            settings.set(name, value, "cmdline")
        settings.set("FEEDS", {path: dict(feed) for path, feed in self.feeds.items()}, "cmdline")
        if self.database:
            settings.set("SITECRAWL_DATABASE_URL", self.database, "cmdline")
        return settings

    def config(self) -> Config:
        """The configuration from the settings and the environment."""
        settings = self.scrapy_settings()
        apply_environment(settings)
        return Config.from_settings(settings)

    def database_url(self) -> str:
        return self.config().database_url


@requires(Permission.SCAN)
def run_scan(request: ScanRequest, on_crawler: Callable[[Crawler], None] | None = None) -> ExitCode:
    """Run the scan to its end, once in a process.

    ``ConfigError`` and ``StoreError`` say what keeps it from starting. *on_crawler* gets Scrapy's
    crawler before it starts.
    """
    from scrapy.crawler import AsyncCrawlerProcess

    from sitecrawl.logs import identify, use_log_format
    from sitecrawl.scan.arguments import check_arguments
    from sitecrawl.scan.lifecycle import exit_code

    settings, arguments = request.scrapy_settings(), request.spider_arguments()
    check_arguments(arguments, settings, request.spider)
    identify(**request.log_ids)
    use_log_format(settings)
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(request.spider)
    if on_crawler is not None:
        on_crawler(crawler)
    process.crawl(crawler, **arguments)
    process.start()
    return ExitCode.FAILED if process.bootstrap_failed else exit_code(crawler)


@requires(Permission.SCAN)
def fetch_for(request: ScanRequest) -> ExitCode:
    """Fetch pages for the running scan that *request* names, until it ends; once in a process."""
    from sitecrawl.scan.fetch_database import check_fetchable
    from sitecrawl.store.engine import open_database
    from sitecrawl.store.queries.scans import scan_by_id

    assert request.resume is not None
    with open_database(request.database_url(), create=False) as database:
        scan = scan_by_id(database, request.resume)
        if scan is None:
            raise ConfigError(f"there is no scan {request.resume}; see: sitecrawl scans")
        check_fetchable(scan, is_sqlite=database.is_sqlite)
    return ExitCode.FAILED if run_scan(request) is ExitCode.FAILED else ExitCode.DONE


@requires(Permission.SCAN)
def resumable_scan(
    database: Database, number: int | None = None, *, has_output: bool = False
) -> Scan:
    """The scan with this number, or the newest that did not finish; ``ConfigError`` says why not.

    What would stop the scan when it begins is found now. One that has finished can be given, if
    it has feeds to write (*has_output*: the caller wants some).
    """
    from sitecrawl.store.queries.resume import find_dead_scans, newest_unfinished_scan
    from sitecrawl.store.queries.scans import scan_by_id

    find_dead_scans(database)
    if number is None:
        scan = newest_unfinished_scan(database)
        if scan is None:
            raise ConfigError("there is no scan to resume; see: sitecrawl scans")
    else:
        scan = scan_by_id(database, number)
        if scan is None:
            raise ConfigError(f"there is no scan {number}; see: sitecrawl scans")
    _check_resumable(database, scan, has_output=has_output)
    return scan


@requires(Permission.SCAN)
def write_feeds(database: Database, scan: Scan, request: ScanRequest) -> Iterator[tuple[str, int]]:
    """Write the feeds of a scan that has finished; give each with the number of its pages."""
    from pathlib import Path

    from sitecrawl.exporters.pages import export_pages
    from sitecrawl.scan.arguments import plain_feeds
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.writers.scans import forget_feeds

    wanted = PageFilter(include_refused=bool(scan.settings.get("feed_refused")))
    for path, format_ in plain_feeds(request.scrapy_settings()).items():
        yield path, export_pages(database, scan, wanted, format_, Path(path))
    with database.writing() as connection:
        forget_feeds(connection, scan.id)


@requires(Permission.SCAN)
def stop_scan(database: Database, number: int) -> Scan:
    """Ask a running scan to stop; it sees this within a few seconds, wherever it runs."""
    from sitecrawl.store.queries.scans import scan_by_id
    from sitecrawl.store.vocabulary import ScanStatus
    from sitecrawl.store.writers.scans import request_stop

    scan = scan_by_id(database, number)
    if scan is None:
        raise ConfigError(f"there is no scan {number}; see: sitecrawl scans")
    if scan.status != ScanStatus.RUNNING:
        raise ConfigError(f"scan {number} of {scan.site_key} is not running: it is {scan.status}")
    with database.writing() as connection:
        request_stop(connection, number)
    return scan


def _check_resumable(database: Database, scan: Scan, *, has_output: bool) -> None:
    from sitecrawl.store.processes import is_alive
    from sitecrawl.store.queries.scans import scans
    from sitecrawl.store.vocabulary import ScanStatus

    named = f"scan {scan.id} of {scan.site_key}"
    if scan.status == ScanStatus.FINISHED:
        if has_output:
            return
        if not scan.pending_feeds:
            raise ConfigError(f"{named} has finished: there is nothing to resume")
        if is_alive(scan, datetime.now(UTC)):
            raise ConfigError(f"{named} is writing its feeds")
        return
    if scan.status == ScanStatus.RUNNING:
        raise ConfigError(f"{named} is running; wait for it, or: sitecrawl stop {scan.id}")
    [newest] = scans(database, 1, scan.site_id)
    if newest.id != scan.id:
        raise ConfigError(f"{named} is not its newest: scan {newest.id} came later")
