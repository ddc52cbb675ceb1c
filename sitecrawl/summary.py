"""What a scan came to: built from the stats alone, shown at the end and kept as evidence."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from sitecrawl.items import FetchOutcome
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.urls.address import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LISTED = "sitecrawl/pages/source/"
_REFUSED = "sitecrawl/pages/refused/"
_OUTCOME = "sitecrawl/documents/outcome/"
_FINDING = "sitecrawl/findings/"
_RENDER = "sitecrawl/render/"

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
    "unreachable": (ScanStatus.FAILED, "the site cannot be reached"),
    "store": (ScanStatus.FAILED, "the database cannot be used"),
    "stage_error": (ScanStatus.PARTIAL, "a fault of sitecrawl ended it; the log has more"),
}


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
    findings: dict[str, int]
    visited: int
    """Pages that were fetched to follow their links, the root included."""
    cut_patterns: list[dict[str, Any]]
    """Patterns of URLs that the crawl gave up: traps, or more of the same."""
    truncated: list[dict[str, Any]]
    stages: list[dict[str, Any]]
    requests: int
    received_bytes: int
    seconds: float
    politeness: dict[str, Any] = field(default_factory=dict)
    rendered: dict[str, Any] = field(default_factory=dict)
    """How many pages a browser has shown, and how many are known only for that."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def cut_families(cuts: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The patterns of which the rest is refused, with the reason."""
    return {cut["pattern"]: cut["reason"] for cut in cuts if cut["reason"]}


def ending(
    close_reason: str, stats: Mapping[str, Any], failure: str = ""
) -> tuple[ScanStatus, str]:
    """The status of a scan that the engine closed for *close_reason*, and its reason in words."""
    status, words = _ENDINGS.get(close_reason, (ScanStatus.PARTIAL, close_reason))
    if status is ScanStatus.FINISHED and stats.get("sitecrawl/items/lost"):
        return ScanStatus.PARTIAL, "a fault of sitecrawl lost some of it; the log has more"
    if status is ScanStatus.FINISHED and (reasons := _not_fetched(stats)):
        return ScanStatus.PARTIAL, "; ".join(reasons)
    return status, failure or words or _completeness(stats)


def _not_fetched(stats: Mapping[str, Any]) -> list[str]:
    """Why politeness left something out that was to be fetched."""
    root_server = _root_server(stats)
    reasons = [
        each["reason"]
        for each in stats.get("sitecrawl/politeness", {}).get("left_alone", ())
        # Where https cannot be reached and http can, nothing is missing.
        if each["refused"] or each["server"] == root_server
    ]
    if stats.get(_OUTCOME + FetchOutcome.HOST_PAUSED) and not reasons:
        reasons.append("a host asked to wait longer than the time of a stage")
    if unsent := stats.get(_OUTCOME + FetchOutcome.SLOT_TIMEOUT):
        reasons.append(f"requests whose turn did not come in time: {unsent}")
    if stats.get(_OUTCOME + FetchOutcome.OVER_BUDGET):
        reasons.append("the page limit was reached (SITECRAWL_MAX_PAGES)")
    return reasons


def _limits(stats: Mapping[str, Any]) -> list[dict[str, Any]]:
    by_stage = [cut for stage in stats.get("sitecrawl/stages", ()) for cut in stage["truncated"]]
    return [
        *by_stage,
        *stats.get("sitecrawl/limits", ()),
        *stats.get("sitecrawl/robots/limits", ()),
        *stats.get("sitecrawl/robots/cut", ()),
        *stats.get("sitecrawl/render/limits", ()),
    ]


