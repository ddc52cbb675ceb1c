from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.store.engine import open_database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.store.engine import Database


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/sitecrawl.db"


@pytest.fixture(params=["sqlite", "postgres"])
def database_kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, database_kind: str) -> str:
    """A URL to an empty database, on each kind of server in turn."""
    url: str = request.getfixturevalue(f"{database_kind}_url")
    return url


@pytest.fixture
def database(request: pytest.FixtureRequest, database_kind: str) -> Iterator[Database]:
    """Another database than that of ``database_url``: on PostgreSQL its tables are copied."""
    name = {"sqlite": "sqlite_url", "postgres": "postgres_tables_url"}[database_kind]
    with open_database(request.getfixturevalue(name)) as opened:
        yield opened


@pytest.fixture
def sqlite_database(sqlite_url: str) -> Iterator[Database]:
    with open_database(sqlite_url) as opened:
        yield opened
