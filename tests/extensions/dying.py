"""An exporter that ends its process as a power cut would, in the middle of the feed."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from sitecrawl.exporters.pages import JsonLinesPageExporter

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan


class DyingExporter(JsonLinesPageExporter):
    def export_scan(self, database: Database, scan: Scan, wanted: PageFilter) -> int:
        self.file.write(b'{"url": "half a')
        self.file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
        return 0
