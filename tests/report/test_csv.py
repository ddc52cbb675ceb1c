from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING
from zipfile import ZipFile

from sitecrawl.report.csv import write_csv
from sitecrawl.report.tables import report_tables
from tests.report.hostile import hostile_report
from tests.report.sample import ROOT, sample_report

if TYPE_CHECKING:
    from sitecrawl.report.data import ReportData


def archive(report: ReportData) -> bytes:
    file = io.BytesIO()
    write_csv(report, file)
    return file.getvalue()


def rows(report: ReportData, name: str) -> list[dict[str, str]]:
    with ZipFile(io.BytesIO(archive(report))) as folder:
        text = folder.read(f"{name}.csv").decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_there_is_a_file_for_each_table_and_one_for_all_pages() -> None:
    report = sample_report(100)
    with ZipFile(io.BytesIO(archive(report))) as folder:
        names = folder.namelist()
    assert names == [f"{table.name}.csv" for table in report_tables(report)] + ["pages.csv"]


def test_rows_are_whole() -> None:
    report = sample_report(500)
    pages = rows(report, "pages")
    assert len(pages) == len(report["pages"]["url"])
    assert (pages[0]["url"], pages[0]["priority"], pages[0]["reason"]) == (f"{ROOT}/", "1.0", "")


def test_no_cell_is_a_formula() -> None:
    for name in ("pages", "findings", "clusters"):
        for row in rows(hostile_report(), name):
            assert not any(cell.startswith(("=", "+", "@")) for cell in row.values())


def test_the_same_report_gives_the_same_bytes() -> None:
    assert archive(sample_report(50)) == archive(sample_report(50))
