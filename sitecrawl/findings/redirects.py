"""Finds redirects that lead to redirects."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def redirect_chains(targets: Mapping[str, str]) -> list[list[str]]:
    """Ways of more than one redirect, each from an address that no other redirect leads to.

    *targets* has by address where it redirects to. Circles have no beginning, and are none.

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
