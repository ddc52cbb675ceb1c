"""The result of a scan: shown at its end, and kept as evidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from sitecrawl.items import FetchOutcome
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.urls.address import origin_of
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping

    from sitecrawl.scan import Scan
    from sitecrawl.scan.counters import ScanCounters

# Outcomes after which nothing of a document can be missing: what is not there lists nothing.
_READ = {
    *(FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.NOT_FOUND, FetchOutcome.FRESH),
    FetchOutcome.REDIRECTED,
    # What robots.txt does not allow is nothing that could have been read.
    FetchOutcome.BLOCKED_BY_ROBOTS,
}

# Why the engine closed the spider -> what that makes of the scan, and how a person says it.
_ENDINGS: dict[str, tuple[ScanStatus, str]] = {
    "finished": (ScanStatus.FINISHED, ""),
    "shutdown": (ScanStatus.PARTIAL, "stopped by the user"),
    "time_limit": (ScanStatus.PARTIAL, "the time was up (SITECRAWL_MAX_SCAN_MINUTES)"),
    "cancelled": (ScanStatus.CANCELLED, "cancelled"),
    "orphaned": (ScanStatus.INTERRUPTED, "the process that started it ended"),
    "unreachable": (ScanStatus.FAILED, "the site cannot be reached"),
    # The log has said why when it happened.
    "store": (ScanStatus.FAILED, "the database could not be used any more"),
    "stage_error": (ScanStatus.PARTIAL, "internal error; see the log"),
}


# Limits that keep a scan from URLs that it knows, so that it is partial. Others bound by design how
# far it goes (SITECRAWL_MAX_CRAWL_DEPTH), or how much of one page is read: they are only reported.
LIMITS_OF_WORK = frozenset(
    {
        *("SITECRAWL_MAX_CRAWL_PAGES", "SITECRAWL_MAX_PAGES", "SITECRAWL_MAX_SCAN_MINUTES"),
        *("SITECRAWL_MAX_SITEMAPS", "SITECRAWL_MAX_SITEMAP_URLS", "SITECRAWL_MAX_SITEMAP_DEPTH"),
        *("SITECRAWL_MAX_SITEMAP_BYTES", "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS"),
    }
)
_NO_SITEMAP = "no sitemap lists a page"


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one scan."""

    asked: str
    root_url: str
    scan_id: int | None
    status: ScanStatus
    reason: str
    pages: int
    pages_unchanged: int
    mentions: int
    example: str
    by_source: dict[str, int]
    refused: dict[str, int]
    documents: dict[str, int]
    probes: int
    """Requests for guessed sitemaps that do not exist, and for made-up pages (soft 404)."""
    findings: dict[str, int]
    visited: int
    """Pages that were fetched to follow their links, the root included."""
    unvisited: int
    """Pages on the list that were never visited."""
    cut_patterns: list[dict[str, Any]]
    """Patterns of URLs that the crawl gave up: traps, or more of the same. Each has how many URLs
    were visited, how many of these were broken, how many were left out, and for a parameter that
    does not change the page the visited copies as the proof."""
    truncated: list[dict[str, Any]]
    stages: list[dict[str, Any]]
    requests: int
    received_bytes: int
    seconds: float
    politeness: dict[str, Any] = field(default_factory=dict)
    rendered: dict[str, Any] = field(default_factory=dict)
    """How many pages a browser has shown, and how many are known only for that."""
    not_visited: int = 0
    """Pages whose turn had not come when the crawl ended."""
    checks: dict[str, int] = field(default_factory=dict)
    """Pages that were checked (``checked``), and how these answered: ``unchanged`` (304),
    ``redirected``, ``removed`` (404, 410, an error page with 200), ``unreachable`` (5xx, time-out,
    no connection), ``not_allowed`` (robots.txt). Empty: none was to be checked."""
    known: int = 0
    """Pages of the inventory after the scan, with those that only earlier scans have seen."""

    @property
    def not_checked(self) -> int:
        """How many URLs of these patterns were not visited."""
        return sum(cut["left_out"] for cut in self.cut_patterns)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def given_up_families(patterns: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The patterns of which the rest is refused, with the reason."""
    return {each["pattern"]: each["reason"] for each in patterns if each["reason"]}


def parameter_copies(patterns: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The visited URLs whose parameter does not change the page, with the URL of that page."""
    return {copy["url"]: copy["same_as"] for each in patterns for copy in each["proof"]}


def scan_ending(close_reason: str, scan: Scan, failure: str = "") -> tuple[ScanStatus, str]:
    """The status of a scan that the engine closed for *close_reason*, and its reason in words."""
    status, words = _ENDINGS.get(close_reason, (ScanStatus.PARTIAL, close_reason))
    if status is ScanStatus.FINISHED and scan.counters.items_lost:
        return ScanStatus.PARTIAL, "internal error, some of it was lost; see the log"
    if status is ScanStatus.FINISHED and (reasons := _not_fetched(scan)):
        return ScanStatus.PARTIAL, "; ".join(reasons)
    if status is ScanStatus.FINISHED and _has_read_nothing(scan):
        return ScanStatus.FAILED, _root_failure(scan)
    if status is ScanStatus.FINISHED and (limits := _limits_of_work(scan)):
        return ScanStatus.PARTIAL, "; ".join(limits)
    return status, failure or words or _completeness(scan)


def is_exhaustive(status: ScanStatus, scan: Scan) -> bool:
    """Whether the crawl has visited every page that it could reach."""
    counters = scan.counters
    left_out = counters.visits_waiting or counters.given_up_patterns or counters.all_limits()
    return status is ScanStatus.FINISHED and scan.frontier.has_begun and not left_out


def _limits_of_work(scan: Scan) -> list[str]:
    """The limits that kept the scan from what it knew of."""
    waiting = scan.counters.visits_waiting
    return [
        f"limit reached: {cut['setting']}={limit_figure(cut['limit'])},"
        f" {f'{waiting:,} known pages were not visited' if is_of_crawl else cut['what']}"
        for cut in scan.counters.all_limits()
        if cut["setting"] in LIMITS_OF_WORK
        for is_of_crawl in [cut["setting"] == "SITECRAWL_MAX_CRAWL_PAGES"]
    ]


def limit_figure(limit: float) -> str:
    return str(int(limit)) if float(limit).is_integer() else str(limit)


def _has_read_nothing(scan: Scan) -> bool:
    """Whether the scan found no page, because it could not read the root or its robots.txt."""
    counters = scan.counters
    if counters.pages_listed or counters.pages_unchanged:
        return False
    is_blind = _root_server(scan) in counters.robots_unavailable
    return bool(scan.root_problem) or (is_blind and not counters.pages_refused.total())


def _root_failure(scan: Scan) -> str:
    if _root_server(scan) in scan.counters.robots_unavailable:
        return ", ".join(_robots_unavailable(scan))
    return ": ".join(filter(None, [scan.root_problem, scan.root_remedy]))


def _not_fetched(scan: Scan) -> list[str]:
    """Why politeness left something out that was to be fetched."""
    documents, root_server = scan.counters.documents, _root_server(scan)
    reasons = [
        each["reason"]
        for each in scan.politeness.report()["left_alone"]
        # Where https cannot be reached and http can, nothing is missing.
        if each["refused"] or each["server"] == root_server
    ]
    if documents[FetchOutcome.HOST_PAUSED] and not reasons:
        reasons.append("a host asked to wait longer than the time of a stage")
    if unsent := documents[FetchOutcome.SLOT_TIMEOUT]:
        reasons.append(f"requests whose turn did not come in time: {unsent}")
    if documents[FetchOutcome.OVER_BUDGET]:
        reasons.append("the page limit was reached (SITECRAWL_MAX_PAGES)")
    return reasons


def _completeness(scan: Scan) -> str:
    counters = scan.counters
    failed = sum(n for outcome, n in counters.documents.items() if outcome not in _READ)
    other_languages = counters.other_language
    unread = sum(stage.get("not_read", 0) for stage in counters.stages)
    not_checked = sum(cut["left_out"] for cut in counters.given_up_patterns)
    missed = sum(counters.rendering.get(name, 0) for name in ("missed", "failed", "interrupted"))
    doubts = [
        *(["a limit was hit"] if counters.all_limits() else []),
        *([f"{failed} of {counters.documents.total()} documents could not be read"] * bool(failed)),
        *([f"sitemaps on other hosts were not read: {unread}"] if unread else []),
        *([f"URLs of given-up patterns were not checked: {not_checked}"] if not_checked else []),
        *(
            [f"links to other languages were not followed: {other_languages}"]
            * bool(other_languages)
        ),
        *([f"pages that need a browser were not rendered: {missed}"] if missed else []),
        *_robots_unavailable(scan),
        *([scan.root_problem] if scan.root_problem and not _robots_unavailable(scan) else []),
    ]
    return ", ".join(doubts) or _what_was_done(counters)


def _what_was_done(counters: ScanCounters) -> str:
    """What a complete scan has done, in words."""
    crawl = next((stage for stage in counters.stages if stage["stage"] == "crawl"), None)
    if crawl is None:
        return "every document that was asked for has been read"
    if not crawl["has_run"]:
        listed = "the sitemaps have been read" if counters.pages_of_sitemaps else _NO_SITEMAP
        return f"{listed}; the crawl did not run ({crawl['ended']})"
    return "every document has been read, and every link that may be followed"


def _robots_unavailable(scan: Scan) -> list[str]:
    """What is missing because a robots.txt could not be fetched."""
    causes, root = scan.counters.robots_unavailable, _root_server(scan)
    if root in causes:
        missing = "no page was fetched, and sitemaps that it names are not known"
        return [f"robots.txt could not be fetched ({causes[root]}): {missing}"]
    # Where https cannot be reached and http can, nothing is missing.
    others = [server for server in causes if _host(server) != _host(root)]
    return [f"robots.txt of other hosts could not be fetched: {len(others)}"] if others else []


def _root_server(scan: Scan) -> str:
    return origin_of(scan.root_url) if scan.root_url else ""


def _host(server: str) -> str:
    return server.partition("://")[2]


def build_summary(
    scan: Scan, *, status: ScanStatus, reason: str, asked: str, seconds: float, known: int = 0
) -> Summary:
    """The figures of a scan that has ended; *known* is the size of the inventory, if it is more."""
    counters, ledger = scan.counters, scan.politeness.report()
    record = scan.database.record if scan.database else None
    return Summary(
        asked=asked,
        root_url=scan.root_url or asked,
        scan_id=record.scan_id if record else None,
        status=status,
        reason=reason,
        pages=counters.pages_listed + counters.pages_unchanged,
        pages_unchanged=counters.pages_unchanged,
        mentions=counters.mentions,
        example=counters.first_page,
        by_source=_most_first(counters.pages_by_source),
        refused=_most_first(counters.pages_refused),
        documents=_most_first(counters.documents),
        probes=counters.probes,
        findings=_most_first(counters.findings),
        visited=counters.visited,
        not_visited=counters.visits_waiting,
        known=known or counters.pages_listed + counters.pages_unchanged,
        unvisited=counters.pages_listed + counters.pages_unchanged - counters.listed_visited,
        rendered=_rendered(counters),
        checks=_checks(counters.checks),
        cut_patterns=list(counters.given_up_patterns),
        truncated=counters.all_limits(),
        politeness=ledger,
        stages=list(counters.stages),
        requests=ledger["requests"],
        received_bytes=ledger["received_bytes"],
        seconds=round(seconds, 3),
    )


def _rendered(counters: ScanCounters) -> dict[str, Any]:
    """Nothing, if no page was to be rendered."""
    rendering = counters.rendering
    if not any(rendering.get(name) for name in ("pages", "failed", "missed")):
        return {}
    return {**rendering, "only_rendered": counters.pages_only_rendered}


_REMOVED = (FetchOutcome.NOT_FOUND, Reason.SOFT_404)
_NOT_ALLOWED = (FetchOutcome.BLOCKED_BY_ROBOTS, FetchOutcome.ADDRESS_NOT_ALLOWED)
_REDIRECTED = (FetchOutcome.REDIRECTED, FetchOutcome.TOO_MANY_REDIRECTS)


def _checks(results: Counter[str]) -> dict[str, int]:
    if not results:
        return {}
    found = {
        "checked": results.total(),
        "unchanged": results[FetchOutcome.NOT_MODIFIED],
        "redirected": sum(results[each] for each in _REDIRECTED),
        "removed": sum(results[each] for each in _REMOVED),
        "not_allowed": sum(results[each] for each in _NOT_ALLOWED),
    }
    answered = sum(found.values()) - found["checked"] + results[FetchOutcome.OK]
    return {**found, "unreachable": found["checked"] - answered}


def _most_first(counts: Counter[str]) -> dict[str, int]:
    return {str(name): number for name, number in counts.most_common() if number}
