"""The report as one HTML file that needs nothing else: no network, no other file.

What it shows comes from the site and is hostile. The data are packed (``embedding``) and the
page's script sets them as text; the few words that stand in the file itself are escaped here; and
the policy in its head lets the browser run the bundled script and nothing else.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import IO, TYPE_CHECKING, Final

from sitecrawl.printable import printable
from sitecrawl.report.embedding import embedded_parts
from sitecrawl.report.words import by_severity, coverage_words, headline_figures, limit_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.report.data import ReportData

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
    # Not by path: a deployed project may be a zip file.
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
    """What is shown where the script does not run: in the preview of a mail, for instance."""
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
