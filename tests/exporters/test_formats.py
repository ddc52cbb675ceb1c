from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from scrapy.utils.misc import load_object

import sitecrawl.settings
from sitecrawl.exporters import xlsx
from sitecrawl.exporters.csv import CsvPageExporter, safe_cell
from sitecrawl.exporters.json import JsonLinesPageExporter, JsonPageExporter
from sitecrawl.exporters.pages import PageExporter
from sitecrawl.exporters.parquet import ParquetPageExporter
from sitecrawl.exporters.rows import FIELDS
from sitecrawl.exporters.text import TextPageExporter
from sitecrawl.exporters.xlsx import XlsxPageExporter
from tests.exporters.pages import PageTuple, chunk_of, maker, page, pages

if TYPE_CHECKING:
    from collections.abc import Sequence


Chunks = list[list[tuple[Any, ...]]]

_chunks = st.lists(st.lists(pages(), min_size=1, max_size=4), max_size=3)
# What a workbook keeps as it is: control characters have an escape of its own there.
_plain = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters="_"), min_size=1, max_size=40
)
_plain_chunks = st.lists(st.lists(pages(_plain), min_size=1, max_size=4), max_size=3)
_FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(0)", '=cmd|"/c calc"!A0')


def exported(exporter: type[PageExporter], chunks: Sequence[Sequence[PageTuple]]) -> bytes:
    file = io.BytesIO()
    writer = exporter(file)
    writer.start_exporting()
    rows = maker()
    for chunk in chunks:
        writer.write_pages(chunk_of(*chunk), rows)
    writer.finish_exporting()
    assert not file.closed, "Scrapy closes and stores the file"
    return file.getvalue()


def expected(chunks: Chunks) -> list[dict[str, Any]]:
    return [row for chunk in chunks for row in maker().rows(chunk_of(*chunk))]


def lines_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


# --- JSON ---------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(_chunks)
def test_json_lines(chunks: Chunks) -> None:
    data = exported(JsonLinesPageExporter, chunks)
    assert [json.loads(line) for line in data.splitlines()] == expected(chunks)
    assert data.count(b"\n") == sum(map(len, chunks))


@settings(max_examples=50)
@given(_chunks)
def test_json_is_one_list(chunks: Chunks) -> None:
    assert json.loads(exported(JsonPageExporter, chunks)) == expected(chunks)


@pytest.mark.parametrize("chunks", [[], [[page()]], [[page()], [page()], [page(), page()]]])
def test_json_is_valid_however_many_chunks_there_are(chunks: Chunks) -> None:
    for _ in range(2):  # a second export knows nothing of the first
        assert json.loads(exported(JsonPageExporter, chunks)) == expected(chunks)


# --- CSV ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", _FORMULAS)
def test_formulas_are_neutralised(text: str) -> None:
    assert safe_cell(text) == "'" + text
    assert safe_cell([text, "b"]) == f"'{text} b"
    one = page(url=text, title=text, rule=text, lastmod=text)
    [line] = lines_of(exported(CsvPageExporter, [[one]]))
    assert {line[name] for name in ("url", "title", "rule", "lastmod")} == {"'" + text}


@pytest.mark.parametrize("value", ["x", "a=b", "'=1", 0, 0.0, 1.5, "https://a.example/=1"])
def test_other_cells_stay(value: object) -> None:
    assert safe_cell(value) == value


@pytest.mark.parametrize(
    ("value", "cell"), [(None, ""), ([], ""), (["a"], "a"), (["a", "b"], "a b")]
)
def test_absent_values_and_lists(value: object, cell: str) -> None:
    assert safe_cell(value) == cell


@settings(max_examples=50)
@given(_chunks)
def test_csv(chunks: Chunks) -> None:
    lines = lines_of(exported(CsvPageExporter, chunks))
    rows = expected(chunks)
    assert lines == [{name: str(safe_cell(row[name])) for name in FIELDS} for row in rows]
    assert not [cell for line in lines for cell in line.values() if cell[:1] in set("=+-@\t\r")]


