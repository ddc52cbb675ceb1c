"""A verdict on a URL: whether it may be fetched, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sitecrawl.robots.pace import RequestRate


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


# How sure it is that the verdict is what the site's owner wants.
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
    """Whether a URL may be fetched, what decided it, and what to keep to when fetching."""

    allowed: bool
    reason: VerdictReason
    rule: str = ""  # the deciding line as written, without its comment
    line: int | None = None
    group: str = ""  # the value of the User-agent line above it
    cause: str = ""  # why there are no rules to go by
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
    VerdictReason.UNREACHABLE: "robots.txt could not be had ({0.cause}), so nothing may be fetched",
    VerdictReason.FAIL_OPEN: "robots.txt could not be had ({0.cause}); fetched all the same",
    VerdictReason.TOO_COMPLEX: "robots.txt has too many wildcards to decide this",
}
