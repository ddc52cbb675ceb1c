"""The lines of a robots.txt, read as tolerantly as Google's parser reads them; delays and rates."""

from __future__ import annotations

import codecs
import math
import re
from datetime import time
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.parsing.encoding import decode_pieces
from sitecrawl.parsing.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_BYTES = 512_000
MAX_LINES = 10_000
# What Google's parser keeps of a line; eight times the longest URL that browsers take.
MAX_LINE_BYTES = 8 * 2_083 - 1


class Field(StrEnum):
    """The field of a line; typos that Google's parser tolerates are corrected."""

    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    CRAWL_DELAY = "crawl-delay"
    REQUEST_RATE = "request-rate"


# As in Google's parser, whatever starts with one of the first four words is one of them.
_FIELD = re.compile(
    rb"(?:(user[- ]?agent)|(allow)|(disallow|dissallow|dissalow|disalow|diasllow|disallaw)"
    rb"|(site-?map)|(crawl[- ]?delay\Z)|(request[- ]?rate\Z))",
    re.IGNORECASE,
)
_FIELDS = tuple(Field)
# `Sitemap https://shop.example/map.xml`: the first colon is not that of the line.
_ADDRESS_WITHOUT_COLON = re.compile(rb"[^\s:]+[ \t]+https?://", re.IGNORECASE)

_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HEAD_BYTES = 1_024
_HTML = re.compile(rb"\s*<(?:!doctype|html|head|body|script|\?xml)\b", re.IGNORECASE)
_MARKUP = re.compile(rb"\s*<[!?/a-z]", re.IGNORECASE)
_BINARY = re.compile(rb"%PDF|\x89PNG|GIF8|PK\x03\x04|\x1f\x8b|\xff\xd8\xff")
_TEXT_CONTROLS = b"\t\n\v\f\r"
_CONTROLS = bytes(code for code in range(32) if code not in _TEXT_CONTROLS)
_MOST_CONTROLS = 0.1
# Scripts of a page of HTML have lines that start with `userAgent`.
_AGENT_LINE = re.compile(rb"(?:^|[\r\n])[ \t]*user[- ]agent", re.IGNORECASE)


class RobotsLine(NamedTuple):
    """A line that says something: 1-based number, what it is about (None: unknown), value."""

    number: int
    field: Field | None
    value: bytes
    raw: bytes  # the line with its comment, without the space around it

    @property
    def text(self) -> str:
        return decode_octets(self.raw)


class SitemapLine(NamedTuple):
    """A line that names a sitemap: its 1-based number, the line, and the value as written."""

    line: int
    text: str
    value: str


class RobotsText:
    """A body as the lines of a robots.txt.

    - At most `MAX_BYTES` are read, without the line that this cuts in two: half a rule could be
      a rule for the whole site. Of one line at most `MAX_LINE_BYTES` count.
    - Lines end with CR, LF or CRLF, and with nothing else. A ``#`` starts a comment.
    - Bytes stay what they are, because rules are compared by octets; only UTF-16 and UTF-32
      become UTF-8. Byte order marks, also half ones, and null bytes are dropped.
    - `not_text` says what a body is that is no robots.txt at all; it has no lines.
    """

    def __init__(self, body: bytes):
        self.is_cut = len(body) > MAX_BYTES
        octets = _octets(body[:MAX_BYTES])
        self.not_text = _describe_other(octets)
        lines = octets.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        if self.is_cut:
            lines.pop()
        self._lines = [] if self.not_text else lines
        self.long_lines = [
            number for number, line in enumerate(self._lines, start=1) if len(line) > MAX_LINE_BYTES
        ]
        for number in self.long_lines:
            self._lines[number - 1] = self._lines[number - 1][:MAX_LINE_BYTES]

    def __iter__(self) -> Iterator[RobotsLine]:
        """Give the lines that are neither empty nor only a comment."""
        for number, line in enumerate(self._lines, start=1):
            raw = line.strip()
            statement = raw.partition(b"#")[0].rstrip() if b"#" in raw else raw
            if statement:
                yield RobotsLine(number, *_read(statement), raw)


def sitemap_line(line: RobotsLine) -> SitemapLine | None:
    """Decode a line of the field `SITEMAP`; None if it names nothing.

    A value may be relative. Such a line belongs to no group.
    """
    value = decode_octets(line.value).strip()
    return SitemapLine(line.number, line.text, value) if value else None


