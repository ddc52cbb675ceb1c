"""Follows chains of redirects: to a page, into a loop, or over too many hops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_REDIRECTS = 10
# A chain that is one hop too long.
_SHOWN_ADDRESSES = MAX_REDIRECTS + 2


def endless_redirects(
    targets: Mapping[str, str], refused: Mapping[str, Reason]
) -> dict[str, Reason]:
    """The addresses that lead into a loop or over too many redirects; each is visited once.

    *targets* maps each address to where it redirects; *refused* are addresses whose targets were
    not requested, with the reason.

    >>> sorted(endless_redirects({"/a": "/b", "/b": "/c", "/c": "/b", "/d": "/e"}, {}))
    ['/a', '/b', '/c']
    """
    ends: dict[str, tuple[int, Reason | None]] = {}  # the number of hops, and the reason
    for start in targets:
        chain: dict[str, None] = {}  # an ordered set
        address = start
        while address in targets and address not in ends and address not in chain:
            chain[address] = None
            address = targets[address]
        hops, reason = ends.get(address, (0, refused.get(address)))
        if address in chain:
            reason = Reason.REDIRECT_LOOP
        for each in reversed(chain):
            hops += 1
            is_too_far = Reason.TOO_MANY_REDIRECTS if hops > MAX_REDIRECTS else None
            reason = reason or refused.get(each) or is_too_far
            ends[each] = hops, reason
    return {address: reason for address, (_, reason) in ends.items() if reason is not None}


def shown_chain(start: str, targets: Mapping[str, str]) -> list[str]:
    """The addresses from *start* on, until one repeats or there are too many to show.

    >>> shown_chain("/a", {"/a": "/b", "/b": "/c", "/c": "/b"})
    ['/a', '/b', '/c', '/b']
    """
    chain = [start]
    while len(chain) < _SHOWN_ADDRESSES and chain[-1] in targets and chain[-1] not in chain[:-1]:
        chain.append(targets[chain[-1]])
    return chain


def redirect_chains(targets: Mapping[str, str]) -> list[list[str]]:
    """Chains of more than one redirect, each from a URL that is no target itself.

    *targets* has the target of each redirecting URL. Loops are no chains.

    >>> redirect_chains({"a": "b", "b": "c", "x": "c"})
    [['a', 'b', 'c']]
    """
    reached = set(targets.values())
    chains = []
    for start in targets:
        if start in reached:
            continue
        chain = [start]
        seen = {start}
        while (following := targets.get(chain[-1])) is not None and following not in seen:
            chain.append(following)
            seen.add(following)
        if len(chain) > 2:  # noqa: PLR2004 - one redirect has two ends
            chains.append(chain)
    return chains
