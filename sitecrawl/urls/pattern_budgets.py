"""How many pages of one URL pattern a crawl visits.

Every visit is productive or not. A pattern starts with some visits on trust and keeps being visited
while its visits bring something new. So a trap, which brings nothing, ends by itself, and a large
section of a site is still crawled to its end.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sitecrawl.urls.crawl_patterns import (
    CrawlPattern,
    Shape,
    copy_pattern,
    crawl_pattern,
    loop_pattern,
)
from sitecrawl.urls.parameter_effects import ParameterEffects
from sitecrawl.urls.traps import FilterCombinations, PageCopies, SegmentOrders, TrapKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.urls.parameter_effects import SameText


UNLIMITED = 1 << 62
_NEARLY_NOTHING = 10
# A page that does not exist links to nothing, so it is no part of an endless space.
_BROKEN_PER_DEBT = 10
# At most so many paths have the combinations of their parameters counted.
_MAX_CHOICES = 200
_OTHERS = CrawlPattern("{other}", "{other}", Shape.NUMBERED, TrapKind.PATTERN, "")


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """How much trust a pattern has; 0 is no limit."""

    pattern_pages: int = 40
    """Unproductive visits after which a pattern is given up."""
    suspect_pages: int = 20
    """The same for looping paths, copies of pages and the parts of a list."""
    parameter_copies: int = 5
    """Pages with the same text after which a parameter is known not to change the page."""
    growth: int = 4
    """How many unproductive visits a productive one makes up for."""
    text_distance: int = 3
    """Texts count as the same if their fingerprints differ in at most so many of 64 bits."""
    max_patterns: int = 20_000
    """Patterns with a budget of their own; further ones share one."""
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
    """A pattern of which some URLs were not visited."""

    pattern: str
    kind: TrapKind
    visited: int
    broken: int
    """How many of those visited do not exist."""
    left_out: int
    example: str
    proof: tuple[SameText, ...] = ()
    """Of a parameter that does not change the page: the visited copies, with their originals."""

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "proof": [each._asdict() for each in self.proof]}


class ShapePolicy(NamedTuple):
    """How patterns of one shape are budgeted."""

    is_suspect: bool = False
    """Whether it starts with the smaller budget."""
    has_window: bool = True
    """Whether the number of URLs that wait for a visit is limited."""
    grows: bool = True
    """Whether that limit grows with the productive visits."""
    repays_much: bool = True
    """Whether a productive visit makes up for several unproductive ones, or for one."""
    own_texts: bool = False
    """Whether a text that only other patterns have counts as new."""
    more_distance: int = 0
    """How many more bits than usual two texts must differ in to count as two."""


SHAPE_POLICIES = {
    Shape.PAGES: ShapePolicy(has_window=False, own_texts=True),
    Shape.NUMBERED: ShapePolicy(own_texts=True),
    # Months and days differ by a few words, and these come again.
    Shape.DATED: ShapePolicy(grows=False, repays_much=False, own_texts=True, more_distance=5),
    Shape.LISTING: ShapePolicy(is_suspect=True),
    Shape.PARAMETER: ShapePolicy(),
    Shape.COMBINATION: ShapePolicy(),
    Shape.TOKEN: ShapePolicy(grows=False),
    Shape.LOOP: ShapePolicy(is_suspect=True),
}


@dataclass(slots=True)
class PatternBudget:
    """The budget of one pattern; *pages* and *growth* are its limits, 0 pages is no limit.

    * Unproductive visits add to a debt, productive ones pay it back. A pattern with too much debt
      is given up, however productive it was before.
    * URLs that wait for a visit count as debt as well, so that a trap cannot fill the queue before
      its first visits have shown what it is.
    """

    pattern: CrawlPattern
    number: int
    pages: int
    growth: int
    choices: FilterCombinations | None = None
    admitted: int = 0
    visited: int = 0
    broken: int = 0
    productive: int = 0
    debt: int = 0
    held: int = 0
    newest_held: str = ""

    @property
    def policy(self) -> ShapePolicy:
        return SHAPE_POLICIES[self.pattern.shape]

    @property
    def is_of_filters(self) -> bool:
        return self.choices is not None and self.choices.are_combined

    @property
    def brings_little(self) -> bool:
        return 0 < self.pages <= self.debt or self._existing > 2 * self.productive

    @property
    def brings_nothing(self) -> bool:
        return self._existing > _NEARLY_NOTHING * self.productive

    @property
    def waiting(self) -> int:
        """How many URLs are in the queue."""
        return max(0, self.admitted - self.visited)

    @property
    def _existing(self) -> int:
        return self.visited - self.broken

    def trust(self) -> int:
        """How many more may be admitted now."""
        if not self.pages:
            return UNLIMITED
        if self.debt >= self.pages:
            return 0
        if not self.policy.has_window:
            return UNLIMITED
        window = self.pages
        if self.policy.grows and not self.is_of_filters:
            window += self.growth * self.productive
        return window - self.debt - self.waiting

    def record(self, *, is_productive: bool, is_broken: bool = False) -> None:
        self.visited += 1
        if is_broken:
            self.broken += 1
            self.debt += self.broken % _BROKEN_PER_DEBT == 0
        elif is_productive:
            self.productive += 1
            self.debt = max(0, self.debt - (self.growth if self.policy.repays_much else 1))
        else:
            self.debt += 1

    def hold(self, url: str) -> str:
        self.held += 1
        self.newest_held = url
        return self.pattern.name


class PatternBudgets:
    """Decides for each new URL whether it is visited or held, and when held ones are released.

    * A visit is productive if it brought a URL of another family, or a text that is new. The texts
      of a list under filters do not count: every choice of its items is a new text.
    * A page with a name, without a number, is held only if its folder brings the same text again
      and again, or if it lies below a copy of another page, as relative links make them.
    * The second and further values of a parameter are held, but for a few, until they prove to
      change the page, and for good if they do not.
    * :meth:`visited` is called for every URL that was admitted, also if its visit failed.

    *is_known* says whether the crawl has a URL, visited or not.
    """

    def __init__(self, limits: BudgetLimits, is_known: Callable[[str], bool] | None = None) -> None:
        from sitecrawl.urls.seen import SeenTexts

        self._limits = limits
        self._max_patterns = limits.max_patterns or UNLIMITED
        self._budgets: dict[str, PatternBudget] = {}
        self._orders = SegmentOrders()
        self._texts = SeenTexts(limits.max_texts)
        self._copies = PageCopies(enough=limits.suspect_pages, most=self._max_patterns)
        self._effects = ParameterEffects(
            enough=limits.parameter_copies,
            most=limits.max_texts or UNLIMITED,
            is_known=is_known,
        )
        self._copy_visits: Counter[str] = Counter()
        self._choices = 0
        # Looping paths have many patterns, which share one budget.
        self._loops = PatternBudget(_OTHERS, -1, limits.suspect_pages, limits.growth)

    def family_of(self, url: str) -> str:
        """The family of *url*: patterns within which a newly found URL does not count as new."""
        return self._pattern_of(url).family

    def admit(self, url: str) -> str | None:
        """Count *url* and return None if it may be visited, else the pattern that holds it."""
        pattern, budget = self._meet(url)
        if self._is_below_copy(pattern):
            return self._budget_of(copy_pattern(pattern.location)).hold(url)
        is_parameter = _has_one_parameter(budget)
        is_variant = is_parameter and self._effects.is_variant(url, budget.pattern.name)
        trust = self._trust_in_variants(budget) if is_variant else self._trust(budget)
        if trust < 1:
            return budget.hold(url)
        if is_parameter:
            self._effects.represent(url, budget.pattern.name)
        self._spend(budget, 1)
        return None

    def visited(
        self,
        url: str,
        *,
        new_elsewhere: int,
        fingerprint: int | None,
        text_hash: str = "",
        is_broken: bool = False,
    ) -> VisitYield:
        """Record a visit.

        *new_elsewhere* is how many URLs of other families the page was the first to bring,
        *fingerprint* the simhash of its text (None: it has none) and *text_hash* the exact hash. A
        page that does not exist *is_broken*.
        """
        pattern = self._pattern_of(url)
        budget = self._budget_of(pattern)
        is_new = self._is_new(pattern, budget, fingerprint, is_bringing=new_elsewhere > 0)
        self._record(
            url,
            pattern,
            budget,
            fingerprint,
            text_hash,
            is_productive=is_new,
            is_broken=is_broken,
        )
        is_parameter = _has_one_parameter(budget)
        trust = self._trust_in_variants(budget) if is_parameter else self._trust(budget)
        released = max(0, min(budget.held, trust))
        budget.held -= released
        self._spend(budget, released)
        return VisitYield(is_new, budget.pattern.name, released)

    def restore(
        self,
        url: str,
        *,
        is_held: bool,
        is_productive: bool | None,
        fingerprint: int | None,
        text_hash: str = "",
        is_broken: bool = False,
    ) -> None:
        """Take over a URL of an interrupted crawl; called in the order in which URLs were found.

        *is_productive* is what :meth:`visited` said; None: it has not been called.
        """
        pattern, budget = self._meet(url)
        if is_held:
            if self._is_below_copy(pattern):
                budget = self._budget_of(copy_pattern(pattern.location))
            budget.hold(url)
            return
        if _has_one_parameter(budget):
            self._effects.represent(url, budget.pattern.name)
        self._spend(budget, 1)
        if is_productive is not None:
            self._record(
                url,
                pattern,
                budget,
                fingerprint,
                text_hash,
                is_productive=is_productive,
                is_broken=is_broken,
            )

    def cuts(self) -> list[PatternCut]:
        """The patterns that still hold URLs back or have visited copies, the largest first."""
        return sorted(self._cuts(), key=lambda cut: (-cut.left_out, cut.pattern))

    def _cuts(self) -> Iterator[PatternCut]:
        for budget in self._budgets.values():
            proof = tuple(self._effects.proof(budget.pattern.name))
            if budget.held or proof:
                yield PatternCut(
                    pattern=budget.pattern.name,
                    kind=self._kind(budget),
                    visited=self._copy_visits[budget.pattern.name] or budget.visited,
                    broken=budget.broken,
                    left_out=budget.held,
                    example=budget.newest_held or proof[0].url,
                    proof=proof,
                )

    def _kind(self, budget: PatternBudget) -> TrapKind:
        """The kind of trap; none if a crawl ended before the pattern was tried."""
        shape, kind = budget.pattern.shape, budget.pattern.kind
        if shape is Shape.PAGES:
            return kind
        if self._effects.has_none(budget.pattern.name):
            return TrapKind.PARAMETER
        is_trap = budget.brings_little
        if shape is Shape.LOOP:
            is_trap = budget.visited > 0 and self._loops.brings_little
        if shape is Shape.COMBINATION:  # several parameters may also choose a page
            is_trap = budget.is_of_filters or budget.brings_nothing
        return kind if is_trap else TrapKind.PATTERN

    # --- spending ------------------------------------------------------------------------------

    def _meet(self, url: str) -> tuple[CrawlPattern, PatternBudget]:
        """Register a URL that is seen for the first time; return its pattern and budget."""
        pattern = self._pattern_of(url)
        if pattern.shape is Shape.PAGES:
            self._orders.add(pattern.location)
        budget = self._budget_of(pattern)
        if budget.choices is not None:
            budget.choices.add(pattern.parameters)
        return pattern, budget

    def _pattern_of(self, url: str) -> CrawlPattern:
        pattern = crawl_pattern(url)
        if pattern.shape is Shape.PAGES and self._orders.is_reordered(pattern.location):
            return loop_pattern(pattern.location)
        return pattern

    def _budget_of(self, pattern: CrawlPattern) -> PatternBudget:
        found = self._budgets.get(pattern.name)
        if found is not None:
            return found
        if len(self._budgets) >= self._max_patterns and pattern is not _OTHERS:
            return self._budget_of(_OTHERS)
        limits = self._limits
        made = PatternBudget(pattern, len(self._budgets), limits.pattern_pages, limits.growth)
        if made.policy.is_suspect:
            made.pages = limits.suspect_pages
        if pattern.shape is Shape.COMBINATION and self._choices < _MAX_CHOICES:
            self._choices += 1
            made.choices = FilterCombinations()
        self._budgets[pattern.name] = made
        return made

    def _trust(self, budget: PatternBudget) -> int:
        if budget.pattern.shape is not Shape.LOOP:
            return budget.trust()
        if not self._loops.pages:
            return UNLIMITED
        return (
            self._loops.pages + self._loops.growth * self._loops.productive - self._loops.admitted
        )

    def _trust_in_variants(self, budget: PatternBudget) -> int:
        """The same for further values of a parameter of which one value is visited."""
        trust, most = self._trust(budget), self._limits.parameter_copies
        if not most or self._effects.has_one(budget.pattern.name):
            return trust
        if self._effects.has_none(budget.pattern.name):
            return 0
        return min(trust, most - budget.waiting)

    def _spend(self, budget: PatternBudget, count: int) -> None:
        budget.admitted += count
        if budget.pattern.shape is Shape.LOOP:
            self._loops.admitted += count

    def _record(
        self,
        url: str,
        pattern: CrawlPattern,
        budget: PatternBudget,
        fingerprint: int | None,
        text_hash: str,
        *,
        is_productive: bool,
        is_broken: bool,
    ) -> None:
        budget.record(is_productive=is_productive, is_broken=is_broken)
        if budget.pattern.shape is Shape.LOOP:
            self._loops.record(is_productive=is_productive, is_broken=is_broken)
        is_page = pattern.shape is Shape.PAGES
        if is_page and not is_broken:
            self._copies.record(pattern.location, is_productive=is_productive)
            if not is_productive and pattern.location:
                self._copy_visits[copy_pattern(pattern.location).name] += 1
        if not is_broken and "?" not in url:
            self._effects.record(url, "", text_hash)
        elif not is_broken and _has_one_parameter(budget):
            self._effects.record(url, budget.pattern.name, text_hash)
        if fingerprint is not None:
            depth = pattern.location.count("/") if is_page else None
            self._texts.add(fingerprint, pattern=budget.number, depth=depth)

    # --- what is new ---------------------------------------------------------------------------

    def _is_new(
        self,
        pattern: CrawlPattern,
        budget: PatternBudget,
        fingerprint: int | None,
        *,
        is_bringing: bool,
    ) -> bool:
        if fingerprint is None or budget.is_of_filters:
            return is_bringing
        policy = budget.policy
        alike = self._texts.likeness(
            fingerprint,
            pattern=budget.number,
            distance=self._limits.text_distance + policy.more_distance,
        )
        if (
            pattern.shape is Shape.PAGES
            and alike.shallowest is not None
            and self._copies.is_copy(pattern.location, alike.shallowest)
        ):
            return False  # a copy brings new addresses, not new content
        is_known = alike.is_in_pattern if policy.own_texts else alike.is_anywhere
        return is_bringing or not is_known

    def _is_below_copy(self, pattern: CrawlPattern) -> bool:
        return pattern.shape is Shape.PAGES and self._copies.is_below(pattern.location)


def _has_one_parameter(budget: PatternBudget) -> bool:
    return budget.pattern.shape is Shape.PARAMETER
