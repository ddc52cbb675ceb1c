"""Learns which URL parameters do not change the page, by comparing the texts of visited pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def without_parameters(url: str) -> str:
    """The canonical *url* without its query, or without that of its client-side route.

    >>> without_parameters("https://example.com/a?x=1")
    'https://example.com/a'
    >>> without_parameters("https://example.com/#/guide?id=top")
    'https://example.com/#/guide'
    >>> without_parameters("https://example.com/#/?id=top")
    'https://example.com/'
    """
    address, mark, route = url.partition("#")
    if "?" not in route:
        return address.partition("?")[0] + mark + route
    path = route.partition("?")[0]
    return address if path.removeprefix("!") == "/" else f"{address}#{path}"


class SameText(NamedTuple):
    """Two visited URLs with the same text."""

    url: str
    same_as: str


@dataclass(slots=True)
class _Effect:
    """What the visits of one pattern have shown of its parameter."""

    same: int = 0
    different: int = 0
    urls: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Variants:
    """The visited URLs of one pattern that differ in the value of the parameter only."""

    text: str
    first_url: str


class ParameterEffects:
    """Compares pages that differ in one parameter, within each pattern of such URLs.

    A parameter has no effect if *enough* pages (0: never) had the same text as the page without it
    or with another value of it, and none had another text. The results do not depend on the order
    of the visits. At most so many pages without parameters are kept.

    >>> effects = ParameterEffects(enough=2, most=100)
    >>> effects.record("https://example.com/a", "", "text of a")
    >>> for value in "12":
    ...     effects.record(f"https://example.com/a?v={value}", "/*?v={v}", "text of a")
    >>> effects.has_none("/*?v={v}")
    True
    >>> effects.proof("/*?v={v}")[0]
    SameText(url='https://example.com/a?v=1', same_as='https://example.com/a')
    """

    def __init__(
        self, *, enough: int, most: int, is_known: Callable[[str], bool] | None = None
    ) -> None:
        self._enough = enough
        self._most = most
        self._is_known = is_known
        self._effects: dict[str, _Effect] = {}
        self._plain: dict[str, str] = {}
        self._variants: dict[tuple[str, str], _Variants] = {}
        self._patterns: dict[str, list[str]] = {}
        self._represented: set[tuple[str, str]] = set()

    def represent(self, url: str, pattern: str) -> None:
        """*url* will be visited: its page is found without further values of the parameter."""
        self._represented.add((without_parameters(url), pattern))

    def is_variant(self, url: str, pattern: str) -> bool:
        """Whether the crawl has the same URL without the parameter, or with another value."""
        plain = without_parameters(url)
        if (plain, pattern) in self._represented:
            return True
        return self._is_known is not None and self._is_known(plain)

    def record(self, url: str, pattern: str, text: str) -> None:
        """Take note of a visited page; *pattern* is empty if it has no parameter."""
        if not self._enough or not text:
            return
        if not pattern:
            self._record_plain(url, text)
            return
        plain = without_parameters(url)
        effect = self._effects.setdefault(pattern, _Effect())
        effect.urls.append(url)
        variants = self._variants.get((plain, pattern))
        if variants is None:
            self._variants[plain, pattern] = _Variants(text, url)
            self._patterns.setdefault(plain, []).append(pattern)
            if plain in self._plain:
                self._compare(effect, text, self._plain[plain])
            return
        self._compare(effect, text, variants.text)
        variants.first_url = min(variants.first_url, url)

    def has_none(self, pattern: str) -> bool:
        """Whether the parameter of the pattern does not change the page."""
        effect = self._effects.get(pattern)
        return effect is not None and not effect.different and 0 < self._enough <= effect.same

    def has_one(self, pattern: str) -> bool:
        """Whether the parameter of the pattern has changed a page."""
        effect = self._effects.get(pattern)
        return effect is not None and effect.different > 0

    def proof(self, pattern: str) -> list[SameText]:
        """The visited URLs of a parameter without effect, each with the URL that it copies."""
        return sorted(self._proof(pattern)) if self.has_none(pattern) else []

    def _proof(self, pattern: str) -> Iterator[SameText]:
        for url in self._effects[pattern].urls:
            plain = without_parameters(url)
            original = plain if plain in self._plain else self._variants[plain, pattern].first_url
            if url != original:
                yield SameText(url, original)

    def _record_plain(self, url: str, text: str) -> None:
        if len(self._plain) >= self._most:
            return
        self._plain[url] = text
        for pattern in self._patterns.get(url, ()):
            self._compare(self._effects[pattern], text, self._variants[url, pattern].text)

    def _compare(self, effect: _Effect, text: str, other: str) -> None:
        if text == other:
            effect.same += 1
        else:
            effect.different += 1
