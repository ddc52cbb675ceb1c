"""Puts answers, which come in any order, into the order of their requests."""

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
        """Do not wait for this number any more."""
        self._announced.remove(number)

    def give_up_missing(self) -> int:
        """Drop what was announced and has no answer; return how many.

        Called when nothing is under way: a component of the user has dropped these requests.
        """
        missing = [number for number in self._announced if number not in self._answers]
        for number in missing:
            self._announced.remove(number)
        return len(missing)

    async def drain(self) -> AsyncIterator[T]:
        """Yield all answers whose turn it is.

        Only one caller at a time gets them, with those that come in the meantime.
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
