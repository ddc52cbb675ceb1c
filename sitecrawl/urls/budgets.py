"""How many pages of one pattern a crawl visits: as many as bring something new, and a few more.

Every visit is productive or not. A pattern may spend some visits on trust; from then on it lives
on what they bring. So a trap, which brings nothing, ends by itself, and a large section of a site
does not.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sitecrawl.urls.choices import Choices
from sitecrawl.urls.copies import PageCopies
from sitecrawl.urls.orders import PathOrders
from sitecrawl.urls.places import Place, Shape, place_below_copy, place_in_loop, place_of
from sitecrawl.urls.spending import UNLIMITED, Spending
from sitecrawl.urls.traps import TrapKind

if TYPE_CHECKING:
    from collections.abc import Iterator

# Paths whose parameters are looked at; a site with more of them has other worries.
_MAX_CHOICES = 200
_OTHERS = Place("{other}", "{other}", Shape.NUMBERED, TrapKind.PATTERN, "")


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """How much trust a pattern has; 0 is no limit."""

    pattern_pages: int = 40
    """Visits that bring nothing, until a pattern is given up."""
    suspect_pages: int = 20
    """The same for paths that go round, for copies of pages and for the parts of a list."""
    growth: int = 4
    """How many visits that bring nothing one that brings something makes up for."""
    text_distance: int = 3
    """In how many of 64 bits the fingerprints of texts differ that count as the same."""
    max_patterns: int = 20_000
    """Patterns with a budget of their own; what is beyond shares one."""
    max_texts: int = 100_000
    """Texts that new ones are compared with."""


class VisitYield(NamedTuple):
    is_productive: bool
    family: str
    """The pattern of the page, as :meth:`PatternBudgets.admit` names it."""
    released: int
    """How many of those held under it may be visited now, the oldest first."""


@dataclass(frozen=True, slots=True)
class PatternCut:
    """A pattern of which some URLs were left out."""

    pattern: str
    kind: TrapKind
    visited: int
    left_out: int
    example: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class PatternBudgets:
    """Decides for each new URL whether it is visited or held, and when held ones are released.

    * A visit is productive if it brought a URL of another family, or a text that is new. The texts
      of a list under filters do not count: every choice of its items is a new text.
    * A page with a name, without a number, is held only if its folder brings the same text again
      and again, or if it lies below a copy of another page, as relative links make them.
    * :meth:`visited` is called for every URL that was admitted, whatever came of it.
    """

    def __init__(self, limits: BudgetLimits) -> None:
        from sitecrawl.urls.texts import SeenTexts  # NumPy, which the limits alone do not need

        self._limits = limits
        self._max_patterns = limits.max_patterns or UNLIMITED
        self._patterns: dict[str, Spending] = {}
        self._orders = PathOrders()
        self._texts = SeenTexts(limits.max_texts)
        self._copies = PageCopies(enough=limits.suspect_pages, most=self._max_patterns)
        self._choices = 0
        # Paths that go round have many names, and share one budget.
        self._loops = Spending(_OTHERS, -1, limits.suspect_pages, limits.growth)

    def family_of(self, url: str) -> str:
        """What counts as one place when new URLs are counted; may hold several patterns."""
        return self._place_of(url).family

    def admit(self, url: str) -> str | None:
        """Count *url* and return None if it may be visited, else the pattern that holds it."""
        place, pattern = self._meet(url)
        if self._is_below_copy(place):
            return self._spending(place_below_copy(place.location)).hold(url)
        if self._trust(pattern) < 1:
            return pattern.hold(url)
        self._spend(pattern, 1)
        return None

    def visited(self, url: str, *, new_elsewhere: int, fingerprint: int | None) -> VisitYield:
        """Take note of a visit.

        *new_elsewhere* is how many URLs of other families the page was the first to bring, and
        *fingerprint* the simhash of its text; None: it has none.
        """
        place = self._place_of(url)
        pattern = self._spending(place)
        is_new = self._is_new(place, pattern, fingerprint, is_bringing=new_elsewhere > 0)
        self._record(place, pattern, fingerprint, is_productive=is_new)
        released = max(0, min(pattern.held, self._trust(pattern)))
        pattern.held -= released
        self._spend(pattern, released)
        return VisitYield(is_new, pattern.place.pattern, released)

    def restore(
        self, url: str, *, is_held: bool, is_productive: bool | None, fingerprint: int | None
    ) -> None:
        """Take over a URL from an interrupted crawl, in the order in which they were found.

        *is_productive* is what :meth:`visited` said; None: it has not been called.
        """
        place, pattern = self._meet(url)
        if is_held:
            if self._is_below_copy(place):
                pattern = self._spending(place_below_copy(place.location))
            pattern.hold(url)
            return
        self._spend(pattern, 1)
        if is_productive is not None:
            self._record(place, pattern, fingerprint, is_productive=is_productive)

    def cuts(self) -> list[PatternCut]:
        """What is held still, the largest part first."""
        return sorted(self._cuts(), key=lambda cut: (-cut.left_out, cut.pattern))

    def _cuts(self) -> Iterator[PatternCut]:
        for pattern in self._patterns.values():
            if pattern.held:
                yield PatternCut(
                    pattern=pattern.place.pattern,
                    kind=self._kind(pattern),
                    visited=pattern.visited,
                    left_out=pattern.held,
                    example=pattern.newest_held,
                )

    def _kind(self, pattern: Spending) -> TrapKind:
        """A trap only if it was tried: a crawl may end while URLs wait for their turn."""
        shape, kind = pattern.place.shape, pattern.place.kind
        if shape is Shape.PAGES:
            return kind
        tried = self._loops if shape is Shape.LOOP else pattern
        is_trap = tried.brings_little
        if shape is Shape.COMBINATION:  # several parameters may also choose a page
            is_trap = pattern.is_of_filters or pattern.brings_nothing
        return kind if is_trap else TrapKind.PATTERN

    # --- spending ------------------------------------------------------------------------------

    def _meet(self, url: str) -> tuple[Place, Spending]:
        """Where a URL belongs that is seen for the first time."""
        place = self._place_of(url)
        if place.shape is Shape.PAGES:
            self._orders.add(place.location)
        pattern = self._spending(place)
        if pattern.choices is not None:
            pattern.choices.add(place.parameters)
        return place, pattern

    def _place_of(self, url: str) -> Place:
        place = place_of(url)
        if place.shape is Shape.PAGES and self._orders.is_reordered(place.location):
            return place_in_loop(place.location)
        return place

    def _spending(self, place: Place) -> Spending:
        found = self._patterns.get(place.pattern)
        if found is not None:
            return found
        if len(self._patterns) >= self._max_patterns and place is not _OTHERS:
            return self._spending(_OTHERS)
        limits = self._limits
        made = Spending(place, len(self._patterns), limits.pattern_pages, limits.growth)
        if made.terms.is_suspect:
            made.pages = limits.suspect_pages
        if place.shape is Shape.COMBINATION and self._choices < _MAX_CHOICES:
            self._choices += 1
            made.choices = Choices()
        self._patterns[place.pattern] = made
        return made

    def _trust(self, pattern: Spending) -> int:
        if pattern.place.shape is not Shape.LOOP:
            return pattern.trust()
        if not self._loops.pages:
            return UNLIMITED
        return (
            self._loops.pages + self._loops.growth * self._loops.productive - self._loops.admitted
        )

    def _spend(self, pattern: Spending, count: int) -> None:
        pattern.admitted += count
        if pattern.place.shape is Shape.LOOP:
            self._loops.admitted += count

    def _record(
        self, place: Place, pattern: Spending, fingerprint: int | None, *, is_productive: bool
    ) -> None:
        pattern.record(is_productive=is_productive)
        if pattern.place.shape is Shape.LOOP:
            self._loops.record(is_productive=is_productive)
        is_page = place.shape is Shape.PAGES
        if is_page:
            self._copies.record(place.location, is_productive=is_productive)
        if fingerprint is not None:
            depth = place.location.count("/") if is_page else None
            self._texts.add(fingerprint, pattern=pattern.number, depth=depth)

    # --- what is new ---------------------------------------------------------------------------

    def _is_new(
        self, place: Place, pattern: Spending, fingerprint: int | None, *, is_bringing: bool
    ) -> bool:
        if fingerprint is None or pattern.is_of_filters:
            return is_bringing
        terms = pattern.terms
        alike = self._texts.likeness(
            fingerprint,
            pattern=pattern.number,
            distance=self._limits.text_distance + terms.more_distance,
        )
        if (
            place.shape is Shape.PAGES
            and alike.shallowest is not None
            and self._copies.is_copy(place.location, alike.shallowest)
        ):
            return False  # what a copy brings is new by its address only
        is_known = alike.is_in_pattern if terms.own_texts else alike.is_anywhere
        return is_bringing or not is_known

    def _is_below_copy(self, place: Place) -> bool:
        return place.shape is Shape.PAGES and self._copies.is_below(place.location)
