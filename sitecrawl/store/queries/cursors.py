"""Positions in sorted lists, and the opaque texts (cursors) that callers get for them.

Lists are given a page at a time by key: each begins behind the last row of the one before, however
long the list. A cursor is the sort value and the number of that row, as text that a URL can carry.
"""

from __future__ import annotations

import base64
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from sqlalchemy import Select, and_, or_

from sitecrawl.errors import InvalidInputError
from sitecrawl.store.queries.page_filter import TEXT_SORTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Row

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


MAX_PAGE_ROWS: Final = 500
_MAX_CURSOR_LENGTH: Final = 4000
_NO_CURSOR: Final = "it is not a cursor of this list"
_Each = TypeVar("_Each")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[_Each]):
    """Some rows of a list, and where the next ones begin."""

    rows: tuple[_Each, ...]
    next_cursor: str | None
    """None: these are the last."""


@dataclass(frozen=True, slots=True)
class Order:
    """The column that a list is sorted by (never NULL), and the number that makes it total."""

    value: ColumnElement[Any]
    number: ColumnElement[int]
    is_descending: bool = False


def page_of(statement: Select[Any], order: Order, cursor: str | None, limit: int) -> Select[Any]:
    """The statement for the rows behind *cursor*; one more than *limit* tells whether it ends."""
    if not 1 <= limit <= MAX_PAGE_ROWS:
        raise InvalidInputError("limit", f"{limit} is not from 1 to {MAX_PAGE_ROWS}")
    if cursor:
        value, number = _read_cursor(cursor)
        statement = statement.where(_behind(order, value, number))
    columns = (order.value, order.number)
    if order.is_descending:
        statement = statement.order_by(*(column.desc() for column in columns))
    else:
        statement = statement.order_by(*columns)
    return statement.add_columns(order.value.label("sort_value")).limit(limit + 1)


def list_page(
    rows: Sequence[Row[Any]], limit: int, make: Callable[[Row[Any]], _Each], number: str = "id"
) -> ListPage[_Each]:
    """The rows of a statement of :func:`page_of` as values, with the cursor of what follows."""
    shown = rows[:limit]
    cursor = None
    if len(rows) > limit:
        last = shown[-1]
        cursor = _write_cursor(last.sort_value, getattr(last, number))
    return ListPage(tuple(make(row) for row in shown), cursor)


def _behind(order: Order, value: Any, number: int) -> ColumnElement[bool]:
    if order.is_descending:
        return or_(order.value < value, and_(order.value == value, order.number < number))
    return or_(order.value > value, and_(order.value == value, order.number > number))


def _write_cursor(value: Any, number: int) -> str:
    kind, plain = ("t", value.isoformat()) if isinstance(value, datetime) else ("v", value)
    packed = json.dumps([kind, plain, number], separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def _read_cursor(cursor: str) -> tuple[Any, int]:
    try:
        packed = base64.urlsafe_b64decode(cursor[:_MAX_CURSOR_LENGTH] + "=" * (-len(cursor) % 4))
        kind, plain, number = json.loads(packed)
        value = datetime.fromisoformat(plain) if kind == "t" else plain
        row = int(number)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInputError("cursor", _NO_CURSOR) from error
    if not isinstance(value, (datetime, str, int, float)):
        raise InvalidInputError("cursor", _NO_CURSOR)
    return value, row
