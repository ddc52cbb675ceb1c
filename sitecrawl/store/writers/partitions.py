"""Splits the largest tables of a PostgreSQL database into partitions.

``pages`` is split by the hash of its site, ``other_mentions`` by that of its document, which is of
one site: both are part of a unique key then. A page is still found by its id alone, in as many
indexes as there are partitions; who knows the site looks into one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select, text

from sitecrawl.store.errors import PartitionError
from sitecrawl.store.schema import VIEWS, scans
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.pages import is_partitioned
from sitecrawl.store.writers.scans import mark_dead_scans

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

_VIEW_NAMES: Final = ("mentions", "further_mentions")


@dataclass(frozen=True, slots=True)
class _PartitionedTable:
    name: str
    key: str
    indexes: tuple[str, ...]
    """Made when the rows are there. Not as primary keys: ``pg_restore --clean`` fails with those of
    partitions."""


_TABLES: Final = (
    _PartitionedTable(
        "pages",
        "site_id",
        (
            "CREATE UNIQUE INDEX pk_pages ON pages (number, site_id)",
            "CREATE UNIQUE INDEX uq_pages_id ON pages (id, site_id)",
            "CREATE INDEX ix_pages_site_id ON pages (site_id)",
            "CREATE INDEX ix_pages_document_id ON pages (document_id) WHERE source <> 'sitemap'",
            "ALTER SEQUENCE pages_number_seq OWNED BY pages.number",
        ),
    ),
    _PartitionedTable(
        "other_mentions",
        "document_id",
        (
            (
                "CREATE UNIQUE INDEX pk_other_mentions"
                " ON other_mentions (document_id, position, page_id)"
            ),
            "CREATE INDEX ix_other_mentions_page_id ON other_mentions (page_id)",
        ),
    ),
)


def partition(database: Database, partitions: int, now: datetime) -> int:
    """Split the tables, within one transaction; the number of rows that were copied."""
    if database.is_sqlite:
        raise PartitionError(f"database {database.label}: only PostgreSQL has partitions")
    with database.writing() as connection:
        mark_dead_scans(connection, now)
        running = connection.scalar(select(scans.c.id).where(scans.c.status == ScanStatus.RUNNING))
        if running is not None:
            raise PartitionError(f"scan {running} is running; wait for it or end it first")
        if is_partitioned(connection):
            raise PartitionError(f"database {database.label} has partitions already")
        for view in _VIEW_NAMES:
            connection.execute(text(f"DROP VIEW {view}"))
        copied = sum(_split(connection, table, partitions) for table in _TABLES)
        for statement in VIEWS:
            connection.execute(text(statement))
    return copied


def _split(connection: Connection, table: _PartitionedTable, partitions: int) -> int:
    name, whole = table.name, f"{table.name}_whole"
    statements = (
        f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE",
        f"ALTER TABLE {name} RENAME TO {whole}",
        f"CREATE TABLE {name} (LIKE {whole} INCLUDING DEFAULTS) PARTITION BY HASH ({table.key})",
        *(
            f"CREATE TABLE {name}_{number} PARTITION OF {name}"
            f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {number})"
            " WITH (autovacuum_vacuum_scale_factor = 0.02,"
            " autovacuum_analyze_scale_factor = 0.02)"
            for number in range(partitions)
        ),
    )
    for statement in statements:
        connection.execute(text(statement))
    copied = connection.execute(text(f"INSERT INTO {name} SELECT * FROM {whole}"))  # noqa: S608
    # Its indexes have the names of the new ones; the sequence of the numbers must not go with it.
    if name == "pages":
        connection.execute(text("ALTER SEQUENCE pages_number_seq OWNED BY NONE"))
    connection.execute(text(f"DROP TABLE {whole}"))
    for statement in (*table.indexes, f"ANALYZE {name}"):
        connection.execute(text(statement))
    return copied.rowcount
