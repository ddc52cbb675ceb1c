"""Detects redirect chains."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


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
