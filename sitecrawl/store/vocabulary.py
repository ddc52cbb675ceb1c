"""The words that the store itself writes into its columns."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from sitecrawl.urls.refusal import BROKEN

FIRST_WORKSPACE: Final = 1
"""The workspace that every database has, and that commands work in."""


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


ENDED_WELL = (ScanStatus.FINISHED, ScanStatus.PARTIAL, ScanStatus.CANCELLED)
"""Scans that have a result; what the others stored counts with the next of these."""


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


class RenderingStep(StrEnum):
    """What is to be done with a page that a fetcher has read."""

    DOUBTFUL = "doubtful"
    """Its turn decides whether it is rendered: that depends on the pages before it."""
    WANTED = "wanted"


class CheckCause(StrEnum):
    """Why a scan checks a page."""

    MISSING = "missing"
    """What listed it was read without it."""
    ROTATION = "rotation"
    DIVE = "dive"
    """A dive wants to read it."""


class BodyEncoding(StrEnum):
    """How a kept body lies in the database."""

    IDENTITY = "identity"
    GZIP = "gzip"


class JobKind(StrEnum):
    """What a job does."""

    DISCOVER = "discover"
    """The first scan of a site, or of its new root URL."""
    SCAN = "scan"
    DIVE = "dive"
    """Makes pages of the newest scan searchable."""


class DiveStatus(StrEnum):
    """Where a dive stands."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    PARTIAL = "partial"
    """Not all of the pages could be fetched."""
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobTrigger(StrEnum):
    """What asked for a job."""

    SCHEDULE = "schedule"
    PERSON = "person"
    ADDED = "added"
    """The site was added or imported."""
    ROOT_CHANGED = "root_changed"
    RETRY = "retry"
    """The rule for failed scans, or a person."""


class JobStatus(StrEnum):
    """Where a job stands; the words for its scan are the same from ``success`` on."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCESS = "success"
    PARTIAL = "partial"
    """The scan ended in order, but before everything was read."""
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"
    """Its process died too often, or with no worker to take it up."""
    SKIPPED = "skipped"
    """It was due, and the site was still being scanned or was switched off."""


ACTIVE_JOBS = (JobStatus.QUEUED, JobStatus.RUNNING)


class SiteState(StrEnum):
    """What watched sites can be picked by."""

    ENABLED = "enabled"
    DISABLED = "disabled"
    QUEUED = "queued"
    RUNNING = "running"
    FAILING = "failing"
    """The newest job that ended has failed."""
    NEW = "new"
    """Not scanned yet."""


class AnnouncementStatus(StrEnum):
    """Whether a channel has been told."""

    WAITING = "waiting"
    TOLD = "told"
    DROPPED = "dropped"


class AnnouncementBatch(StrEnum):
    """With what else something is told."""

    AT_ONCE = "at_once"
    DIGEST = "digest"
    DAMPED = "damped"
    """As a digest, if the incident is not over by then."""


class DeliveryPurpose(StrEnum):
    """Why a message is sent."""

    NEWS = "news"
    TEST = "test"
    ALERT = "alert"
    """Another channel does not work any more."""


class DeliveryStatus(StrEnum):
    """Where a delivery stands."""

    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"
    CANCELLED = "cancelled"
    """Its channel was disabled before it could be sent."""
