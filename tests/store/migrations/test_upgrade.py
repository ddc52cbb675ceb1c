"""The migrations: they give the schema that the code works with, wherever the package lies."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, create_engine, inspect, text
from sqlalchemy.schema import DropIndex

import sitecrawl
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
from sitecrawl.store.schema import DEFERRED_INDEXES, PARTIAL_INDEXES, SITE_INDEX, metadata
from sitecrawl.store.writers.pages import ensure_page_index
from tests.store.scanning import scan

_ZEROES = {int: 0, str: "x", bool: False, float: 0.0}


@pytest.mark.parametrize("way", ["created", "migrated"])
def test_both_ways_give_the_tables_of_the_code(database_url: str, way: str) -> None:
    if way == "migrated":
        engine = create_engine(database_url)
        with engine.begin() as connection:
            upgrade(connection, None, "the test's")
        engine.dispose()
    with open_database(database_url) as database:
        # With two sites there are all the indexes that SQLite gets only when they are needed.
        for site in ("one.example", "two.example"):
            scan(database, {}, site=site)
        with database.writing() as connection:
            ensure_page_index(connection)
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            differences = compare_metadata(context, metadata)
            assert all(kind == "remove_index" for kind, _ in differences)
            assert {index.name for _, index in differences} == set(PARTIAL_INDEXES)
            assert inspect(connection).get_view_names() == ["further_mentions", "mentions"]
            assert current_revision(connection) == HEAD_REVISION


def test_both_ways_give_the_same_sql(tmp_path: Path) -> None:
    schemas: list[dict[str, list[str]]] = []
    for prepare in (create_tables, lambda connection: upgrade(connection, None, "the test's")):
        engine = create_engine(f"sqlite:///{tmp_path}/{len(schemas)}.db")
        with engine.begin() as connection:
            prepare(connection)
            # SQLite gets these when they are needed.
            for index in (*DEFERRED_INDEXES, SITE_INDEX):
                connection.execute(DropIndex(index, if_exists=True))
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master")).all()
        schemas.append({name: _words(sql) for name, sql in rows if name != "alembic_version"})
        engine.dispose()
    created, migrated = schemas
    assert created == migrated


def test_both_ways_give_the_same_storage_parameters(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    found: list[dict[str, list[str]]] = []
    for prepare in (create_tables, lambda connection: upgrade(connection, None, "the test's")):
        with engine.connect() as connection, connection.begin() as transaction:
            prepare(connection)
            rows = connection.execute(
                text(
                    "SELECT relname, reloptions FROM pg_class WHERE reloptions IS NOT NULL"
                    " AND relkind = 'r' AND relnamespace = current_schema()::regnamespace"
                )
            )
            found.append({name: sorted(options) for name, options in rows})
            transaction.rollback()
    engine.dispose()
    created, migrated = found
    assert created == migrated
    assert set(created) == {"pages", "other_mentions", "visits"}


def _words(sql: str | None) -> list[str]:
    """Constraints may come in another order, and so may the last column."""
    return sorted((sql or "").replace(",", " ").replace(")", " ) ").split())


def test_the_newest_version_is_known_without_alembic() -> None:
    with migrations_folder() as folder:
        scripts = ScriptDirectory.from_config(alembic_config(folder))
        assert scripts.get_current_head() == HEAD_REVISION


@pytest.mark.parametrize("revision", ["0001", "0008", "inventory_2"])
def test_a_database_of_a_development_version_is_refused(database_url: str, revision: str) -> None:
    with open_database(database_url) as database, database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :is"), {"is": revision})
    with pytest.raises(SchemaError, match=rf"schema {revision}\).*and scan again"):
        open_database(database_url)


def test_opening_twice_changes_nothing(database_url: str) -> None:
    for _ in range(2):
        with open_database(database_url) as database, database.reading() as connection:
            assert current_revision(connection) == HEAD_REVISION


def test_a_newer_database_is_left_alone(database_url: str) -> None:
    with open_database(database_url) as database, database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(
        SchemaTooNewError, match=f"schema 9999; this one knows up to {HEAD_REVISION}"
    ):
        open_database(database_url)


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


def test_workspaces_that_shared_an_inventory_are_separated(database_url: str) -> None:
    """Migrating from the version in which a key was one inventory, whoever watched it."""
    moment = "2026-01-01 00:00:00+00:00"
    engine = create_engine(database_url)
    with engine.begin() as connection, migrations_folder() as folder:
        config = alembic_config(folder)
        config.attributes["connection"] = connection
        command.upgrade(config, "dives_1")
        before = MetaData()
        before.reflect(connection)

        def add(table: str, **values: Any) -> None:
            columns = before.tables[table].c
            zeroes = {
                column.name: _ZEROES.get(column.type.python_type, moment)
                for column in columns
                if not column.nullable and not column.primary_key
            }
            given = {**zeroes, **values}
            names, places = ", ".join(given), ", ".join(f":{name}" for name in given)
            connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({places})"), given)

        add("workspaces", id=2, name="other")
        for site_id, key in ((1, "shared.example"), (2, "own.example"), (3, "by-hand.example")):
            add("sites", id=site_id, key=key, key_rules="{}")
            add("scans", id=site_id, site_id=site_id, status="finished", settings="{}")
        sites = ((1, 2, "shared.example", 1), (2, 1, "shared.example", 1), (3, 1, "own.example", 2))
        for number, workspace_id, key, site_id in sites:
            add(
                "watched_sites",
                id=number,
                workspace_id=workspace_id,
                key=key,
                site_id=site_id,
                tags="[]",
                settings="{}",
                last_scan_id=site_id,
            )
            since = f"2026-01-0{number} 00:00:00+00:00"
            add("site_inventories", watched_site_id=number, site_id=site_id, since=since)
            add("jobs", id=number, watched_site_id=number, scan_id=site_id)
    engine.dispose()
    with open_database(database_url) as database, database.reading() as connection:

        def rows(columns: str, table: str) -> list[tuple[Any, ...]]:
            order = columns.partition(",")[0]
            found = connection.execute(text(f"SELECT {columns} FROM {table} ORDER BY {order}"))
            return [tuple(row) for row in found]

        assert rows("id, workspace_id", "sites") == [(1, 2), (2, 1), (3, 1)]
        watched = rows("id, site_id, last_scan_id", "watched_sites")
        assert watched == [(1, 1, 1), (2, None, None), (3, 2, 2)]
        assert rows("watched_site_id, site_id", "site_inventories") == [(1, 1), (3, 2)]
        assert rows("id, scan_id", "jobs") == [(1, 1), (2, None), (3, 2)]
