"""The migrations: they give the schema that the code works with, wherever the package lies."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, select, text

import sitecrawl
from sitecrawl.services.maintenance import pending_migration
from sitecrawl.store.engine import open_database
from sitecrawl.store.errors import SchemaError, SchemaTooNewError
from sitecrawl.store.migrations.upgrade import (
    HEAD_REVISION,
    alembic_config,
    create_tables,
    current_revision,
    migrations_folder,
    upgrade,
)
from sitecrawl.store.schema import PARTIAL_INDEXES, metadata, sites, workspaces
from tests.store.migrations.next_version import NEXT_REVISION, NICKNAMES, next_version
from tests.store.scanning import scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection


_SQLITE_SQL = "SELECT name, sql FROM sqlite_master"
_POSTGRES_SQL = """
SELECT 'column', table_name || '.' || column_name, concat_ws(
    ' ', data_type, character_maximum_length, collation_name, is_nullable, column_default)
FROM information_schema.columns WHERE table_schema = current_schema()
UNION ALL SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL SELECT 'view', viewname, definition FROM pg_views WHERE schemaname = current_schema()
UNION ALL SELECT 'storage', relname, array_to_string(reloptions, ' ') FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND reloptions IS NOT NULL AND relkind = 'r'
"""


def migrate_from_nothing(connection: Connection) -> None:
    upgrade(connection, None, "the test's")


@pytest.mark.parametrize("prepare", [create_tables, migrate_from_nothing])
def test_both_ways_give_the_tables_of_the_code(
    database_url: str, prepare: Callable[[Connection], None]
) -> None:
    engine = create_engine(database_url)
    with engine.begin() as connection:
        prepare(connection)
        options = {"compare_type": True, "compare_server_default": True}
        differences = compare_metadata(
            MigrationContext.configure(connection, opts=options), metadata
        )
        assert all(kind == "remove_index" for kind, _ in differences)
        assert {index.name for _, index in differences} == set(PARTIAL_INDEXES)
        assert inspect(connection).get_view_names() == ["further_mentions", "mentions"]
        assert current_revision(connection) == HEAD_REVISION
        assert connection.execute(select(workspaces.c.id, workspaces.c.name)).all() == [
            (1, "default")
        ]
    engine.dispose()


def test_both_ways_give_the_same_sql(database_url: str, database_kind: str) -> None:
    """Names and definitions of all that there is, down to defaults and storage parameters."""
    engine = create_engine(database_url)
    found: list[dict[tuple[str, ...], list[str]]] = []
    for prepare in (create_tables, migrate_from_nothing):
        with engine.connect() as connection, connection.begin() as transaction:
            if database_kind == "sqlite":
                # Otherwise the driver would commit each table.
                connection.exec_driver_sql("BEGIN")
            prepare(connection)
            rows = connection.execute(
                text(_SQLITE_SQL if database_kind == "sqlite" else _POSTGRES_SQL)
            )
            found.append({tuple(name): _words(definition) for *name, definition in rows})
            transaction.rollback()
    engine.dispose()
    created, migrated = found
    assert created == migrated
    if database_kind == "postgres":
        storage = {name for kind, name in created if kind == "storage"}
        assert storage == {"pages", "other_mentions", "visits"}


def _words(sql: str | None) -> list[str]:
    """Without white space, which differs; constraints may come in another order."""
    return sorted(re.sub(r"([()])", r" \1 ", sql or "").replace(",", " ").split())


def test_the_newest_version_is_known_without_alembic() -> None:
    with migrations_folder() as folder:
        scripts = ScriptDirectory.from_config(alembic_config(folder))
        assert scripts.get_current_head() == HEAD_REVISION


@pytest.mark.parametrize("revision", ["0001", "0008", "inventory_2", "worker_tags_1"])
def test_a_database_of_a_development_version_is_refused(database_url: str, revision: str) -> None:
    set_revision(database_url, revision)
    words = rf"schema {revision}, which is that of a development version .*and scan again"
    with pytest.raises(SchemaError, match=words) as refused:
        open_database(database_url)
    assert not isinstance(refused.value, SchemaTooNewError)
    with pytest.raises(SchemaError, match=words):
        pending_migration(database_url)


def test_opening_twice_changes_nothing(database_url: str) -> None:
    for _ in range(2):
        with open_database(database_url) as database, database.reading() as connection:
            assert current_revision(connection) == HEAD_REVISION


def test_a_newer_database_is_left_alone(database_url: str) -> None:
    set_revision(database_url, "0002_nicknames")
    words = f"schema 0002_nicknames; this one knows up to {HEAD_REVISION}"
    for refused in (open_database, pending_migration):
        with pytest.raises(SchemaTooNewError, match=words):
            refused(database_url)


def set_revision(database_url: str, revision: str) -> None:
    with open_database(database_url) as database, database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :is"), {"is": revision})


def test_the_tables_of_another_program_are_left_alone(sqlite_url: str) -> None:
    engine = create_engine(sqlite_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE pages (anything TEXT)"))
    with pytest.raises(SchemaError, match="database of its own"):
        open_database(sqlite_url)
    # Nothing is left of the attempt, not even of the tables before the one that was there.
    assert inspect(engine).get_table_names() == ["pages"]
    engine.dispose()


def test_many_may_open_a_new_database_at_once(database_url: str) -> None:
    program = """
