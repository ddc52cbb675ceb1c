"""Learning a whole site: templates that last, clusters of sensible sizes, bounded work."""

from __future__ import annotations

import json
import tracemalloc
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sitecrawl.classify import classifier, url_classifier
from sitecrawl.classify.classifier import PageClassifier
from sitecrawl.classify.pages import ClusterKind, PageColumns
from sitecrawl.classify.site_model import LearnedSite, PageSample, SiteModel, learn_site
from tests.classify.sites import ROOT, site_urls
from tests.urls.nasty import nasty_urls

if TYPE_CHECKING:
    from collections.abc import Iterator

_BATCH = 500
# Any site is as good as a smaller one, and shrinking takes minutes.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def learned(urls: list[str], sample_rows: int = 10_000) -> LearnedSite:
    starts = range(0, len(urls), _BATCH)
    batches = [PageColumns(urls=urls[start : start + _BATCH]) for start in starts]
    return learn_site(batches, sample_rows=sample_rows)


def templates(site: LearnedSite, urls: list[str]) -> list[str]:
    classes = PageClassifier(site.model).classify(PageColumns(urls=urls))
    return [found.template for found in classes]


def test_templates_are_those_that_a_person_would_name() -> None:
    random = Random(7)
    urls = [f"{ROOT}/product/thing-{random.randint(1, 10**6)}-x" for _ in range(50)]
    urls += [f"{ROOT}/blog/{2015 + n % 9}/{1 + n % 12:02}/post-number-{n}" for n in range(90)]
    urls += [f"{ROOT}/{code}/docs/page-{n}" for n in range(20) for code in ("en", "de", "fr")]
    urls += [f"{ROOT}/user/{n:08x}-1b2c-4d5e-8f90-0123456789ab" for n in range(9)]
    assert set(templates(learned(urls), urls)) == {
        "/product/{slug}",
        "/blog/{yyyy}/{mm}/{slug}",
        "/{lang}/docs/{slug}",
        "/user/{uuid}",
    }


