"""A database of the version before is migrated, by command or by the server, and then served."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from sitecrawl.cli.serve import migrate_before_serving
from sitecrawl.store.engine import schema_revision
from sitecrawl.store.migrations.upgrade import HEAD_REVISION, alembic_config, migrations_folder
from tests.site.project import Project
from tests.web.serving import serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.world import World


def _database_before(newest: Path, file: Path) -> str:
    """The rows of a database with the tables and columns of the version before; its version."""
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection, migrations_folder() as folder:
        config = alembic_config(folder)
        head = ScriptDirectory.from_config(config).get_revision(HEAD_REVISION)
        before = str(head.down_revision)
        config.attributes["connection"] = connection
        command.upgrade(config, before)
    engine.dispose()
    with closing(sqlite3.connect(file)) as old:
        old.execute("ATTACH ? AS newest", (str(newest),))
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for (table,) in old.execute(tables).fetchall():
            if table == "alembic_version":
                continue
            columns = ", ".join(
                f'"{name}"'
                for (name,) in old.execute("SELECT name FROM pragma_table_info(?)", (table,))
            )
            # The first workspace is there already.
            old.execute(
                f"INSERT OR REPLACE INTO main.{table} ({columns})"
                f" SELECT {columns} FROM newest.{table}"
            )
        old.commit()
    return before


@pytest.mark.parametrize("is_by_command", [True, False])
def test_a_database_of_the_version_before_goes_on(
    shared_world: World, tmp_path: Path, is_by_command: bool
) -> None:
    file = tmp_path / "sitecrawl.db"
    url = f"sqlite:///{file}"
    newest = tmp_path / "newest.db"
    source = shared_world.server.config.database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(source)) as world, closing(sqlite3.connect(newest)) as copy:
        world.backup(copy)
    before = _database_before(newest, file)
    assert schema_revision(url) == before
    if is_by_command:
        project = Project.in_folder(tmp_path, url)
        done = project.run(sys.executable, "-m", "sitecrawl", "migrate").succeeded()
        assert f"{before} -> {HEAD_REVISION}" in done.stdout
    else:
        migrate_before_serving(url)
        assert schema_revision(f"sqlite:///{tmp_path}/sitecrawl-{before}.db") == before
    assert schema_revision(url) == HEAD_REVISION
    paths = [
        f"/api/sites/{shared_world.site_id}{path}"
        for path in ("", "/pages?sort=url", "/pages/facets", "/changes", "/events", "/tree")
    ]
    with serving(url, web_requests_per_minute=0) as server:
        client = server.by_token(shared_world.token)
        for path in paths:
            answer = client.get(path)
            assert answer.status_code == 200, answer.text
            assert answer.json() == shared_world.owner.get(path).json(), path
        # By the password that the user had.
        assert server.signed_in("owner-1@example.com").get("/").status_code == 200
