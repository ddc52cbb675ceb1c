"""Text that reads like prose to a parser: words as often as in English, sentences, paragraphs.

What a crawler does with text (decoding, counting words, comparing pages) costs what the text is
like. So a few words make up most of it, there is a long tail of rare ones, and each subject has
words of its own: two pages of one subject are alike, but never the same.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMON_LIST = """
    the of and to a in is that it for was on are as with they at be this from have or by one had not
    but what all were when we there can an your which their said if will each about how up out them
    then she many some so these would other into has more her two like him see time could no make
    than first been its who now people my made over did down only way find use may water long little
    very after words called just where most know
    """
_STEM_LIST = """
    amber anchor basil bench bridge bronze cabin canal carbon cedar chalk cinder clover cobalt
    copper coral cotton dapple delta ember fabric fallow fennel ferry filter flint forest garnet
    ginger glacier granite gravel hammer harbor hazel heather hollow indigo ivory jasper juniper
    kernel kiln ladder lantern laurel linen lumber magnet maple marble meadow mellow mineral mortar
    nectar nettle nickel oak olive opal orchard oyster paddle pebble pepper pewter pillar plank
    pollen quarry quill rafter ribbon ripple saddle saffron sage sandal shingle silver slate sorrel
    spindle spruce sterling stitch summit tallow tamarind tassel thistle thread timber tinder topaz
    trellis tunnel turnip umber velvet vessel walnut warden weaver willow winter yarrow
    """
_ENDINGS = (
    *("", "s", "ed", "ing", "er", "ers", "ish", "less", "like", "ward", "wise", "craft", "work"),
    *("field", "stone", "light", "side", "land", "house", "keeper", "maker", "line", "way", "ful"),
)
# Endings change fastest, so that the frequent words are not the forms of a few stems.
WORDS = tuple(stem + ending for ending in _ENDINGS for stem in _STEM_LIST.split())
_VOCABULARY = (*_COMMON_LIST.split(), *WORDS)
# Zipf's law: the n-th word is as frequent as 1 / n. The offset keeps "the" below a tenth of all.
_CUMULATED = tuple(accumulate(1 / (rank + 3) for rank in range(len(_VOCABULARY))))
_SUBJECT_WORDS = 60


class Prose:
    """A source of text about one subject; the same seed gives the same text."""

    def __init__(self, seed: str, subject: str) -> None:
        self._random = random.Random(seed)
        self._subject = _words_of(subject)

    def words(self, count: int) -> list[str]:
        """Words of a running text: every sixth or so belongs to the subject."""
        drawn = self._random.choices(_VOCABULARY, cum_weights=_CUMULATED, k=count)
        for place in range(self._random.randrange(6), count, 6):
            drawn[place] = self._random.choice(self._subject)
        return drawn

    def title(self, words: int) -> str:
        """A heading that repeats no word, so that its slug is a sensible one."""
        return " ".join(self._random.sample(WORDS, words)).capitalize()

    def sentences(self, words: int) -> list[str]:
        """Sentences of 8 to 24 words, some with a comma."""
        drawn = self.words(words)
        sentences = []
        while drawn:
            length = self._random.randint(8, 24)
            sentence, drawn = drawn[:length], drawn[length:]
            if len(sentence) > 12:
                sentence[len(sentence) // 2] += ","
            sentences.append(" ".join(sentence).capitalize() + ".")
        return sentences

    def text(self, words: int) -> str:
        return " ".join(self.sentences(words))

    def number(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def sample(self, population: Sequence[int], count: int) -> list[int]:
        return self._random.sample(population, min(count, len(population)))


@cache
def _words_of(subject: str) -> tuple[str, ...]:
    return tuple(random.Random(subject).sample(WORDS, _SUBJECT_WORDS))


def slug_of(title: str) -> str:
    """Write a title as the last segment of a path.

    >>> slug_of("Copper lanterns by water")
    'copper-lanterns-by-water'
    """
    return title.lower().replace(" ", "-")
