from __future__ import annotations

import pytest

from sitecrawl.classify import language
from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.language import (
    TextDetector,
    are_language_segments,
    is_other_language,
    link_languages,
    parse_code,
    query_language,
    text_detector,
)
from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.rules.languages import LANGUAGE_NAMES
from sitecrawl.classify.site_model import learn_site
from sitecrawl.urls.skip import first_segments

_ROOT = "https://a.example"


def languages(*paths: str, hosts: bool = False, said: dict[str, str] | None = None) -> list[str]:
    urls = [path if hosts else _ROOT + path for path in paths]
    own = [(said or {}).get(path, "") for path in paths]
    columns = PageColumns(urls=urls, own_languages=own if said else None)
    classes = PageClassifier(learn_site([columns]).model).classify(columns)
    return [found.language for found in classes]


@pytest.mark.parametrize("text", ["de", "DE", "pt-br", "pt_BR", "zh-Hans", "es-419", "sr-latn-rs"])
def test_codes(text: str) -> None:
    assert parse_code(text) == text.lower().replace("_", "-")


@pytest.mark.parametrize(
    "text", ["", "d", "xx", "design", "en-counter", "de-", "de-1", "deu", "d3"]
)
def test_no_codes(text: str) -> None:
    assert parse_code(text) == ""


def test_names_are_of_codes() -> None:
    assert all(parse_code(code) == code for code in LANGUAGE_NAMES)
    assert all(name[0].isupper() for name in LANGUAGE_NAMES.values())


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        (["de", "en"], True),
        (["de", "en", "products", "about"], True),
        (["en", "it"], True),
        (["pt-br"], True),
        (["de"], False),
        (["it", "hr"], False),
        (["id", "no", "is"], False),
        (["us", "uk", "ca", "de"], False),
        (["us", "jp", "cn"], False),
        (["about"], False),
        ([], False),
    ],
)
def test_segments_that_are_languages(segments: list[str], expected: bool) -> None:
    assert are_language_segments(segments) is expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/de/a", "/fr/a", "/about"], ["de", "fr", ""]),
        (["/de", "/fr", "/"], ["de", "fr", ""]),
        (["/it/help", "/hr/leave", "/about"], ["", "", ""]),
        (["/id/123", "/id/124"], ["", ""]),
        (["/docs/de/a", "/docs/fr/a", "/docs/x/a"], ["de", "fr", ""]),
        (["/us/en/a", "/us/es/a"], ["en", "es"]),
        (["/a?lang=de", "/a?hl=pt-BR", "/a?l=de"], ["de", "pt-br", ""]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_codes_in_paths_and_queries(paths: list[str], expected: list[str]) -> None:
    assert languages(*paths) == expected


def test_hosts_of_one_site_in_several_languages() -> None:
    urls = ["https://de.a.example/x", "https://fr.a.example/x", "https://shop.a.example/x"]
    assert languages(*urls, hosts=True) == ["de", "fr", ""]
    # One alone may mean anything.
    assert languages("https://it.a.example/x", "https://a.example/y", hosts=True) == ["", ""]


def test_one_code_counts_when_its_pages_say_so() -> None:
    assert languages("/de/a", "/de/b", "/c", said={"/de/a": "de"}) == ["de", "de", ""]
    assert languages("/it/a", "/it/b", "/c", said={"/it/a": "en"}) == ["en", "", ""]


@pytest.mark.parametrize(
    ("code", "chosen", "expected"),
    [
        ("de", ["en"], True),
        ("en", ["en"], False),
        ("en-gb", ["en"], False),
        ("en", ["en-gb"], True),
        ("", ["en"], None),
        (None, ["en"], None),
        ("de", [], None),
    ],
)
def test_other_languages(code: str | None, chosen: list[str], expected: bool | None) -> None:
    assert is_other_language(code, chosen) is expected


def test_a_hostile_query_is_read_in_part() -> None:
    assert query_language("a&" * 100_000 + "lang=de") == ""


def of_links(paths: list[str], hreflangs: list[str] | None = None) -> list[str]:
    urls = [_ROOT + path for path in paths]
    return link_languages(urls, first_segments(urls), hreflangs)


def test_languages_of_the_links_of_one_page() -> None:
    assert of_links(["/de/a", "/en", "/x", "/fr?x=1"]) == ["de", "en", "", "fr"]
    assert of_links(["/it/a", "/x"]) == ["", ""]
    assert of_links(["/it/a", "/x"], ["it", ""]) == ["it", ""]
    assert of_links(["/x", "/y?lang=de"], ["x-default", ""]) == ["", "de"]


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
def test_languages_are_detected(detector: TextDetector, code: str) -> None:
    assert detector(_TEXTS[code] * 3) == code


@pytest.mark.parametrize("text", ["", "Hello", "12 34 56 " * 50, " \n" * 500], ids=repr)
def test_uncertain_languages_are_not_detected(detector: TextDetector, text: str) -> None:
    assert detector(text) == ""


def test_without_the_package_there_is_no_detector(monkeypatch: pytest.MonkeyPatch) -> None:
    assert text_detector() is not None
    monkeypatch.setattr(language, "find_spec", lambda _name: None)
    assert text_detector() is None
