"""Answers come in any order; what follows from them must not depend on it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

T = TypeVar("T")


class InOrder(Generic[T]):
    """Gives answers in the order in which they were announced.

    An answer that comes before its turn is kept here, and its callback ends: nothing waits inside
    Scrapy, whose engine would stop sending requests when too many answers are being processed.
    """

    def __init__(self) -> None:
        self._announced: deque[int] = deque()
        self._answers: dict[int, T] = {}
        self._is_draining = False

    def __len__(self) -> int:
        """How many are announced and not given."""
        return len(self._announced)

    def announce(self, number: int) -> None:
        self._announced.append(number)

    def add(self, number: int, answer: T) -> None:
        self._answers[number] = answer

    def forget(self, number: int) -> None:
        """This one is given otherwise."""
        self._announced.remove(number)

    def give_up_missing(self) -> int:
        """Wait no longer for what was announced and has no answer; how many these are.

        To be called when nothing is under way: something that was plugged in has dropped them.
        """
        missing = [number for number in self._announced if number not in self._answers]
        for number in missing:
            self._announced.remove(number)
        return len(missing)

    async def drain(self) -> AsyncIterator[T]:
        """Give all answers whose turn it is, one after the other.

        Only one caller at a time gets them: what comes while it works, it gets as well.
        """
        if self._is_draining:
            return
        self._is_draining = True
        try:
            while self._announced and self._announced[0] in self._answers:
                answer = self._answers.pop(self._announced[0])
                yield answer
                self._announced.popleft()
        finally:
            self._is_draining = False
