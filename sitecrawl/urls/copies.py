"""Recognises folders that are copies of others, as relative links make them without an end."""

from __future__ import annotations

# With fewer different pages the texts of a site tell nothing: all may be the shell of a program.
_MIN_DIFFERENT_PAGES = 10


class PageCopies:
    """The pages with a name whose text is known from a page less deep, or that bring nothing.

    What lies below one of them is new by its address only. This counts once there are *enough*
    of them (0: never).

    >>> copies = PageCopies(enough=1, most=100)
    >>> for number in range(10):
    ...     copies.record(f"/page-{number}", is_productive=True)
    >>> copies.is_copy("/a/news", depth_of_text=1)
    True
    >>> copies.record("/a/news", is_productive=False)
    >>> [copies.is_below(path) for path in ("/a/news", "/a/news/b", "/a/news/b/c", "/a/other/b")]
    [False, True, True, False]
    """

    def __init__(self, *, enough: int, most: int) -> None:
        self._enough = enough
        self._most = most
        self._copies: set[str] = set()
        self._different_pages = 0

    def is_copy(self, location: str, depth_of_text: int) -> bool:
        """Whether a page is a copy of one whose text was seen at this depth.

        A whole site that is there once more in a folder is no copy in this sense: it is one step
        deeper everywhere, while in a loop each round adds a step.
        """
        parent = location.rpartition("/")[0]
        return location.count("/") - depth_of_text > (parent in self._copies)

    def record(self, location: str, *, is_productive: bool) -> None:
        if is_productive:
            self._different_pages += 1
        elif location and len(self._copies) < self._most:
            self._copies.add(location)

    def is_below(self, location: str) -> bool:
        """Whether a page lies below a copy.

        Below the one before that as well: the page that brings it may be just about to be found
        a copy.
        """
        if self._different_pages < _MIN_DIFFERENT_PAGES:
            return False
        parent = location.rpartition("/")[0]
        return 0 < self._enough <= len(self._copies) and not self._copies.isdisjoint(
            (parent, parent.rpartition("/")[0])
        )
