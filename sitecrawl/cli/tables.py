"""Tables of commands: with Rich on a terminal, plain and aligned elsewhere; times as people say."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

JsonOption = Annotated[bool, typer.Option("--json", help="As JSON, for programs.")]
# Columns that take more than one line where there is little room.
_LONG = frozenset({"name", "site", "tags", "reason", "root", "description", "worker"})
_STYLES = {
    **dict.fromkeys(("success", "finished", "enabled", "on"), "green"),
    **dict.fromkeys(("failed", "interrupted"), "red"),
    **dict.fromkeys(("partial", "cancelled", "skipped", "off"), "yellow"),
    **dict.fromkeys(("running", "queued"), "cyan"),
}


def print_json(value: Any) -> None:
    """Dataclasses as objects, times as ISO 8601."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print the columns that have something in them.

    Cells come from sites and people: nothing in them can steer the terminal.
    """
    safe = [[printable(cell) for cell in row] for row in rows]
    filled = [place for place in range(len(columns)) if any(row[place] for row in safe)]
    columns = [columns[place] for place in filled]
    safe = [[row[place] for place in filled] for row in safe]
    if sys.stdout.isatty():
        _print_styled(columns, safe)
        return
    widths = [max(map(len, column)) for column in zip(columns, *safe, strict=True)]
    for row in (columns, *safe):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        typer.echo("  ".join(cells).rstrip())


def _print_styled(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        is_number = column in {"id", "job", "scan", "pages", "sites", "running", "of", "priority"}
        is_long = column in _LONG
        table.add_column(
            column,
            justify="right" if is_number else "left",
            overflow="fold" if is_long else "ellipsis",
            no_wrap=not is_long,
        )
    for row in rows:
        table.add_row(*(Text(cell, style=_STYLES.get(cell, "")) for cell in row))
    Console().print(table)


def ago(moment: datetime | None, now: datetime) -> str:
    """
    >>> from datetime import UTC, datetime, timedelta
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> [ago(now - timedelta(minutes=minutes), now) for minutes in (0, 3, 150, 60 * 24 * 9)]
    ['just now', '3 min ago', '2 h ago', '9 days ago']
    >>> ago(now + timedelta(hours=5), now), ago(None, now)
    ('in 5 h', 'never')
    """
    if moment is None:
        return "never"
    seconds = (now - moment).total_seconds()
    minutes = round(abs(seconds) / 60)
    if minutes < 1:
        return "just now" if seconds >= 0 else "now"
    hours, days = minutes // 60, minutes // 1440
    words = f"{days} days" if days > 1 else f"{hours} h" if hours else f"{minutes} min"
    return f"{words} ago" if seconds >= 0 else f"in {words}"
