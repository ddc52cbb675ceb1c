"""Numbers as words, from two on: one is an article in many languages."""

from __future__ import annotations

from typing import Final

_BY_LANGUAGE: Final = {
    "en": "two three four five six seven eight nine ten eleven twelve",
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
NUMERALS: Final = {
    word: str(number)
    for words in _BY_LANGUAGE.values()
    for number, word in enumerate(words.split(), 2)
}
