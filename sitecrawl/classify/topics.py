"""Words that many, but not most, titles and anchors of a site have in common."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_TOPICS: Final = 40
_MIN_PAGES: Final = 5
_MIN_SHARE: Final = 200
_MAX_SHARE: Final = 4  # one of so many texts: what more have is the site's name, or says nothing
_MAX_CHARACTERS: Final = 200
_SEPARATOR = re.compile(r"\s[-\u2013\u2014|·:»]\s")
_WORD = re.compile(r"[^\W\d_]{4,30}")
_FREQUENT = """
    about above after again also been before below between both could does down each even every
    first from further have having here home into just last learn like look made make many more
    most much must near need next only other over page pages read same some such than that their
    them then there these they this those through under until very view want well were what when
    where which while will with without would year years your yours welcome back click find show
    aber alle allem allen auch beim bitte dann dass dein deine denn dieser diese dieses doch durch
    eine einem einen einer eines fuer ganz haben hier ihre ihrem ihren ihrer jetzt kann kein keine
    können mehr mein meine nach nicht noch oder ohne schon sehr sein seine seit sich sind soll
    sowie über ueber unser unsere unter viel vom von vor wann warum wenn werden wird wurde zwischen
    alors aussi autre autres avec avoir cela cette chez comme dans depuis donc elle elles entre
    être faire fait leur leurs mais même nous notre nos pour plus quand quel quelle sans sera ses
    sont sous sur tous tout toute très votre vous
    algo ante antes aquí bajo cada como cómo con contra cuando desde donde dónde durante ella ellos
    entre esta está este estos fue hacia hasta mucho nada nuestra nuestro otra otro para pero poco
    porque pues qué quien según ser sido sobre solo también tanto todo todos tras una unos
    anche ancora bene che chi cosa così dalla dalle degli della delle dello dentro dove dopo ecco
    essere fare hanno loro molto nella nelle nostra nostro ogni perché più prima qual quale quando
    quello questa questo senza sono sopra sotto stato tutti tutto
    deze door heeft hebben hier ieder maar meer naar niet onze over toch veel voor waar wanneer
    werd wordt zijn zonder
    ainda aqui até cada com como depois desde ela eles então essa esse esta este isso mais mesmo
    muito nossa nosso onde outra outro para pela pelo pode quando quem sem ser seu sobre sua também
    tudo uma você
"""
_STOP_WORDS: Final = frozenset(_FREQUENT.split())


def learn_topics(texts: Iterable[str]) -> tuple[str, ...]:
    """The most frequent topics; *texts* has for each page its title and a link's text together."""
    pages: Counter[str] = Counter()
    number = 0
    for text in texts:
        if words := topic_words(text):
            number += 1
            pages.update(words)
    least = max(_MIN_PAGES, number / _MIN_SHARE)
    chosen = sorted(
        (-count, word) for word, count in pages.items() if least <= count <= number / _MAX_SHARE
    )
    return tuple(word for _, word in chosen[:MAX_TOPICS])


def topic_words(text: str) -> set[str]:
    """
    >>> sorted(topic_words("The garden and the gardeners: about 12 gardens"))
    ['garden', 'gardeners', 'gardens']
    >>> topic_words("Tulips | The Garden Post")
    {'tulips'}
    """
    text = text[:_MAX_CHARACTERS]
    # What stands behind the last of these is the name of the site.
    headline = _SEPARATOR.split(text)[:-1]
    return set(_WORD.findall(" ".join(headline or [text]).casefold())) - _STOP_WORDS
