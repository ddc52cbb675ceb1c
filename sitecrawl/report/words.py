"""Sentences and figures that several formats of the report have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.politeness.ledger import byte_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.report.data import (
        CoverageFacts,
        FindingBefore,
        FindingFacts,
        ReportData,
        Truncation,
    )

_SEVERITIES: Final = {"high": "fix soon", "medium": "should be fixed", "low": "good to know"}
_MINUTE: Final = 60
_HOUR: Final = 3600


def counted(number: int, one: str, many: str = "") -> str:
    """
    >>> counted(1, "page"), counted(1200, "page"), counted(2, "entry", "entries")
    ('1 page', '1,200 pages', '2 entries')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def share(part: int, whole: int) -> str:
    """
    >>> share(1, 3), share(1, 40), share(0, 0)
    ('33 %', '2.5 %', '0 %')
    """
    percent = 100 * part / whole if whole else 0
    few = percent and percent < 10  # noqa: PLR2004  where a decimal says something
    return f"{percent:.1f} %" if few else f"{percent:.0f} %"


def seconds_words(seconds: float | None) -> str:
    """
    >>> seconds_words(0.25), seconds_words(90), seconds_words(7300), seconds_words(None)
    ('0.25 s', '1.5 min', '2.0 h', '')
    """
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return f"{seconds:.3g} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.1f} min"
    return f"{seconds / _HOUR:.1f} h"


def coverage_words(coverage: CoverageFacts) -> str:
    """The completeness of the list, in a sentence."""
    known = f"{coverage['known']:,} known"
    if coverage["is_exhaustive"]:
        known += "; all reachable pages were visited"
        if coverage["estimate"] is None or not coverage["is_trusted"]:
            return known
    if coverage["estimate"] is None:
        return f"{known}; how many there are in all cannot be estimated"
    upper = coverage["high"]
    interval = (
        f"at least {coverage['low']:,}"
        if upper is None
        else f"95 % interval {coverage['low']:,} to {upper:,}"
    )
    trust = "" if coverage["is_trusted"] else "; not to be trusted without its doubts"
    return f"{known}, about {coverage['estimate']:,} in all ({interval}{trust})"


def severity_words(severity: str) -> str:
    return _SEVERITIES.get(severity, severity)


def change_words(before: FindingBefore) -> str:
    """What has changed since the scan before.

    >>> change_words({"count": 5, "new": 1, "fixed": 2, "not_visited": 0})
    '5 before: 1 new, 2 fixed'
    """
    parts = [f"{before['new']:,} new", f"{before['fixed']:,} fixed"]
    if before["not_visited"]:
        parts.append(f"{before['not_visited']:,} not visited again")
    return f"{before['count']:,} before: {', '.join(parts)}"


def by_severity(findings: Sequence[FindingFacts]) -> list[FindingFacts]:
    """The most serious first, then the most frequent."""
    order = list(_SEVERITIES)
    return sorted(
        findings, key=lambda finding: (order.index(finding["severity"]), -finding["count"])
    )


def limit_words(truncation: Truncation) -> str:
    setting = truncation["setting"]
    limit = f"{truncation['limit']:,}"
    return f"{truncation['what']} ({f'{setting}={limit}' if setting else f'limit {limit}'})"


def headline_figures(report: ReportData) -> list[tuple[str, str]]:
    """The headline: names and figures."""
    headline = report["headline"]
    requests, received = counted(headline["requests"], "request"), byte_words(headline["bytes"])
    visited = f"{headline['visited']:,}"
    if headline["rendered"]:
        visited += f", {headline['rendered']:,} of them rendered"
    return [
        ("Pages on the list", f"{headline['pages']:,}"),
        ("Refused, kept with their reason", f"{headline['refused']:,}"),
        ("Pages visited", visited),
        ("Documents read", f"{headline['documents']:,}"),
        ("Cost", f"{requests}, {received}, {seconds_words(headline['seconds'])}"),
    ]
