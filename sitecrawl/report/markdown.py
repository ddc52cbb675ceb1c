"""The report as Markdown: for a wiki, a ticket or a pull request."""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Final

from sitecrawl.report.tables import report_tables
from sitecrawl.report.words import (
    by_severity,
    change_words,
    counted,
    coverage_words,
    severity_words,
)
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.report.data import FindingFacts, ReportData
    from sitecrawl.report.tables import Cell, ReportTable

_MAX_ROWS: Final = 20
_MAX_ITEMS: Final = 5
_MAX_CELL: Final = 200
# Characters with a meaning in CommonMark, GitHub's tables or its formulas.
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|~&$#])")
_WEB_ADDRESS: Final = re.compile(r"https?://", re.IGNORECASE)
# Characters that would end the target of a link, or the cell with it.
_NOT_IN_TARGETS: Final = re.compile(r"[\\<>|\s`]")
# A parameter that looks like a character reference would be read as the character.
_REFERENCE: Final = re.compile(r"&(?=#?\w{1,40};)")
# Tables that are shown as text, above the others.
_OWN_WORDS: Final = {"findings", "items", "links_to_items"}


def write_markdown(report: ReportData, file: IO[bytes]) -> None:
    file.write(markdown_report(report).encode("utf-8", "backslashreplace"))


def markdown_report(report: ReportData) -> str:
    return "\n".join(_lines(report)) + "\n"


def escaped(text: str) -> str:
    """Text of a site, with all markup escaped.

    >>> escaped("[a](javascript:b) | <script>")
    '\\\\[a\\\\](javascript:b) \\\\| \\\\<script\\\\>'
    """
    shown = printable(text)
    shortened = f"{shown[: _MAX_CELL - 1]}…" if len(shown) > _MAX_CELL else shown
    return _MARKUP.sub(r"\\\1", shortened)


def linked(url: str) -> str:
    """A link to a page, or plain text where the address is not one of the web.

    >>> linked("https://a.example/b"), linked("javascript:alert(1)")
    ('[https://a.example/b](<https://a.example/b>)', 'javascript:alert(1)')
    """
    if not _WEB_ADDRESS.match(url):
        return escaped(url)
    target = _NOT_IN_TARGETS.sub(lambda found: f"%{ord(found[0]):02X}", printable(url))
    return f"[{escaped(url)}](<{_REFERENCE.sub('&amp;', target)}>)"


def _lines(report: ReportData) -> Iterator[str]:
    site = report["site"]
    yield f"# Site report: {escaped(site['root_url'])}"
    yield ""
    ended = f"{site['status']}: {site['reason']}" if site["reason"] else site["status"]
    yield (
        f"Scan {site['scan_id']} of {escaped(site['started_at'])}, {escaped(ended)}."
        f" Made by sitecrawl {escaped(site['version'])}."
    )
    yield ""
    summary, *tables = report_tables(report)
    yield from _table(summary)
    yield f"**How complete is the list?** {coverage_words(report['coverage']).capitalize()}."
    yield from (f"- {escaped(doubt)}" for doubt in report["coverage"]["doubts"])
    yield ""
    yield "## Findings"
    yield ""
    findings = by_severity(report["findings"])
    if not findings:
        has_pages = report["headline"]["pages"]
        yield (
            "Nothing was found that needs attention."
            if has_pages
            else "No page is known, so there was nothing to look at."
        )
        yield ""
    for finding in findings:
        yield from _finding(finding)
    for table in tables:
        if table.rows and table.name not in _OWN_WORDS:
            yield from _table(table)


def _finding(finding: FindingFacts) -> Iterator[str]:
    yield f"### {escaped(finding['title'])}: {finding['count']:,}"
    yield ""
    yield f"*{severity_words(finding['severity']).capitalize()}.* {escaped(finding['advice'])}"
    if finding["before"]:
        yield f"{change_words(finding['before']).capitalize()}."
    yield ""
    for item in finding["items"][:_MAX_ITEMS]:
        words = escaped(item["detail"])
        if item.get("linked_from"):
            words += f" (linked from {counted(item['links'], 'page')}, such as"
            words += f" {linked(item['linked_from'][0])})"
        yield f"- {linked(item['url'])}{f': {words.strip()}' if words else ''}"
    further = len(finding["items"]) - _MAX_ITEMS
    if further > 0:
        yield f"- and {further:,} more"
    yield ""


def _table(table: ReportTable) -> Iterator[str]:
    yield f"## {table.title}"
    yield ""
    yield f"| {' | '.join(name.replace('_', ' ').capitalize() for name in table.columns)} |"
    yield f"|{' --- |' * len(table.columns)}"
    for row in table.rows[:_MAX_ROWS]:
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""
    if len(table.rows) > _MAX_ROWS:
        yield f"And {counted(len(table.rows) - _MAX_ROWS, 'further row')}."
        yield ""


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return linked(value) if " " not in value else escaped(value)
    return f"{value:,}"
