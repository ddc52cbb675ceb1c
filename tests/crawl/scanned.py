"""A model site after a crawl: what the crawl says, beside what the site knows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.site.project import Project

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.site.project import CrawlResult
    from tests.site.sites import ModelSite

# The sites' own limits are to hold, not the crawl's.
WITHOUT_LIMITS = {
    "SITECRAWL_CRAWL": "auto",
    "SITECRAWL_MAX_CRAWL_DEPTH": 0,
    "SITECRAWL_MAX_CRAWL_PAGES": 0,
}
_CRAWL_SECONDS = 300.0
_MENTIONS = """
SELECT p.url, d.url, m.source, coalesce(m.region, ''), coalesce(m.anchor, '')
FROM mentions AS m JOIN pages AS p ON p.id = m.page_id JOIN documents AS d ON d.id = m.document_id
"""


class Mention(NamedTuple):
    page: str
    document: str
    source: str
    region: str
    anchor: str


@dataclass(frozen=True, slots=True)
class ScannedSite:
    """Targets stand for URLs of the site; other URLs stand for themselves."""

    model: ModelSite
    result: CrawlResult
    asked: Sequence[str]
    """Targets in the order of the requests."""
    origin: str

    @property
    def listed(self) -> set[str]:
        return {self.target(row["url"]) for row in self.result.rows if not row["reason"]}

    @property
    def refused(self) -> dict[str, dict[str, Any]]:
        return {self.target(row["url"]): row for row in self.result.rows if row["reason"]}

    @property
    def mentions(self) -> set[Mention]:
        return {
            Mention(self.target(page), self.target(document), *rest)
            for page, document, *rest in self.result.query(_MENTIONS)
        }

    def requests_by_trap(self) -> Counter[str]:
        traps = map(self.model.trap_of, self.asked)
        return Counter(trap for trap in traps if trap is not None)

    def target(self, url: str) -> str:
        return url.removeprefix(self.origin)


def scan_site(
    model: ModelSite, folder: Path, settings: Mapping[str, object] | None = None
) -> ScannedSite:
    """``scrapy crawl discover`` on the site, with what was refused in its feed."""
    every = {**WITHOUT_LIMITS, "SITECRAWL_FEED_REFUSED": True, **(settings or {})}
    with model.serve() as server:
        result = Project.in_folder(folder).crawl(
            server.at(model.start), settings=every, timeout_seconds=_CRAWL_SECONDS
        )
        return ScannedSite(model, result.succeeded(), server.paths(), server.url)
