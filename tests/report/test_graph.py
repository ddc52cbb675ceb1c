"""The graph of a site, small enough to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.classify.clusters import Cluster
from sitecrawl.classify.pages import ClusterKind
from sitecrawl.report import graph
from sitecrawl.report.clusters import SiteClusters
from sitecrawl.report.graph import site_graph
from sitecrawl.report.inventory import Inventory, PageRow
from sitecrawl.report.knowledge import PageKnowledge
from tests.report.classes import page_class

if TYPE_CHECKING:
    import pytest

    from sitecrawl.report.data import GraphFacts

SITE = "https://example.com"


def drawn(sections: dict[str, int], max_nodes: int) -> GraphFacts:
    """A graph of sections with so many pages: each page is linked by the first one."""
    urls = [f"{SITE}/"] + [
        f"{SITE}/{name}/{number}" for name, size in sections.items() for number in range(size)
    ]
    clusters = [
        Cluster(f"/{name}", ClusterKind.SECTION, f"/{name}", "", size, (), "")
        for name, size in sections.items()
    ]
    classes = {name: page_class(f"/{name}") for name in ["", *sections]}
    inventory = Inventory(SiteClusters(clusters))
    inventory.add(
        [
            PageRow(number, url, None, f"Page {number}", None, None, 7, source, "")
            for number, url in enumerate(urls)
            for source in ["link" if number else "start"]
        ],
        [classes[url.split("/")[3]] for url in urls],
    )
    knowledge = PageKnowledge(inventory, visited=[(7, 0), (8, len(urls) - 1)], sitemaps=[])
    # The last page links to the one before.
    knowledge.add([(8, len(urls) - 2, "link", "")])
    return site_graph(inventory, knowledge, max_nodes)


def test_all_pages_where_there_is_room() -> None:
    found = drawn({"a": 3, "b": 2}, max_nodes=6)
    assert len(found["nodes"]) == 6
    assert found["collapsed"] == []
    assert found["edges"] == [*((0, number) for number in range(1, 6)), (5, 4)]
    assert found["nodes"][1] == {
        "id": 1,
        "url": f"{SITE}/a/0",
        "title": "Page 1",
        "cluster": 0,
        "inlinks": 1,
        "is_structural": False,
    }


def test_the_largest_clusters_collapse() -> None:
    found = drawn({"large": 300, "middle": 100, "small": 30}, max_nodes=200)
    (collapsed,) = found["collapsed"]
    node = found["nodes"][collapsed["node"]]
    assert (node["url"], node["title"], node["cluster"]) == ("", "/large", 0)
    assert (0, node["id"]) in found["edges"]
    # As many of its pages as there is room for keep a node: the root and two sections have 131.
    kept = [each for each in found["nodes"] if "/large/" in each["url"]]
    assert len(kept) == 200 - 131 - 1
    assert collapsed["pages"] == node["inlinks"] == 300 - len(kept)


def test_nodes_are_numbered_by_their_place() -> None:
    found = drawn({"large": 300, "middle": 100}, max_nodes=50)
    assert [node["id"] for node in found["nodes"]] == list(range(len(found["nodes"])))
    assert len(found["collapsed"]) == 2


def test_links_within_a_collapsed_cluster_are_not_drawn() -> None:
    found = drawn({"small": 10, "large": 300}, max_nodes=12)
    assert [collapsed["pages"] for collapsed in found["collapsed"]] == [300]
    assert found["edges"] == [(0, node) for node in range(1, 12)]


def test_too_many_edges_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MAX_EDGES", 3)
    found = drawn({"a": 5}, max_nodes=50)
    assert found["edges"] == [(0, 1), (0, 2), (0, 3)]
    assert found["edges_left_out"]
