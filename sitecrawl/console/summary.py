"""Prints the summary of a scan."""

from __future__ import annotations

import shlex
from itertools import chain, repeat
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sitecrawl.config.environment import colours_may_be_forced
from sitecrawl.console.terminal import command_name, discard_output
from sitecrawl.politeness.ledger import byte_words, ledger_notes, ledger_words
from sitecrawl.safety.text import printable
from sitecrawl.scan.summary import LIMITS_OF_WORK, limit_figure
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.urls.refusal import BROKEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.scan.summary import Summary

_STATUS_STYLE = {
    ScanStatus.FINISHED: "bold green",
    ScanStatus.PARTIAL: "bold yellow",
    ScanStatus.FAILED: "bold red",
}
_REASONS = {
    "offsite": "on another host",
    "outside_base": "outside the base path",
    "skipped_path": "skip rule for paths",
    "skipped_file_type": "skip rule for file types",
    "skipped_query": "skip rule for query strings",
    "blocked_by_robots": "not allowed by robots.txt",
    "route_pattern": "a route pattern of an application, not a URL",
    "invalid_url": "not a valid URL",
    "scheme_not_allowed": "not http or https",
    "too_long": "longer than SITECRAWL_MAX_URL_LENGTH",
    "not_found": "not found (404)",
    "soft_404": "an error page with status 200",
    "redirected": "redirected to another page",
    "redirect_loop": "in a redirect loop",
    "too_many_redirects": "redirected too often",
    "other_canonical": "names another canonical page",
    "index_page": "the same page as its folder, such as / and /index.html",
    "trap_path": "too deep or too long a path",
    "trap_loop": "a path that repeats itself",
    "trap_calendar": "an endless calendar",
    "trap_facets": "a combination of filters",
    "trap_session": "with a session id",
    "trap_pagination": "past the end of a list",
    "trap_parameter": "with a parameter that does not change the page",
}
_OUTCOMES = {
    "ok": "read",
    "redirected": "redirected",
    "not_modified": "unchanged",
    "fresh": "still fresh",
    "blocked_by_robots": "not fetched because of robots.txt",
    "not_found": "not found",
    "http_error": "HTTP error",
    "too_large": "too large",
    "too_many_redirects": "too many redirects",
    "address_not_allowed": "at an address that is not allowed",
    "timeout": "timed out",
    "host_paused": "not requested, because their host is left alone",
    "over_budget": "over the budget",
    "slot_timeout": "waited too long in the queue",
}

_SHOWN_PATTERNS = 8


class Words(NamedTuple):
    text: str
    style: str = ""


Line: TypeAlias = "tuple[Words, ...]"


def print_summary(
    summary: Summary,
    *,
    database: str,
    feeds: Sequence[str],
    file: IO[str],
    database_option: str = "",
    can_resume: bool = False,
) -> None:
    """*database* is where the data is; *database_option* is what later commands need to find it."""
    lines = _lines(summary, _rows(summary, database, feeds, database_option, can_resume))
    if _is_plain(file):
        _print_plain(lines, file)
    else:
        from sitecrawl.console.styled import print_styled  # Rich is slow to import

        print_styled(lines, file)


def _is_plain(file: IO[str]) -> bool:
    """Whether Rich would leave out all styles."""
    return not file.isatty() and not colours_may_be_forced()


def _print_plain(lines: Iterable[Line], file: IO[str]) -> None:
    try:
        file.writelines("".join(words.text for words in line) + "\n" for line in lines)
        file.flush()
    except BrokenPipeError:
        discard_output(file)


def _lines(summary: Summary, rows: Iterable[tuple[str, Words]]) -> Iterator[Line]:
    yield ()
    yield (
        Words(printable(summary.root_url), "bold"),
        Words("  "),
        Words(str(summary.status), _STATUS_STYLE.get(summary.status, "bold")),
        Words(f": {printable(summary.reason)}"),
    )
    # No table: it would cut long URLs, which are there to be copied.
    for name, words in rows:
        yield Words(f"{name:<11}", "dim"), words._replace(text=printable(words.text))


