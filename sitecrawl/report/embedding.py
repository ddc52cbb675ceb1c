"""The report's data inside an HTML file: packed in parts, and within a size."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.report.data import EvidenceFacts, PageColumns, ReportData

MAX_FILE_BYTES: Final = 10_000_000
_RESERVED_BYTES: Final = 500_000  # the script, the style sheet and the summary
_MAX_EVIDENCE_BYTES: Final = 1_000_000
# What the browser has to unpack and parse; far beyond what 100,000 ordinary pages need.
_MAX_UNPACKED_CHARACTERS: Final = 80_000_000
_CHARACTERS_PER_ROW: Final = 120  # of all columns but the two long ones
_FEWEST_ROWS: Final = 1_000
_OWN_PARTS: Final = ("graph", "pages", "evidence")


def embedded_parts(report: ReportData) -> dict[str, str]:
    """The name of each part and its data: JSON, gzip, base64.

    Nothing in base64 can end a script element or start another. The overview is what is shown
    first; the others are unpacked when they are needed. Pages take what room is left, from the
    first one on, and those that find none are counted in ``left_out``.
    """
    parts = {
        "overview": _packed(
            {name: part for name, part in report.items() if name not in _OWN_PARTS}
        ),
        "graph": _packed(report["graph"]),
        "evidence": _packed_evidence(report["evidence"]),
    }
    room = MAX_FILE_BYTES - _RESERVED_BYTES - sum(map(len, parts.values()))
    parts["pages"] = _packed_pages(report["pages"], room)
    return parts


def _packed(value: object) -> str:
    # ASCII, so that half a surrogate pair of some title cannot end it all; no time, so that the
    # same report gives the same file.
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return b64encode(gzip.compress(text.encode("ascii"), compresslevel=7, mtime=0)).decode("ascii")


def _packed_pages(pages: PageColumns, room: int) -> str:
    lengths = (
        len(url) + len(title) + _CHARACTERS_PER_ROW
        for url, title in zip(pages["url"], pages["title"], strict=True)
    )
    rows = sum(total <= _MAX_UNPACKED_CHARACTERS for total in accumulate(lengths))
    while True:
        packed = _packed(_first_rows(pages, rows))
        if len(packed) <= room or rows <= _FEWEST_ROWS:
            return packed
        rows = max(_FEWEST_ROWS, int(rows * room / len(packed) * 0.95))


def _first_rows(pages: PageColumns, rows: int) -> PageColumns:
    left_out = len(pages["url"]) - rows
    if left_out <= 0:
        return pages
    columns: Mapping[str, Any] = pages
    shorter: dict[str, Any] = {
        name: values[:rows] for name, values in columns.items() if isinstance(values, list)
    }
    return cast("PageColumns", {**shorter, "left_out": pages["left_out"] + left_out})


def _packed_evidence(records: Sequence[EvidenceFacts]) -> str:
    while True:
        packed = _packed(records)
        if len(packed) <= _MAX_EVIDENCE_BYTES or not records:
            return packed
        records = records[: len(records) // 2]
