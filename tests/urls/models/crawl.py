"""A breadth-first crawl of a model, as strict and deterministic as the real one."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sitecrawl.urls.canonical import canonicalize
from sitecrawl.urls.pattern_budgets import BudgetLimits, PatternBudgets
from tests.urls.models.words import simhash

if TYPE_CHECKING:
    from sitecrawl.urls.traps import TrapRules
    from tests.urls.models.words import Model

ROOT = "https://site.example"


@dataclass(slots=True)
class Found:
    """What a store would know of a URL."""

    is_held: bool = False
    is_productive: bool | None = None
    fingerprint: int | None = None
    text_hash: str = ""
    is_broken: bool = False


@dataclass(slots=True)
class ModelCrawl:
    model: Model
    budgets: PatternBudgets
    rules: TrapRules | None = None
    found: dict[str, Found] = field(default_factory=dict)
    """In the order in which they were found."""
    visited: list[str] = field(default_factory=list)
    """Targets, in the order of the visits."""
    _queue: deque[str] = field(default_factory=deque)
    _held: defaultdict[str, deque[str]] = field(default_factory=lambda: defaultdict(deque))

    def run(self, max_pages: int) -> ModelCrawl:
        while self._queue and len(self.visited) < max_pages:
            self._visit(self._queue.popleft())
        return self

    def start(self, target: str = "/") -> ModelCrawl:
        self._offer(ROOT + target)
        return self

    def resumed(self) -> ModelCrawl:
        """A crawl that knows only what a store would have kept of this one."""
        known = {url: replace(found) for url, found in self.found.items()}
        budgets = PatternBudgets(self.budgets._limits, known.__contains__)
        for url, found in self.found.items():
            budgets.restore(
                url,
                is_held=found.is_held,
                is_productive=found.is_productive,
                fingerprint=found.fingerprint,
                text_hash=found.text_hash,
                is_broken=found.is_broken,
            )
        held = defaultdict(deque, {name: deque(urls) for name, urls in self._held.items()})
        return ModelCrawl(
            self.model,
            budgets,
            self.rules,
            known,
            list(self.visited),
            deque(self._queue),
            held,
        )

    def _visit(self, url: str) -> None:
        target = url.removeprefix(ROOT)
        self.visited.append(target)
        answer = self.model(target)
        new = self._new_urls(answer.links, url)
        own = self.budgets.family_of(url)
        elsewhere = sum(self.budgets.family_of(other) != own for other in new)
        for other in new:
            self._offer(other)
        found = self.found[url]
        found.fingerprint, found.text_hash = simhash(answer.text), answer.text
        found.is_broken = answer.is_broken
        result = self.budgets.visited(
            url,
            new_elsewhere=elsewhere,
            fingerprint=found.fingerprint,
            text_hash=found.text_hash,
            is_broken=found.is_broken,
        )
        found.is_productive = result.is_productive
        for _ in range(result.released):
            released = self._held[result.family].popleft()
            self.found[released].is_held = False
            self._queue.append(released)

    def _new_urls(self, links: list[str], base: str) -> list[str]:
        urls = dict.fromkeys(canonicalize(link, base) for link in links)
        refused = self.rules.refusal if self.rules else lambda _url: None
        return [
            url
            for url in urls
            if url is not None
            and url.startswith(f"{ROOT}/")
            and url not in self.found
            and not refused(url)
        ]

    def _offer(self, url: str) -> None:
        held_under = self.budgets.admit(url)
        self.found[url] = Found(is_held=held_under is not None)
        if held_under is None:
            self._queue.append(url)
        else:
            self._held[held_under].append(url)


def crawl(
    model: Model,
    start: str = "/",
    *,
    limits: BudgetLimits | None = None,
    rules: TrapRules | None = None,
    max_pages: int = 20_000,
) -> ModelCrawl:
    found: dict[str, Found] = {}
    budgets = PatternBudgets(limits or BudgetLimits(), found.__contains__)
    return ModelCrawl(model, budgets, rules, found).start(start).run(max_pages)
