from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sitecrawl.sitemaps.reader import DEFAULT_LIMITS, SitemapLimits, SitemapReader
from sitecrawl.sitemaps.scanner import MarkupScanner

if TYPE_CHECKING:
    from sitecrawl.parsing.findings import Finding
    from sitecrawl.sitemaps.entries import EntryBatch, EntryDetails


URL = "https://shop.example/maps/map.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

Row = tuple[str, str, str, float, "EntryDetails | None"]


class ExactReader(SitemapReader):
    """The same reader without its fast road."""

    markup_scanner = MarkupScanner


@dataclass
class Reading:
    kind: str = ""
    pages: list[Row] = field(default_factory=list)
    children: list[Row] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    truncated: bool = False
    entries: int = 0

    @property
    def locs(self) -> list[str]:
        return [row[0] for row in self.pages]

    @property
    def maps(self) -> list[str]:
        return [row[0] for row in self.children]

    @property
    def kinds(self) -> set[str]:
        return {finding.kind.value for finding in self.findings}


def read(
    body: bytes | str,
    url: str = URL,
    limits: SitemapLimits = DEFAULT_LIMITS,
    reader_class: type[SitemapReader] = SitemapReader,
) -> Reading:
    reader = reader_class(body.encode() if isinstance(body, str) else body, url, limits)
    reading = Reading()
    for chunk in reader:
        assert max(len(chunk.pages), len(chunk.children)) <= limits.batch_entries
        assert chunk.pages.first == len(reading.pages) + 1
        assert chunk.children.first == len(reading.children) + 1
        reading.pages += rows(chunk.pages)
        reading.children += rows(chunk.children)
    reading.kind = reader.kind.value
    reading.findings = reader.findings
    reading.truncated = reader.truncated
    reading.entries = reader.entries
    assert reading.entries == len(reading.pages) + len(reading.children)
    return reading


def rows(batch: EntryBatch) -> list[Row]:
    size = len(batch)
    columns = (
        batch.locs,
        batch.lastmods or [""] * size,
        batch.changefreqs or [""] * size,
        batch.priorities or [-1.0] * size,
        [batch.details.get(at) for at in range(size)],
    )
    assert set(batch.details) <= set(range(size))
    return list(zip(*columns, strict=True))


def urlset(content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>\n{content}\n</urlset>\n'


def entry(loc: str, more: str = "") -> str:
    return f"<url><loc>{loc}</loc>{more}</url>\n"
