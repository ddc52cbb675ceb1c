"""Ranks passages by one score of the similarity of meaning and the match of words.

The score of a passage is ``weight * cosine + (1 - weight) * words``. The match of words is that of
the database (BM25), divided by the best one of the question. The weights were tuned on one half of
a set of real questions and reported on the other (docs/search.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitecrawl.dive.word_lists import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_QUERY_CHARACTERS: Final = 1_000
_MAX_QUERY_WORDS: Final = 40
_WORD: Final = re.compile(r"[^\W_]+")
# By the start of the model's name. Vectors of the multilingual encoder tell less, words more.
_VECTOR_WEIGHTS: Final = {"all-MiniLM": 0.9, "use-multilingual": 0.8}
_OTHER_WEIGHT: Final = 0.9
# By the language of the best passage; docs/search.md says what they were tuned on.
_SHARE_WEIGHT: Final = 0.15
_LEAST_EVIDENCE: Final = {"en": 0.32, "": 0.32}
_OTHER_LEAST_EVIDENCE: Final = 0.31
# Without spaces there are no words to count.
_UNSPACED_LANGUAGES: Final = frozenset({"ja", "km", "lo", "my", "th", "zh"})
_LEAST_UNSPACED_COSINE: Final = 0.22
_LONG_WORD: Final = 7


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a passage, with its parts."""

    total: float
    meaning: float
    """The cosine of question and passage."""
    words: float
    """0 to 1: the match of words, relative to the best one of this question."""
    weight: float
    """The share of the meaning in the total."""

    def explained(self) -> str:
        """The score in words.

        >>> Score(0.55, 0.5, 1.0, 0.9).explained()
        '0.55 = 0.9 x meaning 0.50 + 0.1 x words 1.00'
        """
        rest = round(1 - self.weight, 2)
        return (
            f"{self.total:.2f} = {self.weight:g} x meaning {self.meaning:.2f}"
            f" + {rest:g} x words {self.words:.2f}"
        )


def query_words(query: str) -> list[str]:
    """The words of a question without stop words; all words, if nothing else is left.

    >>> query_words("How do I install a package?")
    ['install', 'package']
    """
    found = [word.lower() for word in _WORD.findall(query[:MAX_QUERY_CHARACTERS])]
    telling = [word for word in found if word not in STOP_WORDS]
    return list(dict.fromkeys(telling or found))[:_MAX_QUERY_WORDS]


def vector_weight(model: str) -> float:
    """The share of the meaning in the score, for vectors of this model."""
    return next(
        (weight for start, weight in _VECTOR_WEIGHTS.items() if model.startswith(start)),
        _OTHER_WEIGHT,
    )


def word_scores(found: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The scores of the database as shares of the best.

    >>> word_scores([(7, 4.0), (9, 1.0)])
    {7: 1.0, 9: 0.25}
    """
    scores = dict(found)
    best = max(scores.values(), default=0.0)
    return {number: score / best for number, score in scores.items()} if best > 0 else {}


def combine(
    cosines: Mapping[int, float], words: Mapping[int, float], model: str
) -> dict[int, Score]:
    """One score for each passage that has a cosine."""
    weight = vector_weight(model)
    return {
        number: Score(
            weight * cosine + (1 - weight) * words.get(number, 0.0),
            cosine,
            words.get(number, 0.0),
            weight,
        )
        for number, cosine in cosines.items()
    }


def spread_over_pages(ranked: Iterable[tuple[int, int]], limit: int, per_page: int) -> list[int]:
    """Passages, given with their page, with at most so many of one page.

    >>> spread_over_pages([(1, 7), (2, 7), (3, 7), (4, 8)], limit=3, per_page=2)
    [1, 2, 4]
    """
    chosen: list[int] = []
    taken: dict[int, int] = {}
    for passage, page in ranked:
        if len(chosen) == limit:
            break
        if taken.get(page, 0) < per_page:
            taken[page] = taken.get(page, 0) + 1
            chosen.append(passage)
    return chosen


def share_of_words(question: str, texts: Iterable[str]) -> float:
    """The share of the question's telling words that stand in any of the texts, in any form.

    >>> share_of_words("Which wine goes with salmon?", ["The wines of the region"])
    0.3333333333333333
    """
    words = query_words(question)
    text = "\n".join(texts).lower()
    found = [word for word in words if re.search(_forms(word), text)]
    return len(found) / len(words) if words else 0.0


def _forms(word: str) -> str:
    # The last two letters of a long word may differ, and each may have two more.
    stem = word[:-2] if len(word) >= _LONG_WORD else word
    return rf"\b{re.escape(stem)}\w{{0,{len(word) - len(stem) + 2}}}\b"


def is_evidence(cosine: float, share: float, language: str) -> bool:
    """Whether passages cover what is asked.

    *cosine*: of the nearest passage. *share*: see :func:`share_of_words`. *language*: of the
    passage, as each has its model. A near passage needs few words of the question; one that is
    less near needs most of them.
    """
    primary = language.partition("-")[0]
    if primary in _UNSPACED_LANGUAGES:
        return cosine >= _LEAST_UNSPACED_COSINE
    least = _LEAST_EVIDENCE.get(primary, _OTHER_LEAST_EVIDENCE)
    return cosine + _SHARE_WEIGHT * share >= least
