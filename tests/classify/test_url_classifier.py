"""Classifying URLs: each has the same class, whatever else is classified before or with it."""

from __future__ import annotations

from dataclasses import astuple
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.rules.slugs import SLUG_RULES
from sitecrawl.classify.site_model import learn_site
from sitecrawl.classify.url_classifier import UrlClassifier
from sitecrawl.classify.url_model import UrlModel
from tests.classify.sites import ROOT, site_urls
from tests.urls.nasty import nasty_urls

if TYPE_CHECKING:
    from sitecrawl.classify.url_classifier import UrlClass

# With and without a rule, with names like headlines, of languages, of dates.
_FOLDERS = (
    "",
    "/blog",
    "/shop/things",
    "/a/b",
    "/help",
    "/en",
    "/de",
    "/news/2026",
    "/news/2026/3",
    "/news/2026/3/14",
)
_NAMES = """
    ten-nice-tips ten-nice-tips-2 ten-nice-tips-26 five-nice-tips-26c Ten-Nice-Tips-26
    my-nice-clip.mp4 ten-nice-tips.html ten-nice-tips-26.html five-nice-tips-31.html
    ten-nice-tips-26.HTML a-b-26.htm ten-nice-tips.php ten-nice-tips-26.php ten-nice-tips-26.foo
    terms-of-use terms-of-use.html Terms-of-Use terms-of-use.php frequently-asked-questions.html
    a-thing-p-4711 a-nice-thing-p4711.html some-nice-thing-4711 ab-12-34 ab-cd-34 2026-03-14
    abcdefab-1234-4abc-8def-123456789ab1 march zh-hant-tw a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d
    how-to-grow-roses how-to-grow-roses-12 4711 03 14 de fr about f%C3%BCr-alle-leute
    f%C3%BCr-alle-leute-12 Talk:some-nice-page-12 index.php über-alle-berge-12 rss2
"""
_QUERIES = ("", "/", "?page=2", "?q=/x/y-z-12", "#/route", "#top", "?a=1&b=2#!x")


@cache
def _model() -> UrlModel:
    urls = [f"{ROOT}{folder}/a-page-like-{n}" for folder in _FOLDERS for n in range(4)]
    # Folders in the help that are called like a headline.
    urls += [f"{ROOT}/help/how-to-grow-roses/page-{n}" for n in range(30)]
    return learn_site([PageColumns(urls=[f"{ROOT}/", *urls, *site_urls(3, 400)])]).model.urls


def _alone(url: str) -> UrlClass:
    [found] = UrlClassifier(_model()).classify([url])
    return found


_usual = st.builds(
    lambda *parts: ROOT + "".join(parts),
    st.sampled_from(_FOLDERS),
    st.sampled_from([f"/{name}" for name in _NAMES.split()]),
    st.sampled_from(_QUERIES),
)


@given(st.lists(_usual | nasty_urls() | st.text(), max_size=40))
def test_a_url_is_classified_alike_together_and_alone(urls: list[str]) -> None:
    classifier = UrlClassifier(_model())
    for _ in range(2):  # earlier URLs make no difference
        found = classifier.classify(urls)
        assert [astuple(each) for each in found] == [astuple(_alone(url)) for url in urls]


# The host ends at the third slash: text with fewer slashes has no host.
_ODD = (
    *("", "a", "a/b", "a/b/c", "/a", "http:/", "http:/a", "http://a", "http://a/b", "http://a/b/c"),
    *("other.test/a/b", "http://other.test/a/b", "http://other.test/b/c/", "https:///a/b"),
)


@given(st.permutations(_ODD))
def test_text_before_a_host_is_no_folder(texts: list[str]) -> None:
    found = UrlClassifier(_model()).classify(texts)
    assert [astuple(each) for each in found] == [astuple(_alone(text)) for text in texts]


def test_endless_folders_are_classified_by_their_first_ones() -> None:
    urls = [f"{ROOT}/{'a/' * depth}b-page-{end}" for depth in range(36, 44) for end in (1, 2)]
    urls += [f"{url}/a" for url in urls]
    classifier = UrlClassifier(_model())
    for _ in range(2):
        found = classifier.classify(urls)
        assert [astuple(each) for each in found] == [astuple(_alone(url)) for url in urls]


def test_folders_that_vary_share_a_template() -> None:
    days = [f"{ROOT}/news/{2000 + day // 100}/3/{day % 28 + 1}/x-{day}" for day in range(2_000)]
    [found] = set(UrlClassifier(_model()).classify(days))
    assert found.template == "/news/{yyyy}/{mm}/{dd}/{id}"


@pytest.mark.parametrize(
    ("name", "template", "page_type"),
    [
        ("/terms-of-use.html", "/{slug}.html", "legal"),
        ("/blog/my-nice-clip.mp4", "/blog/{slug}.mp4", "media"),
        ("/blog/ab-12-34", "/blog/{id}", "article"),
        ("/blog/five-nice-tips-31.html", "/blog/{slug}.html", "article"),
    ],
)
def test_slugs_beside_headlines_keep_their_class(name: str, template: str, page_type: str) -> None:
    classifier = UrlClassifier(_model())
    headlines = ("our-nice-team.html", "ten-nice-tips.html", "ten-nice-tips-26", "a-nice-clip-1")
    classifier.classify(
        [f"{ROOT}{folder}/{each}" for folder in ("", "/blog") for each in headlines]
    )
    [found] = classifier.classify([ROOT + name])
    assert (found.template, found.page_type) == (template, page_type)


def test_every_slug_rule_applies_to_its_word() -> None:
    words = list(SLUG_RULES)
    found = UrlClassifier(UrlModel()).classify([f"{ROOT}/{word}" for word in words])
    assert {word: each.page_type for word, each in zip(words, found, strict=True)} == {
        word: rule.page_type for word, rule in SLUG_RULES.items()
    }


def test_lone_surrogates_are_classified() -> None:
    urls = [f"{ROOT}/blog/one-two-\udc80", f"{ROOT}/blog/one-two-three.\udc80"]
    assert len(UrlClassifier(_model()).classify(urls)) == 2


def test_headlines_in_a_folder_share_a_class() -> None:
    classifier = UrlClassifier(_model())
    names = ["ten-nice-tips-26", "five-nice-tips-31", "why-we-like-roses", "why-we-like-rain"]
    one, other, third, last = classifier.classify([f"{ROOT}/blog/{name}" for name in names])
    assert one is other
    assert third is last
