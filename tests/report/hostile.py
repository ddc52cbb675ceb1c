"""A report of a site that attacks whoever reads about it."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from tests.report.sample import sample_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.report.data import ReportData

RIGHT_TO_LEFT = "\u202e"
ATTACKS = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "javascript:window.hacked=3",
    f"https://bank.example/{RIGHT_TO_LEFT}gpj.exe\u2066\u0007",
    "https://long.example/" + "a" * 2_000,
    "\"'><svg/onload=window.hacked=4>",
    "${policy} $script {{7*7}} `window.hacked=5`",
    "data:text/html,<script>window.hacked=6</script>",
    "<!-- --><base href=//evil.example><style>*{display:none}</style>",
    "[x](javascript:alert(1)) | *a* _b_ `c` \\",
    "=HYPERLINK(1)",
    "__proto__",
    "half a pair: \ud800",
    " javascript:window.hacked=7",
    "JAVASCRIPT:window.hacked=8",
)
# The words of the program itself.
_OWN = {"severity", "unit"}


def hostile_report() -> ReportData:
    """Whatever is text in a report, and names of counters, is an attack."""
    attacks = cycle(ATTACKS)
    report: ReportData = _replaced(sample_report(300), attacks)
    return report


def _replaced(value: Any, attacks: Iterator[str]) -> Any:
    match value:
        case str():
            return next(attacks)
        case list():
            return [_replaced(item, attacks) for item in value]
        case tuple():
            return tuple(_replaced(item, attacks) for item in value)
        case dict():
            changed = {
                name: item if name in _OWN else _replaced(item, attacks)
                for name, item in value.items()
            }
            # Names of sources, reasons and ways to tell a language are the site's, too.
            for name in ("by_source", "by_reason", "by"):
                if name in changed:
                    changed[name] = {next(attacks): count for count in changed[name].values()}
            return changed
        case _:
            return value
