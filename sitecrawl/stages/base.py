"""The base class of the stages of the waterfall, and the context that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sitecrawl.scan.counters import Limit
from sitecrawl.stages.sitemap_entries import SitemapChoice

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from scrapy import Request
    from scrapy.http import Response

    from sitecrawl.config import Config
    from sitecrawl.items import SitemapPointer
    from sitecrawl.scan import Scan
    from sitecrawl.scan.counters import ScanCounters
    from sitecrawl.scan.fetchers import FetcherProcesses
    from sitecrawl.scan.robots import AuthorityRobots
    from sitecrawl.stages.link_rules import LinkRules
    from sitecrawl.stages.rendering import PageRendering
    from sitecrawl.stages.soft_404 import ErrorPages
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.urls.scope import Scope
    from sitecrawl.urls.target import Target


@dataclass(slots=True)
class ScanContext:
    """What the stages of one scan share; a stage writes only what later stages need."""

    target: Target
    scan: Scan
    root_url: str
    scope: Scope  # settled, with the bases, when the root has answered
    # Downloads without the scheduler, through the same middlewares; raises the error of a failure.
    download: Callable[[Request], Awaitable[Response]]
    # Puts a request into the engine.
    crawl: Callable[[Request], None]
    # Whether the spider is being closed, for whatever reason.
    is_stopping: Callable[[], bool]
    # Starts the fetchers of the scan.
    start_fetchers: Callable[[], FetcherProcesses]
    rendering: PageRendering
    max_redirects: int  # of a page; Scrapy follows those of other documents
    bases: Sequence[str] = ()
    robots_sitemaps: list[SitemapPointer] = field(default_factory=list)
    root_fingerprint: int | None = None
    unusable_sitemaps: int = 0  # lines of robots.txt that name no http(s) address
    is_resumed: bool = False
    sitemap_choice: SitemapChoice = field(default_factory=SitemapChoice)
    link_rules: LinkRules | None = None  # which links the crawl follows; None: all
    dive: int | None = None  # whose pages are fetched
    error_pages: ErrorPages | None = None  # asked for when the first page is visited

    @property
    def config(self) -> Config:
        return self.scan.config

    @property
    def counters(self) -> ScanCounters:
        return self.scan.counters

    async def robots_of(self, url: str) -> AuthorityRobots:
        """Fetches robots.txt of the URL's authority, once."""
        return await self.scan.robots.robots_of(url)

    async def put(self, item: Any) -> None:
        """Hand what a document said to the inventory pipelines, and wait until it is through."""
        await self.scan.put(item)

    async def resumption(self) -> Resumption | None:
        """The state in which this scan was interrupted; None: it is a new scan."""
        database = self.scan.database
        if not self.is_resumed or database is None:
            return None  # without waiting for the database
        await database.opened()
        return database.resumption


class Stage(ABC):
    """One way of finding URLs.

    The spider asks a stage for requests whenever it has nothing left to do; an answer without
    requests ends the stage. Its callbacks hand what documents said to the inventory pipelines
    (``context.put``), and further requests to the engine (``context.crawl``).
    """

    name: ClassVar[str]

    def __init__(self, context: ScanContext):
        self.context = context
        self.limits: dict[str, Limit] = {}
        self.has_run = True
        self.end_reason = "nothing left to fetch"

    @classmethod
    def is_wanted(cls, config: Config) -> bool:
        """Whether the stage is one of this scan's at all."""
        return True

    @abstractmethod
    async def next_requests(self) -> Iterable[Request]:
        """Requests to go on with; none: the stage has ended."""

    def truncate(self, what: str, setting: str, limit: float) -> None:
        """Record that *setting* cut something off, once for each setting."""
        self.limits.setdefault(setting, Limit(what, setting, limit))

    @classmethod
    def unreached(cls) -> dict[str, Any]:
        """The outcome of a stage that was not reached."""
        ended = "the scan ended before its turn"
        return {"stage": cls.name, "has_run": False, "ended": ended, "truncated": []}

    def outcome(self) -> dict[str, Any]:
        """What the stage did and why it ended, for the summary and the evidence."""
        return {
            "stage": self.name,
            "has_run": self.has_run,
            "ended": self.end_reason,
            "truncated": [limit.as_dict() for limit in self.limits.values()],
        }