def test_csv_has_a_header_even_without_pages() -> None:
    assert exported(CsvPageExporter, []).decode() == ",".join(FIELDS) + "\r\n"


# --- text ---------------------------------------------------------------------------------------


def test_text_is_the_urls_alone() -> None:
    data = exported(TextPageExporter, [[page(url="https://a.example/ü")], [page(url="b")]])
    assert data.decode() == "https://a.example/ü\nb\n"


@pytest.mark.parametrize("url", ["\x1b[31mred", "a\nb", "a\rb", "\x9b31m", "\x07"])
def test_refused_text_stays_one_line_that_steers_no_terminal(url: str) -> None:
    data = exported(TextPageExporter, [[page(url=url, reason="invalid_url")]])
    lines = data.decode().split("\n")
    assert len(lines) == 2
    assert lines[0].isprintable()


# --- Excel --------------------------------------------------------------------------------------


def workbook(chunks: Chunks) -> Any:
    return openpyxl.load_workbook(io.BytesIO(exported(XlsxPageExporter, chunks)))


def cells(sheet: Any) -> list[dict[str, Any]]:
    header, *lines = sheet.iter_rows(values_only=True)
    assert header == FIELDS
    return [dict(zip(header, line, strict=True)) for line in lines]


def as_cell(value: Any) -> Any:
    value = " ".join(value) if isinstance(value, list) else value
    return None if value == "" else value


@settings(max_examples=25)
@given(_plain_chunks)
def test_xlsx(chunks: Chunks) -> None:
    rows = [{name: as_cell(value) for name, value in row.items()} for row in expected(chunks)]
    assert cells(workbook(chunks).worksheets[0]) == rows


@pytest.mark.parametrize("text", [*_FORMULAS, "{=1+1}", "https://a.example/", "mailto:a@b.c"])
def test_xlsx_keeps_text_as_text(text: str) -> None:
    sheet = workbook([[page(url=text, title=text)]]).worksheets[0]
    for column in (FIELDS.index("url") + 1, FIELDS.index("title") + 1):
        cell = sheet.cell(2, column)
        assert (cell.data_type, cell.hyperlink) == ("s", None)
        assert cell.value.replace("_x000D_", "\r") == text


def test_xlsx_loses_no_long_text() -> None:
    # A cell takes 32,767 characters; the start of a longer text is better than none.
    long = "https://a.example/" + "x" * 40_000
    [row] = cells(workbook([[page(url=long)]]).worksheets[0])
    assert row["url"]
    assert long.startswith(row["url"][:32_000])


def test_a_full_sheet_is_continued_on_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx, "_MAX_ROWS", 3)
    chunks = [[page(url=f"https://a.example/{number}") for number in range(5)]]
    sheets = workbook(chunks).worksheets
    assert [[row["url"][-1] for row in cells(sheet)] for sheet in sheets] == [
        ["0", "1"],
        ["2", "3"],
        ["4"],
    ]


# --- Parquet ------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(_chunks)
def test_parquet(chunks: Chunks) -> None:
    table = parquet.read_table(io.BytesIO(exported(ParquetPageExporter, chunks)))
    assert tuple(table.column_names) == FIELDS
    assert table.to_pylist() == expected(chunks)


def test_types_of_parquet_do_not_depend_on_the_rows() -> None:
    rich = page(3, title="x", sitemap_priority=0.5, language="de")
    schemas = [
        parquet.read_schema(io.BytesIO(exported(ParquetPageExporter, chunks)))
        for chunks in ([], [[page()]], [[rich]])
    ]
    assert schemas[0].equals(schemas[1])
    assert schemas[0].equals(schemas[2])


# --- Scrapy -------------------------------------------------------------------------------------


def test_every_feed_format_writes_pages_or_is_off() -> None:
    for name, path in sitecrawl.settings.FEED_EXPORTERS.items():
        assert path is None or issubclass(load_object(path), PageExporter), name


def test_items_are_no_rows() -> None:
    with pytest.raises(NotImplementedError):
        JsonLinesPageExporter(io.BytesIO()).export_item({})
