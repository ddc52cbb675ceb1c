"""The report as plain tables: as CSV, a zip file with one file per table, and as Excel workbook.

Markdown shows the first rows of the same tables.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sitecrawl.exporters.csv_rows import safe_cell
from sitecrawl.exporters.tables import open_workbook
from sitecrawl.report.words import by_severity, headline_figures, severity_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sitecrawl.report.data import FindingFacts, ReportData, TreeNode

Cell = str | int | float | None

PERCENTILES: Final = ("p50", "p75", "p90", "p95", "p99", "max")
# Entries of zip files have a time; a fixed one makes the bytes depend on the report alone.
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)
_READABLE_BY_ALL: Final = 0o644 << 16


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of a report; its name is also the name of its CSV file."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]


def report_tables(report: ReportData) -> Iterator[ReportTable]:
    """Every table but the one of all pages, in the order of the report."""
    for make in _MAKERS:
        yield make(report)


def page_table(report: ReportData) -> ReportTable:
    """One row per page."""
    pages = report["pages"]
    columns = {name: values for name, values in pages.items() if isinstance(values, list)}
    rows = list(zip(*columns.values(), strict=True))
    return ReportTable("pages", "Pages", tuple(columns), rows)


def _summary(report: ReportData) -> ReportTable:
    return ReportTable("summary", "In short", ("what", "figure"), headline_figures(report))


def _limits(report: ReportData) -> ReportTable:
    rows = [
        (limit["what"], limit["setting"], limit["limit"])
        for limit in report["headline"]["truncations"]
    ]
    return ReportTable("limits", "Limits that were hit", ("what", "setting", "limit"), rows)


def _findings(report: ReportData) -> ReportTable:
    rows = [
        (
            *(finding["kind"], severity_words(finding["severity"]), finding["topic"]),
            *(finding["title"], finding["count"], finding["unit"]),
            *_before(finding),
            finding["advice"],
        )
        for finding in [*by_severity(report["findings"]), *_fixed(report)]
    ]
    columns = (
        *("id", "severity", "topic", "finding", "count", "unit"),
        *("before", "new", "fixed", "not visited again", "advice"),
    )
    return ReportTable("findings", "Findings", columns, rows)


def _fixed(report: ReportData) -> Sequence[FindingFacts]:
    return report["before"]["fixed"] if report["before"] else ()


def _before(finding: FindingFacts) -> tuple[Cell, ...]:
    before = finding["before"]
    if before is None:
        return (None,) * 4
    return before["count"], before["new"], before["fixed"], before["not_visited"]


def _items(report: ReportData) -> ReportTable:
    rows = [
        (finding["kind"], item["url"], item["detail"], item.get("links"))
        for finding in by_severity(report["findings"])
        for item in finding["items"]
    ]
    columns = ("finding", "url", "detail", "linked from pages")
    return ReportTable("items", "What the findings are about", columns, rows)


def _links_to_items(report: ReportData) -> ReportTable:
    rows = [
        (finding["kind"], item["url"], source)
        for finding in by_severity(report["findings"])
        for item in finding["items"]
        for source in item.get("linked_from", ())
    ]
    columns = ("finding", "url", "linked from")
    return ReportTable("links_to_items", "Where the links are", columns, rows)


def _speed(report: ReportData) -> ReportTable:
    figures = report["speed"]
    rows: list[tuple[Cell, ...]] = [
        (what, *(values[name] for name in PERCENTILES))
        for what, values in (
            ("milliseconds to the first byte", figures["elapsed_ms"]),
            ("bytes of HTML", figures["bytes"]),
        )
        if values is not None
    ]
    return ReportTable("speed", "Speed and weight of pages", ("what", *PERCENTILES), rows)


def _coverage(report: ReportData) -> ReportTable:
    coverage = report["coverage"]
    columns = ("cluster", "known", "estimate", "low", "high", "trusted")
    whole = (
        *("all", coverage["known"], coverage["estimate"], coverage["low"], coverage["high"]),
        _yes_or_no(coverage["is_trusted"]),
    )
    rows = [
        (
            *(cluster["name"], cluster["known"], cluster["estimate"]),
            *(cluster["low"], cluster["high"], _yes_or_no(cluster["is_trusted"])),
        )
        for cluster in coverage["clusters"]
    ]
    return ReportTable("coverage", "How complete is the list?", columns, [whole, *rows])


def _overlap(report: ReportData) -> ReportTable:
    rows = [
        (" + ".join(overlap["sources"]), overlap["pages"])
        for overlap in sorted(report["coverage"]["overlap"], key=lambda each: -each["pages"])
    ]
    columns = ("exactly these sources", "pages")
    return ReportTable("overlap", "Overlap of the sources", columns, rows)


def _sources(report: ReportData) -> ReportTable:
    rows = list(report["headline"]["by_source"].items())
    return ReportTable("sources", "How pages were first found", ("source", "pages"), rows)


def _reasons(report: ReportData) -> ReportTable:
    rows = list(report["headline"]["by_reason"].items())
    return ReportTable("refused", "Why URLs were refused", ("reason", "addresses"), rows)


def _folders(report: ReportData) -> ReportTable:
    def below(node: TreeNode, level: int) -> Iterator[tuple[Cell, ...]]:
        for child in node["children"]:
            yield level, child["name"], child["pages"], child["url"]
            yield from below(child, level + 1)

    columns = ("level", "folder", "pages", "url")
    return ReportTable("folders", "Structure", columns, list(below(report["tree"], 1)))


def _depths(report: ReportData) -> ReportTable:
    rows = [(row["depth"], row["pages"]) for row in report["depths"]]
    return ReportTable("depths", "Depth of paths", ("segments", "pages"), rows)


def _clicks(report: ReportData) -> ReportTable:
    rows = [(row["clicks"], row["pages"]) for row in report["clicks"]]
    return ReportTable("clicks", "Clicks from the root", ("clicks", "pages"), rows)


def _clusters(report: ReportData) -> ReportTable:
    names = {cluster["id"]: cluster["name"] for cluster in report["clusters"]}
    rows = [
        (
            *(cluster["name"], cluster["kind"], cluster["pages"]),
            names.get(cluster["parent"]) if cluster["parent"] is not None else None,
            *(cluster["why"], " ".join(cluster["sample"])),
        )
        for cluster in sorted(report["clusters"], key=lambda each: -each["pages"])
    ]
    columns = ("cluster", "kind", "pages", "within", "why", "samples")
    return ReportTable("clusters", "Clusters", columns, rows)


def _categories(report: ReportData) -> ReportTable:
    rows = [(row["name"], row["pages"]) for row in report["categories"]]
    return ReportTable("categories", "Categories", ("category", "pages"), rows)


def _types(report: ReportData) -> ReportTable:
    rows = [(row["name"], row["pages"]) for row in report["types"]]
    return ReportTable("types", "Kinds of pages", ("kind", "pages"), rows)


def _languages(report: ReportData) -> ReportTable:
    rows = [
        (row["code"], row["pages"], ", ".join(f"{how} {pages}" for how, pages in row["by"].items()))
        for row in report["languages"]
    ]
    return ReportTable("languages", "Languages", ("language", "pages", "told by"), rows)


def _regions(report: ReportData) -> ReportTable:
    rows = [(row["region"], row["links"], row["pages"]) for row in report["regions"]]
    columns = ("part of the page", "links", "pages they lead to")
    return ReportTable("regions", "Where links stand", columns, rows)


def _sections(report: ReportData) -> ReportTable:
    names = {section["id"]: section["name"] for section in report["links"]["sections"]}
    rows = [
        (
            section["name"],
            names.get(section["parent"]) if section["parent"] is not None else None,
            section["pages"],
        )
        for section in report["links"]["sections"]
    ]
    return ReportTable("sections", "Sections", ("section", "within", "pages"), rows)


def _section_links(report: ReportData) -> ReportTable:
    names = {section["id"]: section["name"] for section in report["links"]["sections"]}
    rows = [
        (names[each["source"]], names[each["target"]], each["links"])
        for each in report["links"]["links"]
    ]
    columns = ("from section", "to section", "links")
    return ReportTable("section_links", "Links between sections", columns, rows)


_HOST_FIGURES: Final = (
    *("host", "requests", "smallest_gap_seconds", "median_gap_seconds", "most_in_flight"),
    *("longest_pause_seconds", "robots_asked_seconds", "robots_kept_seconds", "received_bytes"),
)


def _politeness(report: ReportData) -> ReportTable:
    hosts = report["politeness"].get("by_host", ())
    rows = [tuple(host.get(name) for name in _HOST_FIGURES) for host in hosts]
    return ReportTable("politeness", "What was sent to each host", _HOST_FIGURES, rows)


def _robots(report: ReportData) -> ReportTable:
    rows = [
        (
            *(row["url"], row["outcome"], row["status"], row["rules"], row["crawl_delay"]),
            *(" ".join(row["sitemaps"]), row["fetched_at"]),
        )
        for row in report["robots"]
    ]
    columns = ("url", "outcome", "status", "rules", "crawl delay", "sitemaps", "fetched at")
    return ReportTable("robots", "robots.txt", columns, rows)


def _sitemaps(report: ReportData) -> ReportTable:
    rows = [
        (
            *(row["url"], row["format"], row["outcome"], row["status"], row["entries"]),
            *(row["listed"], row["bytes"], ", ".join(each["kind"] for each in row["findings"])),
        )
        for row in report["sitemaps"]
    ]
    columns = (
        "url",
        "format",
        "outcome",
        "status",
        "entries",
        "first to list",
        "bytes",
        "findings",
    )
    return ReportTable("sitemaps", "Sitemaps and feeds", columns, rows)


def _yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


_MAKERS: Final[tuple[Callable[[ReportData], ReportTable], ...]] = (
    *(_summary, _limits, _findings, _items, _links_to_items, _speed, _coverage, _overlap),
    *(_sources, _reasons, _folders, _depths, _clicks, _sections, _section_links),
    *(_clusters, _categories, _types, _languages, _regions),
    *(_politeness, _robots, _sitemaps),
)


# --- CSV -------------------------------------------------------------------------------------


def write_csv(report: ReportData, file: IO[bytes]) -> None:
    # Built in memory, because standard output is not seekable.
    archive = io.BytesIO()
    with ZipFile(archive, "w") as folder:
        for table in (*report_tables(report), page_table(report)):
            entry = ZipInfo(f"{table.name}.csv", _NO_TIME)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = _READABLE_BY_ALL
            folder.writestr(entry, csv_text(table).encode("utf-8", "backslashreplace"))
    file.write(archive.getvalue())


# --- Excel -----------------------------------------------------------------------------------

_MAX_SHEET_ROWS: Final = 1_048_575  # without the header
_MAX_CELL_CHARACTERS: Final = 32_767


def write_xlsx(report: ReportData, file: IO[bytes]) -> None:
    """A workbook with a sheet for each table that has rows; long ones go on in further sheets."""
    archive = io.BytesIO()
    with open_workbook(archive) as workbook:
        for table in (*report_tables(report), page_table(report)):
            for first in range(0, len(table.rows), _MAX_SHEET_ROWS):
                name = f"{table.name} {first // _MAX_SHEET_ROWS + 1}" if first else table.name
                sheet = workbook.add_worksheet(name)
                sheet.freeze_panes(1, 0)
                sheet.set_column(0, len(table.columns) - 1, 30)
                sheet.write_row(0, 0, table.columns)
                for number, row in enumerate(table.rows[first : first + _MAX_SHEET_ROWS], 1):
                    sheet.write_row(number, 0, map(_sheet_cell, row))
    file.write(archive.getbuffer())


def _sheet_cell(value: Cell) -> Cell:
    """Text as a workbook can hold it: half a character of UTF-16 is shown as its code."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-8", "backslashreplace").decode()[:_MAX_CELL_CHARACTERS]


def csv_text(table: ReportTable) -> str:
    """A header and a line per row; no cell is read as a formula by a spreadsheet."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(table.columns)
    writer.writerows([safe_cell(cell) for cell in row] for row in table.rows)
    return text.getvalue()
