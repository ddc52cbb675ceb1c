"""Generated sites: addresses of sections as real sites have them, as many as are asked for."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = "https://www.site.example"
_WORDS = """
    amber autumn bamboo basic bicycle blanket bottle bronze camera canvas ceramic coffee copper
    cotton crystal drawer engine evening family fiber forest garden glass granite harbor island
    jasmine kettle ladder lantern leather linen marble market meadow metal midnight mountain
    orchard paper pepper pocket ribbon river saddle silver spring stone summer timber travel
    velvet village walnut water willow winter wooden woven yellow
"""
WORDS = _WORDS.split()
LANGUAGES = ("en", "de", "fr", "es", "it")


def slug(random: Random, words: int = 4) -> str:
    return "-".join(random.choice(WORDS) for _ in range(words))


def _shop(random: Random) -> Callable[[], str]:
    categories = random.sample(WORDS, random.randint(3, 20))
    return lambda: (
        f"/shop/{random.choice(categories)}/{slug(random, 3)}-{random.randint(1000, 99999)}"
    )


def _blog(random: Random) -> Callable[[], str]:
    return lambda: f"/blog/{random.randint(2015, 2026)}/{random.randint(1, 12):02}/{slug(random)}"


def _docs(random: Random) -> Callable[[], str]:
    topics = random.sample(WORDS, random.randint(2, 10))
    return lambda: (
        f"/{random.choice(LANGUAGES)}/docs/{random.choice(topics)}/{random.choice(WORDS)}"
    )


def _users(_random: Random) -> Callable[[], str]:
    random = _random
    return lambda: f"/users/{slug(random, 2)}-{random.randint(1, 9999)}/posts"


def _items(random: Random) -> Callable[[], str]:
    return lambda: f"/item/{random.randint(1, 10**7)}"


def _people(random: Random) -> Callable[[], str]:
    """Folders that only their number shows to vary."""
    return lambda: f"/{random.choice(WORDS)}{random.choice(WORDS)}/gallery/{slug(random, 2)}"


def _pages(random: Random) -> Callable[[], str]:
    return lambda: f"/{slug(random, random.randint(1, 3))}"


_KINDS = (_shop, _blog, _docs, _users, _items, _pages)


def site_urls(seed: int, pages: int) -> list[str]:
    """Different addresses; a longer list starts with the shorter one of the same seed."""
    random = Random(seed)
    kinds = random.sample(_KINDS, random.randint(2, len(_KINDS)))
    if random.random() < 0.5:
        kinds.append(_people)
    makers = [kind(random) for kind in kinds]
    found = dict.fromkeys([f"{ROOT}/"])
    while len(found) < pages:
        found[ROOT + random.choice(makers)()] = None
    return list(found)