@settings(max_examples=30, phases=_PHASES)
@given(seed=st.integers(0, 10**6), pages=st.integers(500, 2_000))
def test_one_per_cent_more_pages_rename_no_template(seed: int, pages: int) -> None:
    before = site_urls(seed, pages)
    after = site_urls(seed, pages + pages // 100)
    assert templates(learned(before), before) == templates(learned(after), before)


@settings(max_examples=10, phases=_PHASES)
@given(seed=st.integers(0, 10**6), mixed=st.integers(0, 10**6))
def test_the_order_of_the_pages_does_not_matter(seed: int, mixed: int) -> None:
    urls = site_urls(seed, 700)
    shuffled = list(urls)
    Random(mixed).shuffle(shuffled)
    for sample_rows in (10_000, 100):
        one, other = (learned(each, sample_rows=sample_rows) for each in (urls, shuffled))
        assert one.model.as_data() == other.model.as_data()
        assert one.clusters == other.clusters


@settings(max_examples=10, phases=_PHASES)
@given(seed=st.integers(0, 10**6))
def test_the_model_comes_back_from_json(seed: int) -> None:
    urls = site_urls(seed, 500)
    site = learned(urls)
    data = json.loads(json.dumps(site.model.as_data()))
    model = SiteModel.from_data(data, site.model.cluster_keys)
    assert model is not None
    assert model.as_data() == site.model.as_data()
    columns = PageColumns(urls=urls)
    both = (PageClassifier(each).classify(columns) for each in (site.model, model))
    for one, other in zip(*both, strict=True):
        assert (one.template, one.clusters, one.priority) == (
            other.template,
            other.clusters,
            other.priority,
        )


def test_a_model_of_another_version_is_not_used() -> None:
    data = learned(site_urls(1, 50)).model.as_data()
    assert SiteModel.from_data(data | {"version": -1}, frozenset()) is None


@settings(max_examples=10, phases=_PHASES)
@given(seed=st.integers(0, 10**6))
def test_clusters_count_exactly_the_pages_that_name_them(seed: int) -> None:
    urls = site_urls(seed, 900)
    site = learned(urls)
    classes = PageClassifier(site.model).classify(PageColumns(urls=urls))
    for cluster in site.clusters:
        members = [
            url for url, found in zip(urls, classes, strict=True) if cluster.key in found.clusters
        ]
        assert cluster.pages == len(members)
        assert set(cluster.sample) <= set(members)
        assert cluster.name
        assert cluster.why


@settings(max_examples=10, phases=_PHASES)
@given(seed=st.integers(0, 10**6))
def test_clusters_are_few_and_large_enough(seed: int) -> None:
    urls = site_urls(seed, 1_500)
    site = learned(urls)
    keys = [cluster.key for cluster in site.clusters]
    assert len(keys) == len(set(keys))
    assert not any(" " in key for key in keys)
    assert min(cluster.pages for cluster in site.clusters) >= 3
    assert len(keys) < 250
    assert all(cluster.parent in {"", *keys} for cluster in site.clusters)
    sections = {each.key: each for each in site.clusters if each.kind is ClusterKind.SECTION}
    for section in sections.values():
        if section.parent:
            assert section.pages < sections[section.parent].pages


def test_small_folders_are_part_of_the_one_above_them() -> None:
    urls = [f"{ROOT}/docs/big/{n}" for n in range(30)]
    urls += [f"{ROOT}/docs/small-{n % 20}/x{n}" for n in range(20)]
    site = learned(urls)
    sections = {each.key: each.pages for each in site.clusters if each.kind is ClusterKind.SECTION}
    assert sections == {"/docs": 50, "/docs/big": 30}


def test_topics_come_from_titles_and_links() -> None:
    urls = [f"{ROOT}/p/{n}" for n in range(200)]
    titles = [f"{'Tulips' if n % 10 == 0 else f'Plant {n}'} in spring · Garden" for n in range(200)]
    anchors = ["Greenhouse" if n % 20 == 1 else "" for n in range(200)]
    columns = PageColumns(urls=urls, titles=titles, anchors=anchors)
    site = learn_site([columns])
    found = {each.key: each.pages for each in site.clusters if each.kind is ClusterKind.TOPIC}
    assert found == {"topic:tulips": 20, "topic:greenhouse": 10}
    classes = PageClassifier(site.model).classify(columns)
    assert "topic:tulips" in classes[0].clusters
    assert "topic:greenhouse" in classes[1].clusters


def test_endless_urls_cost_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in (
        (url_classifier, "_MAX_FOLDERS"),
        (url_classifier, "_MAX_QUERIES"),
        (url_classifier, "_MAX_SLUGS"),
        (classifier, "_MAX_COMBINATIONS"),
    ):
        monkeypatch.setattr(module, name, 200)
    # Other threads of the process and the garbage collector only add to a peak.
    small, large = (min(_peak(pages) for _ in range(3)) for pages in (5_000, 10_000))
    assert large < 1.2 * small


def _peak(pages: int) -> int:
    """The most bytes that learning and classifying so many different addresses take at once."""
    tracemalloc.start()
    try:
        site = learn_site(_hostile(pages), sample_rows=200)
        of_site = PageClassifier(site.model)
        for columns in _hostile(pages):
            of_site.classify(columns)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _hostile(pages: int) -> Iterator[PageColumns]:
    """Batches of addresses that have nothing in common, made when they are asked for."""
    for start in range(0, pages, 200):
        random = Random(start)
        yield PageColumns(
            urls=[
                f"{ROOT}/{random.getrandbits(60):x}/{random.choice(['docs', 'blog', f'x{n}'])}"
                f"/{random.getrandbits(90):x}/{n}.{random.getrandbits(16):x}?{n}={n}"
                for n in range(start, start + 200)
            ]
        )


@settings(max_examples=60)
@given(st.lists(nasty_urls() | st.text(), min_size=1, max_size=30))
def test_any_text_is_classified(urls: list[str]) -> None:
    site = learned(urls)
    classes = PageClassifier(site.model).classify(PageColumns(urls=urls))
    assert len(classes) == len(urls)
    assert all(0 <= found.priority <= 1 for found in classes)
    json.dumps(site.model.as_data())


def test_a_site_without_pages_is_learned_too() -> None:
    site = learned([])
    assert site.clusters == []
    assert PageClassifier(site.model).classify(PageColumns(urls=[])) == []


def test_sizes_of_clusters_are_estimated_from_a_sample() -> None:
    urls = [f"{ROOT}/blog/post-{n}" for n in range(12_000)]
    urls += [f"{ROOT}/{code}/x{n}" for n in range(4_000) for code in ("de", "fr")]
    whole, part = learned(urls, sample_rows=20_000), learned(urls, sample_rows=2_000)
    assert (whole.model.is_whole, part.model.is_whole) == (True, False)
    exact = {each.key: each.pages for each in whole.clusters}
    about = {each.key: each.pages for each in part.clusters}
    assert exact["/blog/{slug}"] == 12_000
    assert about.keys() == exact.keys()
    assert all(0.9 * exact[key] < pages < 1.1 * exact[key] for key, pages in about.items())


def test_sizes_of_a_given_part_are_those_of_the_whole() -> None:
    urls = [f"{ROOT}/blog/post-{n}" for n in range(300)]
    site = learn_site([PageColumns(urls=urls[::3])], one_of=3)
    assert {each.pages for each in site.clusters} == {300}
    assert not site.model.is_whole


def test_described_pages_are_used_beside_the_sample() -> None:
    urls = [f"{ROOT}/items/some-thing-{n}" for n in range(50)]
    saying = PageColumns(
        urls=[f"{ROOT}/items/spoken-for"], kinds=["product"], inlinks=[7], importances=[1.0]
    )
    silent, told = (
        learn_site([PageColumns(urls=urls)]),
        learn_site([PageColumns(urls=urls)], [saying]),
    )
    assert (silent.model.scale.most_inlinks, told.model.scale.most_inlinks) == (0, 7)
    assert (silent.model.scale.has_menu, told.model.scale.has_menu) == (False, True)
    [of_told] = PageClassifier(told.model).classify(PageColumns(urls=urls[:1]))
    assert of_told.page_type == "product"
    # They are not counted: the sample stands for the site.
    assert [each.pages for each in told.clusters] == [each.pages for each in silent.clusters]


@pytest.mark.parametrize("saying", [0, 1, 7, 20])
def test_sizes_do_not_depend_on_which_pages_come_together(saying: int) -> None:
    urls = [f"{ROOT}/guide/a-headline-number-{n}" for n in range(20)]
    languages = ["de" if n < saying else "" for n in range(20)]
    together = [PageColumns(urls=urls, languages=languages)]
    apart = [
        PageColumns(urls=[url], languages=[language])
        for url, language in zip(urls, languages, strict=True)
    ]
    one, other = learn_site(together), learn_site(apart)
    assert one.clusters == other.clusters
    sizes = {each.key: each.pages for each in one.clusters}
    assert sizes.get("lang:de", 0) == (saying if saying > 1 else 0)


# --- the sample -------------------------------------------------------------------------------


def sampled(urls: list[str], limit: int, batch: int = 7) -> list[tuple[str, str | None]]:
    """The pages with their titles, in an order that does not depend on how they came."""
    sample = PageSample(limit)
    for start in range(0, len(urls), batch):
        some = urls[start : start + batch]
        # In some batches, no page has a title.
        titles = [f"title of {url}" if len(url) % 2 else None for url in some]
        sample.add(PageColumns(some, titles=titles if any(titles) else None))
    assert len(sample) == sum(len(chunk.urls) for chunk in sample.chunks)
    return sorted(
        (url, title)
        for chunk in sample.chunks
        for url, title in zip(chunk.urls, chunk.titles or [None] * len(chunk.urls), strict=True)
    )


@given(st.integers(0, 200), st.integers(1, 50), st.integers(1, 30), st.integers(0, 99))
def test_the_sample_depends_on_the_pages_alone(
    pages: int, limit: int, batch: int, seed: int
) -> None:
    urls = [f"page {number}" for number in range(pages)]
    shuffled = list(urls)
    Random(seed).shuffle(shuffled)
    assert sampled(urls, limit) == sampled(shuffled, limit, batch)


def test_the_sample_of_few_pages_has_all_of_them() -> None:
    urls = [str(number) for number in range(20)]
    assert sampled(urls, 10) == sorted(
        (url, f"title of {url}" if len(url) % 2 else None) for url in urls
    )


def test_the_sample_of_many_pages_is_small() -> None:
    pages = sampled([str(number) for number in range(5_000)], 100)
    assert 100 <= len(pages) <= 200
    # From everywhere.
    assert 1_500 < sum(int(url) for url, _ in pages) / len(pages) < 3_500
