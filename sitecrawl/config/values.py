"""The kinds of values a setting may have: how each is read, and what it expects in words."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_LANGUAGE = re.compile("[a-z]{2,3}(?:-[a-z0-9]{2,8})*")


class ValueKind(NamedTuple):
    """``parse`` raises ``ValueError`` for what is not ``expects``."""

    expects: str
    parse: Callable[[Any], Any]


def _parse_text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value.strip()


def _parse_any_text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError  # noqa: TRY004  the caller says what was expected
    return value.strip()


def _parse_flag(value: Any) -> bool:
    word = str(value).strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"0", "false", "no", "off"}:
        return False
    raise ValueError


def _parse_kept_bodies(value: Any) -> str:
    word = str(value).strip().lower()
    if word in {"documents", "pages", "none"}:
        return word
    return "documents" if _parse_flag(value) else "none"


def _parse_count(value: Any) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise ValueError
    number = int(str(value).strip().replace("_", "")) if isinstance(value, str) else int(value)
    if number < 0:
        raise ValueError
    return number


def _parse_positive(value: Any) -> int:
    number = _parse_count(value)
    if number == 0:
        raise ValueError
    return number


def _parse_seconds(value: Any) -> float:
    if value is None or isinstance(value, bool):
        raise ValueError
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ValueError
    return number


def _parse_positive_seconds(value: Any) -> float:
    number = _parse_seconds(value)
    if number == 0:
        raise ValueError
    return number


def _parse_milliseconds(value: Any) -> float:
    return _parse_positive_seconds(value) / 1000


def _parse_names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
        raise ValueError
    return tuple(name.strip() for name in value if name.strip())


def _parse_languages(value: Any) -> tuple[str, ...]:
    codes = tuple(name.lower().replace("_", "-") for name in _parse_names(value))
    if not all(map(_LANGUAGE.fullmatch, codes)):
        raise ValueError
    return codes


def _kind(expects: str, parse: Callable[[Any], Any]) -> ValueKind:
    def checked(value: Any) -> Any:
        try:
            return parse(value)
        except (TypeError, OverflowError) as error:
            raise ValueError(str(error)) from error

    return ValueKind(expects, checked)


def count_up_to(limit: int) -> ValueKind:
    def parse(value: Any) -> int:
        number = _parse_count(value)
        if number > limit:
            raise ValueError
        return number

    return _kind(f"a whole number from 0 to {limit}", parse)


def choice(*words: str) -> ValueKind:
    def parse(value: Any) -> str:
        word = str(value).strip().lower()
        if word not in words:
            raise ValueError
        return word

    return ValueKind(f"one of {', '.join(words)}", parse)


text = _kind("a text that is not empty", _parse_text)
any_text = _kind("a text", _parse_any_text)
flag = _kind("true or false", _parse_flag)
kept_bodies = _kind("documents, pages or none", _parse_kept_bodies)
count = _kind("a whole number, 0 or more", _parse_count)
positive = _kind("a whole number, 1 or more", _parse_positive)
seconds = _kind("a number, 0 or more", _parse_seconds)
positive_seconds = _kind("a number greater than 0", _parse_positive_seconds)
milliseconds_as_seconds = _kind("a number of milliseconds greater than 0", _parse_milliseconds)
names = _kind("a list, or words separated by commas", _parse_names)
languages = _kind("codes of languages such as en,pt-br", _parse_languages)
