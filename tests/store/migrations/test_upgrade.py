"""The migrations: they give the schema that the code works with, wherever the package lies."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text
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
from tests.store.scanning import inventory, scan

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


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
    schemas: list[dict[str, str]] = []
    for prepare in (create_tables, lambda connection: upgrade(connection, None, "the test's")):
        engine = create_engine(f"sqlite:///{tmp_path}/{len(schemas)}.db")
        with engine.begin() as connection:
            prepare(connection)
            # SQLite gets these when they are needed.
            for index in (*DEFERRED_INDEXES, SITE_INDEX):
                connection.execute(DropIndex(index, if_exists=True))
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master")).all()
        schemas.append({name: _plain(sql) for name, sql in rows if name != "alembic_version"})
        engine.dispose()
    created, migrated = schemas
    assert created == migrated


def _plain(sql: str | None) -> str:
    return " ".join((sql or "").split())


def test_the_newest_version_is_known_without_alembic() -> None:
    with migrations_folder() as folder:
        scripts = ScriptDirectory.from_config(alembic_config(folder))
        assert scripts.get_current_head() == HEAD_REVISION


_AT = "2026-05-06 07:08:09"
# What a scan has left in a database of the first version.
SCAN_AT_0001 = (
    f"""INSERT INTO sites (key, root_url, seed, key_rules, page_columns, created_at)
    VALUES ('example.com', 'https://example.com/', 7, '{{}}', '["url"]', '{_AT}')""",
    f"""INSERT INTO scans (site_id, asked, root_url, status, settings, started_at,
        heartbeat_at, hostname, pid, process_token)
    VALUES (1, 'example.com', 'https://example.com/', 'finished', '{{}}', '{_AT}', '{_AT}',
        'host', 1, 'x')""",
    """INSERT INTO documents (site_id, url, kind, depth, found_by, first_scan_id,
        last_scan_id, content_scan_id)
    VALUES (1, 'https://example.com/a.xml', 'sitemap', 0, 'robots.txt line 1', 1, 1, 1),
        (1, 'https://example.com/b.xml', 'sitemap', 0, 'robots.txt line 2', 1, 1, 1)""",
    """INSERT INTO pages (id, site_id, document_id, seen_scan_id, first_scan_id, position,
        source, url, lastmod, reason, rule, sitemap_priority, details)
    VALUES (-5, 1, 1, 1, 1, 1, 'sitemap', 'https://example.com/1', '2026-01-02', NULL, NULL,
            0.5, '{"images": ["/i.png"]}'),
        (6, 1, 1, 1, 1, 2, 'sitemap', 'https://example.com/cart', NULL, 'skipped_path', '/cart',
            NULL, NULL)""",
    """INSERT INTO other_mentions (document_id, position, page_id, source, lastmod, scan_id)
    VALUES (2, 9, -5, 'feed', '2026-01-03', 1)""",
)


def test_what_the_first_version_has_stored_survives(database_url: str) -> None:
    engine = create_engine(database_url)
    with engine.begin() as connection, migrations_folder() as folder:
        config = alembic_config(folder)
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for statement in SCAN_AT_0001:
            connection.exec_driver_sql(statement)
        before = _content(connection)
    engine.dispose()
    with open_database(database_url) as database:
        with database.reading() as connection:
            assert current_revision(connection) == HEAD_REVISION
            assert _content(connection) == before
            shown = connection.execute(
                text(
                    "SELECT page_id, document_id, position, source, lastmod, scan_id, region,"
                    " anchor, rel, path FROM mentions ORDER BY document_id, position"
                )
            ).all()
        nothing = (None,) * 4
        assert [tuple(row) for row in shown] == [
            (-5, 1, 1, "sitemap", "2026-01-02", 1, *nothing),
            (6, 1, 2, "sitemap", None, 1, *nothing),
            (-5, 2, 9, "feed", "2026-01-03", 1, *nothing),
        ]
        assert inventory(database) == ["https://example.com/1", "https://example.com/cart"]
        # The next scan goes on from it.
        scan(database, {"https://example.com/a.xml": ["https://example.com/new"]})
        assert inventory(database) == ["https://example.com/new"]
        with database.reading() as connection:
            numbers = connection.execute(text("SELECT number FROM pages ORDER BY number")).all()
        assert [tuple(row) for row in numbers] == [(1,), (2,), (3,)]


def _content(connection: Connection) -> list[tuple[Any, ...]]:
    """Pages and mentions, with the columns of the first version."""
    statements = (
        """SELECT number, id, site_id, document_id, seen_scan_id, first_scan_id, position, source,
            url, lastmod, reason, rule, sitemap_priority, details FROM pages ORDER BY number""",
        """SELECT document_id, position, page_id, source, lastmod, details, scan_id
            FROM mentions ORDER BY 1, 2, 3""",
        "SELECT key, seed FROM sites",
        "SELECT url, content_scan_id FROM documents ORDER BY id",
    )
    return [tuple(row) for each in statements for row in connection.execute(text(each))]


# What two crawls have left, of the same links on two sites, in a database of the fifth version.
CRAWLS_AT_0005 = (
    *SCAN_AT_0001[:2],
    f"""INSERT INTO sites (key, root_url, seed, key_rules, page_columns, created_at)
    VALUES ('other.example', 'https://other.example/', 8, '{{}}', '["url"]', '{_AT}')""",
    """INSERT INTO documents (site_id, url, kind, depth, found_by, first_scan_id)
    VALUES (1, 'https://example.com/', 'page', 0, 'asked', 1),
        (1, 'https://example.com/a', 'page', 0, 'link', 1),
        (2, 'https://other.example/', 'page', 0, 'asked', 1)""",
    """INSERT INTO other_mentions (document_id, position, page_id, source, lastmod, details,
        scan_id, region, anchor, rel, path)
    VALUES (1, 1, 5, 'link', NULL, NULL, 1, 'footer', 'Five', 'nofollow', 'footer > a'),
        (1, 2, 5, 'link', NULL, NULL, 1, 'footer', NULL, 'nofollow', 'footer > a'),
        (1, 3, 5, 'link', NULL, NULL, 1, 'footer', 'Five', NULL, 'footer > a'),
        (2, 1, 5, 'link', NULL, NULL, 1, 'footer', 'Five', 'nofollow', 'footer > a'),
        (2, 9, -6, 'sitemap', '2026-01-02', '{}', 1, NULL, NULL, NULL, NULL),
        (3, 1, 7, 'link', NULL, NULL, 1, 'footer', 'Five', 'nofollow', 'footer > a')""",
)


def test_looks_are_found_among_the_mentions_of_the_fifth_version(database_url: str) -> None:
    shown = text("SELECT * FROM mentions ORDER BY document_id, position")
    engine = create_engine(database_url)
    with engine.begin() as connection, migrations_folder() as folder:
        config = alembic_config(folder)
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
        for statement in CRAWLS_AT_0005:
            connection.exec_driver_sql(statement)
        before = connection.execute(shown).mappings().all()
    engine.dispose()
    with open_database(database_url) as database, database.reading() as connection:
        assert connection.execute(shown).mappings().all() == before
        looks = connection.execute(
            text("SELECT id >> 32, source, region, rel, path FROM mention_looks")
        )
        assert sorted(map(tuple, looks), key=repr) == [
            (1, "link", "footer", "nofollow", "footer > a"),
            (1, "link", "footer", None, "footer > a"),
            (1, "sitemap", None, None, None),
            (2, "link", "footer", "nofollow", "footer > a"),
        ]


@pytest.mark.parametrize("has_index", [True, False])
def test_moving_mentions_keeps_their_index(sqlite_url: str, has_index: bool) -> None:
    engine = create_engine(sqlite_url)
    with engine.begin() as connection, migrations_folder() as folder:
        config = alembic_config(folder)
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
        if has_index:
            connection.execute(
                text("CREATE INDEX ix_other_mentions_page_id ON other_mentions (page_id)")
            )
        command.upgrade(config, "0006")
        indexes = [index["name"] for index in inspect(connection).get_indexes("other_mentions")]
        assert indexes == ["ix_other_mentions_page_id"] * has_index
    engine.dispose()


def test_opening_twice_changes_nothing(database_url: str) -> None:
    for _ in range(2):
        with open_database(database_url) as database, database.reading() as connection:
            assert current_revision(connection) == HEAD_REVISION


def test_a_newer_database_is_left_alone(database_url: str) -> None:
    with open_database(database_url) as database, database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SchemaTooNewError, match=r"schema 9999; this one knows up to \d+"):
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
