"""Where redirects lead that are known one by one: to a page, round in a circle, or too far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_REDIRECTS = 10
# The addresses of a chain that is just too long.
_SHOWN_ADDRESSES = MAX_REDIRECTS + 2


def endless_redirects(
    targets: Mapping[str, str], refused: Mapping[str, Reason]
) -> dict[str, Reason]:
    """Which addresses lead into a circle or over too many redirects, each walked over once.

    *targets* says where each address redirects to; *refused* are those that are known to end
    nowhere, because what follows was not asked for.

    >>> sorted(endless_redirects({"/a": "/b", "/b": "/c", "/c": "/b", "/d": "/e"}, {}))
    ['/a', '/b', '/c']
    """
    ends: dict[str, tuple[int, Reason | None]] = {}  # after how many redirects, and how
    for start in targets:
        way: dict[str, None] = {}  # a set that keeps its order
        address = start
        while address in targets and address not in ends and address not in way:
            way[address] = None
            address = targets[address]
        hops, reason = ends.get(address, (0, refused.get(address)))
        if address in way:
            reason = Reason.REDIRECT_LOOP
        for each in reversed(way):
            hops += 1
            is_too_far = Reason.TOO_MANY_REDIRECTS if hops > MAX_REDIRECTS else None
            reason = reason or refused.get(each) or is_too_far
            ends[each] = hops, reason
    return {address: reason for address, (_, reason) in ends.items() if reason is not None}


def shown_chain(start: str, targets: Mapping[str, str]) -> list[str]:
    """The addresses from *start* on, until one comes again or there are too many to show.

    >>> shown_chain("/a", {"/a": "/b", "/b": "/c", "/c": "/b"})
    ['/a', '/b', '/c', '/b']
    """
    chain = [start]
    while len(chain) < _SHOWN_ADDRESSES and chain[-1] in targets and chain[-1] not in chain[:-1]:
        chain.append(targets[chain[-1]])
    return chain
