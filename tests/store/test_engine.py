"""Opening databases, and what a person reads when that fails."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from sitecrawl.store.driver_errors import explain
from sitecrawl.store.engine import open_database, without_password
from sitecrawl.store.errors import (
    DatabaseLockedError,
    DatabaseMissingError,
    DatabaseReadOnlyError,
    DatabaseUnavailableError,
    DatabaseUrlError,
    DiskFullError,
    DriverMissingError,
    NotADatabaseError,
    StoreError,
)
from sitecrawl.store.queries.scans import scans
from sitecrawl.store.vocabulary import ScanStatus
from tests.site.users import as_nobody
from tests.store.scanning import Scanning, inventory, scan


class TestUrls:
    @pytest.mark.parametrize(
        ("url", "words"),
        [
            ("", "cannot be read"),
            ("sitecrawl.db", "cannot be read"),
            ("sqlite://", "in memory"),
            ("sqlite:///:memory:", "in memory"),
            ("sqlite://host/x.db", "without host"),
            ("sqlite:///x.db?mode=ro", "without host or options"),
            ("mysql://u:secret@h/n", "'mysql' is not supported"),
            ("postgresql+asyncpg://u:secret@h/n", "not supported"),
        ],
    )
    def test_what_cannot_be_used_is_named(self, url: str, words: str) -> None:
        with pytest.raises(DatabaseUrlError, match=words) as caught:
            open_database(url)
        assert "secret" not in str(caught.value)
        assert "sqlite:///" in str(caught.value)

    def test_a_relative_file_lies_in_the_working_directory(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with open_database("sqlite:///inventory.db") as database:
            monkeypatch.chdir("/")
            scan(database, {})
        assert (tmp_path / "inventory.db").is_file()

    def test_the_home_folder_has_its_short_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(tmp_path))
        open_database("sqlite:///~/inventory.db").close()
        assert (tmp_path / "inventory.db").is_file()

    @pytest.mark.parametrize("prefix", ["postgres", "postgresql", "postgresql+psycopg"])
    def test_postgres_has_several_names(self, postgres_url: str, prefix: str) -> None:
        _, rest = postgres_url.split("://")
        with open_database(f"{prefix}://{rest}") as database:
            assert not database.is_sqlite

    def test_a_password_is_never_shown(self) -> None:
        assert without_password("postgresql://u:secret@h/n") == "postgresql://u:***@h/n"
        assert "secret" not in without_password("postgresql:/u:secret@h:x/n")


class TestSqliteFiles:
    def test_the_file_is_set_up_for_writing_while_others_read(self, sqlite_url: str) -> None:
        with open_database(sqlite_url) as database, database.reading() as connection:
            pragmas = ("journal_mode", "synchronous", "page_size", "foreign_keys")
            values = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]
        assert values == ["wal", 1, 16384, 1]

    def test_a_missing_folder_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(DatabaseUnavailableError, match=r"folder .*nowhere does not exist"):
            open_database(f"sqlite:///{tmp_path}/nowhere/x.db")

    def test_a_folder_is_not_a_file(self, tmp_path: Path) -> None:
        with pytest.raises(DatabaseUnavailableError, match="is a folder"):
            open_database(f"sqlite:///{tmp_path}")

    def test_who_only_reads_makes_no_file(self, tmp_path: Path, sqlite_url: str) -> None:
        with pytest.raises(DatabaseMissingError, match="a first scan creates it"):
            open_database(sqlite_url, create=False)
        assert list(tmp_path.iterdir()) == []

    def test_another_file_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("not a database at all\n" * 1000)
        with pytest.raises(NotADatabaseError, match=r"notes\.txt: the file is not an SQLite"):
            open_database(f"sqlite:///{path}")
        assert path.read_text().startswith("not a database")

    def test_a_file_that_may_not_be_written(self, open_folder: Path) -> None:
        url = f"sqlite:///{open_folder}/x.db"
        open_database(url).close()
        (open_folder / "x.db").chmod(0o444)
        open_folder.chmod(0o555)
        with as_nobody(), pytest.raises(DatabaseReadOnlyError, match="right to write it"):
            open_database(url)

    def test_a_file_that_may_only_be_read_can_be_read(self, open_folder: Path) -> None:
        url = f"sqlite:///{open_folder}/x.db"
        with open_database(url) as database:
            scan(database, {"https://example.com/a.xml": ["https://example.com/"]})
        (open_folder / "x.db").chmod(0o444)
        open_folder.chmod(0o777)
        with as_nobody(), open_database(url) as database:
            assert inventory(database) == ["https://example.com/"]
            with pytest.raises(DatabaseReadOnlyError, match="right to write it"):
                Scanning(database)

    @pytest.mark.parametrize(
        "name", ["x.db", "a b?c#d%20e.db"], ids=["plain", "with marks of a URI"]
    )
    def test_a_folder_that_may_only_be_read_can_be_read(self, open_folder: Path, name: str) -> None:
        path = open_folder / name
        url = str(URL.create("sqlite", database=str(path)))
        with open_database(url) as database:
            scan(database, {"https://example.com/a.xml": ["https://example.com/"]})
        assert list(open_folder.iterdir()) == [path]
        path.chmod(0o444)
        open_folder.chmod(0o555)
        with as_nobody(), open_database(url, create=False, to_write=False) as database:
            assert inventory(database) == ["https://example.com/"]
            with pytest.raises(DatabaseReadOnlyError, match="right to write it"):
                Scanning(database)

    def test_what_a_writer_has_not_yet_moved_into_the_file_is_read(self, open_folder: Path) -> None:
        url = f"sqlite:///{open_folder}/x.db"
        with open_database(url) as writer:
            scan(writer, {"https://example.com/a.xml": ["https://example.com/"]})
            for each in open_folder.iterdir():
                each.chmod(0o644)
            open_folder.chmod(0o555)
            with as_nobody(), open_database(url, create=False, to_write=False) as database:
                assert inventory(database) == ["https://example.com/"]
            open_folder.chmod(0o755)

    def test_changes_that_cannot_be_read_are_told(
        self, open_folder: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        path = open_folder / "x.db"
        url = f"sqlite:///{path}"
        open_database(url).close()
        with open_database(url) as writer:
            scan(writer, {"https://example.com/a.xml": ["https://example.com/"]})
            # As a process leaves them that is killed, on a disc that takes no files any more.
            left = {each: each.read_bytes() for each in (path, path.with_name("x.db-wal"))}
        for each, content in left.items():
            each.write_bytes(content)
            each.chmod(0o644)
        open_folder.chmod(0o555)
        with as_nobody():
            open_database(url, create=False, to_write=False).close()
        assert "x.db-wal, which cannot be read" in caplog.text

    def test_a_folder_that_may_not_be_written(self, open_folder: Path) -> None:
        open_folder.chmod(0o555)
        with as_nobody(), pytest.raises(DatabaseUnavailableError, match="may be written"):
            open_database(f"sqlite:///{open_folder}/x.db")

    def test_a_database_that_somebody_holds(self, sqlite_url: str, tmp_path: Path) -> None:
        open_database(sqlite_url).close()
        with contextlib.closing(sqlite3.connect(tmp_path / "sitecrawl.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            with (
                open_database(sqlite_url, busy_timeout_seconds=0.05) as database,
                pytest.raises(DatabaseLockedError, match="another process"),
            ):
                Scanning(database)

    def test_a_disk_that_is_full(self, sqlite_url: str) -> None:
        # A process may limit its own files: the system then refuses to let them grow.
        program = """
