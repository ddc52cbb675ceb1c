"""The formats: what the database writes for a whole scan is what Scrapy's exporters write."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from pyarrow import parquet
from scrapy.utils.misc import load_object

import sitecrawl.settings
from sitecrawl.exporters import tables
from sitecrawl.exporters.csv_rows import safe_cell
from sitecrawl.exporters.pages import (
    CsvPageExporter,
    JsonLinesPageExporter,
    JsonPageExporter,
    ScanExporter,
    TextPageExporter,
)
from sitecrawl.exporters.tables import ParquetPageExporter, XlsxPageExporter
from sitecrawl.store.queries.feed import FEED_FIELDS, iter_page_rows
from sitecrawl.store.queries.page_filter import ALL_PAGES, PageFilter
from tests.store.crawling import Crawling, Link, address
from tests.store.scanning import current_scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.store.engine import Database

FORMULAS = (
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=cmd|"/c calc"!A0'),
    *("\uff1d1+1", "\uff0b1", "\uff0d1", "\uff201", "\u202e=1", "\x01=1", "\ufeff@x"),
)
NOTHING = PageFilter(contains="nothing has this")
UTF8 = {"encoding": "utf-8"}


@pytest.fixture
def nasty(database: Database) -> Database:
    """Pages with titles that formats have to escape."""
    crawling = Crawling(database)
    crawling.start()
    texts = ['a,b "c" \\', "zwei\nZeilen", "ü \U0001f600", "\x1b[31m", *FORMULAS]
    crawling.visit("/", *(Link(f"/{number}", each) for number, each in enumerate(texts)))
    for number, each in enumerate(texts):
        crawling.visit(f"/{number}", title=each, canonical="/")
    crawling.end()
    return database


def written(
    exporter: type[Any],
    database: Database,
    wanted: PageFilter = ALL_PAGES,
    *,
    by_item: bool = False,
    **options: Any,
) -> bytes:
    file = io.BytesIO()
    writer = exporter(file, **UTF8 | options)
    writer.start_exporting()
    if by_item:
        for row in rows_of(database):
            writer.export_item(row)
    else:
        assert writer.can_export_scan
        writer.export_scan(database, current_scan(database), wanted)
    writer.finish_exporting()
    assert not file.closed, "Scrapy closes and stores the file"
    return file.getvalue()


def rows_of(database: Database) -> Iterator[dict[str, Any]]:
    return iter_page_rows(database, current_scan(database).id, ALL_PAGES)


def lines_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


OPTIONS: list[dict[str, Any]] = [
    {},
    {"fields_to_export": ["title", "url", "sources"]},
    {"fields_to_export": {"url": "address", "title": "headline"}},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_json_lines(nasty: Database, options: dict[str, Any]) -> None:
    whole = written(JsonLinesPageExporter, nasty, **options).splitlines()
    single = written(JsonLinesPageExporter, nasty, by_item=True, **options).splitlines()
    assert [json.loads(line) for line in whole] == [json.loads(line) for line in single]


@pytest.mark.parametrize("indent", [None, 0])
@pytest.mark.parametrize("options", OPTIONS)
def test_json(nasty: Database, options: dict[str, Any], indent: int | None) -> None:
    whole = written(JsonPageExporter, nasty, indent=indent, **options)
    assert json.loads(whole) == json.loads(
        written(JsonPageExporter, nasty, by_item=True, indent=indent, **options)
    )
    assert (b"\n" in whole) == (indent == 0)


def test_json_without_pages_is_an_empty_list(nasty: Database) -> None:
    assert json.loads(written(JsonPageExporter, nasty, NOTHING)) == []


@pytest.mark.parametrize("options", [*OPTIONS, {"fields_to_export": ["url", "no_such_field"]}])
def test_csv(nasty: Database, options: dict[str, Any]) -> None:
    whole = written(CsvPageExporter, nasty, **options)
    assert whole == written(CsvPageExporter, nasty, by_item=True, **options)
    lines = lines_of(whole)
    assert len(lines) == len(FORMULAS) + 5
    assert not [cell for line in lines for cell in line.values() if cell[:1] in set("=+-@\t\r")]


def test_csv_has_a_header_even_without_pages(nasty: Database) -> None:
    assert written(CsvPageExporter, nasty, NOTHING).decode() == ",".join(FEED_FIELDS) + "\r\n"
    assert written(CsvPageExporter, nasty, NOTHING, include_headers_line=False) == b""


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_neutralised(text: str) -> None:
    assert safe_cell(text).startswith("'")
    assert safe_cell([text, "b"]).startswith("'")


@pytest.mark.parametrize("text", ["a\u202eb", "\u200eab", "a\x00b", "\u2066ab\u2069"])
def test_characters_that_hide_text_are_removed(text: str) -> None:
    assert safe_cell(text) == "ab"


@pytest.mark.parametrize("value", ["x", "a=b", "'=1", 0, 0.0, 1.5, "https://a.example/=1", "a\nb"])
def test_other_cells_stay(value: object) -> None:
    assert safe_cell(value) == value


@pytest.mark.parametrize(
    ("value", "cell"), [(None, ""), ([], ""), (["a"], "a"), (["a", "b"], "a b")]
)
def test_absent_values_and_lists(value: object, cell: str) -> None:
    assert safe_cell(value) == cell


def test_text_is_the_urls_alone(nasty: Database) -> None:
    data = written(TextPageExporter, nasty).decode()
    assert data.splitlines() == [row["url"] for row in rows_of(nasty)]
    assert data == written(TextPageExporter, nasty, by_item=True).decode()


def workbook(data: bytes) -> Any:
    return openpyxl.load_workbook(io.BytesIO(data))


@pytest.mark.parametrize("options", OPTIONS)
def test_xlsx(nasty: Database, options: dict[str, Any]) -> None:
    whole, single = (
        [
            [(cell.value, cell.data_type, cell.hyperlink) for cell in row]
            for row in workbook(
                written(XlsxPageExporter, nasty, by_item=by_item, **options)
            ).active.iter_rows()
        ]
        for by_item in (False, True)
    )
    assert whole == single
    assert len(whole) == len(FORMULAS) + 6
    assert "f" not in {kind for row in whole for _, kind, _ in row}


def test_a_full_sheet_is_continued_on_the_next(
    nasty: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_MAX_SHEET_ROWS", 10)
    sheets = workbook(written(XlsxPageExporter, nasty)).worksheets
    assert [sheet.max_row for sheet in sheets] == [10, 10, 2]
    assert {sheet.cell(1, 1).value for sheet in sheets} == {"url"}


@pytest.mark.parametrize("options", OPTIONS)
def test_parquet(nasty: Database, options: dict[str, Any]) -> None:
    whole, single = (
        parquet.read_table(
            io.BytesIO(written(ParquetPageExporter, nasty, by_item=by_item, **options))
        )
        for by_item in (False, True)
    )
    assert whole.equals(single)
    if not options:
        assert whole.to_pylist() == list(rows_of(nasty))


def test_types_of_parquet_do_not_depend_on_the_rows(nasty: Database) -> None:
    schemas = [
        parquet.read_schema(io.BytesIO(written(ParquetPageExporter, nasty, wanted)))
        for wanted in (NOTHING, ALL_PAGES)
    ]
    assert schemas[0].equals(schemas[1])


@pytest.mark.parametrize(
    ("exporter", "options"),
    [
        (JsonLinesPageExporter, {"encoding": None}),
        (JsonLinesPageExporter, {"encoding": "latin-1"}),
        (JsonLinesPageExporter, {"sort_keys": True}),
        (JsonPageExporter, {"indent": 2}),
        (CsvPageExporter, {"join_multivalued": ";"}),
    ],
)
def test_options_that_the_database_cannot_follow_need_items(
    exporter: type[Any], options: dict[str, Any]
) -> None:
    assert not exporter(io.BytesIO(), **UTF8 | options).can_export_scan


def test_every_format_of_ours_writes_scans() -> None:
    for name, path in sitecrawl.settings.FEED_EXPORTERS.items():
        assert issubclass(load_object(path), ScanExporter), name


def test_addresses_stay_as_they_are(nasty: Database) -> None:
    assert json.loads(written(JsonLinesPageExporter, nasty).splitlines()[0])["url"] == address("/")
