from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from sitecrawl.errors import ScanCrashedError
from sitecrawl.services.demo_site import watched_demo_site
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries.scans import scans
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from pathlib import Path


def test_a_history_that_was_not_finished_is_made_the_next_time(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'demo.db'}"
    is_over = threading.Event()
    is_over.set()
    with open_database(url) as database:
        with (
            pytest.raises(ScanCrashedError),
            watched_demo_site(database, url, 1, is_over=is_over),
        ):
            pass
        # The first scan may have been quicker than its end.
        assert scans(database)[0].status == ScanStatus.INTERRUPTED
        with watched_demo_site(database, url, 1):
            pass
        statuses = [each.status for each in scans(database)]
        assert statuses[0] == ScanStatus.FINISHED
        assert statuses.count(ScanStatus.FINISHED) >= 2
        assert statuses.count(ScanStatus.INTERRUPTED) == 1
