from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from sitecrawl.store.bulk import insert_columns
from sitecrawl.store.tables import pages

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database

CONSTANTS = {"site_id": "1", "document_id": "1", "seen_scan_id": "1", "first_scan_id": "1"} | {
    "source": "'sitemap'"
}


def columns(rows: int) -> dict[str, list[Any]]:
    return {
        "id": list(range(rows)),
        "position": list(range(1, rows + 1)),
        "url": [f"https://example.com/{row}" for row in range(rows)],
        "lastmod": ["2026-01-01" if row % 2 else "" for row in range(rows)],
        "sitemap_priority": [0.5 if row % 2 else -1.0 for row in range(rows)],
    }


@pytest.mark.parametrize("rows", [1, 49, 50, 120])
def test_every_row_is_stored_and_what_is_absent_is_null(database: Database, rows: int) -> None:
    with database.connect_writer() as connection:
        insert_columns(connection, "pages", columns(rows), CONSTANTS, is_repeated=True)
        c = pages.c
        chosen = select(c.id, c.url, c.lastmod, c.sitemap_priority).order_by(c.number)
        stored = [tuple(row) for row in connection.execute(chosen)]
    assert stored == [
        (row, f"https://example.com/{row}", *(("2026-01-01", 0.5) if row % 2 else (None, None)))
        for row in range(rows)
    ]


@pytest.mark.parametrize("rows", [49, 120])
def test_text_that_few_rows_have_is_stored_as_it_is(database: Database, rows: int) -> None:
    texts = ["", "0", "-1", " ", "{}", "é"]
    given = [texts[row % len(texts)] for row in range(rows)]
    names = ["reason", "rule", "title", "language", "category", "details"]
    with database.connect_writer() as connection:
        rare = columns(rows) | dict.fromkeys(names, given)
        insert_columns(connection, "pages", rare, CONSTANTS, is_repeated=True)
        chosen = select(*(pages.c[name] for name in names)).order_by(pages.c.number)
        stored = [tuple(row) for row in connection.execute(chosen)]
    assert stored == [(text or None,) * len(names) for text in given]


def test_a_row_that_cannot_be_stored_is_an_error(database: Database) -> None:
    """Not one that is left out in silence."""
    wrong = columns(60)
    wrong["url"][30] = None
    with database.connect_writer() as connection, pytest.raises(IntegrityError):
        insert_columns(
            connection, "pages", wrong, CONSTANTS, "ON CONFLICT DO NOTHING", is_repeated=True
        )
