"""The report as one HTML file that needs no network and no other file.

The texts of the report come from the site and are hostile. They are embedded as compressed JSON,
which the bundled script shows as text; the summary in the markup is escaped; and the content
security policy allows the bundled script and nothing else.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import accumulate
from string import Template
from typing import IO, TYPE_CHECKING, Any, Final, cast

from sitecrawl.report.words import by_severity, coverage_words, headline_figures, limit_words
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sitecrawl.report.data import EvidenceFacts, FindingFacts, PageFacts, ReportData

_DOCUMENT: Final = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="sitecrawl $version">
<title>$title</title>
<link rel="icon" href="data:image/svg+xml,$icon">
<style>$style</style>
</head>
<body>
<div id="brief" class="paper">
$brief
</div>
$data
<script>$script</script>
</body>
</html>
""")
_ICON: Final = (
    "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Crect width='16' height='16' rx='3' fill='%230d5a78'/%3E"
    "%3Cpath d='M4 4h8v3H4zM4 9h3v3H4zM9 9h3v3H9z' fill='%23fff'/%3E%3C/svg%3E"
)
_SHOWN_FINDINGS: Final = 50
MAX_FILE_BYTES: Final = 10_000_000
_RESERVED_BYTES: Final = 500_000  # the script, the style sheet and the summary
_MAX_EVIDENCE_BYTES: Final = 1_000_000
# The browser has to unpack and parse this; 100,000 ordinary pages need far less.
_MAX_UNPACKED_CHARACTERS: Final = 80_000_000
_CHARACTERS_PER_ROW: Final = 120  # of all columns but the two long ones
_FEWEST_ROWS: Final = 1_000
_MAX_ITEM_BYTES: Final = 3_000_000
_FEWEST_ITEMS: Final = 100
_MAX_SOURCES: Final = 25
_OWN_PARTS: Final = ("findings", "pages", "evidence")


def write_html(report: ReportData, file: IO[bytes]) -> None:
    file.write(html_report(report).encode())


def html_report(report: ReportData) -> str:
    """The whole file; the same report gives the same text."""
    script, style = _asset("report.js"), _asset("report.css")
    data = "\n".join(
        f'<script type="application/gzip" id="data-{name}">{text}</script>'
        for name, text in embedded_parts(report).items()
    )
    return _DOCUMENT.substitute(
        policy=_policy(script, style),
        version=_shown(report["site"]["version"]),
        title=f"Site report: {_shown(report['site']['root_url'])}",
        icon=_ICON,
        style=style,
        brief="\n".join(_brief(report)),
        data=data,
        script=script,
    )


@cache
def _asset(name: str) -> str:
    # By importlib.resources, because a deployed project may be a zip file.
    return files("sitecrawl.report").joinpath("assets", name).read_text(encoding="utf-8")


def _policy(script: str, style: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_digest(script)}",
            f"style-src {_digest(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


def _brief(report: ReportData) -> Iterator[str]:
    """The summary for readers without scripts, such as the preview of a mail."""
    site = report["site"]
    yield f"<h1>Site report: {_shown(site['root_url'])}</h1>"
    yield f"<p>Scan {site['scan_id']}, {_shown(site['started_at'])}, {_shown(site['status'])}.</p>"
    yield "<dl>"
    for name, figure in headline_figures(report):
        yield f"<dt>{_shown(name)}</dt><dd>{_shown(figure)}</dd>"
    yield "</dl>"
    yield f"<p>How complete is the list? {_shown(coverage_words(report['coverage']))}.</p>"
    for truncation in report["headline"]["truncations"]:
        yield f"<p>A limit was hit: {_shown(limit_words(truncation))}.</p>"
    findings = by_severity(report["findings"])[:_SHOWN_FINDINGS]
    if findings:
        yield "<h2>Findings</h2><ul>"
        for finding in findings:
            yield (
                f"<li><strong>{_shown(finding['title'])}</strong> ({finding['count']:,})<br>"
                f"{_shown(finding['advice'])}</li>"
            )
        yield "</ul>"
    yield "<noscript><p>Open this file in a browser that runs JavaScript to see all.</p></noscript>"


def _shown(text: str) -> str:
    return escape(printable(text))


# --- embedded data --------------------------------------------------------------------------


def embedded_parts(report: ReportData) -> dict[str, str]:
    """The name of each part and its data: JSON, gzip, base64.

    Base64 cannot end a script element or start another. The overview is shown first; the other
    parts are unpacked when they are needed. The first pages fill the remaining size of the file;
    the others are counted in ``left_out``.
    """
    parts = {
        "overview": _packed(
            {name: part for name, part in report.items() if name not in _OWN_PARTS}
            | {"findings": [_without_items(finding) for finding in report["findings"]]}
        ),
        "items": _packed_items(report["findings"]),
        "evidence": _packed_evidence(report["evidence"]),
    }
    room = MAX_FILE_BYTES - _RESERVED_BYTES - sum(map(len, parts.values()))
    parts["pages"] = _packed_pages(report["pages"], room)
    return parts


def _packed(value: object) -> str:
    # ASCII, because a lone surrogate in a title cannot be encoded; no time, so that the same report
    # gives the same file.
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return b64encode(gzip.compress(text.encode("ascii"), compresslevel=7, mtime=0)).decode("ascii")


def _without_items(finding: FindingFacts) -> dict[str, object]:
    return {name: value for name, value in finding.items() if name != "items"}


def _packed_items(findings: Sequence[FindingFacts]) -> str:
    """The items of each finding in columns: all of them, or the first ones that fit."""
    most = max((len(finding["items"]) for finding in findings), default=0)
    while True:
        packed = _packed({each["kind"]: _item_columns(each, most) for each in findings})
        if len(packed) <= _MAX_ITEM_BYTES or most <= _FEWEST_ITEMS:
            return packed
        most = max(_FEWEST_ITEMS, most // 2)


def _item_columns(finding: FindingFacts, most: int) -> dict[str, object]:
    items = finding["items"][:most]
    columns: dict[str, object] = {
        "url": [item["url"] for item in items],
        "detail": [item["detail"] for item in items],
        "left_out": len(finding["items"]) - len(items),
    }
    if any("links" in item for item in items):
        columns["links"] = [item.get("links", 0) for item in items]
        columns["linked_from"] = [item.get("linked_from", [])[:_MAX_SOURCES] for item in items]
    return columns


def _packed_pages(pages: PageFacts, room: int) -> str:
    lengths = (
        len(url) + len(title) + _CHARACTERS_PER_ROW
        for url, title in zip(pages["url"], pages["title"], strict=True)
    )
    rows = sum(total <= _MAX_UNPACKED_CHARACTERS for total in accumulate(lengths))
    while True:
        packed = _packed(_first_rows(pages, rows))
        if len(packed) <= room or rows <= _FEWEST_ROWS:
            return packed
        rows = max(_FEWEST_ROWS, int(rows * room / len(packed) * 0.95))


def _first_rows(pages: PageFacts, rows: int) -> PageFacts:
    left_out = len(pages["url"]) - rows
    if left_out <= 0:
        return pages
    columns: Mapping[str, Any] = pages
    shorter: dict[str, Any] = {
        name: values[:rows] for name, values in columns.items() if isinstance(values, list)
    }
    return cast("PageFacts", {**shorter, "left_out": pages["left_out"] + left_out})


def _packed_evidence(records: Sequence[EvidenceFacts]) -> str:
    while True:
        packed = _packed(records)
        if len(packed) <= _MAX_EVIDENCE_BYTES or not records:
            return packed
        records = records[: len(records) // 2]
