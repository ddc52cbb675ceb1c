"""The words that the store itself writes into its columns."""

from __future__ import annotations

from enum import StrEnum

from sitecrawl.urls.refusal import BROKEN


class ScanStatus(StrEnum):
    """Where a scan stands."""

    RUNNING = "running"
    FINISHED = "finished"
    PARTIAL = "partial"
    """It ended in order, but before everything was read."""
    INTERRUPTED = "interrupted"
    """Its process died; what it had stored is kept."""
    FAILED = "failed"
    CANCELLED = "cancelled"
    """Somebody stopped it; what it had stored is kept."""


class PageStatus(StrEnum):
    """Whether a page counts as part of the site."""

    LISTED = "listed"
    REFUSED = "refused"
    BROKEN = "broken"
    """A visit found no page there: not found, an error page, or redirects without an end."""

    @classmethod
    def of(cls, reason: str | None) -> PageStatus:
        """The status of a page with this reason."""
        if reason is None:
            return cls.LISTED
        return cls.BROKEN if reason in BROKEN else cls.REFUSED


class ChangeKind(StrEnum):
    """What happened to a page between two scans."""

    ADDED = "added"
    REMOVED = "removed"
    UPDATED = "updated"


class BodyEncoding(StrEnum):
    """How a kept body lies in the database."""

    IDENTITY = "identity"
    GZIP = "gzip"
