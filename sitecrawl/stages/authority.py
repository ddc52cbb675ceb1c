"""What is known of the robots.txt of one authority: a scheme, host and port."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sitecrawl.items import DocumentRead, Evidence, EvidenceType, Judged, NamedDocument
from sitecrawl.robots.answers import AnswerKind
from sitecrawl.robots.lines import MAX_BYTES
from sitecrawl.stages.base import SitemapPointer
from sitecrawl.stages.fetching import confidence
from sitecrawl.urls.address import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sitecrawl.items import Document
    from sitecrawl.robots.answers import RobotsAnswer
    from sitecrawl.robots.policy import RobotsPolicy, Verdict
    from sitecrawl.urls.columns import SharedOrigin


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

    @property
    def is_cut(self) -> bool:
        """Whether there was more of it than is read."""
        document = self.document
        return document.is_to_be_read and (document.is_cut or len(document.body) > MAX_BYTES)

    def judge(
        self, urls: Sequence[str], origin: SharedOrigin | None = None
    ) -> tuple[Judged, dict[int, Judged]]:
        """What is said of most of the *urls*, and of the others by their row."""
        column = self.policy.verdicts(urls, origin.path_starts if origin else None)
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

    def as_items(self) -> Iterator[Any]:
        """What is stored of it: the document, what it names, and how it was answered."""
        document, file = self.document, self.policy.file
        pointers = self.pointers()
        yield document
        if document.is_to_be_read:
            yield DocumentRead(
                document.url,
                format="robots",
                entries=len(pointers),
                decompressed_bytes=len(document.body),
                truncated=self.is_cut,
                children=[NamedDocument(each.url, each.found_by, 0) for each in pointers],
            )
        is_read = self.answer.kind is AnswerKind.READ
        yield Evidence(
            EvidenceType.ROBOTS_TXT,
            # PostgreSQL takes no text with a null byte.
            document.body.decode("utf-8", "replace").replace("\0", "")
            if is_read
            else document.error,
            {
                "success": is_read,
                "outcome": document.outcome,
                "status": document.status,
                "error": document.error or None,
                "policy": self.policy.usual.reason,
                "explanation": self.policy.usual.explanation,
                "groups": [agent._asdict() for agent in file.groups],
                "rules": len(file.rules),
                "crawl_delay": file.crawl_delay.seconds if file.crawl_delay else None,
                "sitemaps": [pointer.url for pointer in pointers],
                "findings": [finding._asdict() for finding in file.findings],
                "copy_of": self.copy_of.isoformat() if self.copy_of else None,
            },
            document=document.url,
            confidence=min(
                confidence(document, is_truncated=self.is_cut), self.policy.usual.confidence
            ),
        )
