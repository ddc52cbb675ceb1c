"""What one pattern has spent, and how much it is trusted with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.urls.places import Shape

if TYPE_CHECKING:
    from sitecrawl.urls.choices import Choices
    from sitecrawl.urls.places import Place

UNLIMITED = 1 << 62
_NEARLY_NOTHING = 10


class Terms(NamedTuple):
    """What holds for the patterns of one shape."""

    is_suspect: bool = False
    """Whether it has little trust to start with."""
    has_window: bool = True
    """Whether only so many may wait for their visit at once."""
    grows: bool = True
    """Whether that number grows with what the visits have brought."""
    repays_much: bool = True
    """Whether a productive visit makes up for several others, or just for one."""
    own_texts: bool = False
    """Whether a text is new that only other patterns have."""
    more_distance: int = 0
    """How much further apart than others two texts must be to count as two."""


TERMS = {
    Shape.PAGES: Terms(has_window=False, own_texts=True),
    Shape.NUMBERED: Terms(own_texts=True),
    # Months and days differ by a few words, and these come again.
    Shape.DATED: Terms(grows=False, repays_much=False, own_texts=True, more_distance=5),
    Shape.LISTING: Terms(is_suspect=True),
    Shape.PARAMETER: Terms(),
    Shape.COMBINATION: Terms(),
    Shape.TOKEN: Terms(grows=False),
    Shape.LOOP: Terms(is_suspect=True),
}


@dataclass(slots=True)
class Spending:
    """The budget of one pattern; *pages* and *growth* are its limits, 0 pages is no limit.

    * Visits that bring nothing add to a debt, the others pay it back. A pattern with too much of
      it is given up, however much it brought before.
    * What waits for its visit counts as debt, too: so not everything that a trap offers is in the
      queue before its first visits have shown what it is.
    """

    place: Place
    number: int
    pages: int
    growth: int
    choices: Choices | None = None
    admitted: int = 0
    visited: int = 0
    productive: int = 0
    debt: int = 0
    held: int = 0
    newest_held: str = ""

    @property
    def terms(self) -> Terms:
        return TERMS[self.place.shape]

    @property
    def is_of_filters(self) -> bool:
        return self.choices is not None and self.choices.are_combined

    @property
    def brings_little(self) -> bool:
        return 0 < self.pages <= self.debt or self.visited > 2 * self.productive

    @property
    def brings_nothing(self) -> bool:
        return self.visited > _NEARLY_NOTHING * self.productive

    def trust(self) -> int:
        """How many more may be admitted now."""
        if not self.pages:
            return UNLIMITED
        if self.debt >= self.pages:
            return 0
        if not self.terms.has_window:
            return UNLIMITED
        window = self.pages
        if self.terms.grows and not self.is_of_filters:
            window += self.growth * self.productive
        return window - self.debt - max(0, self.admitted - self.visited)

    def record(self, *, is_productive: bool) -> None:
        self.visited += 1
        if is_productive:
            self.productive += 1
            self.debt = max(0, self.debt - (self.growth if self.terms.repays_much else 1))
        else:
            self.debt += 1

    def hold(self, url: str) -> str:
        self.held += 1
        self.newest_held = url
        return self.place.pattern
