"""JSON and JSON lines."""

from __future__ import annotations

from typing import Any

import orjson

from sitecrawl.exporters.pages import PageExporter


class JsonLinesPageExporter(PageExporter):
    """One object per line."""

    def write_rows(self, rows: list[dict[str, Any]]) -> None:
        self.file.write(b"\n".join(map(orjson.dumps, rows)) + b"\n")


class JsonPageExporter(PageExporter):
    """One list of objects, one per line."""

    _has_rows = False

    def start_exporting(self) -> None:
        self.file.write(b"[")

    def write_rows(self, rows: list[dict[str, Any]]) -> None:
        self.file.write(b",\n" if self._has_rows else b"\n")
        self.file.write(b",\n".join(map(orjson.dumps, rows)))
        self._has_rows = True

    def finish_exporting(self) -> None:
        self.file.write(b"\n]\n")
