"""URL paths: depth and section of a URL, placeholder and word of a single segment.

Canonical URLs are expected; any other text gives a result as well.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final
from urllib.parse import unquote

from sitecrawl.urls.rules import DEFAULT_SKIP_EXTENSIONS

# --- placeholders of templates ------------------------------------------------------------------

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
_MAX_ID_LETTERS: Final = 3
_IDENTIFIERS = re.compile(
    rf"(?P<date>{_YEAR}[-_.]{_MONTH}(?:[-_.]{_DAY})?|{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
    rf"|{_DAY}[-_.]{_MONTH}[-_.]{_YEAR})\Z"
    rf"|(?P<id>[0-9]+|[A-Za-z]{{1,{_MAX_ID_LETTERS}}}[-_.]?[0-9]+(?:[-_.][0-9]+)*|[0-9]+(?:[-_.,][0-9]+)+)\Z"
    r"|(?P<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\Z"
    # Words of the letters a to f have no digits: hexadecimal needs one near its start.
    r"|(?P<hash>(?=[a-f-]{0,12}[0-9])[0-9a-f]{8,}|(?=[A-F]{0,12}[0-9])[0-9A-F]{8,})\Z",
    re.IGNORECASE,
)
_PLACEHOLDERS: Final = {"date": DATE, "id": ID, "uuid": UUID, "hash": HASH}
_UUID_LENGTH: Final = 36
_IS_YEAR = re.compile(rf"{_YEAR}\Z")
_IS_MONTH = re.compile(rf"{_MONTH}\Z|(?:{_MONTH_NAMES})[a-z]{{0,7}}\Z", re.IGNORECASE)
_IS_DAY = re.compile(rf"{_DAY}\Z")
_DIGIT = re.compile("[0-9]")
# Only known extensions are split off: a site can make up any number of others.
_PAGE_EXTENSIONS = "html htm xhtml shtml php php5 asp aspx jsp jspx jsf cfm do action cgi pl txt md"
_EXTENSIONS: Final = frozenset({*_PAGE_EXTENSIONS.split(), *DEFAULT_SKIP_EXTENSIONS})
# A token mixes cases, letters and digits as no person would.
_TOKEN_CHANGE = re.compile("(?<=[a-z])[A-Z]|(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_MIN_TOKEN_LENGTH: Final = 8
_MIN_TOKEN_CHANGES: Final = 3
_SEPARATORS = str.maketrans("", "", "-_+ .")
_MAX_WORD_LENGTH: Final = 64

HOME: Final = "/"
"""In place of a slug: the root of a host."""
MIN_ORIGIN_LENGTH: Final = len("http://a")
_AUTHORITY_PARTS: Final = 3  # "https:", "" and the host
_AUTHORITY_SLASHES: Final = 2


def without_query(url: str) -> str:
    """
    >>> without_query("https://a.example/b?c#d")
    'https://a.example/b'
    """
    return url.partition("?")[0].partition("#")[0]


def bare_url(url: str) -> str:
    """The URL without query and fragment, with a path.

    >>> bare_url("http://a.test/b"), bare_url("http://a.test/c?d"), bare_url("http://a.test#e")
    ('http://a.test/b', 'http://a.test/c', 'http://a.test/')
    """
    if "?" not in url and "#" not in url:
        return url
    bare = without_query(url)
    return bare if bare.count("/") > _AUTHORITY_SLASHES else f"{bare}/"


def split_slug(url: str) -> tuple[str, str]:
    """The folder of a bare URL and its last segment, which is ``HOME`` for the root of a host.

    >>> split_slug("https://a.example/b/c/"), split_slug("https://a.example/")
    (('https://a.example/b', 'c'), ('https://a.example', '/'))
    """
    folder, _, slug = url.rpartition("/")
    if slug:
        return folder, slug
    parent, _, slug = folder.rpartition("/")
    return (parent, slug) if len(parent) >= MIN_ORIGIN_LENGTH else (folder, HOME)


def path_depth(url: str) -> int:
    """The number of path segments; 0 for a text with fewer slashes than a URL has.

    >>> path_depth("https://a.example/"), path_depth("https://a.example/b/?x=/y")
    (0, 1)
    """
    return max(without_query(url).removesuffix("/").count("/") - _AUTHORITY_SLASHES, 0)


def section(url: str) -> str:
    """The first path segment of a page below it; ``""`` for pages in the root.

    >>> section("https://a.example/blog/x"), section("https://a.example/about?x=/y/")
    ('/blog', '')
    """
    parts = url.split("/", 4)
    if len(parts) <= _AUTHORITY_PARTS + 1 or "?" in parts[3] or "#" in parts[3]:
        return ""
    return "/" + parts[3]


def placeholder(segment: str, previous: str = "") -> str:
    """The placeholder of a segment; *previous* is that of the segment before it.

    >>> [placeholder(text) for text in ("4711", "p204118", "2026", "2026-03-14", "ten-tips-3")]
    ['{id}', '{id}', '{yyyy}', '{date}', '{slug}']
    >>> [placeholder("03", YEAR), placeholder("14", MONTH), placeholder("ten-tips.html")]
    ['{mm}', '{dd}', '{slug}.html']
    """
    stem, extension = split_extension(segment)
    return stem_placeholder(stem, previous) + extension


def stem_placeholder(stem: str, previous: str) -> str:
    """The placeholder of a segment without its extension."""
    # Most segments start with a word: no identifier does, except a UUID by chance.
    first, hyphen, _ = stem.partition("-")
    if hyphen and len(first) > _MAX_ID_LETTERS and first.isalpha() and len(stem) != _UUID_LENGTH:
        return SLUG
    if date_part := _date_placeholder(stem, previous):
        return date_part
    if not _DIGIT.search(stem):
        return SLUG
    identifier = _IDENTIFIERS.match(stem)
    if identifier and identifier.lastgroup:
        return _PLACEHOLDERS[identifier.lastgroup]
    is_token = (
        len(stem) >= _MIN_TOKEN_LENGTH
        and stem.isalnum()
        and len(_TOKEN_CHANGE.findall(stem)) >= _MIN_TOKEN_CHANGES
    )
    return HASH if is_token else SLUG


def _date_placeholder(stem: str, previous: str) -> str:
    if previous == YEAR and _IS_MONTH.match(stem):
        return MONTH
    if previous == MONTH and _IS_DAY.match(stem):
        return DAY
    return YEAR if _IS_YEAR.match(stem) else ""


def split_extension(segment: str) -> tuple[str, str]:
    """
    >>> split_extension("a.html"), split_extension("v1.2"), split_extension(".htaccess")
    (('a', '.html'), ('v1.2', ''), ('.htaccess', ''))
    """
    if "." not in segment:
        return segment, ""
    if segment.endswith(".html") and len(segment) > len(".html"):
        return segment[: -len(".html")], ".html"
    stem, _, extension = segment.rpartition(".")
    extension = extension.lower()
    return (stem, f".{extension}") if stem and extension in _EXTENSIONS else (segment, "")


def compact_word(segment: str) -> str:
    """The segment as one word: without case, accents, separators and file extension.

    >>> [compact_word(text) for text in ("Privacy_Policy.html", "%C3%BCber-uns", "sign-in")]
    ['privacypolicy', 'uberuns', 'signin']
    """
    return compact_stem(split_extension(segment)[0])


def compact_stem(stem: str) -> str:
    """The word of a segment without its extension."""
    word = stem[:_MAX_WORD_LENGTH]
    if not word.isascii() or "%" in word:
        word = unquote(word, errors="replace")
        word = "".join(
            letter
            for letter in unicodedata.normalize("NFKD", word)
            if not unicodedata.combining(letter)
        )
    # Most segments have no separators but hyphens.
    word = word.lower().replace("-", "")
    return word if word.isalnum() else word.translate(_SEPARATORS)


def count_words(segment: str) -> int:
    """The number of words of a slug.

    >>> [count_words(text) for text in ("about", "about-us", "why-do-my-tomatoes-split-77120")]
    [1, 2, 5]
    """
    return sum(part.isalpha() or "%" in part for part in re.split("[-_+]", segment))
