"""The report as JSON: exactly its data."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.report.data import ReportData


def write_json(data: ReportData, file: IO[bytes]) -> None:
    file.write(json.dumps(data, ensure_ascii=False, allow_nan=False).encode() + b"\n")
