"""Redirect chains."""

from __future__ import annotations

import pytest

from sitecrawl.findings.detection import redirect_chains


@pytest.mark.parametrize(
    ("targets", "chains"),
    [
        pytest.param({"a": "b"}, [], id="a single redirect"),
        pytest.param({"a": "b", "b": "c"}, [["a", "b", "c"]], id="two in a row"),
        pytest.param({"b": "c", "a": "b"}, [["a", "b", "c"]], id="in any order"),
        pytest.param(
            {"a": "c", "b": "c", "c": "d"}, [["a", "c", "d"], ["b", "c", "d"]], id="two ways"
        ),
        pytest.param({"a": "b", "b": "a"}, [], id="a circle"),
        pytest.param({"x": "a", "a": "b", "b": "a"}, [["x", "a", "b"]], id="into a circle"),
        pytest.param({"a": "a"}, [], id="to itself"),
    ],
)
def test_chains(targets: dict[str, str], chains: list[list[str]]) -> None:
    assert redirect_chains(targets) == chains
