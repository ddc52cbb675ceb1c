"""The short version of the report, for a terminal: Rich tables and bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.bar import Bar
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sitecrawl.report.words import (
    by_severity,
    counted,
    coverage_words,
    headline_figures,
    limit_words,
    severity_words,
    share,
)
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from sitecrawl.report.data import ReportData

_MAX_ROWS: Final = 8
_MAX_FINDINGS: Final = 12
_BAR_WIDTH: Final = 24
_SEVERITY_STYLES: Final = {"high": "bold red", "medium": "yellow", "low": "dim"}


def terminal_report(report: ReportData) -> RenderableType:
    """Headline, completeness, findings and the main counts, on about one screen."""
    return Group(*_parts(report))


def _parts(report: ReportData) -> Iterator[RenderableType]:
    site, coverage = report["site"], report["coverage"]
    reason = f": {site['reason']}" if site["reason"] else ""
    yield _text(site["root_url"], "bold").append(
        printable(f"  scan {site['scan_id']}, {site['started_at']}, {site['status']}{reason}"),
        "dim",
    )
    yield Text()
    yield _figures(report)
    yield Text()
    yield _heading("How complete is the list?")
    yield _text(coverage_words(coverage), "" if coverage["is_trusted"] else "yellow")
    for doubt in coverage["doubts"]:
        yield Padding(_text(f"- {doubt}", "dim"), (0, 0, 0, 2))
    for limit in report["headline"]["truncations"]:
        yield _text(f"limit hit: {limit_words(limit)}", "yellow")
    yield Text()
    yield from _findings(report)
    # Sections only: other kinds of clusters overlap with them.
    sections = [
        (each["name"], each["pages"]) for each in report["clusters"] if each["kind"] == "section"
    ]
    languages = [(row["code"] or "not known", row["pages"]) for row in report["languages"]]
    yield from _bars("How pages were first found", list(report["headline"]["by_source"].items()))
    yield from _bars("Sections", sections, whole=report["headline"]["pages"])
    yield from _bars("Kinds of pages", [(row["name"], row["pages"]) for row in report["types"]])
    yield from _bars("Languages", languages)
    yield from _bars(
        "Depth of paths",
        [(f"{row['depth']}", row["pages"]) for row in report["depths"]],
        in_order=True,
    )


def _figures(report: ReportData) -> Table:
    table = Table.grid(padding=(0, 3))
    for name, figure in headline_figures(report):
        table.add_row(Text(name, "dim"), Text(printable(figure)))
    return table


def _findings(report: ReportData) -> Iterator[RenderableType]:
    findings = by_severity(report["findings"])
    yield _heading("Findings")
    if not findings:
        yield Text("Nothing was found that needs attention.")
        yield Text()
        return
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
    table.add_column(justify="right")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings[:_MAX_FINDINGS]:
        style = _SEVERITY_STYLES.get(finding["severity"], "")
        table.add_row(
            Text(f"{finding['count']:,}", "bold"),
            Text(printable(severity_words(finding["severity"])), style),
            _text(finding["title"], ""),
        )
    yield table
    if len(findings) > _MAX_FINDINGS:
        yield Text(f"and {counted(len(findings) - _MAX_FINDINGS, 'further finding')}", "dim")
    yield Text()


def _bars(
    title: str, rows: Sequence[tuple[str, int]], whole: int = 0, *, in_order: bool = False
) -> Iterator[RenderableType]:
    """Names, figures and bars; *in_order* keeps the order of the rows."""
    if not rows:
        return
    shown = list(rows) if in_order else sorted(rows, key=lambda row: -row[1])
    total = whole or sum(pages for _, pages in rows)
    largest = max(1, *(pages for _, pages in rows)) if len(rows) > 1 else max(1, rows[0][1])
    yield _heading(title)
    table = Table.grid(padding=(0, 2))
    table.add_column(max_width=40, no_wrap=True, overflow="ellipsis")
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_column(width=_BAR_WIDTH)
    for name, pages in shown[:_MAX_ROWS]:
        bar = Bar(largest, 0, pages, width=_BAR_WIDTH, color="cyan")
        table.add_row(_text(name, ""), Text(f"{pages:,}"), Text(share(pages, total), "dim"), bar)
    yield table
    if len(shown) > _MAX_ROWS:
        yield Text(f"and {counted(len(shown) - _MAX_ROWS, 'more', 'more')}", "dim")
    yield Text()


def _heading(title: str) -> Text:
    return Text(title, "bold")


def _text(words: str, style: str) -> Text:
    # Text, never a string: Rich would interpret markup in the text of a site.
    return Text(printable(words), style)
