from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.pages import Category, LanguageSource, PageClass, PageColumns, PageType
from sitecrawl.classify.paths import path_depth
from sitecrawl.classify.priority import SiteScale
from sitecrawl.classify.site_model import SiteModel, learn_site

_ROOT = "https://www.site.example"


def classified(path: str, *others: str, **facts: Any) -> PageClass:
    """One page; *others* are further pages of its site, *facts* columns with its value."""
    urls = [_ROOT + path, *(_ROOT + other for other in others)]
    columns = {name: [value, *[None] * len(others)] for name, value in facts.items()}
    everything = PageColumns(urls=urls, **columns)
    return PageClassifier(learn_site([everything]).model).classify(everything)[0]


@pytest.mark.parametrize(
    ("path", "page_type"),
    [
        ("/", PageType.HOME),
        ("/blog", PageType.LISTING),
        ("/blog/a-post", PageType.ARTICLE),
        ("/blog/2026/03", PageType.LISTING),
        ("/2026/03/14/a-post", PageType.ARTICLE),
        ("/products/kettle", PageType.PRODUCT),
        ("/docs/cli/login", PageType.DOCUMENTATION),
        ("/docs/blog/login", PageType.DOCUMENTATION),
        ("/help/cookies", PageType.LEGAL),
        ("/help/getting-started", PageType.HELP),
        ("/Privacy_Policy.html", PageType.LEGAL),
        ("/%C3%BCber-uns", PageType.ABOUT),
        ("/anmelden", PageType.LOGIN),
        ("/koszyk", PageType.CART),
        ("/users/login", PageType.LOGIN),
        ("/tag/garden", PageType.LISTING),
        ("/author/jo", PageType.PROFILE),
        ("/feed/", PageType.FEED),
        ("/x?q=y", PageType.SEARCH),
        ("/x?sort=price", PageType.LISTING),
        ("/t/a-thread/12?page=2", PageType.DISCUSSION),
        ("/viewtopic.php?t=4", PageType.DISCUSSION),
        ("/wiki/Category:Stones", PageType.LISTING),
        ("/wiki/Special:UserLogin", PageType.LOGIN),
        ("/report.pdf", PageType.FILE),
        ("/pictures/a.jpg", PageType.MEDIA),
        ("/why-do-my-tomatoes-split", PageType.ARTICLE),
        ("/xyzzy", PageType.PAGE),
    ],
)
def test_the_address_says_what_a_page_is(path: str, page_type: PageType) -> None:
    assert classified(path).page_type == page_type


def test_a_headline_with_a_word_of_the_rules_is_a_headline() -> None:
    assert classified("/blog/new-privacy-policy-for-all").page_type is PageType.ARTICLE
    assert classified("/our-new-privacy-policy").page_type is PageType.ARTICLE


def test_what_has_pages_below_it_is_a_list() -> None:
    others = ["/lamps/one", "/lamps/two"]
    assert classified("/lamps", *others).page_type is PageType.LISTING
    assert classified("/lamps").page_type is PageType.PAGE


@pytest.mark.parametrize(
    ("path", "facts", "page_type", "reason"),
    [
        ("/x", {"kinds": "product"}, PageType.PRODUCT, "its structured data"),
        ("/x", {"kinds": "document"}, PageType.FILE, "it is a file: document"),
        ("/x", {"kinds": "image"}, PageType.MEDIA, "it is a file: image"),
        ("/x", {"titles": "Datenschutz"}, PageType.LEGAL, "its title"),
        ("/x", {"regions": "breadcrumb"}, PageType.LISTING, "linked in breadcrumb"),
        # What is certain stays.
        ("/login", {"kinds": "product"}, PageType.LOGIN, "the word login"),
        ("/", {"kinds": "product"}, PageType.HOME, "the start of the site"),
        ("/blog/a", {"titles": "Datenschutz"}, PageType.ARTICLE, "in the folder blog"),
    ],
)
def test_what_a_page_says_counts(
    path: str, facts: dict[str, str], page_type: PageType, reason: str
) -> None:
    found = classified(path, **facts)
    assert (found.page_type, found.reason) == (page_type, reason)


