"""Compares the states of a sitemap in two scans: added, gone, empty, not a sitemap, cut, ..."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sitecrawl.changes.kinds import Severity

_OTHER_HOST_SHARE: Final = 0.2


class MapHealth(StrEnum):
    """How a sitemap was answered in a scan."""

    READ = "read"
    EMPTY = "empty"
    NOT_FOUND = "not_found"
    NOT_A_SITEMAP = "not_a_sitemap"
    """HTML, or something else in its place."""
    UNREACHABLE = "unreachable"
    CUT = "cut"
    """Only part of it could be read: damaged, or over a limit of the protocol."""
    LIMITED = "limited"
    """A limit of ours ended the reading."""


@dataclass(frozen=True, slots=True)
class MapState:
    """A sitemap as one scan found it."""

    document_id: int
    url: str
    health: MapHealth
    entries: int = 0
    status: int | None = None
    error: str = ""
    foreign: int = 0
    """Entries of other hosts than the site's."""
    children: int = 0
    """Sitemaps that an index names."""

    @property
    def is_broken(self) -> bool:
        return self.health in _BROKEN

    @property
    def size(self) -> int:
        return self.entries or self.children

    @property
    def content(self) -> str:
        """
        >>> MapState(1, "/a.xml", MapHealth.READ, 1_200).content
        '1,200 entries'
        >>> MapState(1, "/index.xml", MapHealth.READ, children=1).content
        '1 sitemap'
        """
        if self.children:
            return f"{self.children:,} {'sitemap' if self.children == 1 else 'sitemaps'}"
        return f"{self.entries:,} {'entry' if self.entries == 1 else 'entries'}"


_BROKEN: Final = frozenset(
    {MapHealth.EMPTY, MapHealth.NOT_FOUND, MapHealth.NOT_A_SITEMAP, MapHealth.UNREACHABLE}
)


class MapChangeKind(StrEnum):
    ADDED = "added"
    GONE = "gone"
    EMPTY = "empty"
    NOT_A_SITEMAP = "not_a_sitemap"
    NOT_FOUND = "not_found"
    UNREACHABLE = "unreachable"
    CUT = "cut"
    LIMITED = "limited"
    OTHER_HOSTS = "other_hosts"
    READABLE_AGAIN = "readable_again"


@dataclass(frozen=True, slots=True)
class MapChange:
    kind: MapChangeKind
    state: MapState
    severity: Severity
    words: str


_WORDS: Final = {
    MapHealth.EMPTY: (MapChangeKind.EMPTY, Severity.HIGH, "is empty; it had {0.content}"),
    MapHealth.NOT_FOUND: (MapChangeKind.NOT_FOUND, Severity.HIGH, "answers {1.status}"),
    MapHealth.NOT_A_SITEMAP: (
        MapChangeKind.NOT_A_SITEMAP,
        Severity.HIGH,
        "is no sitemap any more: {1.error}",
    ),
    MapHealth.UNREACHABLE: (
        MapChangeKind.UNREACHABLE,
        Severity.MEDIUM,
        "cannot be read: {1.error}",
    ),
    MapHealth.CUT: (MapChangeKind.CUT, Severity.MEDIUM, "can be read only in part: {1.error}"),
    MapHealth.LIMITED: (MapChangeKind.LIMITED, Severity.LOW, "was read up to a limit: {1.error}"),
}


def compare_maps(before: MapState | None, after: MapState | None) -> list[MapChange]:
    """What happened to one sitemap; None: it was not part of the site."""
    if after is None:
        if before is None:
            return []
        words = f"sitemap gone: {before.url} ({before.content})"
        return [MapChange(MapChangeKind.GONE, before, Severity.LOW, words)]
    if before is None:
        if after.is_broken:
            return []  # it never was a sitemap of the site
        words = f"new sitemap: {after.url} ({after.content})"
        return [MapChange(MapChangeKind.ADDED, after, Severity.INFO, words)]
    found = []
    if after.health is not before.health:
        if after.health is MapHealth.READ:
            words = f"{after.url} can be read again ({after.content})"
            found.append(MapChange(MapChangeKind.READABLE_AGAIN, after, Severity.INFO, words))
        elif not (after.is_broken and before.is_broken):
            kind, severity, words = _WORDS[after.health]
            said = words.format(before, after).rstrip(": ")
            found.append(MapChange(kind, after, severity, f"{after.url} {said}"))
    if _is_foreign(after) and not _is_foreign(before):
        words = f"{after.foreign:,} of {after.entries:,} entries of {after.url} are of other hosts"
        found.append(MapChange(MapChangeKind.OTHER_HOSTS, after, Severity.HIGH, words))
    return found


def _is_foreign(state: MapState) -> bool:
    return state.foreign > _OTHER_HOST_SHARE * state.entries
