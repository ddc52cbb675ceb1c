"""The content of messages, before it is rendered for a kind of channel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from sitecrawl.channels.rules import Phase, severity_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

# People read no more; the number of omitted events is told.
MAX_EVENTS = 100
MAX_EXAMPLES = 5


class MessageType(StrEnum):
    """Why a message is sent."""

    CHANGE = "sitemap.change"
    """The changes of one scan."""
    DIGEST = "sitemap.digest"
    """The changes of several scans, or those that had to wait."""
    TEST = "sitemap.test"
    ALERT = "channel.disabled"
    """Another channel no longer works."""


@dataclass(frozen=True, slots=True)
class EventNews:
    """One event, as messages show it."""

    id: int
    kind: str
    severity: str
    title: str
    pages: int
    important_pages: int
    examples: tuple[str, ...]
    occurred_at: datetime
    incident_id: int | None = None
    phase: Phase | None = None
    opened_at: datetime | None = None

    @property
    def phase_words(self) -> str:
        """
        >>> from datetime import UTC, datetime
        >>> now = datetime(2026, 1, 1, tzinfo=UTC)
        >>> EventNews(1, "gone", "high", "…", 1, 0, (), now, 1, Phase.CLOSED).phase_words
        'Over'
        """
        return _PHASE_WORDS[self.phase] if self.phase else ""


_PHASE_WORDS = {Phase.OPENED: "New", Phase.STILL_OPEN: "Still open", Phase.CLOSED: "Over"}


@dataclass(frozen=True, slots=True)
class SiteNews:
    """The events of one site."""

    site_id: int
    """Of the watched site."""
    name: str
    root_url: str
    scan_id: int
    """The newest of the scans that the events are of."""
    added: int
    removed: int
    updated: int
    events: tuple[EventNews, ...]
    link: str = ""
    """The site's page in the dashboard."""

    @property
    def figures(self) -> str:
        return f"{self.added:,} added, {self.removed:,} removed, {self.updated:,} updated"


@dataclass(frozen=True, slots=True)
class Message:
    """The content of one delivery."""

    type: MessageType
    title: str
    moment: datetime
    sites: tuple[SiteNews, ...] = ()
    text: str = ""
    """Of a message that is not about sites."""
    omitted_events: int = 0

    @property
    def severity(self) -> str:
        """The highest of its events."""
        found = [severity_of(event.severity) for site in self.sites for event in site.events]
        return max(found, key=lambda each: each.rank, default=severity_of("info"))


def change_message(site: SiteNews, moment: datetime) -> Message:
    """The message about one scan."""
    (kept,), omitted = _limited([site])
    return Message(MessageType.CHANGE, _title(kept), moment, (kept,), omitted_events=omitted)


def digest_message(sites: Sequence[SiteNews], moment: datetime) -> Message:
    """The message about several scans."""
    kept, omitted = _limited(sites)
    total = sum(len(site.events) for site in kept) + omitted
    if len(kept) == 1:
        title = _title(kept[0], total)
    else:
        title = f"{total:,} changes on {len(kept):,} sites"
    return Message(MessageType.DIGEST, title, moment, tuple(kept), omitted_events=omitted)


def _title(site: SiteNews, total: int = 0) -> str:
    total = max(total, len(site.events))
    first = site.events[0]
    words = f"{first.phase_words}: {first.title}" if first.phase_words else first.title
    further = f" (and {total - 1:,} more)" if total > 1 else ""
    return f"{site.name}: {words}{further}"


def _limited(sites: Sequence[SiteNews]) -> tuple[list[SiteNews], int]:
    """The most important events, by site, and how many were omitted."""
    everything = [(event, site.site_id) for site in sites for event in site.events]
    everything.sort(key=lambda pair: importance(pair[0]))
    kept = {(site_id, event.id, event.phase) for event, site_id in everything[:MAX_EVENTS]}
    shown = []
    for site in sites:
        events = [each for each in site.events if (site.site_id, each.id, each.phase) in kept]
        if events:
            shown.append(replace(site, events=tuple(sorted(events, key=importance))))
    shown.sort(key=lambda site: importance(site.events[0]))
    return shown, len(everything) - sum(len(site.events) for site in shown)


def importance(event: EventNews) -> tuple[int, int, int]:
    """A sort key: the most important first."""
    return (-severity_of(event.severity).rank, -event.important_pages, -event.pages)
