"""Answers SQL over exported Parquet files by DuckDB, in a process of its own.

A question can read the files of the folder and nothing else: no other file, no network, no
extension, no change of these settings, and only SELECT is run. DuckDB's limit of memory leaves out
what functions allocate, and it cannot always be interrupted, so the system bounds the process:
``python -m sitecrawl.store.dataset_sql N``, where *N* is its end of a pipe.
"""

from __future__ import annotations

import contextlib
import resource
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.errors import ExtraMissingError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DATASET_TABLES: Final = ("pages", "changes", "mentions")
# While nothing has changed there is no file.
_NO_CHANGES: Final = (
    "CREATE VIEW changes AS SELECT NULL::BIGINT AS id, NULL::VARCHAR AS kind, NULL::VARCHAR AS url,"
    " NULL::VARCHAR AS other_url, NULL::VARCHAR AS before, NULL::VARCHAR AS after,"
    " NULL::DOUBLE AS confidence, NULL::VARCHAR AS status, NULL::TIMESTAMPTZ AS occurred_at,"
    " NULL::BIGINT AS scan, NULL::VARCHAR AS site"
    " WHERE false"
)
_ROWS_AT_ONCE: Final = 1_000
# On top of DuckDB's own limit: the interpreter, rows on their way, what functions allocate.
_MORE_MEMORY_MB: Final = 256


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
    if find_spec("duckdb") is None:
        raise ExtraMissingError(
            "sitecrawl sql needs the duckdb package; pip install 'sitecrawl[sql]'"
        )
    with _QueryProcess(limits) as process:
        process.ask(folder, sql)
        yield QueryAnswer(tuple(process.receive()), process.rows())


class _QueryProcess:
    """Answers one question."""

    def __init__(self, limits: QueryLimits):
        self._limits = limits
        self._seconds_left = limits.seconds
        self._pipe, theirs = Pipe()
        number = theirs.fileno()
        # -P: nothing is imported from the folder in which the user is.
        self._process = subprocess.Popen(  # noqa: S603  no text of others
            [sys.executable, "-P", "-m", __name__, str(number)],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(number,),
        )
        theirs.close()

    def ask(self, folder: Path, sql: str) -> None:
        with contextlib.suppress(OSError):  # it has ended: receive() says so
            self._pipe.send((str(folder), sql, self._limits))

    def rows(self) -> Iterator[Sequence[Any]]:
        while rows := self.receive():
            yield from rows

    def receive(self) -> Any:
        """What it sends next, in the time that is left; what the reader does meanwhile is free."""
        begin = time.monotonic()
        if not self._pipe.poll(self._seconds_left):
            raise InvalidInputError(
                "sql", f"it took longer than {self._limits.seconds:g} seconds; see --seconds"
            )
        try:
            problem, found = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise _too_much_memory(self._limits) from error
        self._seconds_left -= min(time.monotonic() - begin, self._seconds_left)
        if problem:
            raise InvalidInputError("sql", problem)
        return found

    def __enter__(self) -> _QueryProcess:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.wait()


def _too_much_memory(limits: QueryLimits) -> InvalidInputError:
    return InvalidInputError("sql", f"{limits.memory_mb} MB of memory are too few; see --memory")


# --- the process ---------------------------------------------------------------------------------


def main() -> None:
    pipe = Connection(int(sys.argv[1]))
    folder, sql, limits = pipe.recv()
    import duckdb

    with closing(duckdb.connect(":memory:")) as connection:
        _confine(connection, Path(folder), limits)
        _bound_process(limits)
        try:
            _check(duckdb, connection, sql)
            cursor = connection.execute(sql)
            pipe.send(("", [each[0] for each in cursor.description]))
            while rows := cursor.fetchmany(_ROWS_AT_ONCE):
                pipe.send(("", rows))
            pipe.send(("", []))
        except (duckdb.OutOfMemoryException, MemoryError):
            pipe.send((str(_too_much_memory(limits)).removeprefix("sql: "), None))
        except (duckdb.Error, ValueError) as error:
            pipe.send((_reason(error), None))


def _bound_process(limits: QueryLimits) -> None:
    memory = (_data_bytes() or 0) + (limits.memory_mb + _MORE_MEMORY_MB << 20)
    for limit, most in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        # Not every system has each of them.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))


def _data_bytes() -> int:
    """What counts against the limit already: most of it is reserved for threads, and not used."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmData:"):
                return int(line.split()[1]) << 10
    return 0


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
        elif name == "changes":
            connection.execute(_NO_CHANGES)
    connection.execute("SET allowed_directories = [?]", [f"{root}/"])
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
        connection.execute(f"SET {setting} = false")
    connection.execute("SET enable_external_access = false")
    # Nothing is written, not even what does not fit into memory.
    connection.execute("SET max_temp_directory_size = '0KB'")
    connection.execute("SET lock_configuration = true")


def _check(duckdb: Any, connection: Any, sql: str) -> None:
    # No EXPLAIN: EXPLAIN ANALYZE runs what it explains, such as COPY into the folder.
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ValueError("expected one SELECT statement")


def _reason(error: Exception) -> str:
    """In one line, without the query and a mark below it."""
    words = " ".join(str(error).partition("\n\nLINE ")[0].split())
    if words.startswith("Catalog Error: Table with name"):
        return f"{words.partition('!')[0]}; there are {', '.join(DATASET_TABLES)}"
    return words


if __name__ == "__main__":
    main()