import sys
from sitecrawl.store.engine import open_database
open_database(sys.argv[1]).close()
"""
    root = Path(__file__).parents[3]
    command = [sys.executable, "-W", "error", "-c", program, database_url]
    running = [
        subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert [process.communicate()[1] for process in running] == [""] * 4


def test_the_package_may_run_from_a_zipped_egg(tmp_path: Path) -> None:
    egg = tmp_path / "sitecrawl.egg"
    package = Path(sitecrawl.__file__).parent
    with zipfile.ZipFile(egg, "w") as archive:
        for path in package.rglob("*.py"):
            archive.write(path, path.relative_to(package.parent))
    program = """
import sitecrawl
from sqlalchemy import create_engine
from sitecrawl.store.migrations.upgrade import upgrade
with create_engine("sqlite:///x.db").begin() as connection:
    upgrade(connection, None, "the test's")
    print(sitecrawl.__file__)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(egg)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(str(egg)), done.stderr


_MIGRATE = (sys.executable, "-W", "error", "-m", "sitecrawl", "migrate", "--database")


def test_the_next_version_migrates_once_however_many_start(
    database_url: str, tmp_path: Path
) -> None:
    with open_database(database_url) as database:
        scan(database, {}, site="one.example")
    variables = os.environ | {"PYTHONPATH": str(next_version(tmp_path))}
    running = [
        subprocess.Popen(
            [*_MIGRATE, database_url],
            cwd=tmp_path,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for _ in range(3)
    ]
    output = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0] * 3, output
    engine = create_engine(database_url)
    with engine.connect() as connection:
        assert current_revision(connection) == NEXT_REVISION
        rows = connection.execute(text("SELECT key, nickname FROM sites")).all()
        assert rows == [("one.example", "the one.example")]
    engine.dispose()
    with pytest.raises(SchemaTooNewError):
        open_database(database_url)


def test_a_migration_that_fails_leaves_nothing(database_url: str, tmp_path: Path) -> None:
    with open_database(database_url) as database:
        scan(database, {}, site="one.example")
    variables = os.environ | {
        "PYTHONPATH": str(next_version(tmp_path, f"{NICKNAMES}op.execute('SELECT no_such')"))
    }
    done = subprocess.run(
        [*_MIGRATE, database_url],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no_such" in done.stderr
    with open_database(database_url) as database, database.reading() as connection:
        assert current_revision(connection) == HEAD_REVISION
        columns = {column["name"] for column in inspect(connection).get_columns("sites")}
        assert columns == set(sites.c.keys())
