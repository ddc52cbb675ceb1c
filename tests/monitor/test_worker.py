"""What the scheduler does besides jobs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from sitecrawl.monitor.worker import MonitorProcess
from sitecrawl.store.queries.scans import scans
from tests.store.scanning import scan

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database


@pytest.mark.parametrize(("keep_scans", "left"), [(0, 4), (1, 1)])
def test_old_scans_are_removed_by_itself_if_the_settings_say_so(
    database: Database, config: Config, keep_scans: int, left: int
) -> None:
    for _ in range(4):
        scan(database, {"https://example.com/sitemap.xml": ["https://example.com/a"]})
    process = MonitorProcess(database, replace(config, keep_scans=keep_scans), is_scheduler=True)
    [prune] = [duty for duty in process._duties() if duty.do == process._prune]
    prune.do(datetime.now(UTC))
    assert process._pruning is not None
    process._pruning.join()
    assert len(scans(database, 10)) == left
