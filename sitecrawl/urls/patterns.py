"""The pattern of a URL: its path and parameters with numbers, dates, ids and values masked.

* ``{n}`` stands for digits, ``{date}`` for a date in one segment, ``{id}`` for generated ids (such
  as UUIDs, hashes and tokens), ``{v}`` for the value of a parameter, ``{again}`` for repeated
  segments. Host and trailing slash do not count.
* The work is linear in the length of the URL, whatever it is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

AGAIN = "{again}"
ROUTE = "#"
NUMBER = "{n}"
DATE = "{date}"
TOKEN = "{id}"  # noqa: S105 - a placeholder, no secret

# Beyond these limits a pattern does not get more specific.
_MAX_SEGMENTS = 32
_MAX_PARAMETERS = 32
_MAX_PATTERN_LENGTH = 400

# Year, month, day and a page number; more numbers in a row are a loop.
_MAX_NUMBERS_IN_A_ROW = 4
_MAX_GROUP = 6
_MAX_NESTING = 2

_MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    "|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_YEAR = "(?:1[89]|2[01])[0-9]{2}"
_MONTH = "(?:0?[1-9]|1[0-2])"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_WHOLE_DATE = re.compile(
    rf"(?<![0-9])(?:{_YEAR}[-_.]{_MONTH}(?:[-_.]{_DAY})?|{_DAY}[-_.]{_MONTH}[-_.]{_YEAR}"
    rf"|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))(?![0-9])"
    rf"|(?<![a-z])(?:{_MONTHS})[-_.]{_YEAR}(?![0-9])"
    rf"|(?<![0-9]){_YEAR}[-_.](?:{_MONTHS})(?![a-z])",
    re.IGNORECASE,
)
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
YEAR_SEGMENT = re.compile(rf"{_YEAR}\Z")
# Behind a year: a month, a week or the day of a month.
DATE_PART_SEGMENT = re.compile(rf"(?:0?[1-9]|[1-4][0-9]|5[0-3]|{_MONTHS})\Z", re.IGNORECASE)

_DIGIT = re.compile("[0-9]")
_DIGITS = re.compile("[0-9]+")
_PIECE = re.compile("%[0-9A-Fa-f]{2}|[0-9A-Za-z]+")
_HEX = re.compile(r"[0-9a-f]+\Z|[0-9A-F]+\Z")
# Changes between lower case, upper case and digits, which are rare in words.
_SEAM = re.compile("(?<=[a-z])[A-Z]|(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_WORD = re.compile("[A-Za-z]{4}")
_LETTER = re.compile(r"[^\W\d_]")
_PLACEHOLDER = re.compile("{[a-z]+}")
_WORD_OF_SLUG = re.compile("[A-Za-z]{2,}")


class UrlParts(NamedTuple):
    """The parts of a URL that make its pattern; a client-side route counts as further segments
    and parameters."""

    segments: list[str]
    parameters: list[tuple[str, str]]


def url_parts(url: str) -> UrlParts:
    """
    >>> url_parts("https://example.com/a/b/?x=1&y")
    UrlParts(segments=['a', 'b'], parameters=[('x', '1'), ('y', '')])
    >>> url_parts("https://example.com/#/guide?id=top")
    UrlParts(segments=['#', 'guide'], parameters=[('id', 'top')])
    """
    address, _, route = url.partition("#")
    address, _, query = address.partition("?")
    route, _, route_query = route.partition("?")
    if route_query:
        query = f"{query}&{route_query}" if query else route_query
    path = address.partition("://")[2].partition("/")[2]
    segments = [segment for segment in f"{path}/{ROUTE}/{route}".split("/") if segment]
    if not route:
        segments.pop()
    parameters = []
    for pair in query.split("&", _MAX_PARAMETERS)[:_MAX_PARAMETERS] if query else ():
        name, _, value = pair.partition("=")
        parameters.append((name, value))
    return UrlParts(segments[:_MAX_SEGMENTS], parameters)


def url_pattern(url: str) -> str:
    """
    >>> url_pattern("https://example.com/calendar/2024/05")
    '/calendar/{n}/{n}'
    >>> url_pattern("https://example.com/shop?size=m&color=red")
    '/shop?color={v}&size={v}'
    >>> url_pattern("https://example.com/a/b/a/b/a") == url_pattern("https://example.com/a/b/a/b")
    True
    """
    segments, parameters = url_parts(url)
    path = path_pattern(collapse([mask(segment) for segment in segments]))
    return path + query_pattern({name for name, _ in parameters}) if parameters else path


def path_pattern(masked: Sequence[str]) -> str:
    return shortened("/" + "/".join(masked))


def query_pattern(names: set[str]) -> str:
    return shortened("?" + "&".join(f"{name}={{v}}" for name in sorted(names)))


def shortened(pattern: str) -> str:
    is_short = len(pattern) <= _MAX_PATTERN_LENGTH
    return pattern if is_short else f"{pattern[:_MAX_PATTERN_LENGTH]}..."


@lru_cache(maxsize=8192)
def mask(text: str) -> str:
    """Mask numbers, dates and ids in a segment or a value.

    >>> [mask(text) for text in ("item-12.html", "2024-05-17", "9f86d081884c7d65", "dQw4w9WgXcQ")]
    ['item-{n}.html', '{date}', '{id}', '{id}']
    """
    if not _DIGIT.search(text):
        return text
    masked = _WHOLE_DATE.sub(DATE, _UUID.sub(TOKEN, text))
    masked = _PIECE.sub(_mask_piece, masked)
    # Tokens in base 64 have "-" and "_" between short pieces; slugs have words.
    is_token = _is_made_up(text) and not _WORD.search(text) and "%" not in text
    return TOKEN if is_token and TOKEN not in masked else masked


def _mask_piece(match: re.Match[str]) -> str:
    piece = match[0]
    if piece[0] == "%" or not _DIGIT.search(piece):
        return piece
    if piece.isdigit():
        return NUMBER
    is_hash = len(piece) >= 8 and _HEX.match(piece)  # noqa: PLR2004 - a short hash, as of Git
    return TOKEN if is_hash or _is_made_up(piece) else _DIGITS.sub(NUMBER, piece)


def _is_made_up(text: str) -> bool:
    """Whether letters and digits are mixed as in a generated id."""
    return len(text) >= 8 and len(_SEAM.findall(text)) >= 3  # noqa: PLR2004 - tried on real ids


def collapse(masked: Sequence[str]) -> list[str]:
    """Replace repeated groups of segments by the first one and ``{again}``.

    >>> collapse(["x", "a", "b", "a", "b", "a"]), collapse(["{n}"] * 5), collapse(["{n}", "{n}"])
    (['x', 'a', 'b', '{again}'], ['{n}', '{again}'], ['{n}', '{n}'])
    """
    found = list(masked)
    words = [segment for segment in found if has_words(segment)]
    if len(set(words)) == len(words) and len(found) - len(words) <= _MAX_NUMBERS_IN_A_ROW:
        return found
    # The result may repeat as well: a/a/b/a/a/b.
    for _ in range(_MAX_NESTING):
        found = _collapse_once(found)
    return found


def _collapse_once(masked: list[str]) -> list[str]:
    found: list[str] = []
    start = 0
    while start < len(masked):
        length, end = _repeated_group(masked, start)
        found += masked[start : start + length]
        if end > start + length and masked[end : end + 1] != [AGAIN]:
            found.append(AGAIN)
        start = end
    return found


def _repeated_group(masked: list[str], start: int) -> tuple[int, int]:
    """The length of the shortest repeated group at *start*, and where its last repetition ends."""
    first = masked[start]
    for length in range(1, min(_MAX_GROUP, (len(masked) - start) // 2) + 1):
        if masked[start + length] != first:
            continue
        group = masked[start : start + length]
        end = start + length
        while masked[end : end + length] == group:
            end += length
        allowed = _MAX_NUMBERS_IN_A_ROW if not any(map(has_words, group)) else 1
        if (end - start) // length > allowed:
            tail = masked[end:]
            # The path may end within a repetition.
            return length, len(masked) if tail == group[: len(tail)] else end
    return 1, start + 1


@lru_cache(maxsize=8192)
def has_words(masked: str) -> bool:
    """Whether letters are left beside the placeholders.

    >>> [has_words(masked) for masked in ("{n}", "{n}-{n}", "page-{n}", "about")]
    [False, False, True, True]
    """
    return _LETTER.search(_PLACEHOLDER.sub("", masked)) is not None


@lru_cache(maxsize=8192)
def is_slug(masked: str) -> bool:
    """Whether a segment is a slug of several words, with or without a number.

    >>> [is_slug(mask(text)) for text in ("about", "item-12", "my-title-12", "ten-tips.html")]
    [False, False, True, True]
    """
    name = _PLACEHOLDER.sub("", masked.partition(".")[0])
    return "%" in name or len(_WORD_OF_SLUG.findall(name)) > 1
