"""Answers SQL over exported Parquet files by DuckDB.

A question can read the files of the folder and nothing else: no other file, no network, no
extension, no change of these settings. Memory and time are bounded, and only SELECT is run.
"""

from __future__ import annotations

import threading
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ExtraMissingError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

DATASET_TABLES: Final = ("pages", "changes", "mentions")
_ROWS_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one question may take."""

    memory_mb: int = 1_024
    seconds: float = 60
    threads: int = 2


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The names of the columns, and the rows as they come."""

    columns: tuple[str, ...]
    rows: Iterator[Sequence[Any]]


@contextmanager
def asking_dataset(
    folder: Path,
    sql: str,
    limits: QueryLimits = QueryLimits(),  # noqa: B008  it cannot change
) -> Iterator[QueryAnswer]:
    """Run one SELECT over the views ``pages``, ``changes`` and ``mentions`` of the folder."""
    duckdb = _duckdb()
    with closing(duckdb.connect(":memory:")) as connection:
        _confine(connection, folder, limits)
        timer = threading.Timer(limits.seconds, connection.interrupt)
        timer.start()
        try:
            _check(duckdb, connection, sql)
            cursor = connection.execute(sql)
            yield QueryAnswer(tuple(each[0] for each in cursor.description), _rows(cursor))
        except duckdb.InterruptException as error:
            raise InvalidInputError(
                "sql", f"it took longer than {limits.seconds:g} seconds; see --seconds"
            ) from error
        except duckdb.Error as error:
            raise InvalidInputError("sql", str(error)) from error
        finally:
            timer.cancel()


def _confine(connection: Any, folder: Path, limits: QueryLimits) -> None:
    root = str(folder.resolve())
    connection.execute(f"SET memory_limit = '{int(limits.memory_mb)}MB'")
    connection.execute(f"SET threads = {int(limits.threads)}")
    for name in DATASET_TABLES:
        files = f"{root}/{name}/*/*/*.parquet"
        if next(folder.glob(f"{name}/*/*/*.parquet"), None) is not None:
            # The path stands in a view, which takes no parameters.
            quoted = files.replace("'", "''")
            connection.execute(
                f"CREATE VIEW {name} AS SELECT * FROM read_parquet('{quoted}',"  # noqa: S608
                " hive_partitioning = true, union_by_name = true)"
            )
    connection.execute("SET allowed_directories = [?]", [f"{root}/"])
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
        connection.execute(f"SET {setting} = false")
    connection.execute("SET enable_external_access = false")
    # Nothing is written, not even what does not fit into memory.
    connection.execute("SET max_temp_directory_size = '0KB'")
    connection.execute("SET lock_configuration = true")


def _check(duckdb: Any, connection: Any, sql: str) -> None:
    statements = connection.extract_statements(sql)
    allowed = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
    if len(statements) != 1 or statements[0].type not in allowed:
        raise InvalidInputError("sql", "expected one SELECT statement")


def _rows(cursor: Any) -> Iterator[Sequence[Any]]:
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        yield from rows


def _duckdb() -> Any:
    try:
        return import_module("duckdb")
    except ImportError as error:
        raise ExtraMissingError(
            "sitecrawl sql needs the duckdb package; pip install 'sitecrawl[sql]'"
        ) from error
