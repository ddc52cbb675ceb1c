"""Runs the Alembic migrations that lie inside the package."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.exc import OperationalError, ProgrammingError

from sitecrawl.store.errors import SchemaError, SchemaTooNewError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from sqlalchemy.engine import Connection


def upgrade(connection: Connection, revision: str | None, label: str) -> None:
    """Run the migrations that are missing, within the connection's transaction."""
    with migrations_folder() as folder:
        config = alembic_config(folder)
        scripts = ScriptDirectory.from_config(config)
        known = {None, *(script.revision for script in scripts.walk_revisions())}
        if revision not in known:
            raise SchemaTooNewError(
                f"database {label}: a newer sitecrawl has written it (schema {revision}; this one "
                f"knows up to {scripts.get_current_head()}); upgrade it or use another database"
            )
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


def alembic_config(folder: Path) -> Config:
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
