from __future__ import annotations

import pytest

from sitecrawl.classify import textlanguage
from sitecrawl.classify.textlanguage import TextDetector, text_detector

_TEXTS = {
    "en": "The library lends seeds to gardeners who bring back some of what they have grown. ",
    "de": "Die Bibliothek verleiht Saatgut an Gärtner, die einen Teil ihrer Ernte zurückbringen. ",
    "fr": "La bibliothèque prête des graines aux jardiniers qui rapportent une part de récolte. ",
    "pl": "Biblioteka wypożycza nasiona ogrodnikom, którzy zwracają część tego, co urosło. ",
}


@pytest.fixture(scope="module")
def detector() -> TextDetector:
    return TextDetector()


@pytest.mark.parametrize("code", _TEXTS)
def test_languages_are_told(detector: TextDetector, code: str) -> None:
    assert detector(_TEXTS[code] * 3) == code


@pytest.mark.parametrize("text", ["", "Hello", "12 34 56 " * 50, " \n" * 500], ids=repr)
def test_what_cannot_be_told_is_not_told(detector: TextDetector, text: str) -> None:
    assert detector(text) == ""


def test_without_the_package_there_is_no_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    assert text_detector() is not None
    monkeypatch.setattr(textlanguage, "find_spec", lambda _name: None)
    assert text_detector() is None
