"""Words that nearly every passage has: without them the database need not rank them all."""

from __future__ import annotations

from typing import Final

_BY_LANGUAGE: Final = {
    "en": (
        "a about an and are as at be been but by can could did do does for from had has have how i "
        "if in into is it its me my no not of on or our out so than that the their them then there "
        "these they this to up was we were what when where which who why will with would you your "
    ),
    "de": (
        "aber als am auch auf aus bei bin das dass dein dem den der des die doch du ein eine einem "
        "einen einer er es fur für haben hat ich ihr im ist ja kann man mein mit muss nach nicht "
        "nur oder sein sich sie sind um und uns von vor war warum welche wenn wer werden wie wieso "
        "wir wird wo zu zum zur "
    ),
    "fr": (
        "au avec ce ces comment dans de du elle en est et il je la le les leur mais ne nous ou où "
        "par pas pour pourquoi que quel quelle qui quoi sa se ses son sont sur un une vous "
    ),
    "es": (
        "al como con cual cuál cuando del dónde donde el ella esta este las lo los o para pero por "
        "porque qué quien quién si sin su sus una y"
    ),
}

STOP_WORDS: Final = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
