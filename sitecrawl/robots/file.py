"""A robots.txt as one crawler reads it: rules, delays and sitemaps of the groups that name it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.robots.lines import (
    MAX_BYTES,
    MAX_LINE_BYTES,
    MAX_LINES,
    CrawlDelay,
    Field,
    RequestRate,
    RobotsLine,
    RobotsText,
    decode_octets,
    parse_crawl_delay,
    parse_request_rate,
    sitemap_line,
)
from sitecrawl.urls.address import without_credentials

if TYPE_CHECKING:
    from datetime import time

    from sitecrawl.robots.lines import SitemapLine


_EXAMPLE_CHARACTERS = 120


_TOKEN = re.compile(r"[A-Za-z_-]*")
_NAME = re.compile(r"[^\s/]*")
_EVERYBODY = re.compile(r"\*(?:\s|\Z)")


class AgentMatching(StrEnum):
    """How a group's name is compared with ours."""

    RFC = "rfc"
    PARTIAL = "partial"


class Closeness(IntEnum):
    """How a group names us; only the groups with the closest name in the file hold."""

    EXACT = 0
    PARTIAL = 1
    EVERYBODY = 2


def parse_token(text: str) -> str:
    """Return the product token *text*, which RFC 9309 (2.2.1) makes of letters, - and _ only.

    >>> parse_token("sitecrawl")
    'sitecrawl'
    """
    if not text or not _TOKEN.fullmatch(text):
        raise ValueError(
            f"{text!r}: expected a product token of letters, - and _ only, such as sitecrawl"
        )
    return text


def token_of(user_agent: str) -> str:
    """Return the name of a bot without its version and whatever follows.

    >>> token_of("MJ12bot/v1.4.8 (http://mj12bot.example/)")
    'MJ12bot'
    """
    match = _NAME.match(user_agent.strip())
    if match is None or not match[0] or match[0].startswith("*"):
        raise ValueError(f"{user_agent!r}: expected the name of a bot, such as sitecrawl")
    return match[0]


def closeness(value: str, token: str, matching: AgentMatching) -> Closeness | None:
    """Say how the value of a ``User-agent`` line names the bot *token*; None: not at all.

    - Case never matters. What follows the token (``sitecrawl/1.0``, ``sitecrawl v2``) does not
      either: a value ends at the first character that no token has.
    - ``*`` is everybody, also with words behind it.
    - With partial matching a name that is part of ours, or has ours as a part, is a match.

    >>> closeness("SiteCrawl/1.0", "sitecrawl", AgentMatching.RFC).name
    'EXACT'
    >>> closeness("site", "sitecrawl", AgentMatching.RFC) is None
    True
    >>> closeness("site", "sitecrawl", AgentMatching.PARTIAL).name
    'PARTIAL'
    """
    if value.startswith("*"):
        return Closeness.EVERYBODY if _EVERYBODY.match(value) else None
    value, token = value.lower(), token.lower()
    name = _leading(_TOKEN, value)
    # The RFC has no tokens with digits, but bots with such names exist.
    if token in {name, _leading(_NAME, value)}:
        return Closeness.EXACT
    if matching == AgentMatching.PARTIAL and ((name and name in token) or token in value):
        return Closeness.PARTIAL
    return None


