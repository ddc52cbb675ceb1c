from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.stages.order import InOrder

if TYPE_CHECKING:
    from collections.abc import Sequence


def passed(announced: Sequence[int], arriving: Sequence[int], failing: int | None = None) -> str:
    """What happens inside the turns, when the numbers arrive one after another."""
    events: list[str] = []

    async def take_turn(order: InOrder, number: int) -> None:
        async with order.turn(number):
            events.append(f"{number} in")
            await asyncio.sleep(0)  # here another could slip in
            if number == failing:
                raise ZeroDivisionError
            events.append(f"{number} out")

    async def run() -> None:
        order = InOrder()
        for number in announced:
            order.announce(number)
        tasks = []
        for number in arriving:
            tasks.append(asyncio.ensure_future(take_turn(order, number)))
            await asyncio.sleep(0)
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
        assert len(order) == 0
        assert order._waiting == {}

    asyncio.run(run())
    return ", ".join(events)


@given(st.lists(st.integers(), unique=True, max_size=8).flatmap(st.permutations))
def test_any_order_of_arrival_gives_that_of_the_announcements(arriving: list[int]) -> None:
    announced = sorted(arriving, key=lambda number: number % 7)
    one_by_one = [f"{number} in, {number} out" for number in announced]
    assert passed(announced, arriving) == ", ".join(one_by_one)


@pytest.mark.parametrize("arriving", [(1, 2, 3), (3, 2, 1), (2, 3, 1)], ids=str)
def test_a_fault_in_a_turn_does_not_stop_the_next(arriving: tuple[int, ...]) -> None:
    expected = "1 in, 1 out, 2 in, 3 in, 3 out"
    assert passed((1, 2, 3), arriving, failing=2) == expected


def test_what_is_announced_during_a_turn_comes_behind() -> None:
    async def run() -> list[int]:
        order, seen = InOrder(), [0]
        order.announce(1)

        async def second() -> None:
            async with order.turn(2):
                seen.append(2)

        async with order.turn(1):
            order.announce(2)
            later = asyncio.ensure_future(second())
            await asyncio.sleep(0)
            assert len(order) == 2
            seen.append(1)
        await later
        return seen

    assert asyncio.run(run()) == [0, 1, 2]
