"""Opens the database that a URL names.

- ``sqlite:///sitecrawl.db`` is a file relative to the working directory, ``sqlite:////var/x.db``
  an absolute one; ``~`` is the home folder. The file is made, its folder is not.
- To be read, a SQLite file and its folder need not be writable: a disc, a snapshot.
- ``postgresql://user:password@host/name`` (or ``postgres://``) needs the ``postgres`` extra.
- Whatever is wrong is a StoreError that names the URL without its password.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

from sqlalchemy import create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from sitecrawl.store.driver_errors import explained
from sitecrawl.store.errors import (
    DatabaseMissingError,
    DatabaseUnavailableError,
    DatabaseUrlError,
    DriverMissingError,
)
from sitecrawl.store.migrations.upgrade import bring_to_head, current_revision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy.engine import Connection, CursorResult, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection

logger = logging.getLogger(__name__)

BUSY_TIMEOUT_SECONDS = 30
CONNECT_TIMEOUT_SECONDS = 10
_EXAMPLES = "sqlite:///sitecrawl.db or postgresql://user:password@host/name"
_SQLITE_PRAGMAS = (
    "PRAGMA page_size = 16384",  # of a new file, and only before its journal mode is chosen
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA journal_size_limit = 67108864",
)
_CACHE_KIB = 20_000
# Of all connections of a server together: each has a cache of its own.
_SHARED_CACHE_KIB = 80_000


@dataclass(frozen=True, slots=True)
class Database:
    """An open database whose schema is the one this version works with."""

    engine: Engine
    label: str
    """Its URL without the password, for messages."""

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one state of the database."""
        with explained(self.label), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection whose work is committed at the end, or undone when something is raised."""
        with explained(self.label), self.connect_writer() as connection, connection.begin():
            yield connection

    def connect_writer(self) -> Connection:
        # A transaction that reads first and writes later fails at once when somebody else wrote
        # in between; one that announces the writing waits for its turn.
        return self.engine.connect().execution_options(sitecrawl_begin="IMMEDIATE")

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.close()


def open_database(
    url: str,
    *,
    create: bool = True,
    to_write: bool = True,
    busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS,
    connections: int | None = None,
) -> Database:
    """Open the database, with its schema brought to the newest version.

    Without ``create`` a SQLite file that does not exist is a DatabaseMissingError; without
    ``to_write`` one that cannot be written will do. *connections*: at most so many at once, for
    a server with many threads.
    """
    parsed = parse_url(url)
    label = shown_url(parsed)
    engine = _engine(parsed, label, create, to_write, busy_timeout_seconds, connections)
    database = Database(engine, label)
    try:
        with explained(label):
            bring_to_head(database.engine, label)
    except BaseException:
        database.close()
        raise
    return database


def driver_rows(
    result: CursorResult[*tuple[Any, ...]], at_once: int
) -> Iterator[Sequence[tuple[Any, ...]]]:
    """The rows of a result, as the driver gives them."""
    if result.dialect.name != "sqlite":
        yield from (list(map(tuple, rows)) for rows in result.partitions(at_once))
        return
    # The driver's own cursor: a million Row objects would cost as much as reading them.
    while rows := result.cursor.fetchmany(at_once):
        yield rows


def engine_url(url: str) -> str:
    """The URL as SQLAlchemy takes it, with an absolute path or the driver that we use."""
    return parse_url(url).render_as_string(hide_password=False)


def beside(url: str, suffix: str) -> str:
    """A second database: of a SQLite file another one beside it, of PostgreSQL the same.

    >>> beside("sqlite:////var/lib/sitecrawl.db", "-jobs")
    'sqlite:////var/lib/sitecrawl-jobs.db'
    """
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        return url
    path = Path(parsed.database or "")
    return f"sqlite:///{path.with_name(f'{path.stem}{suffix}{path.suffix}')}"


def use_write_ahead_log(url: str) -> None:
    """Let readers of a SQLite file not wait for writers; the file remembers it."""
    parsed = parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        _check_file(Path(parsed.database or ""), shown_url(parsed), create=True)
        with explained(shown_url(parsed)), closing(sqlite3.connect(parsed.database or "")) as file:
            file.execute("PRAGMA journal_mode = WAL")


def schema_revision(url: str) -> str | None:
    """The version of the schema, which is not changed; None if there is no database yet."""
    parsed = parse_url(url)
    label = shown_url(parsed)
    try:
        engine = _engine(parsed, label, False, False, BUSY_TIMEOUT_SECONDS)
    except DatabaseMissingError:
        return None
    try:
        with explained(label), engine.connect() as connection:
            return current_revision(connection)
    finally:
        engine.dispose()


def _engine(
    url: URL,
    label: str,
    create: bool,
    to_write: bool,
    busy_timeout_seconds: float,
    connections: int | None = None,
) -> Engine:
    if url.get_backend_name() != "sqlite":
        return _postgres_engine(url, label, busy_timeout_seconds, connections)
    path = Path(url.database or "")
    _check_file(path, label, create)
    if to_write or _is_writable(path):
        return _sqlite_engine(url, busy_timeout_seconds, connections)
    return _read_only_engine(url, path, busy_timeout_seconds)


def without_password(url: str) -> str:
    """The database URL as it may be shown; of one that cannot be read nothing is shown."""
    try:
        return shown_url(make_url(url))
    except ArgumentError:
        return "(a database URL that cannot be read)"


def shown_url(url: URL) -> str:
    # The driver takes a password in the query as well.
    return url.difference_update_query(["password"]).render_as_string(hide_password=True)


def parse_url(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        # The text may hold a password in a place where nobody expects one: it is not repeated.
        raise DatabaseUrlError(f"the database URL cannot be read; write {_EXAMPLES}") from None
    label = shown_url(url)
    if url.drivername in {"sqlite", "sqlite+pysqlite"}:
        if url.database in {None, "", ":memory:"}:
            raise DatabaseUrlError(
                f"database {label}: a database in memory is gone before anybody can read it; "
                "name a file, such as sqlite:///sitecrawl.db"
            )
        if url.host or url.username or url.query:
            raise DatabaseUrlError(
                f"database {label}: a SQLite URL is sqlite:/// and a path, without host or options"
            )
        return url.set(database=str(Path(url.database or "").expanduser().absolute()))
    if url.drivername in {"postgres", "postgresql", "postgresql+psycopg"}:
        return url.set(drivername="postgresql+psycopg")
    raise DatabaseUrlError(f"database {label}: {url.drivername!r} is not supported; {_EXAMPLES}")


def _check_file(path: Path, label: str, create: bool) -> None:
    if path.is_dir():
        raise DatabaseUnavailableError(f"database {label}: {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise DatabaseUnavailableError(
            f"database {label}: the folder {path.parent} does not exist; create it first"
        )
    if not create and not path.exists():
        raise DatabaseMissingError(
            f"database {label}: the file does not exist; a first scan creates it,"
            " or adding a site to watch"
        )
    if not path.exists():
        create_private(path)


def create_private(path: Path) -> None:
    """An empty file that only its owner can read, for SQLite to fill.

    It will have hashes of passwords, and what sites have shown.
    """
    # Where no file can be created SQLite says so.
    with suppress(OSError):
        path.touch(mode=0o600)


def _sqlite_engine(url: URL, busy_timeout_seconds: float, connections: int | None) -> Engine:
    arguments = {"timeout": busy_timeout_seconds}
    engine = create_engine(url, connect_args=arguments, **_pool(connections))
    cache_kib = _SHARED_CACHE_KIB // connections if connections else _CACHE_KIB
    _prepare_connections(engine, _SQLITE_PRAGMAS, cache_kib)
    return engine


def _pool(connections: int | None) -> dict[str, Any]:
    if connections is None:
        return {}
    # The one that was used last is taken first, as its cache is warm.
    return {"pool_size": connections, "max_overflow": 0, "pool_use_lifo": True}


def _prepare_connections(
    engine: Engine, pragmas: Sequence[str], cache_kib: int = _CACHE_KIB
) -> None:
    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, _record: Any) -> None:
        # The driver begins transactions of its own otherwise, too late and not before DDL.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (*pragmas, f"PRAGMA cache_size = -{cache_kib}"):
            cursor.execute(pragma)
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        mode = connection.get_execution_options().get("sitecrawl_begin", "DEFERRED")
        connection.exec_driver_sql(f"BEGIN {mode}")


def _is_writable(path: Path) -> bool:
    """Whether SQLite could write the file and, beside it, those that it needs for that."""
    places = (path, path.parent)
    by_effective_user = os.access in os.supports_effective_ids
    return all(os.access(each, os.W_OK, effective_ids=by_effective_user) for each in places)


def _read_only_engine(url: URL, path: Path, busy_timeout_seconds: float) -> Engine:
    """Read a file that we may not write, nor anything beside it.

    In WAL mode even reading needs the files ``-wal`` and ``-shm``. If somebody who writes has made
    them, they are used; otherwise nobody writes, and SQLite is told that the file is immutable.
    """
    uri = f"file:{quote(str(path))}?mode=ro"

    def connect(options: str) -> sqlite3.Connection:
        # As SQLAlchemy does for files: its pool hands a connection to one thread at a time.
        return sqlite3.connect(
            uri + options, uri=True, timeout=busy_timeout_seconds, check_same_thread=False
        )

    options = "" if _can_be_read(connect) else "&immutable=1"
    if options and _size(wal := path.with_name(f"{path.name}-wal")):
        logger.warning(
            "The last changes may be in %s, which cannot be read without writing beside it. They"
            " are left out: copy both files to a folder that may be written to see them",
            wal,
        )
    engine = create_engine(url, creator=lambda: connect(options))
    _prepare_connections(engine, ())
    return engine


def _can_be_read(connect: Callable[[str], sqlite3.Connection]) -> bool:
    try:
        with closing(connect("")) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        return False
    return True


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _postgres_engine(
    url: URL, label: str, lock_timeout_seconds: float, connections: int | None
) -> Engine:
    try:
        engine = create_engine(
            url,
            pool_pre_ping=True,
            **_pool(connections),
            connect_args={"connect_timeout": CONNECT_TIMEOUT_SECONDS},
        )
    except ImportError as error:
        raise DriverMissingError(
            f"database {label}: PostgreSQL needs the psycopg package; "
            "install it with: pip install 'sitecrawl[postgres]'"
        ) from error

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, _record: Any) -> None:
        cursor = connection.cursor()
        cursor.execute(f"SET lock_timeout = {int(lock_timeout_seconds * 1000)}")
        # What is streamed is read to its end. The planner would prepare for a tenth of it, by
        # nested loops that take minutes for all.
        cursor.execute("SET cursor_tuple_fraction = 1")
        cursor.close()
        connection.commit()

    return engine
