"""What is known of the robots.txt of one authority: a scheme, host and port."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitecrawl.items import Judged
from sitecrawl.stages.base import SitemapPointer
from sitecrawl.urls.address import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sitecrawl.items import Document
    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.robots.policy import RobotsPolicy
    from sitecrawl.robots.verdict import Verdict


@dataclass(frozen=True, slots=True)
class AuthorityRobots:
    """The robots.txt of one scheme, host and port: how it was answered and what holds."""

    document: Document
    answer: RobotsAnswer
    policy: RobotsPolicy
    copy_of: datetime | None = None
    """When the copy was fetched that is used instead of an answer of today."""
    _judged: dict[int, Judged] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return self.document.url

    def judge(self, urls: Sequence[str]) -> tuple[Judged, dict[int, Judged]]:
        """What is said of most of the *urls*, and of the others by their row."""
        column = self.policy.verdicts(urls)
        others = {row: self._as_judged(verdict) for row, verdict in column.others.items()}
        return self._as_judged(column.usual), others

    def _as_judged(self, verdict: Verdict) -> Judged:
        # The policy gives the same object for the same verdict, and keeps it.
        if id(verdict) not in self._judged:
            self._judged[id(verdict)] = Judged(self.url, verdict)
        return self._judged[id(verdict)]

    def sitemaps(self) -> Iterator[tuple[int, str | None]]:
        """The lines that name a sitemap, and the address that they mean."""
        for line in self.policy.file.sitemaps:
            yield line.line, resolve(line.value, self.url)

    def pointers(self) -> list[SitemapPointer]:
        return [
            SitemapPointer(url, f"robots.txt line {line}", self.url)
            for line, url in self.sitemaps()
            if url is not None
        ]
