"""Brings a database to the schema of this version.

The cheap question (which version is it?) is asked on every start; Alembic, which takes as long to
import as the whole store, is imported only when the answer is not the newest one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

HEAD_REVISION = "0001"
# Any constant will do, as long as every sitecrawl that migrates takes the same lock.
_MIGRATION_LOCK = 7_338_241_958


def bring_to_head(engine: Engine, label: str) -> None:
    """Migrate the database unless it is at the newest version already."""
    with engine.connect() as connection:
        if current_revision(connection) == HEAD_REVISION:
            return
    from sitecrawl.store.migration import upgrade

    writer = engine.connect().execution_options(sitecrawl_begin="IMMEDIATE")
    with writer as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
        revision = current_revision(connection)
        # Somebody else may have migrated it while this process waited for the lock.
        if revision != HEAD_REVISION:
            upgrade(connection, revision, label)


def current_revision(connection: Connection) -> str | None:
    """The version of the schema; None for a database that never had one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return str(found) if found else None
