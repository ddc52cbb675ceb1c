"""Reports what a site consists of, how complete the list is, and what is wrong."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Final

from sitecrawl.report.findings import MAX_ITEMS
from sitecrawl.report.gather import gather_report
from sitecrawl.services.formats import ReportFormat
from sitecrawl.services.permissions import Permission, requires

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.report.data import ReportData
    from sitecrawl.services.database import AskedScan


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
