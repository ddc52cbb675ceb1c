"""Reports what a site consists of, how complete the list is, and what is wrong.

A report reads the whole inventory. A server makes one of a large site by the functions that end in
``_apart``: in a process of its own, one at a time, so that its memory does not grow by it.
"""

from __future__ import annotations

import io
import json
import multiprocessing
import shutil
import sys
import tempfile
from pathlib import Path
from threading import BoundedSemaphore
from typing import IO, TYPE_CHECKING, Final, cast

from sitecrawl.errors import SitecrawlError, ThrottledError
from sitecrawl.report.findings import MAX_ITEMS
from sitecrawl.report.gather import gather_findings, gather_report
from sitecrawl.services.database import AskedScan, reading
from sitecrawl.services.formats import ReportFormat
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries.scans import scan_by_id, site_by_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.report.data import FindingFacts, ReportData

LARGE_PAGES: Final = 50_000
_BUSY_SECONDS: Final = 30
_MAX_SECONDS: Final = 600
_large_reports = BoundedSemaphore(1)
# Tables have every page of a finding.
_WHOLE: Final = frozenset({ReportFormat.CSV, ReportFormat.XLSX})


@requires(Permission.READ)
def report_data(asked: AskedScan) -> ReportData:
    """What a report says, with at most ``MAX_ITEMS`` pages per finding."""
    return gather_report(asked.database, asked.scan)


@requires(Permission.READ)
def write_report(asked: AskedScan, format_: ReportFormat, file: IO[bytes]) -> None:
    max_items = sys.maxsize if format_ in _WHOLE else MAX_ITEMS
    _writer(format_)(gather_report(asked.database, asked.scan, max_items=max_items), file)


@requires(Permission.READ)
def report_data_apart(asked: AskedScan, database_url: str) -> ReportData:
    """As :func:`report_data`, for a server."""
    if not _is_large(asked):
        return report_data(asked)
    file = io.BytesIO()
    write_report_apart(asked, database_url, ReportFormat.JSON, file)
    return cast("ReportData", json.loads(file.getvalue()))


@requires(Permission.READ)
def findings_apart(asked: AskedScan, database_url: str) -> list[FindingFacts]:
    """What is wrong with the site, by kind, for a server."""
    if _is_large(asked):
        return report_data_apart(asked, database_url)["findings"]
    return gather_findings(asked.database, asked.scan)


@requires(Permission.READ)
def write_report_apart(
    asked: AskedScan, database_url: str, format_: ReportFormat, file: IO[bytes]
) -> None:
    """As :func:`write_report`, for a server; ``ThrottledError`` if a large one is being made."""
    if not _is_large(asked):
        write_report(asked, format_, file)
        return
    if not _large_reports.acquire(blocking=False):
        raise ThrottledError("the report of another large site is being made", _BUSY_SECONDS)
    try:
        with tempfile.NamedTemporaryFile() as made:
            arguments = (database_url, asked.scan.id, format_, Path(made.name))
            process = multiprocessing.get_context("spawn").Process(
                target=_write_file, args=arguments, daemon=True
            )
            process.start()
            process.join(_MAX_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()
            if process.exitcode:
                raise SitecrawlError(
                    f"the report failed; its process ended with {process.exitcode}"
                )
            shutil.copyfileobj(made, file)
    finally:
        _large_reports.release()


def _is_large(asked: AskedScan) -> bool:
    return asked.scan.known_pages > LARGE_PAGES


def _write_file(database_url: str, scan_id: int, format_: ReportFormat, path: Path) -> None:
    with reading(database_url) as database, path.open("wb") as file:
        scan = scan_by_id(database, scan_id)
        site = site_by_id(database, scan.site_id) if scan else None
        assert scan is not None
        assert site is not None
        write_report(AskedScan(database, site, scan), format_, file)


def _writer(format_: ReportFormat) -> Callable[[ReportData, IO[bytes]], None]:
    """One function per format, each imported only when it is wanted."""
    match format_:
        case ReportFormat.HTML:
            from sitecrawl.report.html import write_html

            return write_html
        case ReportFormat.JSON:
            from sitecrawl.report.data import write_json

            return write_json
        case ReportFormat.MD:
            from sitecrawl.report.markdown import write_markdown

            return write_markdown
        case ReportFormat.CSV:
            from sitecrawl.report.tables import write_csv

            return write_csv
        case ReportFormat.XLSX:
            from sitecrawl.report.tables import write_xlsx

            return write_xlsx
