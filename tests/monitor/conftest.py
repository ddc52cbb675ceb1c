from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sitecrawl.safety.secrets import new_key
from sitecrawl.services.database import configured

# The same databases as the tests of the store have.
from tests.store.conftest import (
    database,
    database_kind,
    database_url,
    sqlite_database,
    sqlite_url,
)

if TYPE_CHECKING:
    from sitecrawl.config import Config

__all__ = [
    "database",
    "database_kind",
    "database_url",
    "sqlite_database",
    "sqlite_url",
]


@pytest.fixture
def config() -> Config:
    """Loopback may be reached, and there is a key."""
    return replace(
        configured(),
        address_allow=("127.0.0.1",),
        secret_key=(new_key(),),
        web_public_url="https://watch.example.com",
    )
