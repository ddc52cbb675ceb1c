"""The data of a report, which JSON, HTML, Markdown, CSV and the terminal show alike.

All types are JSON types. The texts come from the site: each format has to escape them.
"""

from __future__ import annotations

import json
from typing import IO, Any, NotRequired, TypedDict


class SiteFacts(TypedDict):
    root_url: str
    asked: str
    scan_id: int
    scans: int
    """Number of scans of the site, so far."""
    started_at: str
    finished_at: str | None
    status: str
    reason: str
    profile: str
    version: str


class Truncation(TypedDict):
    """A limit that was hit; without a setting it is fixed."""

    what: str
    setting: str
    limit: float


class Headline(TypedDict):
    pages: int
    """Listed ones."""
    refused: int
    visited: int
    """Listed ones that were visited."""
    rendered: int
    documents: int
    """Those that were read."""
    requests: int
    bytes: int
    seconds: float
    by_source: dict[str, int]
    """Listed pages by how they were first found."""
    by_reason: dict[str, int]
    """Refused pages."""
    truncations: list[Truncation]


class SourceSize(TypedDict):
    name: str
    pages: int


class Overlap(TypedDict):
    """Pages that exactly these sources know."""

    sources: list[str]
    pages: int


class ClusterCoverage(TypedDict):
    name: str
    known: int
    estimate: int | None
    low: int
    high: int | None
    is_trusted: bool


class RecentYield(TypedDict):
    requests: int
    """Number of the last requests of the scan."""
    new: int
    """New pages that they found."""
    series: list[int]
    """New pages in equal steps of the scan."""


class CoverageFacts(TypedDict):
    """The estimated number of pages; without an estimate, only ``known`` is meaningful."""

    is_exhaustive: bool
    """All pages that links and sitemaps lead to were visited."""
    known: int
    estimate: int | None
    low: int
    high: int | None
    method: str
    is_trusted: bool
    doubts: list[str]
    sources: list[SourceSize]
    overlap: list[Overlap]
    clusters: list[ClusterCoverage]
    recent_yield: RecentYield


class TreeNode(TypedDict):
    """A folder with all that is below; the url is empty where several were folded into one."""

    name: str
    url: str
    pages: int
    children: list[TreeNode]


class DepthCount(TypedDict):
    depth: int
    pages: int


class ClickCount(TypedDict):
    clicks: int
    pages: int


class ClusterFacts(TypedDict):
    id: int
    kind: str
    """``section``, ``pattern``, ``language``, ``topic`` or ``type``."""
    name: str
    parent: int | None
    pages: int
    sample: list[str]
    why: str


class TopicFacts(TypedDict):
    """A cluster by meaning, which a dive has found."""

    name: str
    pages: int
    points: list[tuple[float, float, str]]
    """Where pages stand on the map, from 0 to 1, and their URLs; of large sites not all."""


class NamedCount(TypedDict):
    name: str
    pages: int


class LanguageCount(TypedDict):
    code: str
    pages: int
    by: dict[str, int]
    """Pages by how the language is known."""


class RegionCount(TypedDict):
    region: str
    links: int
    pages: int
    """Targets of these links."""


class FindingItem(TypedDict):
    """A page, an address or a sitemap with the finding; kind and url identify it in any report."""

    url: str
    detail: str
    links: NotRequired[int]
    """How many pages link to it; only where that is asked for."""
    linked_from: NotRequired[list[str]]
    """The first of them."""


class FindingBefore(TypedDict):
    """The same finding in the scan before, as far as both scans visited the pages."""

    count: int
    new: int
    """Items that were not found before."""
    fixed: int
    """Items of before that were visited again, and do not have it any more."""
    not_visited: int
    """Items of before that were not visited again: nothing is known of them."""


