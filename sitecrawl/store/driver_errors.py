"""Says what the drivers of the databases raise as a StoreError with what would be right."""

from __future__ import annotations

import logging
import sqlite3
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy.exc import DBAPIError, PendingRollbackError

from sitecrawl.store.errors import (
    DatabaseLockedError,
    DatabaseReadOnlyError,
    DatabaseUnavailableError,
    DiskFullError,
    NotADatabaseError,
    StoreError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

Explanation: TypeAlias = tuple[type[StoreError], str]

_DISK_FULL = (
    DiskFullError,
    "the disk is full, or a limit on its size has been reached; make room and run it again",
)
_READ_ONLY = (
    DatabaseReadOnlyError,
    "it cannot be written; give the user that runs sitecrawl the right to write it and its folder",
)
_LOCKED = (
    DatabaseLockedError,
    "another process has been holding it for too long; wait for that process or end it",
)
_UNREACHABLE = (
    DatabaseUnavailableError,
    "no connection; check host, port, database name, user and password, and that it runs",
)

_SQLITE: dict[int, Explanation] = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: _DISK_FULL,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: (
        DatabaseUnavailableError,
        "the file cannot be opened; check that its folder exists and may be written",
    ),
    sqlite3.SQLITE_NOTADB: (NotADatabaseError, "the file is not an SQLite database"),
    sqlite3.SQLITE_CORRUPT: (
        NotADatabaseError,
        "the file is damaged; restore it from a copy, or move it away to start anew",
    ),
    # A file-size limit (EFBIG) and a failing device look the same from here.
    sqlite3.SQLITE_IOERR: (
        DiskFullError,
        "the disk refused to read or write; it is full, limited in size, or failing",
    ),
}

# The first characters of an SQLSTATE; the longest that matches decides.
_POSTGRES: dict[str, Explanation] = {
    "08": _UNREACHABLE,
    "28": _UNREACHABLE,
    "3D": _UNREACHABLE,
    "57P": _UNREACHABLE,
    "53": _DISK_FULL,
    "53300": (DatabaseUnavailableError, "the server has no connection left"),
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "55P03": _LOCKED,
    "40P01": _LOCKED,
}


@contextmanager
def explained(label: str) -> Iterator[None]:
    """Raise what the driver raises inside as a StoreError that names the database ``label``."""
    try:
        yield
    except PendingRollbackError as error:
        # What failed before on this connection has been said.
        raise DatabaseUnavailableError(f"database {label}: the connection was lost") from error
    except DBAPIError as error:
        logger.debug("The database refused a statement", exc_info=True)
        raise explain(label, error.orig or error) from error
    except _driver_errors() as error:
        logger.debug("The database refused a statement", exc_info=True)
        raise explain(label, error) from error


def _driver_errors() -> tuple[type[BaseException], ...]:
    # psycopg is an extra, and nothing of it is raised before somebody has imported it.
    psycopg = sys.modules.get("psycopg")
    return (sqlite3.Error, psycopg.Error) if psycopg else (sqlite3.Error,)


def explain(label: str, error: BaseException) -> StoreError:
    kind, meaning = _explanation(error)
    said = " ".join(str(error).split()) or type(error).__name__
    return kind(f"database {label}: {meaning} ({said})")


def _explanation(error: BaseException) -> Explanation:
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        found = _SQLITE.get(code & 0xFF) if code is not None else None
    else:
        state = getattr(error, "sqlstate", None)
        # psycopg gives no SQLSTATE when the server was never reached or hung up.
        found = _by_state(state) if state else _UNREACHABLE
    return found or (StoreError, "it refused what was asked of it")


def _by_state(state: str) -> Explanation | None:
    matching = [prefix for prefix in _POSTGRES if state.startswith(prefix)]
    return _POSTGRES[max(matching, key=len)] if matching else None
