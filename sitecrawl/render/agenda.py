"""What is clicked next: as many different things as there are, before more of the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sitecrawl.render.actions import Refusal, refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sitecrawl.render.answers import Candidate

# A menu is clicked through while it is open; the rest of what stands still can wait.
_SAMPLES = 3
_REVEALED_SAMPLES = 12
# `7`, `2024-report`, `how-to-tie-a-knot` are rows; `about` and `size-guide` are not.
_ROW_NAME = re.compile(r"\d|-.*-")


@dataclass(frozen=True, slots=True)
class RefusedClick:
    """An element that was left alone, and why."""

    label: str
    path: str
    refusal: Refusal


class Agenda:
    """The elements still to be clicked.

    - What a click has revealed comes at once, as long as it is there.
    - Of elements that look alike the first few come in document order with the others, the rest at
      the end, until *max_alike* of them have led to pages of one sort (``/items/1``, ``/items/2``)
      or nowhere.
    - Nothing comes twice, even if the page was loaded anew; what was lost may come again.
    """

    def __init__(self, max_alike: int) -> None:
        self.refused: list[RefusedClick] = []
        self.left_out = 0
        self._max_alike = max_alike
        self._revealed: deque[Candidate] = deque()
        self._first: deque[Candidate] = deque()
        self._rest: deque[Candidate] = deque()
        self._known: set[tuple[str, str, str]] = set()
        self._lost: set[tuple[str, str, str]] = set()
        self._revealers: dict[tuple[str, str, str], Candidate] = {}
        self._counts: Counter[str] = Counter()
        self._outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)

    @property
    def has_lost(self) -> bool:
        """Whether there are elements that could not be found again."""
        return bool(self._lost)

    def add(self, candidates: Iterable[Candidate], revealer: Candidate | None = None) -> None:
        """Add what is on the page, or what a click on the *revealer* has brought up."""
        at_once = []
        for candidate in candidates:
            if candidate.identity in self._known:
                continue
            self._known.add(candidate.identity)
            if reason := refusal(candidate.clickable):
                self.refused.append(RefusedClick(candidate.label, candidate.path, reason))
                continue
            self._counts[candidate.kind] += 1
            position = self._counts[candidate.kind]
            if revealer is not None:
                self._revealers[candidate.identity] = revealer
            if revealer is not None and position <= _REVEALED_SAMPLES:
                at_once.append(candidate)
            else:
                (self._first if position <= _SAMPLES else self._rest).append(candidate)
        self._revealed.extendleft(reversed(at_once))

    def take(self) -> Candidate | None:
        for queue in (self._revealed, self._first, self._rest):
            while queue:
                candidate = queue.popleft()
                if not self._is_exhausted(candidate):
                    return candidate
                self.left_out += 1
        return None

    def lose(self, candidate: Candidate) -> None:
        """Note that a click was not possible: the element has gone."""
        self._lost.add(candidate.identity)

    def retry(self) -> None:
        """Forget what was lost, and what revealed it, so that it is taken up on a fresh page."""
        for identity in self._lost:
            revealer = self._revealers.get(identity)
            self._known.discard(identity)
            while revealer is not None:
                self._known.discard(revealer.identity)
                revealer = self._revealers.get(revealer.identity)
        self._lost.clear()

    def conclude(self, candidate: Candidate, urls: Sequence[str]) -> None:
        """Note where a click led to."""
        for place in {_sort(url) for url in urls} or {""}:
            self._outcomes[candidate.kind][place] += 1

    def _is_exhausted(self, candidate: Candidate) -> bool:
        return max(self._outcomes[candidate.kind].values(), default=0) >= self._max_alike


def _sort(url: str) -> str:
    """What rows of one list share.

    >>> _sort("https://a.example/items/7"), _sort("https://a.example/items/about")
    ('https://a.example/items', 'https://a.example/items/about')
    """
    folder, _, name = url.partition("?")[0].rstrip("/").rpartition("/")
    return folder if _ROW_NAME.search(name) else url
