"""Brings a database to the schema of this version.

The cheap question (which version is it?) is asked on every start, and an empty database gets the
newest tables at once. Alembic, which takes as long to import as the whole store, is imported only
for a database with tables of another version.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import insert, inspect, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from sitecrawl.store.errors import SchemaError, SchemaTooNewError
from sitecrawl.store.schema import (
    PARTIAL_INDEXES,
    POSTGRESQL_STORAGE,
    VIEWS,
    metadata,
    workspaces,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from alembic.config import Config
    from sqlalchemy.engine import Connection, Engine

HEAD_REVISION = "0001_initial"
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
        upgrade(connection, revision, label)


def check_revision(revision: str | None, label: str) -> None:
    """Refuse a schema that can neither be used nor migrated; None: there is none yet."""
    if revision is None or revision == HEAD_REVISION or revision in _known_revisions():
        return
    if _number(revision) > _number(HEAD_REVISION):
        raise SchemaTooNewError(
            f"database {label}: a newer sitecrawl has written it (schema {revision}; this one "
            f"knows up to {HEAD_REVISION}); upgrade sitecrawl or use another database"
        )
    raise SchemaError(
        f"database {label}: this sitecrawl cannot read its schema {revision}, which is that of a"
        " development version or of another program; move it away or name another database, and"
        " scan again"
    )


def create_tables(connection: Connection) -> None:
    """Give an empty database what all migrations together would give it."""
    metadata.create_all(connection, checkfirst=False)
    for statement in (*PARTIAL_INDEXES.values(), *VIEWS):
        connection.execute(text(statement))
    if connection.dialect.name == "postgresql":
        for statement in POSTGRESQL_STORAGE:
            connection.execute(text(statement))
    connection.execute(insert(workspaces).values(name="default", created_at=datetime.now(UTC)))
    connection.execute(
        text(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
            " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
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


def upgrade(connection: Connection, revision: str | None, label: str) -> None:
    """Run the migrations that are missing, within the connection's transaction."""
    from alembic import command

    check_revision(revision, label)
    with migrations_folder() as folder:
        config = alembic_config(folder)
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except (OperationalError, ProgrammingError) as error:
            if "already exists" not in str(error.orig):
                raise
            raise SchemaError(
                f"database {label}: it holds tables of another program ({error.orig}); "
                "give sitecrawl a database of its own"
            ) from error


def _known_revisions() -> set[str]:
    from alembic.script import ScriptDirectory

    with migrations_folder() as folder:
        scripts = ScriptDirectory.from_config(alembic_config(folder))
        return {script.revision for script in scripts.walk_revisions()}


def _number(revision: str) -> int:
    """Of ``0002_tags`` 2; revisions of development versions were not numbered so: 0."""
    number = re.match(r"(\d{4})_", revision)
    return int(number[1]) if number else 0


def alembic_config(folder: Path) -> Config:
    from alembic.config import Config

    config = Config()
    # A percent sign in the path would be taken for an interpolation.
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


@contextmanager
def migrations_folder() -> Iterator[Path]:
    """The migration scripts as real files, also when the package runs from a zipped egg."""
    packaged = resources.files("sitecrawl.store") / "migrations"
    if isinstance(packaged, Path):
        yield packaged
        return
    # importlib.resources.as_file takes folders from Python 3.12 on only.
    with tempfile.TemporaryDirectory(prefix="sitecrawl-migrations-") as folder:
        _copy(packaged, Path(folder))
        yield Path(folder)


def _copy(source: Traversable, target: Path) -> None:
    for entry in source.iterdir():
        if entry.is_dir():
            (target / entry.name).mkdir()
            _copy(entry, target / entry.name)
        elif entry.name.endswith((".py", ".mako")):
            (target / entry.name).write_bytes(entry.read_bytes())
