from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sitecrawl.store.engine import open_database
from tests.store.crawling import Crawling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sitecrawl.store.engine import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/sitecrawl.db") as opened:
        yield opened


@pytest.fixture
def crawling(database: Database) -> Crawling:
    """A crawl of ``example.com`` that is about to visit its root."""
    crawling = Crawling(database)
    crawling.start()
    return crawling
