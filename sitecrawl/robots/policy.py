"""Verdicts on the URLs of one authority, one at a time and in columns: allowed or not, and why."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from sitecrawl.robots.answers import AnswerKind
from sitecrawl.robots.file import AgentMatching, RobotsFile
from sitecrawl.robots.matcher import TOO_COMPLEX, PatternMatcher
from sitecrawl.robots.patterns import Pattern, parse_patterns, path_lines, path_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.robots.lines import RequestRate


_RULE_CHARACTERS = 1_000
_KEPT_COPY_CONFIDENCE = 0.8
# RFC 9309, 2.2.2: it is always allowed, also with a query.
_ITSELF = (
    Pattern(("/robots.txt",), is_anchored=True, octets=0),
    Pattern(("/robots.txt?",), is_anchored=False, octets=0),
)


class VerdictReason(StrEnum):
    """What decided."""

    RULE = "rule"
    NO_RULE = "no_rule"
    NO_GROUP = "no_group"
    ROBOTS_TXT_ITSELF = "robots_txt_itself"
    NO_ROBOTS_TXT = "no_robots_txt"
    NOT_TEXT = "not_text"
    UNREACHABLE = "unreachable"
    FAIL_OPEN = "fail_open"
    TOO_COMPLEX = "too_complex"


# How likely the verdict is what the site's owner wants.
CONFIDENCE = {
    VerdictReason.RULE: 1.0,
    VerdictReason.NO_RULE: 1.0,
    VerdictReason.NO_GROUP: 1.0,
    VerdictReason.ROBOTS_TXT_ITSELF: 1.0,
    VerdictReason.NO_ROBOTS_TXT: 1.0,
    VerdictReason.NOT_TEXT: 0.7,
    VerdictReason.UNREACHABLE: 0.5,
    VerdictReason.FAIL_OPEN: 0.3,
    VerdictReason.TOO_COMPLEX: 0.5,
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a URL may be fetched, what decided it, and the delays to keep."""

    allowed: bool
    reason: VerdictReason
    rule: str = ""  # the deciding line as written, without its comment
    line: int | None = None
    group: str = ""  # the value of the User-agent line above it
    cause: str = ""  # why there are no rules
    crawl_delay: float | None = None
    request_rates: tuple[RequestRate, ...] = ()
    confidence: float = 1.0

    @property
    def explanation(self) -> str:
        """A sentence for a person.

        >>> Verdict(False, VerdictReason.RULE, "Disallow: /cart", 3, "*").explanation
        'line 3 of robots.txt, for *: Disallow: /cart'
        """
        return _EXPLANATIONS[self.reason].format(self)


_EXPLANATIONS = {
    VerdictReason.RULE: "line {0.line} of robots.txt, for {0.group}: {0.rule}",
    VerdictReason.NO_RULE: "no rule of robots.txt for {0.group} matches",
    VerdictReason.NO_GROUP: "robots.txt has no rules for this crawler",
    VerdictReason.ROBOTS_TXT_ITSELF: "robots.txt itself may always be fetched",
    VerdictReason.NO_ROBOTS_TXT: "there is no robots.txt ({0.cause})",
    VerdictReason.NOT_TEXT: "what is in the place of robots.txt is {0.cause}",
    VerdictReason.UNREACHABLE: (
        "robots.txt could not be fetched ({0.cause}), so nothing may be fetched"
    ),
    VerdictReason.FAIL_OPEN: (
        "robots.txt could not be fetched ({0.cause}); pages are fetched anyway"
    ),
    VerdictReason.TOO_COMPLEX: "robots.txt has too many wildcards to decide this",
}


@dataclass(frozen=True, slots=True)
class VerdictColumn:
    """The verdicts on a column of URLs: the one that most have, and the others by row."""

    usual: Verdict
    others: Mapping[int, Verdict]

    def __getitem__(self, row: int) -> Verdict:
        return self.others.get(row, self.usual)