class FindingFacts(TypedDict):
    kind: str
    """The stable id of the finding."""
    severity: str
    """``high``, ``medium`` or ``low``."""
    topic: str
    title: str
    count: int
    unit: str
    """What is counted: ``pages``, ``addresses``, ``entries`` or ``sitemaps``."""
    items: list[FindingItem]
    advice: str
    before: FindingBefore | None
    """None: it cannot be compared, or there is no earlier scan."""


class Percentiles(TypedDict):
    p50: int
    p75: int
    p90: int
    p95: int
    p99: int
    max: int


class SpeedFacts(TypedDict):
    """How fast and how heavy the pages are that the scan has read."""

    pages: int
    elapsed_ms: Percentiles | None
    """Until the first byte of the answer."""
    bytes: Percentiles | None
    """Of HTML."""


class ScanBefore(TypedDict):
    """The scan that this one is compared with."""

    scan_id: int
    started_at: str
    visited: int
    speed: SpeedFacts
    fixed: list[FindingFacts]
    """Findings that it had and this one has not; without items."""


class RobotsFacts(TypedDict):
    url: str
    outcome: str
    status: int | None
    fetched_at: str
    rules: int
    crawl_delay: float | None
    sitemaps: list[str]


class ParseFinding(TypedDict):
    kind: str
    detail: str
    count: int


class SitemapFacts(TypedDict):
    url: str
    format: str
    outcome: str
    status: int | None
    entries: int
    listed: int
    """Pages that it was the first to list."""
    bytes: int
    findings: list[ParseFinding]


class ProbeFacts(TypedDict):
    """Addresses that nothing names, where sitemaps often are."""

    asked: int
    found: int


class EvidenceFacts(TypedDict):
    type: str
    content: str
    metadata: dict[str, Any]
    confidence: float
    created_at: str


class LinkedPage(TypedDict):
    url: str
    title: str
    links: int
    """How many visited pages link to it."""


class SectionFacts(TypedDict):
    """A section of the site with its own pages; those of sections inside it count there."""

    id: int
    name: str
    parent: int | None
    """The section that it is inside of."""
    pages: int
    most_linked: list[LinkedPage]


class SectionLinks(TypedDict):
    """How many links lead from pages of one section to pages of another, or of the same."""

    source: int
    target: int
    links: int


class LinkFacts(TypedDict):
    sections: list[SectionFacts]
    links: list[SectionLinks]
    """The most links first."""


class PageFacts(TypedDict):
    """Columns of pages in the order in which they were first seen, the listed ones first."""

    url: list[str]
    title: list[str]
    reason: list[str]
    """Why the page is refused; empty: it is listed."""
    status: list[int | None]
    """HTTP status; None: not fetched."""
    cluster: list[int | None]
    depth: list[int]
    clicks: list[int | None]
    """From the root; None: not found by the crawl."""
    priority: list[float | None]
    category: list[str]
    language: list[str]
    lastmod: list[str]
    left_out: int
    """Number of pages that the columns do not have."""


class ReportData(TypedDict):
    site: SiteFacts
    headline: Headline
    coverage: CoverageFacts
    tree: TreeNode
    depths: list[DepthCount]
    clicks: list[ClickCount]
    clusters: list[ClusterFacts]
    topics: list[TopicFacts]
    categories: list[NamedCount]
    types: list[NamedCount]
    languages: list[LanguageCount]
    regions: list[RegionCount]
    findings: list[FindingFacts]
    before: ScanBefore | None
    speed: SpeedFacts
    politeness: dict[str, Any]
    """As the evidence ``politeness_ledger`` has it."""
    robots: list[RobotsFacts]
    sitemaps: list[SitemapFacts]
    probes: ProbeFacts
    evidence: list[EvidenceFacts]
    links: LinkFacts
    pages: PageFacts


def write_json(report: ReportData, file: IO[bytes]) -> None:
    """Write the data as they are."""
    file.write(json.dumps(report, ensure_ascii=False, allow_nan=False).encode() + b"\n")
