"""The data of a report, which JSON, HTML, Markdown, CSV and the terminal show alike.

All types are JSON types. The texts come from the site: each format has to escape them.
"""

from __future__ import annotations

import json
from typing import IO, Any, TypedDict


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
    rendered: int
    documents: int
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


class Example(TypedDict):
    url: str
    detail: str


class FindingFacts(TypedDict):
    kind: str
    severity: str
    """``high``, ``medium`` or ``low``."""
    title: str
    count: int
    examples: list[Example]
    advice: str


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


class EvidenceFacts(TypedDict):
    type: str
    content: str
    metadata: dict[str, Any]
    confidence: float
    created_at: str


class GraphNodeFacts(TypedDict):
    """A page, or all pages of a collapsed cluster, which has no url."""

    id: int
    url: str
    title: str
    cluster: int | None
    inlinks: int
    is_structural: bool


class CollapsedCluster(TypedDict):
    cluster: int | None
    """None: pages that are in no cluster."""
    pages: int
    node: int
    """The node that stands for them."""


class GraphFacts(TypedDict):
    nodes: list[GraphNodeFacts]
    edges: list[tuple[int, int]]
    """From one node to another; each once, however many links there are."""
    collapsed: list[CollapsedCluster]
    edges_left_out: bool
    """There are more links than a drawing can show."""


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
    categories: list[NamedCount]
    types: list[NamedCount]
    languages: list[LanguageCount]
    regions: list[RegionCount]
    findings: list[FindingFacts]
    politeness: dict[str, Any]
    """As the evidence ``politeness_ledger`` has it."""
    robots: list[RobotsFacts]
    sitemaps: list[SitemapFacts]
    evidence: list[EvidenceFacts]
    graph: GraphFacts
    pages: PageFacts


def write_json(report: ReportData, file: IO[bytes]) -> None:
    """Write the data as they are."""
    file.write(json.dumps(report, ensure_ascii=False, allow_nan=False).encode() + b"\n")
