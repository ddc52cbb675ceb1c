"""The presence of a page: present, missing, unknown, unlisted or removed.

- A page that is listed is present. One that was removed or unlisted before has returned.
- A page that no document lists is *missing* when every document that listed it was read completely
  without it, and *removed* when the next scan says the same. As long as one of these documents
  cannot be read, nothing moves on: the page is *unknown*.
- A check decides at once: 404 and 410 remove the page, 200 makes one that was dropped *unlisted*;
  an error of the server or a time-out proves nothing.
- While removals are held (the inventory collapsed), a page can become missing, and no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.changes.kinds import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

SCANS_TO_REMOVE: Final = 2
FLAPPING: Final = 3
"""A page that came and went so often is no longer announced."""


class PresenceState(StrEnum):
    PRESENT = "present"
    """Stored only for pages that came and went before."""
    MISSING = "missing"
    UNKNOWN = "unknown"
    UNLISTED = "unlisted"
    REMOVED = "removed"


class Listing(StrEnum):
    """What the documents of a scan say of a page."""

    LISTED = "listed"
    DROPPED = "dropped"
    """Every document that listed it was read completely without it."""
    UNREAD = "unread"
    """Some document that listed it could not be read, or was not asked for."""


class Check(StrEnum):
    """What a visit of the page has found in this scan."""

    NONE = "none"
    FOUND = "found"
    GONE = "gone"
    REDIRECTED = "redirected"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Presence:
    state: PresenceState
    since_scan_id: int
    scans: int = 1
    """Scans in a row that say so."""
    flaps: int = 0
    """How often it came and went."""
    evidence: Mapping[str, Any] = field(default_factory=dict)


class Step(NamedTuple):
    """The result of one scan for a page."""

    presence: Presence | None
    """None: present, and nothing to remember."""
    change: ChangeKind | None


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one scan says of a page."""

    scan_id: int
    listing: Listing
    check: Check = Check.NONE
    is_held: bool = False
    """Removals wait for another scan or a person."""
    is_doubted: bool = False
    """Checks of other pages that were dropped with it found most of them alive."""


def step(before: Presence | None, seen: Sighting) -> Step:
    """The presence of a page after a scan."""
    if seen.listing is Listing.LISTED:
        return _listed(before, seen)
    if before is not None and before.state is PresenceState.REMOVED:
        return _after_removal(before, seen)
    by_check = _checked(before, seen)
    if by_check is not None:
        return by_check
    return _by_documents(before, seen)


def _checked(before: Presence | None, seen: Sighting) -> Step | None:
    """The result of a check; None: it decides nothing."""
    match seen.check:
        case Check.FOUND if seen.listing is Listing.DROPPED:
            return _become(before, PresenceState.UNLISTED, seen, ChangeKind.UNLISTED)
        case Check.GONE | Check.REDIRECTED if not seen.is_held:
            return _become(before, PresenceState.REMOVED, seen, ChangeKind.REMOVED)
        case Check.FAILED:
            return _become(before, PresenceState.UNKNOWN, seen, None)
    return None


def _by_documents(before: Presence | None, seen: Sighting) -> Step:
    state = before.state if before is not None else PresenceState.PRESENT
    if before is not None and state is PresenceState.UNLISTED:
        return Step(before, None)
    if seen.listing is Listing.DROPPED:
        return _dropped(before, seen)
    # A page that was missing before stays so; it does not move on.
    if before is not None and state is PresenceState.MISSING:
        return Step(before, None)
    return _become(before, PresenceState.UNKNOWN, seen, None)


def _listed(before: Presence | None, seen: Sighting) -> Step:
    if before is None or before.state is PresenceState.PRESENT:
        return Step(before, None)
    was_told = before.state in {PresenceState.REMOVED, PresenceState.UNLISTED}
    after = Presence(PresenceState.PRESENT, seen.scan_id, flaps=before.flaps + 1)
    return Step(after, ChangeKind.RETURNED if was_told else None)


def _after_removal(before: Presence, seen: Sighting) -> Step:
    if seen.check is Check.FOUND:
        return _become(before, PresenceState.UNLISTED, seen, ChangeKind.UNLISTED)
    return Step(before, None)


def _dropped(before: Presence | None, seen: Sighting) -> Step:
    scans = 1
    if before is not None and before.state is PresenceState.MISSING:
        scans = before.scans + 1
    if scans >= SCANS_TO_REMOVE and not seen.is_held and not seen.is_doubted:
        return _become(before, PresenceState.REMOVED, seen, ChangeKind.REMOVED)
    return _become(before, PresenceState.MISSING, seen, None)


def _become(
    before: Presence | None, state: PresenceState, seen: Sighting, change: ChangeKind | None
) -> Step:
    """Enter *state*, or stay in it for one more scan, which is no change."""
    flaps = before.flaps if before is not None else 0
    evidence: dict[str, Any] = {**before.evidence} if before is not None else {}
    evidence["listing"] = seen.listing.value
    if seen.check is not Check.NONE:
        evidence["check"] = seen.check.value
    if seen.is_held:
        evidence["held"] = True
    if seen.is_doubted:
        evidence["doubted"] = True
    if before is not None and before.state is state:
        after = Presence(state, before.since_scan_id, before.scans + 1, flaps, evidence)
        return Step(after, None)
    return Step(Presence(state, seen.scan_id, 1, flaps, evidence), change)


@dataclass(frozen=True, slots=True)
class CollapseRule:
    """When a loss is too great to be believed after one scan."""

    share: float = 0.10
    at_least: int = 50

    def is_collapse(self, lost: int, known: int) -> bool:
        """
        >>> rule = CollapseRule()
        >>> rule.is_collapse(49, 100), rule.is_collapse(50, 400), rule.is_collapse(50, 600)
        (False, True, False)
        """
        return lost >= self.at_least and lost > self.share * known


def is_alive_share_doubtful(found: int, gone: int) -> bool:
    """Whether checks of some dropped pages make the loss of the others unlikely.

    >>> is_alive_share_doubtful(0, 9), is_alive_share_doubtful(2, 8), is_alive_share_doubtful(0, 0)
    (False, True, False)
    """
    return found > 0 and found * 5 >= found + gone
