"""Splits texts into sentences, and finds the sentence to quote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_QUOTE_CHARACTERS: Final = 400
# After a sign that ends a sentence, unless it belongs to an abbreviation of one letter ("e. g.") or
# to one that names come after.
_BOUNDARY: Final = re.compile(
    r"(?<=[.!?\u2026])(?<!\b\w\.)(?<!\b(?:Dr|Mr|Ms|St|Nr)\.)(?<!\bMrs\.)(?<!\bProf\.)"
    r"[\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[]?[^\W_a-z])"
    # Full-width signs of scripts without spaces.
    r"|(?<=[\u3002\uff01\uff1f])|\n+"
)
_WORD: Final = re.compile(r"[^\W_]+")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, each of them verbatim.

    >>> split_sentences("It opens at nine. Is it free? Yes, e.g. for members.")
    ['It opens at nine.', 'Is it free?', 'Yes, e.g. for members.']
    >>> split_sentences("Ask Dr. Berg. He knows.")
    ['Ask Dr. Berg.', 'He knows.']
    """
    return [part.strip() for part in sentence_parts(text) if part.strip()]


def sentence_parts(text: str) -> Iterator[str]:
    """The text in pieces: a sentence and the space behind it; the last one may be unfinished.

    >>> list(sentence_parts("It opens. Is it"))
    ['It opens. ', 'Is it']
    """
    start = 0
    for found in _BOUNDARY.finditer(text):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]


def words_of(text: str) -> set[str]:
    """The distinct words of a text, without case."""
    return {word.lower() for word in _WORD.findall(text)}


def best_quote(sentences: Iterable[str], claim: str) -> str:
    """The sentence that shares most words with the claim, verbatim; empty: there is none.

    >>> best_quote(["We open at nine.", "Dogs are welcome."], "You may bring a dog: dogs are ok")
    'Dogs are welcome.'
    """
    wanted = words_of(claim)

    def shared(sentence: str) -> float:
        words = words_of(sentence)
        return len(words & wanted) / (len(words) + 3)

    return max(sentences, key=shared, default="")[:_MAX_QUOTE_CHARACTERS]