@pytest.mark.parametrize(
    ("path", "page_type"),
    [
        ("/index.html", PageType.HOME),
        ("/home", PageType.HOME),
        ("/com/sun/tools/Main.html", PageType.PAGE),
        ("/guide/index.html", PageType.PAGE),
        ("/docs/index.html", PageType.DOCUMENTATION),
        # A word in a deep folder is a name.
        ("/api-17/javax/swing/event/AncestorEvent.html", PageType.PAGE),
        ("/api-17/javax/security/login/Account.html", PageType.PAGE),
        ("/library/lib2/parts/search.html", PageType.PAGE),
        # A page is no file.
        ("/files/uploads.html", PageType.PAGE),
    ],
)
def test_words_are_weak_hints(path: str, page_type: PageType) -> None:
    assert classified(path).page_type is page_type


class TestCrowdedFolders:
    """Hundreds of siblings have one type."""

    OTHERS = tuple(f"/lib/thing{number}.html" for number in range(120))

    @pytest.mark.parametrize("name", ["login", "comparison", "history", "contact", "home"])
    def test_a_word_says_nothing_there(self, name: str) -> None:
        assert classified(f"/lib/{name}.html", *self.OTHERS).page_type is PageType.PAGE
        few = self.OTHERS[:20]
        assert (
            classified(f"/lib/{name}.html", *few).page_type is not PageType.PAGE or name == "home"
        )

    def test_nor_does_a_title(self) -> None:
        found = classified("/lib/x.html", *self.OTHERS, titles="Datenschutz")
        assert found.page_type is PageType.PAGE

    def test_a_page_that_all_others_link_to_is_different(self) -> None:
        path = "/lib/contact.html"
        inlinks = [100, 100, *[3] * 119]
        for region, page_type in (("footer", PageType.CONTACT), ("content-link", PageType.PAGE)):
            columns = PageColumns(
                urls=[_ROOT + each for each in (path, *self.OTHERS)],
                regions=[region] * 121,
                inlinks=inlinks,
            )
            found = PageClassifier(learn_site([columns]).model).classify(columns)
            assert found[0].page_type is page_type
            assert found[5].page_type is PageType.PAGE

    def test_headlines_are_articles_where_most_pages_have_one(self) -> None:
        headlines = [f"/lib/why-do-my-{number}-tomatoes-split" for number in range(120)]
        assert classified("/lib/how-to-grow-beans", *headlines).page_type is PageType.ARTICLE
        assert classified("/lib/how-to-grow-beans", *self.OTHERS).page_type is PageType.PAGE

    def test_what_siblings_declare_counts_more_than_a_word(self) -> None:
        urls = [f"{_ROOT}/api/Login.html", *(f"{_ROOT}/api/Class{n}.html" for n in range(6))]
        columns = PageColumns(
            urls=urls, kinds=[None, *["documentation"] * 6], titles=[None, *["x"] * 6]
        )
        found = PageClassifier(learn_site([columns]).model).classify(columns)
        assert {page.page_type for page in found} == {PageType.DOCUMENTATION}

    def test_they_are_known_from_the_stored_model(self) -> None:
        columns = PageColumns(urls=[_ROOT + each for each in ("/lib/login.html", *self.OTHERS)])
        model = learn_site([columns]).model
        stored = SiteModel.from_data(model.as_data(), model.cluster_keys)
        assert stored is not None
        assert PageClassifier(stored).classify(columns)[0].page_type is PageType.PAGE


def test_pages_speak_for_others_of_their_template() -> None:
    urls = [f"{_ROOT}/catalogue-a/thing-{n}" for n in range(9)]
    kinds = ["product", "product", *[""] * 7]
    columns = PageColumns(urls=urls, kinds=kinds, titles=["x", "y", *[""] * 7])
    classes = PageClassifier(learn_site([columns]).model).classify(columns)
    assert {found.page_type for found in classes} == {PageType.PRODUCT}
    # Unless most of those that were read say nothing.
    silent = PageColumns(urls=urls, kinds=kinds, titles=["x"] * 9)
    classes = PageClassifier(learn_site([silent]).model).classify(silent)
    assert classes[-1].page_type is PageType.PAGE


