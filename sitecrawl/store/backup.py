"""Copies a whole database to a file and back, also while it is used.

SQLite copies itself page by page (its backup API); PostgreSQL is copied by ``pg_dump`` and
``pg_restore``, which see one state of it. The queue of the monitor is not copied: what it has lost
is queued again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.store.driver_errors import explained
from sitecrawl.store.engine import create_private, parse_url, shown_url
from sitecrawl.store.errors import (
    BackupError,
    DatabaseMissingError,
    DatabaseUnavailableError,
    DriverMissingError,
)
from sitecrawl.store.migrations.upgrade import check_revision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.engine import URL

_SQLITE_MAGIC: Final = b"SQLite format 3\x00"
_POSTGRES_MAGIC: Final = b"PGDMP"
_BUSY_SECONDS: Final = 30
_QUEUE_SCHEMA: Final = "dbos"


def back_up(url: str, file: Path, programs: Path | None = None) -> None:
    """Write a copy of the database to a new file that only its owner can read.

    The file has its name only when it is complete. *programs*: the folder of ``pg_dump``.
    """
    parsed = parse_url(url)
    if file.exists():
        raise BackupError(f"{file} exists already; name a new file")
    if not file.parent.is_dir():
        raise BackupError(f"the folder {file.parent} does not exist; create it first")
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    draft.touch(mode=0o600)
    try:
        if parsed.get_backend_name() == "sqlite":
            _copy_sqlite(parsed, draft)
        else:
            _dump(parsed, draft, programs)
        with draft.open("rb") as done:
            os.fsync(done.fileno())
        draft.rename(file)
    finally:
        draft.unlink(missing_ok=True)


def copy_beside(url: str, suffix: str) -> Path | None:
    """Copy a SQLite database to a file beside it, unless that is there; None for PostgreSQL."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite":
        return None
    path = Path(parsed.database or "")
    file = path.with_name(f"{path.stem}{suffix}{path.suffix}")
    if not file.exists():
        back_up(url, file)
    return file


def restore(url: str, file: Path, programs: Path | None = None, *, replace: bool = False) -> None:
    """Put a copy in the place of the database, in one transaction; with *replace* also of one
    that has tables."""
    parsed = parse_url(url)
    kind = _kind_of(file)
    if kind != parsed.get_backend_name():
        raise BackupError(
            f"{file} is a copy of a {kind} database, and {shown_url(parsed)} is none;"
            " give the URL of such a database"
        )
    if kind == "sqlite":
        _restore_sqlite(parsed, file, replace=replace)
    else:
        _restore_postgres(parsed, file, programs, replace=replace)


def _kind_of(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            start = opened.read(len(_SQLITE_MAGIC))
    except OSError as error:
        raise BackupError(f"{file} cannot be read: {error.strerror}") from error
    if start == _SQLITE_MAGIC:
        return "sqlite"
    if start.startswith(_POSTGRES_MAGIC):
        return "postgresql"
    raise BackupError(f"{file} is no copy that sitecrawl backup has written")


# --- SQLite -------------------------------------------------------------------------------------


def _copy_sqlite(url: URL, target: Path) -> None:
    path = Path(url.database or "")
    if not path.exists():
        raise DatabaseMissingError(f"database {shown_url(url)}: the file does not exist")
    with (
        explained(shown_url(url)),
        _connected(path, "ro") as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        # In one step: it reads one state, which does not keep others from writing.
        source.backup(copy)
        # The copy is one file, without those that the journal needs beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
        _check(copy, target)


def _restore_sqlite(url: URL, file: Path, *, replace: bool) -> None:
    path = Path(url.database or "")
    if not path.parent.is_dir():
        raise DatabaseUnavailableError(f"the folder {path.parent} does not exist; create it first")
    with explained(str(file)), _connected(file, "ro") as source:
        _check(source, file)
        [revision] = source.execute("SELECT version_num FROM alembic_version").fetchone() or [None]
        check_revision(revision, str(file))
        if not path.exists():
            create_private(path)
        with explained(shown_url(url)), _connected(path, "rwc") as target:
            has_tables = target.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if has_tables and not replace:
                raise _is_in_the_way(url)
            source.backup(target)


@contextmanager
def _connected(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as connection:
        yield connection


def _check(connection: sqlite3.Connection, file: Path) -> None:
    tables = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE name IN ('alembic_version', 'pages')"
    ).fetchone()[0]
    if tables != len(("alembic_version", "pages")):
        raise BackupError(f"{file} is no database of sitecrawl")
    if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise BackupError(f"{file} is damaged: {found}")


def _is_in_the_way(url: URL) -> BackupError:
    return BackupError(
        f"database {shown_url(url)}: it has tables already; --replace puts the copy in their place"
    )


# --- PostgreSQL ---------------------------------------------------------------------------------


def _dump(url: URL, target: Path, programs: Path | None) -> None:
    options = ("--format=custom", "--no-owner", "--no-privileges")
    with _connection_words(url) as words:
        _run(
            url,
            _program("pg_dump", programs),
            *options,
            f"--exclude-schema={_QUEUE_SCHEMA}",
            f"--file={target}",
            f"--dbname={words}",
        )


def _restore_postgres(url: URL, file: Path, programs: Path | None, *, replace: bool) -> None:
    if _has_tables(url) and not replace:
        raise _is_in_the_way(url)
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    if replace:
        options += ["--clean", "--if-exists"]
    with _connection_words(url) as words:
        _run(
            url,
            _program("pg_restore", programs),
            *options,
            f"--dbname={words}",
            str(file),
        )


def _has_tables(url: URL) -> bool:
    from sqlalchemy import create_engine, inspect

    engine = create_engine(url)
    try:
        with explained(shown_url(url)), engine.connect() as connection:
            return bool(inspect(connection).get_table_names())
    finally:
        engine.dispose()


@contextmanager
def _connection_words(url: URL) -> Iterator[str]:
    """The URL as libpq takes it; the password is in a file, which no list of processes shows."""
    from psycopg.conninfo import make_conninfo

    given: dict[str, Any] = {
        "host": url.host,
        "port": url.port,
        "user": url.username,
        "dbname": url.database,
        **{name: value for name, value in url.query.items() if name != "password"},
    }
    known = {name: value for name, value in given.items() if value is not None}
    password = url.password or url.query.get("password")
    if password is None:
        yield make_conninfo(**known)
        return
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        escaped = str(password).replace("\\", "\\\\").replace(":", "\\:")
        file.write(f"*:*:*:*:{escaped}\n")
        file.flush()
        yield make_conninfo(**known, passfile=file.name)


def _program(name: str, folder: Path | None) -> str:
    found = shutil.which(name, path=str(folder) if folder else None)
    if found is None:
        where = f"in {folder}" if folder else "on the PATH"
        raise DriverMissingError(
            f"there is no {name} {where}; install the client programs of PostgreSQL, of the"
            " server's version or a newer one, or name their folder: --pg-bin"
        )
    return found


def _run(url: URL, *command: str) -> None:
    done = subprocess.run(  # noqa: S603  the program of the PATH or of the operator's folder
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        said = _last_words(done.stderr.splitlines())
        if "version mismatch" in said:
            said += "; name a folder with programs of the server's version or newer: --pg-bin"
        name = Path(command[0]).name
        raise BackupError(f"database {shown_url(url)}: {name} failed: {said}")


def _last_words(lines: Sequence[str]) -> str:
    words = (" ".join(line.split()) for line in lines)
    return " | ".join(filter(None, words))[-1_000:] or "it said nothing"