def _leading(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.match(text)
    return match[0] if match else ""


class RobotsFindingKind(StrEnum):
    NOT_TEXT = "not_text"
    OVER_LIMIT = "over_limit"
    LONG_LINE = "long_line"
    UNKNOWN_LINE = "unknown_line"
    RULE_OUTSIDE_GROUP = "rule_outside_group"
    RULE_WITHOUT_SLASH = "rule_without_slash"
    BAD_DELAY = "bad_delay"


class RobotsFinding(NamedTuple):
    """A problem in the file: how often, and where first (line 0: the file as a whole)."""

    kind: RobotsFindingKind
    line: int
    detail: str
    times: int


class AgentLine(NamedTuple):
    """A ``User-agent`` line that names us, with its value as written."""

    line: int
    value: str


class Rule(NamedTuple):
    """An ``Allow`` or ``Disallow`` line of a group that names us."""

    line: int
    is_allow: bool
    value: bytes  # as written: rules are compared by octets
    raw: bytes
    group: AgentLine

    @property
    def pattern(self) -> str:
        return decode_octets(self.value)

    @property
    def text(self) -> str:
        """The line as it stands in the file, with its comment."""
        return decode_octets(self.raw)

    @property
    def statement(self) -> str:
        """The line without its comment."""
        return decode_octets(self.raw.partition(b"#")[0].rstrip())


@dataclass(frozen=True, slots=True)
class RobotsFile:
    """What a robots.txt says to one bot; nothing is kept of what it says to others."""

    groups: tuple[AgentLine, ...] = ()
    rules: tuple[Rule, ...] = ()
    sitemaps: tuple[SitemapLine, ...] = ()
    crawl_delay: CrawlDelay | None = None
    request_rates: tuple[RequestRate, ...] = ()
    findings: tuple[RobotsFinding, ...] = ()
    not_text: str = ""  # what the body is instead of a robots.txt

    @classmethod
    def parse(
        cls, body: bytes, token: str, matching: AgentMatching = AgentMatching.RFC
    ) -> RobotsFile:
        """Read *body* for the bot named *token*.

        >>> body = b"User-agent: *\\nDisallow: /cart # no\\nCrawl-delay: 2"
        >>> robots = RobotsFile.parse(body, "sitecrawl")
        >>> robots.groups, robots.rules[0].statement, robots.crawl_delay.seconds
        ((AgentLine(line=1, value='*'),), 'Disallow: /cart', 2.0)
        """
        return _Reader(token, matching).read(RobotsText(body))

    def seconds_between_requests(self, moment: time) -> float:
        """The longest pause that is asked for at this time of day (UTC); 0: none is."""
        delays = [rate.seconds_between for rate in self.request_rates if rate.holds_at(moment)]
        return max([self.crawl_delay.seconds if self.crawl_delay else 0.0, *delays])


@dataclass(slots=True)
class _Said:
    """The rules and delays of the groups that name us equally closely."""

    groups: list[AgentLine] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    delays: list[CrawlDelay] = field(default_factory=list)
    rates: list[RequestRate] = field(default_factory=list)


@dataclass(slots=True)
class _Addressees:
    """The User-agent lines above, and how closely the best of them names us."""

    closest: Closeness | None = None
    group: AgentLine | None = None
    is_anybody: bool = False
    is_closed: bool = False  # a rule or delay followed: the next name starts a new list

    def with_name(self, agent: AgentLine, how: Closeness | None) -> _Addressees:
        names = _Addressees() if self.is_closed else self
        names.is_anybody = True
        if how is not None and (names.closest is None or how < names.closest):
            names.closest, names.group = how, agent
        return names


class _Reader:
    """Reads lines into what the groups say, by how closely they name us."""

    def __init__(self, token: str, matching: AgentMatching):
        self._token = token
        self._matching = matching
        self._said = {how: _Said() for how in Closeness}
        self._sitemaps: list[SitemapLine] = []
        self._first: dict[RobotsFindingKind, tuple[int, str]] = {}
        self._times: Counter[RobotsFindingKind] = Counter()
        # By the RFC only rules end a list of names. A delay between two names is still meant for
        # the names above it alone.
        self._ruled = _Addressees()
        self._delayed = _Addressees()

    def read(self, text: RobotsText) -> RobotsFile:
        if text.not_text:
            self._note(RobotsFindingKind.NOT_TEXT, 0, text.not_text)
        if text.is_cut:
            self._note(RobotsFindingKind.OVER_LIMIT, 0, f"only the first {MAX_BYTES} bytes count")
        for number in text.long_lines:
            self._note(RobotsFindingKind.LONG_LINE, number, f"cut after {MAX_LINE_BYTES} bytes")
        for line in text:
            self._take(line)
        named = [how for how in Closeness if self._said[how].groups]
        said = self._said[named[0]] if named else _Said()
        return RobotsFile(
            groups=tuple(said.groups),
            rules=tuple(said.rules),
            sitemaps=tuple(self._sitemaps),
            # Groups are merged; of several delays the longest satisfies all.
            crawl_delay=max(said.delays, default=None, key=lambda delay: delay.seconds),
            request_rates=tuple(said.rates),
            findings=tuple(
                RobotsFinding(kind, *first, self._times[kind])
                for kind, first in self._first.items()
            ),
            not_text=text.not_text,
        )

    def _take(self, line: RobotsLine) -> None:
        if line.field is Field.ALLOW or line.field is Field.DISALLOW:
            self._take_rule(line)
        elif line.field is Field.USER_AGENT:
            self._take_name(line)
        elif line.field is Field.SITEMAP:
            if len(self._sitemaps) < MAX_LINES and (sitemap := sitemap_line(line)):
                self._sitemaps.append(sitemap)
        elif line.field is None:
            self._note_line(RobotsFindingKind.UNKNOWN_LINE, line)
        else:
            self._take_delay(line)

    def _take_name(self, line: RobotsLine) -> None:
        agent = AgentLine(line.number, decode_octets(line.value))
        how = closeness(agent.value, self._token, self._matching)
        self._ruled = self._ruled.with_name(agent, how)
        self._delayed = self._delayed.with_name(agent, how)
        if how is not None:
            self._said[how].groups.append(agent)

    def _take_rule(self, line: RobotsLine) -> None:
        self._ruled.is_closed = self._delayed.is_closed = True
        if not self._ruled.is_anybody:
            self._note_line(RobotsFindingKind.RULE_OUTSIDE_GROUP, line)
        if self._ruled.closest is None or self._ruled.group is None or not line.value:
            return
        if not line.value.startswith((b"/", b"*")):
            self._note_line(RobotsFindingKind.RULE_WITHOUT_SLASH, line)
        is_allow = line.field is Field.ALLOW
        rule = Rule(line.number, is_allow, line.value, line.raw, self._ruled.group)
        self._said[self._ruled.closest].rules.append(rule)

    def _take_delay(self, line: RobotsLine) -> None:
        self._delayed.is_closed = True
        if self._delayed.closest is None:
            return
        said, value = self._said[self._delayed.closest], decode_octets(line.value)
        if line.field is Field.CRAWL_DELAY and (delay := parse_crawl_delay(value, line.number)):
            said.delays.append(delay)
        elif line.field is Field.REQUEST_RATE and (rate := parse_request_rate(value, line.number)):
            said.rates.append(rate)
        else:
            self._note_line(RobotsFindingKind.BAD_DELAY, line)

    def _note_line(self, kind: RobotsFindingKind, line: RobotsLine) -> None:
        self._note(kind, line.number, "" if kind in self._first else line.text)

    def _note(self, kind: RobotsFindingKind, line: int, detail: str) -> None:
        self._times[kind] += 1
        if kind not in self._first:
            self._first[kind] = line, without_credentials(detail)[:_EXAMPLE_CHARACTERS]
