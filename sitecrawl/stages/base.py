"""What every stage of the waterfall is and has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from scrapy import Request
    from scrapy.http import Response

    from sitecrawl.config import Config
    from sitecrawl.items import Visit
    from sitecrawl.stages.authority import AuthorityRobots
    from sitecrawl.stages.rendering import PageRendering
    from sitecrawl.stages.waterfall import ScanProgress
    from sitecrawl.store.queries.resume import Resumption
    from sitecrawl.urls.scope import Scope
    from sitecrawl.urls.target import Target


@dataclass(slots=True)
class SitemapPointer:
    """A sitemap that something named: by whom, and how deep below the first one."""

    url: str
    found_by: str
    parent: str | None
    depth: int = 0
    listed_as_page_at: int = 0  # its position among the pages of a map; 0: it is named as a map
    is_guess: bool = False  # nobody has named it


class Frontier(Protocol):
    """What stages ask of the store, which keeps the pages that the crawl is to visit."""

    async def waiting_visits(self, after: int, limit: int) -> list[Visit]:
        """The next ones behind number *after*."""

    async def visit_accepted(self, visit: Visit) -> None:
        """Wait until it is clear what follows from the visit."""

    async def caught_up(self) -> None:
        """Wait until what has come to the store is written; others get their turn in any case."""

    async def scan_to_resume(self) -> Resumption | None:
        """What the interrupted run of this scan had come to; None: it is a new scan."""


@dataclass(slots=True)
class ScanContext:
    """What the stages of one scan share; a stage writes only what later stages need."""

    target: Target
    config: Config
    progress: ScanProgress
    root_url: str
    scope: Scope  # settled, with the bases, when the root has answered
    # Fetches robots.txt of the URL's authority, once.
    robots_of: Callable[[str], Awaitable[AuthorityRobots]]
    # Fetches at once, through the same middlewares; raises what hinders it.
    download: Callable[[Request], Awaitable[Response]]
    rendering: PageRendering
    frontier: Frontier = field(init=False)  # the store sets it
    bases: Sequence[str] = ()
    robots_sitemaps: list[SitemapPointer] = field(default_factory=list)
    root_fingerprint: int | None = None
    unusable_sitemaps: int = 0  # lines of robots.txt that name no http(s) address
    failure: str = ""


@dataclass(slots=True)
class Truncation:
    """A limit that was hit: nothing is lost in silence."""

    what: str
    setting: str
    limit: float


class Stage(ABC):
    """One way of finding URLs.

    The spider asks a stage for requests whenever it has nothing left to do; an answer without
    requests ends the stage. Callbacks yield items and further requests as in any spider.
    """

    name: ClassVar[str]

    def __init__(self, context: ScanContext):
        self.context = context
        self.truncations: dict[str, Truncation] = {}
        self.end_reason = "nothing left to fetch"

    @abstractmethod
    async def next_requests(self) -> Iterable[Request]:
        """Requests to go on with; none: the stage has ended."""

    def truncate(self, what: str, setting: str, limit: float) -> None:
        """Record that *setting* cut something off, once for each setting."""
        self.truncations.setdefault(setting, Truncation(what, setting, limit))

    def outcome(self) -> dict[str, Any]:
        """What the stage did and why it ended, for the summary and the evidence."""
        return {
            "stage": self.name,
            "ended": self.end_reason,
            "truncated": [
                {"what": cut.what, "setting": cut.setting, "limit": cut.limit}
                for cut in self.truncations.values()
            ],
        }
