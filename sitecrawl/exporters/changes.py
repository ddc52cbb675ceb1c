"""Changes, events and differences of inventories as JSON, CSV or Markdown."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, Final

from sitecrawl.exporters.csv_rows import write_csv_rows
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sitecrawl.store.queries.changes import ChangeFact, EventFact

CHANGE_COLUMNS: Final = (
    *("id", "scan_id", "occurred_at", "kind", "severity", "url", "other_url", "before", "after"),
    *("evidence", "confidence", "status", "assignee", "note"),
)
DIFF_COLUMNS: Final = ("kind", "url", "before", "after")


def write_json(value: Any, file: IO[bytes]) -> None:
    """Write dataclasses, and whatever is made of them, as one indented text."""
    text = json.dumps(value, default=_plain, ensure_ascii=False, indent=2)
    file.write(f"{text}\n".encode())


def write_rows(rows: Iterable[object], columns: Sequence[str], file: IO[bytes]) -> int:
    """Write a header and a line for each; return their number."""
    cells = ([_cell(getattr(row, name)) for name in columns] for row in rows)
    return write_csv_rows(columns, cells, file)


def write_markdown(
    title: str,
    events: Sequence[EventFact],
    changes: Mapping[int, Sequence[ChangeFact]],
    file: IO[bytes],
) -> None:
    """A heading, and each event with its first changes, for a comment on a change of the code."""
    lines = [f"## {_escaped(title)}", ""]
    if not events:
        lines.append("No changes.")
    for event in events:
        lines.append(f"- **{event.severity}** {_escaped(event.title)}")
        for change in changes.get(event.id, ()):
            arrow = f" → {_escaped(change.other_url)}" if change.other_url else ""
            lines.append(f"  - {_escaped(change.url or '')}{arrow}")
    file.write(("\n".join(lines) + "\n").encode())


def _escaped(text: str) -> str:
    """
    >>> _escaped("a_b <script>")
    'a\\\\_b &lt;script>'
    """
    plain = printable(text).replace("&", "&amp;").replace("<", "&lt;")
    for special in "\\`*_[]|":
        plain = plain.replace(special, f"\\{special}")
    return plain


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return value.isoformat() if isinstance(value, datetime) else value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"{value!r} cannot be written as JSON")
