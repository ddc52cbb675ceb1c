"""What one scan may spend: pages and time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WARN_AT = 0.8


class ScanBudget:
    """Pages and seconds of one scan; 0 is no limit.

    A page is taken when its request is about to leave, one by one, and returned when it did not
    leave after all, so however many are under way at once, no more than ``max_pages`` ever leave.
    """

    def __init__(self, max_pages: int, max_seconds: float, started: float):
        self.max_pages = max_pages
        self.ends_at = started + max_seconds if max_seconds else float("inf")
        self.pages = 0
        self.refused_pages = 0
        self._started = started
        self._warned: set[str] = set()

    @property
    def has_pages(self) -> bool:
        return not self.max_pages or self.pages < self.max_pages

    def take_page(self) -> bool:
        """Whether one more page may leave; it then counts."""
        if not self.has_pages:
            return False
        self.pages += 1
        return True

    def return_page(self) -> None:
        """A page that was taken did not leave after all."""
        self.pages -= 1

    def is_over(self, now: float) -> bool:
        return now >= self.ends_at

    def warnings(self, now: float) -> Iterator[str]:
        """What a person should hear once, before a limit is reached."""
        if self.max_pages and self.pages >= _WARN_AT * self.max_pages:
            yield from self._once(
                f"{self.pages} of {self.max_pages} pages are used (SITECRAWL_MAX_PAGES)", "pages"
            )
        seconds = self.ends_at - self._started
        if now - self._started >= _WARN_AT * seconds:
            yield from self._once(
                f"{_WARN_AT:.0%} of the {seconds / 60:g} minutes are used"
                " (SITECRAWL_MAX_SCAN_MINUTES)",
                "minutes",
            )

    def _once(self, words: str, kind: str) -> Iterator[str]:
        if kind not in self._warned:
            self._warned.add(kind)
            yield words
