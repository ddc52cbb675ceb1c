"""Why a page is refused, in the words of ``sitecrawl why``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.cli.visitwords import pattern_words
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.store.queries.explain import Why

# The rest name their rule.
_WORDS = {
    Reason.NOT_FOUND: "there is no such page: {rule}",
    Reason.SOFT_404: "it reads like {rule}, an address that was made up",
    Reason.REDIRECT_LOOP: "it redirects in a circle: {rule}",
    Reason.TOO_MANY_REDIRECTS: "it redirects too often: {rule}",
    Reason.OTHER_CANONICAL: "its canonical page is {rule}",
}


def refusal_words(answer: Why, redirects: Sequence[str]) -> str:
    """What stands behind the reason; *redirects* are the addresses that a redirect leads to."""
    page, visit = answer.page, answer.visit
    assert page is not None
    rule = page.rule or ""
    if page.reason == Reason.REDIRECTED:
        return f"to {' -> '.join(redirects) or rule}"
    if visit and visit.number is None and visit.family == rule and answer.scan:
        return f"held under the pattern {pattern_words(visit, answer.scan.summary or {})}"
    words = _WORDS.get(Reason(page.reason), "by the rule {rule}") if page.reason else ""
    return words.format(rule=rule)
