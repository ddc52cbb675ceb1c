"""Checks whether the words of a sentence are in the passages that it cites.

It compares words and does not understand them: a marked sentence may be right, and one that is not
marked may be wrong. A sentence is supported if a cited passage, its title or its headings have

- each of its numbers, as digits or as a word;
- each of its names (words with a capital letter that do not begin the sentence);
- a negation, if the sentence has one;
- and at least half of its other words, in any form, except stop words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sitecrawl.dive.word_lists import NEGATIONS, NUMERALS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_FEWEST_SHARED: Final = 0.5
_SHORTEST_WORD: Final = 3
_SHORTEST_STEM: Final = 4
_ENDING: Final = 2
_LABEL: Final = re.compile(r"\[S\d+\]")
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")
_NO_MINUTES: Final = re.compile(r"[.,:]0+$")
# Words, and characters of scripts that put no spaces between words.
_UNSPACED: Final = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff"
_WORD: Final = re.compile(rf"[{_UNSPACED}]+|[^\W\d_{_UNSPACED}]+(?:['\u2019][^\W\d_]+)?")
_UNSPACED_RUN: Final = re.compile(rf"[{_UNSPACED}]+")


def unsupported_words(sentence: str, passages: Sequence[str]) -> tuple[str, ...]:
    """The words of the sentence that are in none of the passages; empty: it is supported.

    >>> unsupported_words("It opens at 9:00 [S1].", ["We open daily at 9."])
    ()
    >>> unsupported_words("It opens at 8 in Berlin.", ["We open daily at 9."])
    ('8', 'Berlin')
    """
    said = _LABEL.sub(" ", sentence)
    text = "\n".join(passages)
    numbers = set(map(_number_key, _numbers(text)))
    known = _Words(text)
    missing = [each for each in _numbers(said) if _number_key(each) not in numbers]
    words = list(_words(said))
    missing += [word for word in words[1:] if word[0].isupper() and word not in known]
    if not known.deny:
        missing += [word for word in words if _denies(word)]
    content = [word for word in words if _is_content(word)]
    absent = [word for word in content if word not in known]
    if len(content) - len(absent) < _FEWEST_SHARED * len(content):
        missing += absent
    return tuple(dict.fromkeys(missing))


class _Words:
    """The words of passages, in any form: "opens" is contained if "open" or "opened" is."""

    def __init__(self, text: str):
        words = [word.casefold() for word in _words(text)]
        self._stems = {word[:length] for word in words for length in range(1, len(word) + 1)}
        self.deny = any(map(_denies, words))

    def __contains__(self, word: str) -> bool:
        return _stem(word) in self._stems


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if _UNSPACED_RUN.fullmatch(word) and len(word) > 1:
            # Pairs of characters take the place of words.
            yield from (word[place : place + 2] for place in range(len(word) - 1))
        else:
            yield word


def _numbers(text: str) -> Iterator[str]:
    yield from _NUMBER.findall(text)
    yield from (word for word in _WORD.findall(text) if word.casefold() in NUMERALS)


def _stem(word: str) -> str:
    """The start that the forms of a word share, roughly."""
    folded = word.casefold().partition("'")[0].partition("\u2019")[0]
    return folded[: max(_SHORTEST_STEM, len(folded) - _ENDING)]


def _is_content(word: str) -> bool:
    is_pair = _UNSPACED_RUN.fullmatch(word) is not None
    is_other = word.casefold() in STOP_WORDS or word.casefold() in NUMERALS
    return is_pair or (len(word) >= _SHORTEST_WORD and not is_other)


def _denies(word: str) -> bool:
    folded = word.casefold().replace("\u2019", "'")
    return folded in NEGATIONS or folded.endswith("n't")


def _number_key(number: str) -> str:
    """The number in one spelling.

    >>> [_number_key(number) for number in ("1,500", "1500", "9:30", "9.30", "09:00", "9")]
    ['1500', '1500', '9.30', '9.30', '9', '9']
    """
    number = NUMERALS.get(number.casefold(), number)
    plain = _NO_MINUTES.sub("", _THOUSANDS.sub("", number))
    return re.sub("[,:]", ".", plain).lstrip("0") or "0"


def quoted_words(parts: Iterable[str]) -> str:
    """The words as messages quote them.

    >>> quoted_words(["8", "Berlin"])
    '"8", "Berlin"'
    """
    return ", ".join(f'"{part}"' for part in parts)
