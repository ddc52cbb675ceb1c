"""Pages of lists by key: each begins behind the last row of the page before, however long the list.

A cursor is the sort value and the number of that row, as text that a URL can carry.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from sqlalchemy import Select, and_, or_

from sitecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Row

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
