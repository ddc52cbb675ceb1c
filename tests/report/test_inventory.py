"""The main cluster of a page."""

from __future__ import annotations

import pytest

from sitecrawl.classify.clusters import Cluster
from sitecrawl.classify.pages import ClusterKind
from sitecrawl.report.inventory import NO_CLUSTER, SiteClusters
from tests.report.classes import page_class

CLUSTERS = [
    Cluster("/docs", ClusterKind.SECTION, "/docs", "", 500, ("https://example.com/docs",), "why"),
    Cluster("/docs/api", ClusterKind.SECTION, "/docs/api", "/docs", 300, (), ""),
    Cluster("/docs/faq", ClusterKind.SECTION, "/docs/faq", "/docs", 4, (), ""),
    Cluster("/team", ClusterKind.SECTION, "/team", "", 3, (), ""),
    Cluster("/{slug}", ClusterKind.PATTERN, "/{slug}", "", 9, (), ""),
    Cluster("type:page", ClusterKind.TYPE, "page", "", 100, (), ""),
]


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        pytest.param(("/docs", "/docs/api"), "/docs/api", id="the innermost large section"),
        pytest.param(("/docs", "/docs/faq"), "/docs", id="not a small one in a large one"),
        pytest.param(("/team", "/{slug}"), "/team", id="a small one if there is no other"),
        pytest.param(("/{slug}", "type:page"), "/{slug}", id="else the pattern"),
        pytest.param(("type:page",), NO_CLUSTER, id="never the type"),
        pytest.param(("/gone",), NO_CLUSTER, id="what is not known is none"),
    ],
)
def test_a_page_has_one_home(keys: tuple[str, ...], name: str) -> None:
    clusters = SiteClusters(CLUSTERS)
    assert clusters.names()[clusters.main_cluster_of(page_class(*keys))] == name


def test_facts_name_their_parent_by_number() -> None:
    facts = SiteClusters(CLUSTERS).facts({})
    assert [(each["id"], each["parent"]) for each in facts[:3]] == [(0, None), (1, 0), (2, 0)]
    assert facts[0]["sample"] == ["https://example.com/docs"]
    assert (facts[5]["kind"], facts[5]["name"]) == ("type", "page")


def test_sizes_are_those_that_were_counted() -> None:
    classes = {page_class("/docs", "/docs/api"): 7, page_class("/docs", "/{slug}"): 2}
    facts = {each["name"]: each["pages"] for each in SiteClusters(CLUSTERS).facts(classes)}
    assert (facts["/docs"], facts["/docs/api"], facts["/{slug}"]) == (9, 7, 2)
    assert facts["/docs/faq"] == 0


def test_a_site_without_clusters() -> None:
    clusters = SiteClusters([])
    assert clusters.main_cluster_of(page_class("/docs")) == len(clusters) == 0
    assert clusters.names() == [NO_CLUSTER]