def _rows(
    summary: Summary, database: str, feeds: Sequence[str], database_option: str, can_resume: bool
) -> Iterator[tuple[str, Words]]:
    if summary.asked not in summary.root_url:
        yield "asked for", Words(summary.asked)
    yield from _pages(summary)
    yield from _crawl(summary)
    yield from _documents(summary)
    for cut in summary.truncated:
        if cut["setting"]:
            words = f"{cut['what']}: {cut['setting']}={limit_figure(cut['limit'])} can be raised"
        else:
            words = f"{cut['what']}: only the first {cut['limit']:,} count"
        yield "limit hit", Words(words, "yellow")
    received = byte_words(summary.received_bytes)
    cost = f"{summary.requests:,} requests, {received}, {summary.seconds:.1f} s"
    yield "cost", Words(cost)
    yield from _politeness(summary)
    if summary.scan_id is not None:
        yield "stored", Words(f"scan {summary.scan_id} in {database}")
    for feed in feeds:
        yield "feed", Words(feed)
    has_broken = any(name in BROKEN for name in summary.refused)
    for label, command in (
        ("next", summary.pages and f"urls {shlex.quote(summary.asked)}"),
        ("", has_broken and f"urls {shlex.quote(summary.asked)} --status broken"),
        ("", summary.example and f"why {shlex.quote(summary.example)}"),
        ("", summary.pages and f"report {shlex.quote(summary.asked)}"),
    ):
        if command:
            yield label, Words(f"{command_name()} {command}{database_option}")
    if can_resume and summary.scan_id is not None:
        yield from _going_on(summary, database_option)


# A scan that goes on has its whole time again, and the whole budget of pages.
_RENEWED = frozenset({"SITECRAWL_MAX_SCAN_MINUTES", "SITECRAWL_MAX_PAGES"})
_RAISED_BY = 10


def _going_on(summary: Summary, database_option: str) -> Iterator[tuple[str, Words]]:
    """How to get what a limit has left out."""
    raised = {
        cut["setting"]: limit_figure(cut["limit"] * _RAISED_BY)
        for cut in summary.truncated
        if cut["setting"] in LIMITS_OF_WORK - _RENEWED
    }
    options = "".join(f" -s {name}={limit}" for name, limit in raised.items())
    yield "go on", Words(f"{command_name()} resume {summary.scan_id}{options}{database_option}")
    if "SITECRAWL_MAX_CRAWL_PAGES" in raised:
        command = f"discover {shlex.quote(summary.asked)} --profile docs{database_option}"
        yield "all pages", Words(f"{command_name()} {command}")


def _pages(summary: Summary) -> Iterator[tuple[str, Words]]:
    yield "found", Words(f"{summary.pages:,} {'URL' if summary.pages == 1 else 'URLs'}", "bold")
    for source, number in summary.by_source.items():
        yield "", Words(f"{number:,} from {source}")
    if summary.pages_unchanged:
        yield "", Words(f"{summary.pages_unchanged:,} in documents that have not changed")
    if (more := summary.known - summary.pages) > 0:
        words = f"{summary.known:,} URLs with {more:,} of earlier scans that this one has not read"
        yield "known", Words(words)
    broken = {name: n for name, n in summary.refused.items() if name in BROKEN}
    refused = {name: n for name, n in summary.refused.items() if name not in broken}
    yield from _off_the_list("broken", broken, "off the list")
    yield from _off_the_list("refused", refused, "kept with their reason")


def _off_the_list(status: str, reasons: dict[str, int], what: str) -> Iterator[tuple[str, Words]]:
    if reasons:
        number = sum(reasons.values())
        yield status, Words(f"{number:,} {'URL' if number == 1 else 'URLs'}, {what}")
    for reason, number in reasons.items():
        yield "", Words(f"{number:,} {_REASONS.get(reason, reason)}")


