"""One segment of a path: what stands for it in a template, and the word that it is."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from sitecrawl.urls.rules import DEFAULT_SKIP_EXTENSIONS

ID: Final = "{id}"
UUID: Final = "{uuid}"
HASH: Final = "{hash}"
DATE: Final = "{date}"
YEAR: Final = "{yyyy}"
MONTH: Final = "{mm}"
DAY: Final = "{dd}"
SLUG: Final = "{slug}"
LANGUAGE: Final = "{lang}"
REST: Final = "{…}"

_YEAR = "(?:19|20)[0-9]{2}"
_MONTH = "(?:0?[1-9]|1[0-2])"
_DAY = "(?:0?[1-9]|[12][0-9]|3[01])"
_MONTH_NAMES = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_SHAPES = re.compile(
    rf"(?P<date>{_YEAR}[-_.]{_MONTH}(?:[-_.]{_DAY})?|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    rf"|{_DAY}[-_.]{_MONTH}[-_.]{_YEAR})\Z"
    rf"|(?P<id>[0-9]+|[A-Za-z]{{1,3}}[-_.]?[0-9]+(?:[-_.][0-9]+)*|[0-9]+(?:[-_.,][0-9]+)+)\Z"
    r"|(?P<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\Z"
    # A word has hardly any digits: what looks like hexadecimal is one only with some.
    r"|(?P<hash>(?=[a-f-]{0,12}[0-9])[0-9a-f]{8,}|(?=[A-F]{0,12}[0-9])[0-9A-F]{8,})\Z",
    re.IGNORECASE,
)
_IS_YEAR = re.compile(rf"{_YEAR}\Z")
_IS_MONTH = re.compile(rf"{_MONTH}\Z|(?:{_MONTH_NAMES})[a-z]{{0,7}}\Z", re.IGNORECASE)
_IS_DAY = re.compile(rf"{_DAY}\Z")
_DIGIT = re.compile("[0-9]")
# A site can make up any number of others.
_PAGE_ENDINGS = "html htm xhtml shtml php php5 asp aspx jsp jspx jsf cfm do action cgi pl txt md"
_ENDINGS: Final = frozenset({*_PAGE_ENDINGS.split(), *DEFAULT_SKIP_EXTENSIONS})
_MADE_UP = re.compile("(?<=[a-z])[A-Z]|(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_PLACEHOLDERS: Final = {"date": DATE, "id": ID, "uuid": UUID, "hash": HASH}
_MIN_TOKEN: Final = 8
_MIN_SEAMS: Final = 3
_SEPARATORS = str.maketrans("", "", "-_+ .")
_MAX_WORD: Final = 64


def placeholder(segment: str, before: str = "") -> str:
    """What stands for a segment that varies; *before* is what stands for the one before it.

    >>> [placeholder(text) for text in ("4711", "p204118", "2026", "2026-03-14", "ten-tips")]
    ['{id}', '{id}', '{yyyy}', '{date}', '{slug}']
    >>> [placeholder("03", YEAR), placeholder("14", MONTH), placeholder("ten-tips.html")]
    ['{mm}', '{dd}', '{slug}.html']
    """
    # Most segments have no digits, and nearly all of these no dot.
    if segment.replace("-", "").isalpha() and before != YEAR:
        return SLUG
    stem, extension = split_extension(segment)
    return _shape(stem, before) + extension


def split_extension(segment: str) -> tuple[str, str]:
    """
    >>> split_extension("a.html"), split_extension("v1.2"), split_extension(".htaccess")
    (('a', '.html'), ('v1.2', ''), ('.htaccess', ''))
    """
    stem, _, ending = segment.rpartition(".")
    return (stem, f".{ending.lower()}") if stem and ending.lower() in _ENDINGS else (segment, "")


def _shape(stem: str, before: str) -> str:
    if found := _date_part(stem, before):
        return found
    if not _DIGIT.search(stem):
        return SLUG
    shape = _SHAPES.match(stem)
    if shape and shape.lastgroup:
        return _PLACEHOLDERS[shape.lastgroup]
    # Tokens: letters and digits mixed as no person would mix them, without anything between.
    if len(stem) >= _MIN_TOKEN and stem.isalnum() and len(_MADE_UP.findall(stem)) >= _MIN_SEAMS:
        return HASH
    return SLUG


def _date_part(stem: str, before: str) -> str:
    if before == YEAR and _IS_MONTH.match(stem):
        return MONTH
    if before == MONTH and _IS_DAY.match(stem):
        return DAY
    return YEAR if _IS_YEAR.match(stem) else ""


@lru_cache(maxsize=4_096)
def compact_word(segment: str) -> str:
    """The word that a segment is: no case, accents, separators or file ending.

    >>> [compact_word(text) for text in ("Privacy_Policy.html", "%C3%BCber-uns", "sign-in")]
    ['privacypolicy', 'uberuns', 'signin']
    """
    word = split_extension(segment)[0][:_MAX_WORD]
    if not word.isascii() or "%" in word:
        word = unquote(word, errors="replace")
        word = "".join(
            letter
            for letter in unicodedata.normalize("NFKD", word)
            if not unicodedata.combining(letter)
        )
    return word.lower().translate(_SEPARATORS)


def words_of(segment: str) -> int:
    """How many words a slug has.

    >>> [words_of(text) for text in ("about", "about-us", "why-do-my-tomatoes-split-77120")]
    [1, 2, 5]
    """
    return sum(part.isalpha() or "%" in part for part in re.split("[-_+]", segment))
