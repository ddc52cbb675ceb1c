"""The vocabulary of changes: kinds of changes and events, severities, pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


class ChangeKind(StrEnum):
    """What happened to one page, document or site."""

    ADDED = "added"
    REMOVED = "removed"
    UNLISTED = "unlisted"
    """No document lists it any more, but it answers."""
    RETURNED = "returned"
    MOVED = "moved"
    UPDATED = "updated"
    SOURCE_CHANGED = "source_changed"
    """Another document lists it than before."""
    ROBOTS_CHANGED = "robots_changed"
    SITEMAP_CHANGED = "sitemap_changed"
    SITE_MOVED = "site_moved"


class EventKind(StrEnum):
    """The kind of an event, as people see it."""

    ADDED = "added"
    REMOVED = "removed"
    UNLISTED = "unlisted"
    RETURNED = "returned"
    MOVED = "moved"
    SITE_MOVED = "site_moved"
    BROKEN = "broken"
    """Pages answer with an error."""
    REPAIRED = "repaired"
    REDIRECTED = "redirected"
    NOINDEX = "noindex"
    """Pages can no longer be indexed."""
    INDEXABLE = "indexable"
    UPDATED = "updated"
    LASTMOD = "lastmod"
    """Only what the sitemap says of pages has changed."""
    SOURCE_CHANGED = "source_changed"
    ROBOTS_CHANGED = "robots_changed"
    SITEMAP_CHANGED = "sitemap_changed"
    INVENTORY_COLLAPSED = "inventory_collapsed"
    REBASELINED = "rebaselined"
    """Settings or rules of ours differ, so the scans cannot be compared completely."""
    INCIDENT_CLOSED = "incident_closed"


class Severity(StrEnum):
    """How much an event matters, from the least."""

    INFO = "info"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        return _RANKS[self]

    def raised(self) -> Severity:
        """The next one up."""
        return _ORDER[min(self.rank + 1, len(_ORDER) - 1)]


_ORDER: Final = tuple(Severity)
_RANKS: Final = {severity: rank for rank, severity in enumerate(_ORDER)}


@dataclass(frozen=True, slots=True)
class PageRef:
    """A page, as far as changes and their titles need it."""

    id: int
    url: str
    template: str = ""
    type: str = ""
    is_important: bool = False
    reason: str | None = None
    """Why it is refused."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two scans."""

    kind: ChangeKind
    page: PageRef | None = None
    document_id: int | None = None
    other: PageRef | None = None
    """The page that a moved one went to."""
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    is_silent: bool = False
    """Stored, but not announced."""
