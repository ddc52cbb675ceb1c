"""Positions in a sorted list of pages, and the opaque texts that callers get for them."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.errors import InvalidInputError
from sitecrawl.store.queries.page_filter import TEXT_SORTS

if TYPE_CHECKING:
    from typing import NoReturn

    from sitecrawl.store.queries.page_filter import PageOrder

# The longest URL that is kept has 2,000 characters, of which each may take twelve in JSON.
_MAX_CHARACTERS: Final = 40_000
_MAX_NUMBER: Final = 2**63


class Position(NamedTuple):
    """The last page that was given: what it is sorted by, and its number."""

    key: str | float
    number: int


def encode_cursor(order: PageOrder, position: Position) -> str:
    """A text that says where to go on; it belongs to the order."""
    data = [order.sort.value, order.descending, *position]
    text = json.dumps(data, separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(order: PageOrder, cursor: str) -> Position:
    """What ``encode_cursor`` has made; ``InvalidInputError`` for anything else."""
    if len(cursor) > _MAX_CHARACTERS:
        _refuse("it is too long")
    try:
        data = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        sort, descending, key, number = data
    except (ValueError, TypeError, RecursionError):
        _refuse("it is none that was given out")
    if sort != order.sort.value or descending is not order.descending:
        _refuse("it belongs to another sort; begin without a cursor")
    is_right_key = _is_text(key) if order.sort in TEXT_SORTS else _is_number(key)
    if not is_right_key or not _is_number(number) or number != int(number):
        _refuse("it is none that was given out")
    return Position(key, int(number))


def _is_text(key: object) -> bool:
    # What no database stores cannot have come from one.
    if not isinstance(key, str) or "\0" in key:
        return False
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(key: object) -> bool:
    if not isinstance(key, int | float) or isinstance(key, bool):
        return False
    return abs(key) < _MAX_NUMBER  # nor is NaN


def _refuse(why: str) -> NoReturn:
    raise InvalidInputError("cursor", f"{why}; take the one that came with the last page")
