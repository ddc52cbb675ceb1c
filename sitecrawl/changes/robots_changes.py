"""Compares two robots.txt by meaning: rules, delays, and the known URLs that they affect.

The order of rules, comments and moved lines do not count: the longest rule wins (RFC 9309).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.robots.policy import VerdictReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.robots.file import Rule
    from sitecrawl.robots.policy import RobotsPolicy, Verdict

_MAX_EXAMPLES: Final = 10
_MAX_RULES: Final = 50


@dataclass(frozen=True, slots=True)
class RobotsDiff:
    """The differences of two robots.txt."""

    added: tuple[tuple[int, str], ...] = ()
    """Rules that are new, with their lines."""
    removed: tuple[tuple[int, str], ...] = ()
    delay: tuple[float | None, float | None] | None = None
    usual: tuple[str, str] | None = None
    """The explanations of the verdict where no rule matches, before and after, if it changed."""

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, rules in (("added", self.added), ("removed", self.removed)):
            if rules:
                found[name] = [{"line": line, "rule": rule} for line, rule in rules[:_MAX_RULES]]
        if self.delay is not None:
            found["crawl_delay"] = list(self.delay)
        if self.usual is not None:
            found["usual"] = list(self.usual)
        return found


def compare_policies(before: RobotsPolicy, after: RobotsPolicy) -> RobotsDiff | None:
    """None: they mean the same.

    >>> from sitecrawl.robots.answers import read_answer
    >>> from sitecrawl.robots.policy import policy_for
    >>> def policy(text): return policy_for(read_answer("ok", 200), text, token="me")
    >>> first = policy(b"User-agent: *\\nDisallow: /a\\nDisallow: /b")
    >>> compare_policies(first, policy(b"# new\\nUser-agent: *\\nDisallow: /b\\nDisallow: /a"))
    >>> compare_policies(first, policy(b"User-agent: *\\nDisallow: /a")).removed
    ((3, 'Disallow: /b'),)
    """
    old, new = _rules(before), _rules(after)
    added = tuple((new[key].line, new[key].statement) for key in new if key not in old)
    removed = tuple((old[key].line, old[key].statement) for key in old if key not in new)
    delays = before.usual.crawl_delay, after.usual.crawl_delay
    delay = delays if delays[0] != delays[1] else None
    usual = None
    if _standing(before.usual) != _standing(after.usual):
        usual = before.usual.explanation, after.usual.explanation
    if not added and not removed and delay is None and usual is None:
        return None
    return RobotsDiff(added, removed, delay, usual)


def _rules(policy: RobotsPolicy) -> dict[tuple[bool, str], Rule]:
    return {(rule.is_allow, rule.pattern): rule for rule in policy.file.rules}


def _standing(usual: Verdict) -> tuple[bool, bool]:
    """Whether all is allowed, and whether there is a robots.txt that says so."""
    has_file = usual.reason in {VerdictReason.NO_RULE, VerdictReason.NO_GROUP}
    return usual.allowed, has_file


@dataclass(slots=True)
class RobotsImpact:
    """Which known URLs are allowed by one policy and refused by the other."""

    before: RobotsPolicy
    after: RobotsPolicy
    blocked: int = 0
    blocked_important: int = 0
    allowed: int = 0
    allowed_important: int = 0
    examples: list[str] = field(default_factory=list)
    _lines: Counter[tuple[int | None, str]] = field(default_factory=Counter)

    def add(self, urls: Sequence[str], are_important: Sequence[bool]) -> None:
        """Compare the verdicts on some URLs of the authority."""
        old, new = self.before.verdicts(urls), self.after.verdicts(urls)
        if old.usual.allowed == new.usual.allowed:
            rows = sorted(old.others.keys() | new.others.keys())
        else:
            rows = list(range(len(urls)))
        for row in rows:
            verdict = new[row]
            if old[row].allowed == verdict.allowed:
                continue
            if verdict.allowed:
                self.allowed += 1
                self.allowed_important += are_important[row]
                decided_by = old[row]
            else:
                self.blocked += 1
                self.blocked_important += are_important[row]
                decided_by = verdict
            self._lines[decided_by.line, decided_by.rule or decided_by.explanation] += 1
            if len(self.examples) < _MAX_EXAMPLES:
                self.examples.append(urls[row])

    def as_dict(self) -> dict[str, Any]:
        lines = [
            {"line": line, "rule": rule, "pages": pages}
            for (line, rule), pages in self._lines.most_common(_MAX_EXAMPLES)
        ]
        return {
            "blocked": self.blocked,
            "blocked_important": self.blocked_important,
            "allowed": self.allowed,
            "allowed_important": self.allowed_important,
            "by_line": lines,
            "examples": list(self.examples),
        }
