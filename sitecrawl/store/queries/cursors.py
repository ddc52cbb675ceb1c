"""Positions in sorted lists, and the opaque texts (cursors) that callers get for them.

Lists are given a page at a time by key: each begins behind the last row of the one before, however
long the list. A cursor is the sort value and the number of that row, as text that a URL can carry.
Whoever sends one may have made it up: what no database stores is refused.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from sqlalchemy import Integer, Numeric, Select, and_, or_

from sitecrawl.errors import InvalidInputError
from sitecrawl.store.queries.page_filter import TEXT_SORTS
from sitecrawl.store.schema.types import UtcDateTime

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn, TypeGuard

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Row

    from sitecrawl.store.queries.page_filter import PageOrder

MAX_PAGE_ROWS: Final = 500
# The longest URL that is kept has 2,000 characters, of which each may take twelve in JSON.
_MAX_CHARACTERS: Final = 40_000
_MAX_NUMBER: Final = 2**63
_NOT_GIVEN_OUT: Final = "it is none that was given out"
_OF_ANOTHER_SORT: Final = "it belongs to another sort; begin without a cursor"
_Each = TypeVar("_Each")


# --- pages ----------------------------------------------------------------------------------------


class Position(NamedTuple):
    """The last page that was given: what it is sorted by, and its number."""

    key: str | float
    number: int


def encode_cursor(order: PageOrder, position: Position) -> str:
    """A text that says where to go on; it belongs to the order."""
    return _encode([order.sort.value, order.descending, *position])


def decode_cursor(order: PageOrder, cursor: str) -> Position:
    """What ``encode_cursor`` has made; ``InvalidInputError`` for anything else."""
    sort, descending, key, number = _decode(cursor, 4)
    if sort != order.sort.value or descending is not order.descending:
        _refuse(_OF_ANOTHER_SORT)
    if not (_is_text(key) if order.sort in TEXT_SORTS else _is_number(key)):
        _refuse(_NOT_GIVEN_OUT)
    return Position(key, _row_number(number))


# --- other lists ----------------------------------------------------------------------------------


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
        value, number = _read_cursor(order, cursor)
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
    plain = value.isoformat() if isinstance(value, datetime) else value
    return _encode([plain, number])


def _read_cursor(order: Order, cursor: str) -> tuple[Any, int]:
    value, number = _decode(cursor, 2)
    kind = order.value.type
    if isinstance(kind, UtcDateTime):
        value = _moment(value)
    elif not (_is_number(value) if isinstance(kind, Integer | Numeric) else _is_text(value)):
        _refuse(_OF_ANOTHER_SORT)
    return value, _row_number(number)


# --- what both have -------------------------------------------------------------------------------


def _encode(values: Sequence[Any]) -> str:
    text = json.dumps(values, separators=(",", ":"))
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode(cursor: str, length: int) -> list[Any]:
    if len(cursor) > _MAX_CHARACTERS:
        _refuse("it is too long")
    try:
        values = json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        _refuse(_NOT_GIVEN_OUT)
    if not isinstance(values, list) or len(values) != length:
        _refuse(_NOT_GIVEN_OUT)
    return values


def _moment(value: object) -> datetime:
    if not isinstance(value, str):
        _refuse(_OF_ANOTHER_SORT)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        _refuse(_OF_ANOTHER_SORT)
    if moment.tzinfo is None:
        _refuse(_NOT_GIVEN_OUT)
    return moment


def _row_number(value: object) -> int:
    if not _is_number(value) or value != int(value):
        _refuse(_NOT_GIVEN_OUT)
    return int(value)


def _is_text(key: object) -> bool:
    # What no database stores cannot have come from one.
    if not isinstance(key, str) or "\0" in key:
        return False
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_number(key: object) -> TypeGuard[float]:
    if not isinstance(key, int | float) or isinstance(key, bool):
        return False
    return abs(key) < _MAX_NUMBER  # nor is NaN


def _refuse(why: str) -> NoReturn:
    raise InvalidInputError("cursor", f"{why}; take the one that came with the last page")