def _crawl(summary: Summary) -> Iterator[tuple[str, Words]]:
    skipped = [
        stage
        for stage in summary.stages
        if not stage["has_run"] and stage["ended"] not in summary.reason  # which is said above
    ]
    for label, stage in zip(chain(["not run"], repeat("")), skipped, strict=False):
        yield label, Words(f"{stage['stage']}: {stage['ended']}")
    if summary.visited > 1:
        yield "visited", Words(f"{summary.visited:,} pages to follow their links")
    if summary.checks:
        yield "checked", Words(_check_words(summary.checks))
    if summary.unvisited > 0:
        words = f"{summary.unvisited:,} of {summary.pages:,} URLs on the list"
        yield "unvisited", Words(words, "yellow" if summary.not_visited else "")
    yield from _rendering(summary.rendered)
    labels = chain(["given up"], repeat(""))
    for label, cut in zip(labels, summary.cut_patterns[:_SHOWN_PATTERNS], strict=False):
        yield label, Words(_pattern_words(cut), "yellow")
    if (more := len(summary.cut_patterns) - _SHOWN_PATTERNS) > 0:
        yield "", Words(f"{more:,} more patterns", "yellow")


_CHECK_RESULTS = {
    "unchanged": "unchanged",
    "redirected": "redirected",
    "removed": "removed (404, 410 or an error page)",
    "unreachable": "unreachable",
    "not_allowed": "not allowed to be fetched",
}


def _check_words(checks: dict[str, int]) -> str:
    found = [f"{checks[name]:,} {words}" for name, words in _CHECK_RESULTS.items() if checks[name]]
    answered = f": {', '.join(found)}" if found else ""
    return f"{checks['checked']:,} listed pages for how they answer{answered}"


def _pattern_words(cut: dict[str, Any]) -> str:
    broken = f" ({cut['broken']:,} broken)" if cut["broken"] else ""
    status = "refused" if cut["reason"] else "listed"
    left_out = f"{cut['left_out']:,} not checked, {status}" if cut["left_out"] else "none left"
    return f"{cut['pattern']} ({cut['kind']}): {cut['visited']:,} visited{broken}, {left_out}"


def _rendering(rendered: dict[str, Any]) -> Iterator[tuple[str, Words]]:
    if pages := rendered.get("pages"):
        seconds = rendered.get("milliseconds", 0) / 1000
        words = f"{pages:,} pages in a browser ({seconds:,.0f} s)"
        yield "rendered", Words(f"{words}: {rendered.get('only_rendered', 0):,} URLs only by that")
    if failed := rendered.get("failed"):
        yield "", Words(f"{failed:,} pages could not be rendered", "yellow")
    if interrupted := rendered.get("interrupted"):
        words = f"{interrupted:,} pages stopped answering while they were explored: see the log"
        yield "", Words(words, "yellow")
    if missed := rendered.get("missed"):
        why = rendered.get("unavailable", "the scan was stopped")
        words = f"{missed:,} pages need a browser and were read without one"
        yield "unrendered", Words(f"{words}: {why}", "yellow")


def _documents(summary: Summary) -> Iterator[tuple[str, Words]]:
    if summary.documents:
        counts = (f"{n:,} {_OUTCOMES.get(name, name)}" for name, n in summary.documents.items())
        yield "documents", Words(", ".join(counts))
    if summary.probes:
        what = "robots.txt, usual places of sitemaps, an error page"
        yield "probed", Words(f"{summary.probes:,} addresses that nothing names ({what})")
    if summary.findings:
        counts = (f"{name.replace('_', ' ')} ({n:,})" for name, n in summary.findings.items())
        yield "findings", Words(", ".join(counts))


def _politeness(summary: Summary) -> Iterator[tuple[str, Words]]:
    if summary.politeness.get("requests"):
        yield "pace", Words(ledger_words(summary.politeness))
        for note in ledger_notes(summary.politeness):
            yield "", Words(note)