def decode_octets(octets: bytes) -> str:
    """Decode for display: UTF-8, or the most likely encoding of other bytes."""
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(decode_pieces([octets], Findings()))


def _read(statement: bytes) -> tuple[Field | None, bytes]:
    key, colon, value = statement.partition(b":")
    if not colon or _ADDRESS_WITHOUT_COLON.match(statement):
        # The colon may be missing: exactly two words are a key and its value.
        words = statement.split()
        if len(words) != 2:  # noqa: PLR2004  a key and its value
            return None, b""
        key, value = words
    match = _FIELD.match(key.rstrip())
    field = None if match is None or match.lastindex is None else _FIELDS[match.lastindex - 1]
    return field, value.strip()


def _octets(body: bytes) -> bytes:
    if body.startswith(_WIDE_MARKS) or b"\0" in body[:4]:
        return "".join(decode_pieces([body], Findings())).encode("utf-8", "replace")
    for length in range(len(codecs.BOM_UTF8), 0, -1):
        if body.startswith(codecs.BOM_UTF8[:length]):
            return body[length:].replace(b"\0", b"")
    return body.replace(b"\0", b"")


def _describe_other(octets: bytes) -> str:
    """Describe a body that cannot be a robots.txt; the empty string if it may be one."""
    head = octets[:_HEAD_BYTES]
    is_html = _HTML.match(octets)
    is_markup = is_html or _MARKUP.match(head)
    controls = len(head) - len(head.translate(None, _CONTROLS))
    is_binary = _BINARY.match(head) or controls > _MOST_CONTROLS * len(head)
    # As by Google's crawler, a file with rules is read, whatever else is in it.
    if not (is_markup or is_binary) or _AGENT_LINE.search(octets):
        return ""
    if is_html:
        return "HTML"
    return "markup" if is_markup else "binary data"


_DELAY = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_RATE = re.compile(
    r"(\d{1,9})\s*/\s*(\d{1,9})\s*([smhd]?)"
    r"(?:\s+(\d{1,2}):?(\d\d)\s*-\s*(\d{1,2}):?(\d\d)\s*(?:z|utc|gmt)?)?",
    re.ASCII | re.IGNORECASE,
)
_UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}


class CrawlDelay(NamedTuple):
    """``Crawl-delay: 2``: seconds between two requests."""

    seconds: float
    line: int


class RequestRate(NamedTuple):
    """``Request-rate: 1/10m 0600-0845``: requests per seconds, and the hours (UTC) it holds in."""

    requests: int
    seconds: int
    start: time | None
    end: time | None
    line: int

    @property
    def seconds_between(self) -> float:
        return self.seconds / self.requests

    def holds_at(self, moment: time) -> bool:
        """Whether it holds at this time of day in UTC; hours may go past midnight."""
        if self.start is None or self.end is None:
            return True
        if self.start <= self.end:
            return self.start <= moment <= self.end
        return moment >= self.start or moment <= self.end


def parse_crawl_delay(value: str, line: int) -> CrawlDelay | None:
    """Read the value of a ``Crawl-delay`` line; None if it is no number of seconds.

    >>> parse_crawl_delay("2.5", 3)
    CrawlDelay(seconds=2.5, line=3)
    >>> parse_crawl_delay("soon", 3) is None
    True
    """
    seconds = float(value) if _DELAY.fullmatch(value) else math.inf
    return CrawlDelay(seconds, line) if math.isfinite(seconds) else None


def parse_request_rate(value: str, line: int) -> RequestRate | None:
    """Read the value of a ``Request-rate`` line; None if it is no rate.

    >>> parse_request_rate("1/10m", 4)
    RequestRate(requests=1, seconds=600, start=None, end=None, line=4)
    >>> str(parse_request_rate("1/10m 0600-0845", 4).end)
    '08:45:00'
    >>> parse_request_rate("0/5", 4) is None
    True
    """
    match = _RATE.fullmatch(value)
    if match is None:
        return None
    requests, seconds = int(match[1]), int(match[2]) * _UNIT_SECONDS[match[3].lower()]
    if not requests or not seconds:
        return None
    try:
        start = _time_of_day(match[4], match[5])
        end = _time_of_day(match[6], match[7])
    except ValueError:
        return None
    return RequestRate(requests, seconds, start, end, line)


def _time_of_day(hour: str | None, minute: str | None) -> time | None:
    if hour is None or minute is None:
        return None
    # 2400 is how people write the end of a day.
    return time.max if (hour, minute) == ("24", "00") else time(int(hour), int(minute))
