"""Cells of CSV that a spreadsheet can open without running what a site wrote into them."""

from __future__ import annotations

import re
from typing import Any, Final

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