def _completeness(stats: Mapping[str, Any]) -> str:
    documents = _below(_OUTCOME, stats)
    failed = sum(n for outcome, n in documents.items() if outcome not in _READ)
    unread, given_up = _not_read(stats), len(stats.get("sitecrawl/crawl/cuts", ()))
    doubts = [
        *(["a limit was hit"] if _limits(stats) else []),
        *([f"{failed} of {sum(documents.values())} documents could not be read"] if failed else []),
        *([f"sitemaps on other hosts were not read: {unread}"] if unread else []),
        *([f"patterns of URLs were given up: {given_up}"] if given_up else []),
        *_not_rendered(stats),
        *_rules_not_had(stats),
    ]
    return ", ".join(doubts) or "everything that was found has been read"


def _not_rendered(stats: Mapping[str, Any]) -> list[str]:
    missed = stats.get(_RENDER + "missed", 0) + stats.get(_RENDER + "failed", 0)
    return [f"pages that need a browser were not rendered: {missed}"] if missed else []


def _rules_not_had(stats: Mapping[str, Any]) -> list[str]:
    """What a robots.txt that could not be had has left out."""
    not_had, root = stats.get("sitecrawl/robots/not_had", {}), _root_server(stats)
    if root in not_had:
        missing = "no page was fetched, and sitemaps that it names are not known"
        return [f"robots.txt could not be had ({not_had[root]}): {missing}"]
    # Where https cannot be reached and http can, nothing is missing.
    others = [server for server in not_had if _host(server) != _host(root)]
    return [f"robots.txt of other hosts could not be had: {len(others)}"] if others else []


def _root_server(stats: Mapping[str, Any]) -> str:
    root = stats.get("sitecrawl/scan/root_url", "")
    return origin_of(root) if root else ""


def _host(server: str) -> str:
    return server.partition("://")[2]


def _not_read(stats: Mapping[str, Any]) -> int:
    return sum(stage.get("not_read", 0) for stage in stats.get("sitecrawl/stages", ()))


def build_summary(stats: Mapping[str, Any], asked: str, seconds: float) -> Summary:
    """From the stats of a run; what nobody counted is 0."""
    stages = list(stats.get("sitecrawl/stages", ()))
    listed = stats.get("sitecrawl/pages/listed", 0)
    unchanged = stats.get("sitecrawl/pages/unchanged", 0)
    ledger = stats.get("sitecrawl/politeness", {})
    return Summary(
        asked=asked,
        root_url=stats.get("sitecrawl/scan/root_url", asked),
        scan_id=stats.get("sitecrawl/scan/id"),
        status=ScanStatus(stats.get("sitecrawl/scan/status", ScanStatus.FAILED)),
        reason=stats.get("sitecrawl/scan/reason", ""),
        pages=listed + unchanged,
        pages_unchanged=unchanged,
        mentions=stats.get("sitecrawl/mentions", 0),
        example=stats.get("sitecrawl/pages/example", ""),
        by_source=_below(_LISTED, stats),
        refused=_below(_REFUSED, stats),
        documents=_below(_OUTCOME, stats),
        findings=_below(_FINDING, stats),
        visited=stats.get("sitecrawl/crawl/visited", 0),
        rendered=_rendered(stats),
        cut_patterns=list(stats.get("sitecrawl/crawl/cuts", ())),
        truncated=_limits(stats),
        politeness=dict(ledger),
        stages=stages,
        # Scrapy's own stats also count what came from a cache, and the bytes of headers.
        requests=ledger.get("requests", 0),
        received_bytes=ledger.get("received_bytes", 0),
        seconds=round(seconds, 3),
    )


def _rendered(stats: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing, if no page was to be rendered."""
    counted = {
        name.removeprefix(_RENDER): value
        for name, value in stats.items()
        if name.startswith(_RENDER)
    }
    had_to = any(counted.get(name) for name in ("pages", "failed", "missed"))
    return counted if had_to else {}


def _below(prefix: str, stats: Mapping[str, Any]) -> dict[str, int]:
    counts = {name.removeprefix(prefix): n for name, n in stats.items() if name.startswith(prefix)}
    return dict(sorted(((name, n) for name, n in counts.items() if n), key=lambda item: -item[1]))
