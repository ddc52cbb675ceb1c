"""Answers without a model: the sentences of the found passages that answer best, verbatim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.dive.citations import cite
from sitecrawl.dive.plain_text import is_plain
from sitecrawl.dive.ranking import query_words
from sitecrawl.dive.sentences import split_sentences, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.dive.citations import Citation, Source
    from sitecrawl.dive.embeddings import Embedder

_MAX_SENTENCES: Final = 4
_FROM_PASSAGES: Final = 3
_CANDIDATES: Final = 40
_SHORTEST_CHARACTERS: Final = 25
_LONGEST_CHARACTERS: Final = 400
# A sentence counts more the better the passage is that it stands in.
_PASSAGE_SHARE: Final = 0.3
_WORD_SHARE: Final = 0.1
# Further sentences must be nearly as good as the best.
_NEARLY: Final = 0.75


def extractive_answer(
    question: str, sources: Sequence[Source], scores: Sequence[float], embedder: Embedder
) -> tuple[str, list[Citation]]:
    """The best sentences with their labels, in the order of the passages, and the citations."""
    candidates = [
        (place, sentence)
        for place, source in enumerate(sources[:_FROM_PASSAGES])
        for sentence in split_sentences(source.passage.text)
        if _SHORTEST_CHARACTERS <= len(sentence) <= _LONGEST_CHARACTERS
        # A sentence that would not be shown as it stands in the page is not quoted.
        and is_plain(sentence)
    ][:_CANDIDATES]
    if not candidates:
        return "", []
    [asked] = embedder.encode([question])
    cosines = embedder.encode([sentence for _place, sentence in candidates]) @ asked
    wanted = set(query_words(question))
    ranked = sorted(
        (
            (
                float(cosine)
                + _PASSAGE_SHARE * scores[place]
                + _WORD_SHARE * len(words_of(sentence) & wanted) / max(len(wanted), 1),
                number,
            )
            for number, ((place, sentence), cosine) in enumerate(
                zip(candidates, cosines, strict=True)
            )
        ),
        reverse=True,
    )
    best = ranked[0][0]
    chosen = sorted(number for score, number in ranked[:_MAX_SENTENCES] if score >= _NEARLY * best)
    parts: list[str] = []
    citations: dict[str, Citation] = {}
    for number in chosen:
        place, sentence = candidates[number]
        source = sources[place]
        citations.setdefault(source.label, cite(source, question, sentence))
        parts.append(f"{sentence} [{source.label}]")
    return " ".join(parts), list(citations.values())
