from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.urls.redirects import MAX_REDIRECTS, endless_redirects, redirect_chains, shown_chain
from sitecrawl.urls.refusal import Reason

LOOP, TOO_MANY = Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS

addresses = st.integers(0, 30).map(str)


def chain(length: int) -> dict[str, str]:
    return {str(number): str(number + 1) for number in range(length)}


@pytest.mark.parametrize(
    ("targets", "refused", "endless"),
    [
        ({"a": "b"}, {}, {}),
        ({"a": "a"}, {}, {"a": LOOP}),
        ({"in": "a", "a": "b", "b": "a"}, {}, {"in": LOOP, "a": LOOP, "b": LOOP}),
        ({"a": "b", "b": "c"}, {"b": TOO_MANY}, {"a": TOO_MANY, "b": TOO_MANY}),
        ({"a": "b"}, {"b": TOO_MANY}, {"a": TOO_MANY}),
        ({"a": "b", "b": "c"}, {"a": TOO_MANY}, {"a": TOO_MANY}),
        ({"a": "b", "b": "a"}, {"b": TOO_MANY}, {"a": LOOP, "b": LOOP}),
        (chain(MAX_REDIRECTS), {}, {}),
        (chain(MAX_REDIRECTS + 2), {}, {"0": TOO_MANY, "1": TOO_MANY}),
    ],
    ids=[
        *("page", "itself", "circle", "given up", "end given up", "behind it is fine"),
        *("a circle is one, however long", "ten", "twelve"),
    ],
)
def test_what_leads_nowhere(
    targets: dict[str, str], refused: dict[str, Reason], endless: dict[str, Reason]
) -> None:
    assert endless_redirects(targets, refused) == endless


@given(st.dictionaries(addresses, addresses))
def test_it_is_what_following_each_for_itself_would_give(targets: dict[str, str]) -> None:
    def followed(start: str) -> Reason | None:
        way = [start]
        while (following := targets.get(way[-1])) is not None:
            if following in way:
                return LOOP
            way.append(following)
        return TOO_MANY if len(way) - 1 > MAX_REDIRECTS else None

    expected = {start: reason for start in targets if (reason := followed(start))}
    assert endless_redirects(targets, {}) == expected


def test_a_chain_of_a_hundred_thousand_is_walked_once() -> None:
    assert len(endless_redirects(chain(100_000), {})) == 100_000 - MAX_REDIRECTS


@given(st.dictionaries(addresses, addresses), addresses)
def test_what_is_shown_is_a_way_and_short(targets: dict[str, str], start: str) -> None:
    shown = shown_chain(start, targets)
    assert shown[0] == start
    assert shown[1:] == [targets[address] for address in shown[:-1]]
    assert len(shown) <= MAX_REDIRECTS + 2
    assert len({*shown[:-1]}) == len(shown) - 1, "it ends where an address comes again"


# --- chains of redirects -------------------------------------------------------------------------


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
