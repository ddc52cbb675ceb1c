"""CSV that a spreadsheet can open without running what a site wrote into its cells."""

from __future__ import annotations

import csv
import io
import re
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A cell that starts with one of these is a formula, or the way into one, to a spreadsheet. Some
# spreadsheets take the full-width forms for the same characters.
_FORMULA_STARTS: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
# Control characters, and those that change the direction of text: invisible, and able to make a
# cell show something else than it holds, or hide the start of a formula.
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+"
)


def safe_cell(value: Any) -> Any:
    """
    >>> safe_cell("=HYPERLINK(1)"), safe_cell("plain"), safe_cell(None), safe_cell(["a", "b"])
    ("'=HYPERLINK(1)", 'plain', '', 'a b')
    >>> safe_cell("a\\u202eb"), safe_cell(-1), len(safe_cell("\\uff1d1"))
    ('ab', -1, 3)
    """
    if value is None:
        return ""
    if isinstance(value, list):
        value = " ".join(value)
    if not isinstance(value, str):
        return value
    if not value.isprintable():
        value = _INVISIBLE.sub("", value)
    return f"'{value}" if value.startswith(_FORMULA_STARTS) else value


def write_csv_rows(
    columns: Sequence[str],
    rows: Iterable[Iterable[Any]],
    file: IO[bytes],
    *,
    quotes_all: bool = False,
) -> int:
    """Write a header and a line for each row, as they are read; return their number."""
    # Its own text layer must not close the file when it goes.
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, quoting=csv.QUOTE_ALL if quotes_all else csv.QUOTE_MINIMAL)
    writer.writerow(columns)
    number = 0
    for row in rows:
        writer.writerow([safe_cell(cell) for cell in row])
        number += 1
    text.detach()
    return number
