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
def database_url(request: pytest.FixtureRequest) -> str:
    """A URL to an empty database, on each kind of server in turn."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    with open_database(database_url) as opened:
        yield opened


@pytest.fixture
def sqlite_database(sqlite_url: str) -> Iterator[Database]:
    with open_database(sqlite_url) as opened:
        yield opened
