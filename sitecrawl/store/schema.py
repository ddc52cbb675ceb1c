"""Brings a database to the schema of this version.

The cheap question (which version is it?) is asked on every start, and an empty database gets the
newest tables at once. Alembic, which takes as long to import as the whole store, is imported only
for a database with tables of another version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from sitecrawl.store.tables import PARTIAL_INDEXES, metadata
from sitecrawl.store.views import VIEWS

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

HEAD_REVISION = "0008"
# Any constant will do, as long as every sitecrawl that migrates takes the same lock.
_MIGRATION_LOCK = 7_338_241_958


def bring_to_head(engine: Engine, label: str) -> None:
    """Migrate the database unless it is at the newest version already."""
    with engine.connect() as connection:
        if current_revision(connection) == HEAD_REVISION:
            return
    writer = engine.connect().execution_options(sitecrawl_begin="IMMEDIATE")
    with writer as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
        revision = current_revision(connection)
        if revision == HEAD_REVISION:
            return  # somebody else has done it while this process waited for the lock
        if not inspect(connection).get_table_names():
            create_tables(connection)
            return
        from sitecrawl.store.migration import upgrade

        upgrade(connection, revision, label)


def create_tables(connection: Connection) -> None:
    """Give an empty database what all migrations together would give it."""
    metadata.create_all(connection, checkfirst=False)
    for statement in (*PARTIAL_INDEXES.values(), *VIEWS):
        connection.execute(text(statement))
    connection.execute(
        text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    )
    connection.execute(
        text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": HEAD_REVISION}
    )


def current_revision(connection: Connection) -> str | None:
    """The version of the schema; None for a database that never had one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return str(found) if found else None
