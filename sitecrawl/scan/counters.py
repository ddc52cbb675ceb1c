"""What a scan counts while it runs: components decide by these, people read Scrapy's stats."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.items import RenderOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scrapy.statscollectors import StatsCollector

_RENDERED_PAGES: Final = {
    RenderOutcome.RENDERED: "pages",
    RenderOutcome.FAILED: "failed",
    RenderOutcome.NO_BROWSER: "missed",
}


@dataclass(slots=True)
class Limit:
    """A limit that cut something off, and the setting that raises it ("": none does)."""

    what: str
    setting: str
    limit: float

    def as_dict(self) -> dict[str, Any]:
        return {"what": self.what, "setting": self.setting, "limit": self.limit}


@dataclass(slots=True)
class ScanCounters:
    """The figures of one scan so far."""

    pages_by_source: Counter[str] = field(default_factory=Counter)
    """Pages that are listed, by their first source."""
    pages_refused: Counter[str] = field(default_factory=Counter)
    """By reason."""
    pages_in_sitemaps: int = 0
    """Pages that sitemaps of this scan list, whether links lead to them or not."""
    pages_unchanged: int = 0
    """Pages of documents that have not changed since the last scan."""
    pages_not_judged: int = 0
    """Pages whose robots.txt was not asked for, because there were too many."""
    pages_only_rendered: int = 0
    first_page: str = ""
    mentions: int = 0
    documents: Counter[str] = field(default_factory=Counter)
    """By outcome of the fetch, without probes."""
    probes: int = 0
    """Requests for guessed sitemaps that do not exist, and for made-up pages (soft 404)."""
    documents_unchanged: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    items_lost: int = 0
    """Items that an internal error lost: then the scan is partial."""
    visited: int = 0
    """Pages that the crawl has visited, also before an interruption."""
    listed_visited: int = 0
    """Of the pages that are listed, those that were visited; counted when the scan ends."""
    checks: Counter[str] = field(default_factory=Counter)
    """Pages that were checked, by the outcome of the fetch; error pages with 200 as soft_404."""
    visits_found: int = 0
    """Pages that were put into the frontier."""
    visits_waiting: int = 0
    """Pages whose turn had not come when the crawl ended; counted at the end of the scan."""
    visits_due: int = 0
    """Of these, the ones whose turn comes or came: held ones are not among them."""
    beyond_depth: int = 0
    other_language: int = 0
    given_up_patterns: list[dict[str, Any]] = field(default_factory=list)
    robots_unavailable: dict[str, str] = field(default_factory=dict)
    """By authority, why its robots.txt could not be fetched."""
    limits: dict[str, Limit] = field(default_factory=dict)
    """By setting; limits that stages hit are in their outcomes."""
    stage: str = "start"
    stages: list[dict[str, Any]] = field(default_factory=list)
    """What each stage did and why it ended."""
    rendering: dict[str, Any] = field(default_factory=dict)
    feeds_written: list[str] = field(default_factory=list)
    feeds_failed: int = 0

    @property
    def pages_listed(self) -> int:
        return self.pages_by_source.total()

    @property
    def is_crawling(self) -> bool:
        return self.stage == "crawl"

    @property
    def pages_of_sitemaps(self) -> int:
        """Pages that sitemaps list, those of unchanged ones included."""
        return self.pages_in_sitemaps + self.pages_unchanged

    def hit(self, what: str, setting: str, limit: float) -> None:
        """Record that a limit cut something off, once for each setting."""
        self.limits.setdefault(setting, Limit(what, setting, limit))

    def all_limits(self) -> list[dict[str, Any]]:
        by_stage = [cut for stage in self.stages for cut in stage["truncated"]]
        return [*by_stage, *(limit.as_dict() for limit in self.limits.values())]

    def restore(self, counted: Mapping[str, int]) -> None:
        """Take over what the interrupted run of the scan had counted, by the names of stats."""
        for name, number in counted.items():
            group, _, rest = name.removeprefix("sitecrawl/").partition("/")
            if name == "sitecrawl/documents/probes":
                self.probes += number
            elif group == "documents":
                self.documents[rest.removeprefix("outcome/")] += number
            elif rest.startswith("source/"):
                self.pages_by_source[rest.removeprefix("source/")] += number
            elif rest.startswith("refused/"):
                self.pages_refused[rest.removeprefix("refused/")] += number
            elif rest == "in_sitemaps":
                self.pages_in_sitemaps += number
            elif group == "render":
                self._restore_rendering(rest, number)
            elif group == "checks":
                self.checks[rest] += number
            elif rest == "found":
                self.visits_found += number
            elif rest == "visited":
                self.visited += number

    def _restore_rendering(self, name: str, number: int) -> None:
        if name == "only_rendered":
            self.pages_only_rendered += number
        elif number:
            self.rendering[name] = self.rendering.get(name, 0) + number

    def record(self) -> dict[str, Any]:
        """What only the process that fetches a page counts, as JSON for :meth:`merge`."""
        return {
            "items_lost": self.items_lost,
            "rendering": {
                name: value
                for name, value in self.rendering.items()
                if name not in _RENDERED_PAGES.values()
            },
            "limits": [limit.as_dict() for limit in self.limits.values()],
        }

    def merge(self, record: Mapping[str, Any]) -> None:
        """Add what a fetcher has counted."""
        self.items_lost += record["items_lost"]
        for name, value in record["rendering"].items():
            is_number = isinstance(value, int)
            self.rendering[name] = self.rendering.get(name, 0) + value if is_number else value
        for limit in record["limits"]:
            self.hit(**limit)

    def count_rendering(self, outcome: RenderOutcome) -> None:
        """Count a page that a fetcher has, or should have, rendered."""
        name = _RENDERED_PAGES[outcome]
        self.rendering[name] = self.rendering.get(name, 0) + 1

    def recount_pages(self, counted: Mapping[str, int]) -> None:
        """Replace the counts of pages by those of the database."""
        self.pages_by_source.clear()
        self.pages_refused.clear()
        self.restore(counted)

    def publish(self, stats: StatsCollector) -> None:
        """Show the figures in Scrapy's stats."""
        for name, value in self._stats():
            if value or stats.get_value(name) is not None:
                stats.set_value(name, value)

    def _stats(self) -> Iterator[tuple[str, Any]]:
        yield "sitecrawl/stage", self.stage
        yield "sitecrawl/stages", self.stages
        yield "sitecrawl/mentions", self.mentions
        yield "sitecrawl/pages/listed", self.pages_listed
        yield "sitecrawl/pages/in_sitemaps", self.pages_in_sitemaps
        yield "sitecrawl/pages/unchanged", self.pages_unchanged
        yield "sitecrawl/pages/not_judged", self.pages_not_judged
        yield "sitecrawl/documents/unchanged", self.documents_unchanged
        yield "sitecrawl/documents/probes", self.probes
        yield "sitecrawl/items/lost", self.items_lost
        yield "sitecrawl/crawl/visited", self.visited
        yield "sitecrawl/crawl/found", self.visits_found
        yield "sitecrawl/crawl/waiting", self.visits_waiting
        yield "sitecrawl/crawl/beyond_depth", self.beyond_depth
        yield "sitecrawl/crawl/other_language", self.other_language
        yield "sitecrawl/crawl/patterns_given_up", len(self.given_up_patterns)
        yield "sitecrawl/feeds/failed", self.feeds_failed
        yield "sitecrawl/limits", self.all_limits()
        yield "sitecrawl/render/only_rendered", self.pages_only_rendered
        for prefix, counts in (
            ("sitecrawl/pages/source/", self.pages_by_source),
            ("sitecrawl/pages/refused/", self.pages_refused),
            ("sitecrawl/documents/outcome/", self.documents),
            ("sitecrawl/checks/", self.checks),
            ("sitecrawl/findings/", self.findings),
            ("sitecrawl/render/", self.rendering),
        ):
            for name, value in counts.items():
                yield prefix + name, value
