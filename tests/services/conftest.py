from __future__ import annotations

# The same databases as the tests of the store have.
from tests.store.conftest import (
    database,
    database_kind,
    database_url,
    sqlite_database,
    sqlite_url,
)

__all__ = [
    "database",
    "database_kind",
    "database_url",
    "sqlite_database",
    "sqlite_url",
]
