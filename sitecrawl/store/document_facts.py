"""What is known of the documents of a scan: one small record per row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


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
