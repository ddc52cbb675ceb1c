"""What the read side gives: one small record per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Site:
    id: int
    key: str
    root_url: str
    seed: int
    key_rules: dict[str, Any]
    page_columns: list[str]
    """Those columns of its pages that have ever been written."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Scan:
    id: int
    site_id: int
    site_key: str
    asked: str
    root_url: str
    status: str
    reason: str | None
    profile: str | None
    settings: dict[str, Any]
    summary: dict[str, Any] | None
    started_at: datetime
    finished_at: datetime | None
    heartbeat_at: datetime


@dataclass(frozen=True, slots=True)
class Document:
    id: int
    url: str
    kind: str
    format: str | None
    parent_id: int | None
    depth: int
    found_by: str
    first_scan_id: int
    last_scan_id: int | None
    content_scan_id: int | None
    etag: str | None
    last_modified: str | None
    sha256: str | None
    entries: int | None
    policies: dict[str, str] | None
    listed: int | None


@dataclass(frozen=True, slots=True)
class Fetch:
    document_id: int
    url: str
    kind: str
    scan_id: int
    outcome: str
    status: int | None
    error: str | None
    content_type: str | None
    received_bytes: int
    decompressed_bytes: int
    elapsed_ms: int
    fetched_at: datetime
    fresh_until: datetime | None
    final_url: str | None
    redirects: list[str]
    directives: list[str]
    sha256: str | None
    format: str | None
    entries: int
    findings: list[Any]
    truncated: bool
    complete: bool


@dataclass(frozen=True, slots=True)
class EvidenceFact:
    type: str
    content: str
    metadata: dict[str, Any]
    confidence: float
    created_at: datetime
    document_url: str | None


@dataclass(frozen=True, slots=True)
class PageFact:
    id: int
    site_id: int
    url: str
    reason: str | None
    rule: str | None
    verdict_id: int | None
    source: str
    lastmod: str | None
    changefreq: str | None
    sitemap_priority: float | None
    title: str | None
    language: str | None
    category: str | None
    details: str | None
    first_scan_id: int


@dataclass(frozen=True, slots=True)
class VerdictFact:
    robots_url: str | None
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawl_delay: float | None
    confidence: float
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class MentionFact:
    document_id: int
    document_url: str
    document_kind: str
    found_by: str
    position: int
    source: str
    lastmod: str | None
    region: str | None
    anchor: str | None
    rel: str | None
    path: str | None
    """A short selector of the element that the link is in."""
    scan_id: int
    """The scan that read it."""
    is_current: bool
    """Whether the document still lists it, as far as we know."""
    last_seen_scan_id: int
    """The newest scan that read or confirmed it."""
    fetched_at: datetime | None
    """When the document was fetched in ``scan_id``; None while that scan has not come so far."""


@dataclass(frozen=True, slots=True)
class MentionCount:
    is_current: bool
    source: str
    region: str | None
    mentions: int


@dataclass(frozen=True, slots=True)
class PageCount:
    reason: str | None
    source: str
    pages: int


class VisitFields(NamedTuple):
    """What a feed says of a page that the crawl knows; without a visit only its clicks."""

    clicks: int
    http_status: int | None
    content_type: str | None
    text_hash: str | None
    canonical: str | None
    duplicate_of: str | None
