from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from sitecrawl.report import tables
from sitecrawl.report.tables import page_table, report_tables, write_csv, write_xlsx
from tests.report.hostile import hostile_report
from tests.report.sample import ROOT, sample_report

if TYPE_CHECKING:
    from sitecrawl.report.data import ReportData

TABLES = {table.name: table for table in report_tables(sample_report(1_000))}


def test_every_row_has_a_cell_for_each_column() -> None:
    for table in (*TABLES.values(), page_table(sample_report(100))):
        assert {len(row) for row in table.rows} == {len(table.columns)}, table.name


def test_names_are_told_apart() -> None:
    assert len(TABLES) == len(list(report_tables(sample_report(10))))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("coverage", ("all", 1_000, 1_080, 1_030, 1_170, "yes")),
        ("overlap", ("sitemaps + links", 480)),
        ("limits", ("1,204 pages more clicks away", "SITECRAWL_MAX_CRAWL_DEPTH", 2)),
        ("languages", ("en", 900, "html_lang 150, path 500")),
    ],
)
def test_the_first_row(name: str, row: tuple[object, ...]) -> None:
    assert TABLES[name].rows[0] == row


def test_items_name_their_finding() -> None:
    kinds = [row[0] for row in TABLES["items"].rows]
    assert kinds == [
        *(["broken_link"] * 18 + ["sitemap_not_found"] * 17),
        *(["orphan"] * 48 + ["lastmod_all_equal"] * 3),
    ]


def test_links_to_items_have_a_row_for_each_source() -> None:
    rows = TABLES["links_to_items"].rows
    assert {row[0] for row in rows} == {"broken_link"}
    assert len(rows) == 18 * 25


def test_findings_are_compared_with_the_scan_before() -> None:
    by_kind = {row[0]: row for row in TABLES["findings"].rows}
    assert by_kind["broken_link"][4:10] == (18, "addresses", 20, 3, 5, 1)
    assert by_kind["orphan"][6:10] == (None,) * 4


def test_folders_are_listed_below_each_other() -> None:
    rows = TABLES["folders"].rows
    names = [row[1] for row in rows]
    place = names.index("de")
    assert rows[place][0] == 1
    assert rows[place + 1][:2] == (2, "produkte")


def test_a_cluster_names_the_one_that_it_is_within() -> None:
    within = {row[0]: row[3] for row in TABLES["clusters"].rows}
    assert within["/products/mint/{slug}"] == "/products"
    assert within["/products"] is None


def test_pages_are_rows() -> None:
    table = page_table(sample_report(100))
    assert table.columns[:2] == ("url", "title")
    assert "left_out" not in table.columns
    assert table.rows[0][0] == f"{ROOT}/"
    assert len(table.rows) == len(sample_report(100)["pages"]["url"])


# --- CSV --------------------------------------------------------------------------------------


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


# --- Excel ------------------------------------------------------------------------------------


def sheets(report: ReportData) -> dict[str, str]:
    """The XML of each sheet, by its name."""
    file = io.BytesIO()
    write_xlsx(report, file)
    with ZipFile(file) as archive:
        workbook = archive.read("xl/workbook.xml").decode()
        names = re.findall(r'<sheet name="([^"]+)"', workbook)
        return {
            name: archive.read(f"xl/worksheets/sheet{number}.xml").decode()
            for number, name in enumerate(names, 1)
        }


def test_a_workbook_has_a_sheet_for_each_table_with_rows() -> None:
    report = sample_report(100)
    found = sheets(report)
    expected = (*report_tables(report), page_table(report))
    assert list(found) == [table.name for table in expected if table.rows]
    assert found["items"].count("<row ") == len(rows(report, "items")) + 1


def test_no_cell_of_a_workbook_is_a_formula_or_a_link() -> None:
    found = sheets(hostile_report())
    assert not any("<f>" in sheet or "<hyperlink" in sheet for sheet in found.values())


def test_long_tables_go_on_in_further_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_MAX_SHEET_ROWS", 40)
    found = sheets(sample_report(100))
    assert [name for name in found if name.startswith("items")] == ["items", "items 2", "items 3"]
