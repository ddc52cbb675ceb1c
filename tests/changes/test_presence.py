from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.changes.kinds import ChangeKind
from sitecrawl.changes.presence import (
    Check,
    Listing,
    Presence,
    PresenceState,
    Sighting,
    step,
)

LISTED, DROPPED, UNREAD = Listing.LISTED, Listing.DROPPED, Listing.UNREAD
NONE, FOUND, GONE, FAILED = Check.NONE, Check.FOUND, Check.GONE, Check.FAILED


def run(*seen: tuple[Listing, Check] | Listing, held: frozenset[int] = frozenset()) -> list[str]:
    """The state after each scan, with the change if there is one."""
    presence: Presence | None = None
    found = []
    for number, each in enumerate(seen, 1):
        listing, check = each if isinstance(each, tuple) else (each, NONE)
        presence, change = step(presence, Sighting(number, listing, check, is_held=number in held))
        state = presence.state if presence is not None else PresenceState.PRESENT
        found.append(f"{state} ({change})" if change else str(state))
    return found


@pytest.mark.parametrize(
    ("seen", "states"),
    [
        # without checks two scans in a row decide
        ([DROPPED, DROPPED], ["missing", "removed (removed)"]),
        ([DROPPED, LISTED], ["missing", "present"]),
        ([DROPPED, LISTED, DROPPED], ["missing", "present", "missing"]),
        ([DROPPED, DROPPED, DROPPED], ["missing", "removed (removed)", "removed"]),
        ([DROPPED, DROPPED, LISTED], ["missing", "removed (removed)", "present (returned)"]),
        # a document that could not be read moves nothing on
        ([UNREAD, UNREAD, UNREAD], ["unknown", "unknown", "unknown"]),
        ([DROPPED, UNREAD, DROPPED], ["missing", "missing", "removed (removed)"]),
        ([UNREAD, DROPPED, DROPPED], ["unknown", "missing", "removed (removed)"]),
        # checks decide at once
        ([(DROPPED, GONE)], ["removed (removed)"]),
        ([(DROPPED, Check.REDIRECTED)], ["removed (removed)"]),
        ([(UNREAD, GONE)], ["removed (removed)"]),
        ([(DROPPED, FOUND), DROPPED, DROPPED], ["unlisted (unlisted)", "unlisted", "unlisted"]),
        ([(UNREAD, FOUND), (UNREAD, FOUND)], ["unknown", "unknown"]),
        ([(UNREAD, FOUND), (DROPPED, FOUND)], ["unknown", "unlisted (unlisted)"]),
        ([(DROPPED, FOUND), (DROPPED, GONE)], ["unlisted (unlisted)", "removed (removed)"]),
        ([(DROPPED, FOUND), LISTED], ["unlisted (unlisted)", "present (returned)"]),
        ([(DROPPED, FAILED), (DROPPED, FAILED)], ["unknown", "unknown"]),
        ([(DROPPED, FAILED), DROPPED, DROPPED], ["unknown", "missing", "removed (removed)"]),
        ([(DROPPED, GONE), (DROPPED, FOUND)], ["removed (removed)", "unlisted (unlisted)"]),
    ],
)
def test_states(seen: list[Listing | tuple[Listing, Check]], states: list[str]) -> None:
    assert run(*seen) == states


def test_held_removals_wait_for_the_next_scan() -> None:
    assert run((DROPPED, GONE), DROPPED, held=frozenset({1})) == ["missing", "removed (removed)"]
    assert run(DROPPED, DROPPED, held=frozenset({1, 2})) == ["missing", "missing"]


def test_doubted_pages_are_not_removed_without_a_check() -> None:
    missing = step(None, Sighting(1, DROPPED)).presence
    doubted = step(missing, Sighting(2, DROPPED, is_doubted=True))
    assert doubted.change is None
    assert step(doubted.presence, Sighting(3, DROPPED, GONE)).change is ChangeKind.REMOVED


sightings = st.lists(
    st.tuples(st.sampled_from(Listing), st.sampled_from(Check)), min_size=1, max_size=12
)


@given(sightings)
def test_a_page_is_removed_only_for_a_reason(seen: list[tuple[Listing, Check]]) -> None:
    presence: Presence | None = None
    last_drops = 0
    for number, (listing, check) in enumerate(seen, 1):
        before = presence
        presence, change = step(before, Sighting(number, listing, check))
        last_drops = (
            last_drops + 1 if listing is DROPPED else 0 if listing is LISTED else last_drops
        )
        if change is ChangeKind.REMOVED:
            assert check in {GONE, Check.REDIRECTED} or (last_drops >= 2 and listing is DROPPED)
        if listing is LISTED:
            assert presence is None or presence.state is PresenceState.PRESENT
        if change is ChangeKind.RETURNED:
            assert before is not None
            assert before.state in {PresenceState.REMOVED, PresenceState.UNLISTED}


@given(sightings)
def test_a_page_returns_only_after_it_was_gone(seen: list[tuple[Listing, Check]]) -> None:
    presence: Presence | None = None
    told = []
    for number, (listing, check) in enumerate(seen, 1):
        presence, change = step(presence, Sighting(number, listing, check))
        if change is not None:
            told.append(change)
    for first, second in pairwise([ChangeKind.RETURNED, *told]):
        assert not first == second == ChangeKind.RETURNED