import resource, sys
from sitecrawl.store.engine import open_database
from tests.store.scanning import Scanning
with open_database(sys.argv[1]) as database:
    scanning = Scanning(database)
    scanning.list_pages("https://example.com/a.xml", ["https://example.com/kept"])
    scanning.writer.commit()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    try:
        for batch in range(100):
            urls = [f"https://example.com/{batch}/{n:0100d}" for n in range(1000)]
            scanning.list_pages("https://example.com/a.xml", urls)
            scanning.writer.commit()
    except Exception as error:
        print(type(error).__name__, error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
"""
        done = run_python(program, sqlite_url)
        assert done.stdout.startswith(DiskFullError.__name__), done.stdout + done.stderr
        with open_database(sqlite_url) as database:
            scan(database, {})
            with database.reading() as connection:
                assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
                first = connection.exec_driver_sql("SELECT url FROM pages ORDER BY number").first()
        assert first == ("https://example.com/kept",)


class TestPostgres:
    def test_a_server_that_is_not_there(self) -> None:
        with pytest.raises(DatabaseUnavailableError, match="check host, port") as caught:
            open_database("postgresql://me:secret@127.0.0.1:1/inventory")
        assert "secret" not in str(caught.value)
        assert "me:***@127.0.0.1:1/inventory" in str(caught.value)

    def test_a_database_that_is_not_there(self, postgres_url: str) -> None:
        start, _, options = postgres_url.partition("?")
        with pytest.raises(DatabaseUnavailableError, match='"nothing" does not exist'):
            open_database(f"{start.rpartition('/')[0]}/nothing?{options}")

    def test_a_driver_that_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(DriverMissingError, match=r"pip install 'sitecrawl\[postgres\]'"):
            open_database("postgresql://localhost/inventory")

    @pytest.mark.parametrize(
        ("state", "kind"),
        [
            ("28P01", DatabaseUnavailableError),
            ("53100", DiskFullError),
            ("53300", DatabaseUnavailableError),
            ("25006", DatabaseReadOnlyError),
            ("42501", DatabaseReadOnlyError),
            ("55P03", DatabaseLockedError),
            ("57P01", DatabaseUnavailableError),
            ("22012", StoreError),
            (None, DatabaseUnavailableError),
        ],
    )
    def test_what_the_server_says_is_understood(
        self, state: str | None, kind: type[StoreError]
    ) -> None:
        error = OSError("as the server says it")
        error.sqlstate = state  # type: ignore[attr-defined]
        found = explain("postgresql://h/n", error)
        assert type(found) is kind
        assert "as the server says it" in str(found)

    def test_a_connection_that_is_cut_leaves_a_message(self, postgres_url: str) -> None:
        with open_database(postgres_url) as database:
            scanning = Scanning(database)
            with database.writing() as other:
                other.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE pid <> pg_backend_pid() AND datname = current_database()"
                )
            with pytest.raises(DatabaseUnavailableError):
                scanning.list_pages("https://example.com/a.xml", ["https://example.com/"])
            # It is back: the scan can be ended, with what it had committed.
            scanning.finish(ScanStatus.FAILED)
            assert scans(database)[0].status == ScanStatus.FAILED


def test_a_new_file_is_private(tmp_path: Path) -> None:
    file = tmp_path / "own.db"
    with open_database(f"sqlite:///{file}") as database:
        scan(database, {})
        for each in (file, tmp_path / "own.db-wal"):
            assert each.stat().st_mode & 0o077 == 0


def test_starting_is_cheap(sqlite_url: str) -> None:
    """Neither Alembic nor anything of PostgreSQL is imported for a file that is up to date."""
    open_database(sqlite_url).close()
    program = """
import sys
from sitecrawl.store.engine import open_database
from sitecrawl.store.writers.scan_writer import ScanWriter
database = open_database(sys.argv[1])
writer = ScanWriter(database)
writer.begin(asked="example.com", site_key="example.com", root_url="https://example.com/")
writer.close()
database.close()
heavy = {"alembic", "psycopg", "sqlalchemy.dialects.postgresql", "scrapy", "numpy"}
print(heavy & set(sys.modules))
"""
    assert run_python(program, sqlite_url).stdout.strip() == "set()"


def test_readers_see_one_state_while_somebody_writes(sqlite_url: str) -> None:
    with open_database(sqlite_url) as database:
        scan(database, {"https://example.com/a.xml": ["https://example.com/1"]})
        scanning = Scanning(database)
        scanning.list_pages("https://example.com/a.xml", ["https://example.com/2"])
        assert inventory(database) == ["https://example.com/1"]
        scanning.finish()


def run_python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
