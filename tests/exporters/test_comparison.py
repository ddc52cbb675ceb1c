"""Orphans and unlisted pages in their formats."""

from __future__ import annotations

import csv
import io
import json

import pytest

from sitecrawl.exporters.comparison import write_csv, write_json, write_text
from sitecrawl.store.queries.sitemap_comparison import Orphan, UnlistedPage

ORPHANS = [
    Orphan("https://example.com/a", "A", "2026-01-02", "https://example.com/map.xml"),
    Orphan("https://example.com/b", "=1+1", None, "https://example.com/map.xml"),
]
UNLISTED = [UnlistedPage("https://example.com/c", None, 2, 200, "https://example.com/", "Ü")]


def test_text_is_the_urls_alone() -> None:
    file = io.BytesIO()
    assert write_text([*ORPHANS, Orphan("a\x1b[2J\nb", None, None, "")], file) == 3
    assert file.getvalue().decode().split("\n") == [
        *("https://example.com/a", "https://example.com/b", "a\\x1b[2J\\nb", ""),
    ]


def test_csv_has_a_header_and_no_formulas() -> None:
    file = io.BytesIO()
    assert write_csv(ORPHANS, Orphan._fields, file) == 2
    assert not file.closed
    first, second = csv.DictReader(io.StringIO(file.getvalue().decode(), newline=""))
    assert first == ORPHANS[0]._asdict()
    assert (second["title"], second["lastmod"]) == ("'=1+1", "")


@pytest.mark.parametrize("pages", [[], ORPHANS, UNLISTED], ids=["none", "orphans", "unlisted"])
def test_json_is_one_object_with_what_it_rests_on(pages: list[Orphan | UnlistedPage]) -> None:
    file = io.BytesIO()
    coverage = {"known": 3, "ended": "Ü"}
    assert write_json(pages, coverage, file) == len(pages)
    read = json.loads(file.getvalue())
    assert read == {"coverage": coverage, "pages": [page._asdict() for page in pages]}
