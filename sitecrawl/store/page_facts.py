"""What is known of single pages: one small record per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


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
