"""Builds the indexes that SQLite does without while the first million rows are appended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import CreateIndex, DropIndex

from sitecrawl.store.tables import DEFERRED_INDEXES

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

# Of rows with one id, the one that was written first stays.
_REMOVE_DOUBLES = """
DELETE FROM pages WHERE number NOT IN (SELECT min(number) FROM pages GROUP BY id)
"""


def ensure_page_index(connection: Connection) -> None:
    """Make sure that pages are found by id, and that no id is there twice."""
    if connection.dialect.name != "sqlite":
        return
    try:
        _create(connection)
    except IntegrityError:
        connection.exec_driver_sql(_REMOVE_DOUBLES)
        _create(connection)


def prepare_page_index(connection: Connection) -> None:
    """Before a scan: an index over no pages would only slow down the first ones."""
    if connection.dialect.name != "sqlite":
        return
    if connection.exec_driver_sql("SELECT 1 FROM pages LIMIT 1").first():
        ensure_page_index(connection)
    else:
        for index in DEFERRED_INDEXES:
            connection.execute(DropIndex(index, if_exists=True))


def _create(connection: Connection) -> None:
    for index in DEFERRED_INDEXES:
        connection.execute(CreateIndex(index, if_not_exists=True))
