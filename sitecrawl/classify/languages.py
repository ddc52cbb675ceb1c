"""Codes of languages in addresses, and which of them are meant as such.

A bare ``/it/`` may be a department, ``/id/`` a number's folder, ``/uk/`` a country: two letters
count only at a place where the site uses several of them. Codes that are words or countries, too,
are *weak*: they count where others that are not are used.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

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
_WEAK_CODES = """
    am be bs ca da el et ga gl he hi hr id is it ka la lb lo lt lv ml mn mr ms mt my ne no pa ps
    rm si so sq sr sw ta te tg th tk tl tr uk
"""
_WEAK: Final = frozenset(_WEAK_CODES.split())
# Codes of countries that are no language: where they stand, so do countries.
_COUNTRY_CODES = "us gb au nz cn jp kr tw hk sg br mx at dk cz gr ie za ae in"
_COUNTRIES_ONLY: Final = frozenset(_COUNTRY_CODES.split())
_TAG = re.compile(
    r"([a-z]{2})(?:[-_]([a-z]{2}|[0-9]{3}|arab|cyrl|hans|hant|latn)(?:[-_][a-z]{2})?)?\Z",
    re.IGNORECASE,
)
LONGEST_CODE: Final = len("zh-hant-tw")
_QUERY_NAMES: Final = frozenset(
    {"lang", "language", "locale", "hl", "lng", "lingua", "langue", "idioma", "sprache", "l10n"}
)
_SEVERAL: Final = 2


def parse_code(text: str) -> str:
    """A language tag as it is written in addresses, in lower case; ``""`` for anything else.

    >>> [parse_code(text) for text in ("de", "pt_BR", "zh-Hant", "xx", "design", "en-zz9")]
    ['de', 'pt-br', 'zh-hant', '', '', '']
    """
    match = _TAG.match(text)
    if match is None or match[1].lower() not in LANGUAGE_NAMES:
        return ""
    return text.lower().replace("_", "-")


def language_name(code: str) -> str:
    """
    >>> language_name("pt-br"), language_name("xx")
    ('Portuguese (pt-br)', 'xx')
    """
    name = LANGUAGE_NAMES.get(code.partition("-")[0])
    return code if name is None else f"{name} ({code})" if "-" in code else name


def primary_language(code: str) -> str:
    return code.partition("-")[0]


def is_other_language(code: str | None, chosen: Collection[str]) -> bool | None:
    """Whether a page's language is none of the chosen ones; None: not known, or all are wanted.

    >>> is_other_language("en-gb", ["en"]), is_other_language("de", ["en"])
    (False, True)
    """
    if not code or not chosen:
        return None
    return code not in chosen and primary_language(code) not in chosen


def is_language_place(segments: Iterable[str], declared: Iterable[str] = ()) -> bool:
    """Whether the different segments at one place of the site's addresses stand for languages.

    *declared* are those whose pages say themselves, or by hreflang, that this is their language.

    >>> is_language_place(["de", "fr", "about"]), is_language_place(["it", "hr", "news"])
    (True, False)
    >>> is_language_place(["de"]), is_language_place(["de"], declared=["de"])
    (False, True)
    >>> is_language_place(["us", "uk", "jp"]), is_language_place(["pt-br"])
    (False, True)
    """
    segments = list(segments)
    codes = {code for segment in segments if (code := parse_code(segment))}
    if not codes:
        return False
    if any("-" in code for code in codes) or any(parse_code(each) for each in declared):
        return True
    countries = sum(segment.lower() in _COUNTRIES_ONLY for segment in segments)
    strong = codes - _WEAK
    return len(codes) >= _SEVERAL and bool(strong) and len(strong) > countries


def query_language(query: str) -> str:
    """The language that a parameter names.

    >>> query_language("id=3&lang=de"), query_language("l=de"), query_language("lang=all")
    ('de', '', '')
    """
    for pair in query.split("&", 32)[:32]:
        name, _, value = pair.partition("=")
        if name.lower() in _QUERY_NAMES:
            return parse_code(value)
    return ""
