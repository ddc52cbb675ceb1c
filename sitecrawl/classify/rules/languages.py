"""Codes and names of languages, query parameters that choose one, and stop words."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMES = """
    af Afrikaans, am Amharic, ar Arabic, az Azerbaijani, be Belarusian, bg Bulgarian, bn Bengali,
    bs Bosnian, ca Catalan, cs Czech, cy Welsh, da Danish, de German, el Greek, en English,
    eo Esperanto, es Spanish, et Estonian, eu Basque, fa Persian, fi Finnish, fr French, ga Irish,
    gl Galician, gu Gujarati, he Hebrew, hi Hindi, hr Croatian, hu Hungarian, hy Armenian,
    id Indonesian, is Icelandic, it Italian, ja Japanese, ka Georgian, kk Kazakh, km Khmer,
    kn Kannada, ko Korean, ky Kyrgyz, la Latin, lb Luxembourgish, lo Lao, lt Lithuanian,
    lv Latvian, mk Macedonian, ml Malayalam, mn Mongolian, mr Marathi, ms Malay, mt Maltese,
    my Burmese, nb Norwegian Bokmål, ne Nepali, nl Dutch, nn Norwegian Nynorsk, no Norwegian,
    pa Punjabi, pl Polish, ps Pashto, pt Portuguese, rm Romansh, ro Romanian, ru Russian,
    si Sinhala, sk Slovak, sl Slovenian, so Somali, sq Albanian, sr Serbian, sv Swedish,
    sw Swahili, ta Tamil, te Telugu, tg Tajik, th Thai, tk Turkmen, tl Tagalog, tr Turkish,
    uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese, zh Chinese, zu Zulu
"""
LANGUAGE_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    dict(entry.strip().split(" ", 1) for entry in _NAMES.replace("\n", " ").split(","))
)
# Codes that are also words or codes of countries.
_AMBIGUOUS = """
    am be bs ca da el et ga gl he hi hr id is it ka la lb lo lt lv ml mn mr ms mt my ne no pa ps
    rm si so sq sr sw ta te tg th tk tl tr uk
"""
AMBIGUOUS_CODES: Final = frozenset(_AMBIGUOUS.split())
# Codes of countries that are no codes of languages: segments beside them are countries, too.
_COUNTRIES = "us gb au nz cn jp kr tw hk sg br mx at dk cz gr ie za ae in"
COUNTRY_CODES: Final = frozenset(_COUNTRIES.split())
LANGUAGE_PARAMETERS: Final = frozenset(
    {"lang", "language", "locale", "hl", "lng", "lingua", "langue", "idioma", "sprache", "l10n"}
)

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
STOP_WORDS: Final = frozenset(_FREQUENT.split())
