"""Languages: codes in URLs, links of a page, and detection in text.

A bare ``/it/`` may be a department, ``/id/`` a folder of numbers, ``/uk/`` a country: two letters
count as a language only where the site uses several of them side by side. Codes that are also words
or countries are ambiguous: they count beside others that are not.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.classify.rules.languages import (
    AMBIGUOUS_CODES,
    COUNTRY_CODES,
    LANGUAGE_NAMES,
    LANGUAGE_PARAMETERS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

_TAG = re.compile(
    r"([a-z]{2})(?:[-_]([a-z]{2}|[0-9]{3}|arab|cyrl|hans|hant|latn)(?:[-_][a-z]{2})?)?\Z",
    re.IGNORECASE,
)
LONGEST_CODE: Final = len("zh-hant-tw")
_MIN_CODES: Final = 2
_MAX_PARAMETERS: Final = 32
# The result for a shorter text, or with less confidence, is a guess.
_MIN_CHARACTERS: Final = 100
_MIN_CONFIDENCE: Final = 0.9
_MAX_CHARACTERS: Final = 2_500


def parse_code(text: str) -> str:
    """A language tag as URLs have it, in lower case; ``""`` for anything else.

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
    """
    >>> primary_language("pt-br")
    'pt'
    """
    return code.partition("-")[0]


def is_other_language(code: str | None, chosen: Collection[str]) -> bool | None:
    """Whether a page's language is none of the chosen ones; None: unknown, or none was chosen.

    >>> is_other_language("en-gb", ["en"]), is_other_language("de", ["en"])
    (False, True)
    """
    if not code or not chosen:
        return None
    return code not in chosen and primary_language(code) not in chosen


def are_language_segments(segments: Iterable[str], declared: Iterable[str] = ()) -> bool:
    """Whether the codes among the segments with the same parent are languages.

    *declared* are segments whose pages declare this language themselves or by hreflang.

    >>> are_language_segments(["de", "fr", "about"]), are_language_segments(["it", "hr", "news"])
    (True, False)
    >>> are_language_segments(["de"]), are_language_segments(["de"], declared=["de"])
    (False, True)
    >>> are_language_segments(["us", "uk", "jp"]), are_language_segments(["pt-br"])
    (False, True)
    """
    segments = list(segments)
    codes = {code for segment in segments if (code := parse_code(segment))}
    if not codes:
        return False
    if any("-" in code for code in codes) or any(parse_code(each) for each in declared):
        return True
    countries = sum(segment.lower() in COUNTRY_CODES for segment in segments)
    unambiguous = codes - AMBIGUOUS_CODES
    return len(codes) >= _MIN_CODES and bool(unambiguous) and len(unambiguous) > countries


def query_language(query: str) -> str:
    """The language that a query parameter names.

    >>> query_language("id=3&lang=de"), query_language("l=de"), query_language("lang=all")
    ('de', '', '')
    """
    for pair in query.split("&", _MAX_PARAMETERS)[:_MAX_PARAMETERS]:
        name, _, value = pair.partition("=")
        if name.lower() in LANGUAGE_PARAMETERS:
            return parse_code(value)
    return ""


def link_languages(
    urls: Sequence[str], segments: Sequence[str], hreflangs: Sequence[str] | None
) -> list[str]:
    """The language of the target of each link of one page; *segments* are their first segments.

    Links to ``/de/...`` and ``/fr/...`` on one page show that these are languages. The result
    depends on this page alone, so an interrupted crawl decides as an uninterrupted one.

    >>> urls = ["https://a.example/de/x", "https://a.example/fr/", "https://a.example/it"]
    >>> link_languages(urls, ["de", "fr", "it"], None)
    ['de', 'fr', 'it']
    >>> link_languages(urls[2:], ["it"], None)
    ['']
    """
    names = {segment: segment.partition("?")[0].partition("#")[0] for segment in set(segments)}
    declared = hreflangs or [""] * len(urls)
    agreed = [
        names[segment]
        for segment, hreflang in zip(segments, declared, strict=True)
        if hreflang and parse_code(names[segment]) == hreflang
    ]
    codes = {segment: parse_code(name) for segment, name in names.items()}
    are_languages = are_language_segments(names.values(), agreed)
    return [
        hreflang or (codes[segment] if are_languages else "") or _url_query_language(url)
        for url, segment, hreflang in zip(urls, segments, map(parse_code, declared), strict=True)
    ]


def _url_query_language(url: str) -> str:
    return query_language(url.partition("#")[0].partition("?")[2]) if "?" in url else ""


class TextDetector:
    """Detects the language of a text with py3langid; its model is loaded with the first text."""

    def __init__(self) -> None:
        self._identifier: Any = None

    def __call__(self, text: str) -> str:
        """The code of the language; ``""`` if the text is too short or the result uncertain."""
        plain = " ".join(text[:_MAX_CHARACTERS].split())
        if len(plain) < _MIN_CHARACTERS:
            return ""
        if self._identifier is None:
            self._identifier = _load_identifier()
        code, confidence = self._identifier.classify(plain)
        return str(code) if code and confidence >= _MIN_CONFIDENCE else ""


def text_detector() -> Callable[[str], str] | None:
    """A detector; None if py3langid (the ``language`` extra) is not installed."""
    return TextDetector() if find_spec("py3langid") is not None else None


def _load_identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([code for code in LANGUAGE_NAMES if code in identifier.labels])
    return identifier