class RobotsPolicy:
    """Verdicts on the URLs of one authority (scheme, host and port); callers see to the authority.

    *usual* is the verdict where no rule of *file* matches. The longest rule wins, Allow before
    Disallow where two are as long (RFC 9309, 2.2.2).
    """

    def __init__(self, file: RobotsFile, usual: Verdict):
        self.file = file
        self.usual = usual
        ranked = sorted(
            (-pattern.octets, not rule.is_allow, rule.line, index, pattern)
            for index, rule in enumerate(file.rules)
            for pattern in parse_patterns(rule.value, is_allow=rule.is_allow)
        )
        self._rules = [file.rules[index] for *_, index, _ in ranked]
        self._matcher = PatternMatcher([*_ITSELF, *(pattern for *_, pattern in ranked)])
        self._made: dict[int, Verdict] = {}

    @cached_property
    def fingerprint(self) -> str:
        """The same for policies that give the same verdicts."""
        rules = [(rule.line, rule.raw, rule.group) for rule in self.file.rules]
        return hashlib.sha256(repr((self.usual, rules)).encode()).hexdigest()[:16]

    def decide(self, url: str) -> Verdict:
        return self._verdict(self._matcher.first(path_of(url)))

    def verdicts(self, urls: Sequence[str], heads: Set[str] | None = None) -> VerdictColumn:
        """Return ``decide(url)`` for all *urls*, much faster.

        *heads* are the first characters of all their paths, if the caller knows them.
        """
        found: Mapping[int, int] = {}
        if heads is None or self._matcher.may_match(heads):
            found = self._matcher.firsts(path_lines(urls))
        others = {row: self._verdict(number) for row, number in found.items()}
        return VerdictColumn(self._verdict(self._matcher.default), others)

    def _verdict(self, number: int) -> Verdict:
        if number not in self._made:
            self._made[number] = self._make_verdict(number)
        return self._made[number]

    def _make_verdict(self, number: int) -> Verdict:
        if number == TOO_COMPLEX:
            return self._because(VerdictReason.TOO_COMPLEX, allowed=False)
        if number < len(_ITSELF):
            return self._because(VerdictReason.ROBOTS_TXT_ITSELF, allowed=True)
        if number == len(_ITSELF) + len(self._rules):
            return self.usual
        rule = self._rules[number - len(_ITSELF)]
        return replace(
            self._because(VerdictReason.RULE, allowed=rule.is_allow),
            rule=rule.statement[:_RULE_CHARACTERS],
            line=rule.line,
            group=rule.group.value,
        )

    def _because(self, reason: VerdictReason, *, allowed: bool) -> Verdict:
        # A lower confidence in the file lowers that of each of its rules.
        trust = self.usual.confidence / CONFIDENCE[self.usual.reason]
        confidence = CONFIDENCE[reason] * trust
        return replace(self.usual, allowed=allowed, reason=reason, confidence=confidence, cause="")


def policy_for(
    answer: RobotsAnswer,
    body: bytes,
    *,
    token: str,
    matching: AgentMatching = AgentMatching.RFC,
    fail_open: bool = False,
    kept_copy: bytes | None = None,
) -> RobotsPolicy:
    """Return what holds for pages after this *answer*; sitemaps are read in any case.

    - Read: the rules of *body*. HTML or binary data in its place has none.
    - Unavailable: everything is allowed.
    - Unreachable: *kept_copy*, the last body that could be read, if it may still be used; otherwise
      nothing is allowed, or everything with low confidence if *fail_open*.

    >>> from sitecrawl.robots.answers import read_answer
    >>> policy = policy_for(read_answer("ok", 200), b"User-agent: *\\nDisallow: /cart", token="me")
    >>> policy.decide("https://shop.example/cart/1").explanation
    'line 2 of robots.txt, for *: Disallow: /cart'
    >>> policy_for(read_answer("timeout"), b"", token="me").decide("https://shop.example/").allowed
    False
    """
    if answer.kind is AnswerKind.READ:
        return _policy_of(body, token, matching)
    if answer.kind is AnswerKind.UNAVAILABLE:
        return _policy_without_rules(VerdictReason.NO_ROBOTS_TXT, answer.cause, allowed=True)
    if kept_copy is not None:
        return _policy_of(kept_copy, token, matching, trust=_KEPT_COPY_CONFIDENCE)
    reason = VerdictReason.FAIL_OPEN if fail_open else VerdictReason.UNREACHABLE
    return _policy_without_rules(reason, answer.cause, allowed=fail_open)


def _policy_of(
    body: bytes, token: str, matching: AgentMatching, *, trust: float = 1.0
) -> RobotsPolicy:
    file = RobotsFile.parse(body, token, matching)
    if file.not_text:
        reason = VerdictReason.NOT_TEXT
    else:
        reason = VerdictReason.NO_RULE if file.groups else VerdictReason.NO_GROUP
    usual = Verdict(
        allowed=True,
        reason=reason,
        group=file.groups[0].value if file.groups else "",
        cause=file.not_text,
        crawl_delay=file.crawl_delay.seconds if file.crawl_delay else None,
        request_rates=file.request_rates,
        confidence=CONFIDENCE[reason] * trust,
    )
    return RobotsPolicy(file, usual)


def _policy_without_rules(reason: VerdictReason, cause: str, *, allowed: bool) -> RobotsPolicy:
    usual = Verdict(allowed, reason, cause=cause, confidence=CONFIDENCE[reason])
    return RobotsPolicy(RobotsFile(), usual)