@pytest.mark.parametrize(
    ("facts", "language", "source"),
    [
        ({}, "de", LanguageSource.PATH),
        ({"languages": "fr"}, "fr", LanguageSource.HREFLANG),
        ({"languages": "x-default"}, "de", LanguageSource.PATH),
        ({"own_languages": "en"}, "en", LanguageSource.HTML),
        ({"languages": "fr", "own_languages": "en"}, "fr", LanguageSource.HREFLANG),
        # A template that says "en" everywhere: path and text know better.
        ({"own_languages": "en", "text_languages": "de"}, "de", LanguageSource.PATH),
        ({"own_languages": "en", "text_languages": "en"}, "en", LanguageSource.HTML),
        ({"text_languages": "fr"}, "de", LanguageSource.PATH),
    ],
)
def test_who_knows_the_language_best(
    facts: dict[str, str], language: str, source: LanguageSource
) -> None:
    found = classified("/de/a", "/en/a", "/fr/a", **facts)
    assert (found.language, found.language_source) == (language, source)


def test_the_text_is_asked_last() -> None:
    found = classified("/a", text_languages="fr")
    assert (found.language, found.language_source) == ("fr", LanguageSource.TEXT)
    assert classified("/a").language_source is None


def test_columns_that_are_empty_change_nothing() -> None:
    urls = [f"{_ROOT}/blog/a", f"{_ROOT}/de/x"]
    classifier = PageClassifier(SiteModel())
    names = ("titles", "anchors", "kinds", "languages", "own_languages", "text_languages")
    nothing: dict[str, Any] = {name: [None, None] for name in (*names, "regions", "lastmods")}
    numbers: dict[str, Any] = {name: [None, None] for name in ("inlinks", "importances")}
    bare = classifier.classify(PageColumns(urls=urls))
    full = classifier.classify(
        PageColumns(urls=urls, sitemap_priorities=[None, None], **nothing, **numbers)
    )
    for one, other in zip(bare, full, strict=True):
        assert (one.category, one.page_type, one.language, one.priority) == (
            other.category,
            other.page_type,
            other.language,
            other.priority,
        )


def test_the_parts_explain_the_priority() -> None:
    scale = SiteScale(most_inlinks=50, newest_month="2026-03", has_menu=True, has_priorities=True)
    classifier = PageClassifier(SiteModel(scale=scale))
    columns = PageColumns(
        urls=[f"{_ROOT}/login"],
        lastmods=["2026-03-01"],
        sitemap_priorities=[0.5],
        importances=[1.0],
        inlinks=[50],
        regions=["navigation"],
    )
    [parts] = classifier.explain(columns)
    [found] = classifier.classify(columns)
    assert found.category is Category.UTILITY
    total = sum(part.weight for part in parts)
    assert found.priority == round(sum(part.value * part.weight for part in parts) / total, 2)
    assert {part.name for part in parts} == {
        *("category", "depth", "menu", "links", "region", "sitemap", "fresh"),
    }


def test_equal_classes_are_one_value() -> None:
    urls = [f"{_ROOT}/blog/{slug}" for slug in ("a", "b", "c", "d")]
    columns = PageColumns(urls=urls, languages=["de", None, "de", "de"])
    one, other = (PageClassifier(SiteModel()).classify(columns) for _ in range(2))
    assert one == other
    assert len({*one, *other}) == 2
    assert {each: number for number, each in enumerate(one)}[other[0]] == 3


@given(st.lists(st.sampled_from(["a", "blog", "2026", "05", "x-y-z", "de", ""]), max_size=60))
@example(["a"] * 59)
@example(["a", ""])
@example(["", ""])
def test_the_depth_is_that_of_the_path(segments: list[str]) -> None:
    path = "/".join(segments)
    urls = [f"{_ROOT}/{path}{ending}" for ending in ("", "/", "?b=/c/", "#/d/")]
    found = PageClassifier(SiteModel()).classify(PageColumns(urls=urls))
    assert [each.depth for each in found] == list(map(path_depth, urls))
