"""What the read side gives: one small record per row.

What only those ask for who look at documents or single pages lies in ``document_facts.py`` and
``page_facts.py``: making the classes takes longer than most questions to the database.
"""

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
