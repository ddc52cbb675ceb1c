"""The tree of paths and the graph of links, small enough to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.clusters import Cluster
from sitecrawl.classify.pages import ClusterKind
from sitecrawl.report import structure
from sitecrawl.report.inventory import Inventory, PageRow, SiteClusters
from sitecrawl.report.mentions import PageMentions
from sitecrawl.report.structure import PathTree, site_graph
from tests.report.classes import page_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from sitecrawl.report.data import GraphFacts, TreeNode

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
    mentions = PageMentions(inventory, visited=[(7, 0), (8, len(urls) - 1)], sitemaps=[])
    # The last page links to the one before.
    mentions.add([(8, len(urls) - 2, "link", "")])
    return site_graph(inventory, mentions, max_nodes)


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
    monkeypatch.setattr(structure, "MAX_EDGES", 3)
    found = drawn({"a": 5}, max_nodes=50)
    assert found["edges"] == [(0, 1), (0, 2), (0, 3)]
    assert found["edges_left_out"]


# --- the tree ---------------------------------------------------------------------------------


def tree(paths: Iterable[str], max_nodes: int = 3_000) -> TreeNode:
    counted = PathTree()
    counted.add([path if "://" in path else f"{SITE}{path}" for path in paths])
    return counted.root(max_nodes)


def outline(node: TreeNode) -> dict[str, object]:
    return {f"{each['name']} {each['pages']}": outline(each) for each in node["children"]}


def size(node: TreeNode) -> int:
    return 1 + sum(map(size, node["children"]))


def test_folders_count_what_is_below() -> None:
    root = tree(["/", "/a", "/blog/", "/blog/x", "/blog/y?page=2", "/blog/y#top"])
    assert (root["name"], root["url"], root["pages"]) == (SITE, f"{SITE}/", 6)
    assert outline(root) == {"blog 4": {"y 2": {}, "x 1": {}}, "a 1": {}}


def test_folders_end_with_a_slash_and_pages_do_not() -> None:
    (blog,) = tree(["/blog/x"])["children"]
    assert (blog["url"], blog["children"][0]["url"]) == (f"{SITE}/blog/", f"{SITE}/blog/x")


def test_several_hosts_have_a_root_above() -> None:
    root = tree(["/a", "https://shop.example.com/b", "https://shop.example.com/"])
    assert (root["name"], root["url"], root["pages"]) == ("", "", 3)
    assert outline(root) == {"https://shop.example.com 2": {"b 1": {}}, f"{SITE} 1": {"a 1": {}}}
    assert root["children"][0]["url"] == "https://shop.example.com/"


def test_no_pages() -> None:
    assert tree([]) == {"name": "", "url": "", "pages": 0, "children": []}


def test_the_small_ones_are_folded() -> None:
    paths = [f"/big/{number}" for number in range(50)] + [
        f"/small-{number}" for number in range(50)
    ]
    root = tree(paths, max_nodes=12)
    assert size(root) <= 12
    assert root["children"][0]["name"] == "big"
    assert root["children"][-1]["name"] == "… 41 more"
    assert sum(each["pages"] for each in root["children"]) == 100


def test_many_folders_take_bounded_memory() -> None:
    counted = PathTree(max_folders=100)
    counted.add([f"{SITE}/{number}/x/y" for number in range(1_000)])
    assert counted.root()["pages"] == 1_000
    assert size(counted.root()) <= 101


segments = st.lists(st.sampled_from(["a", "b", "c", "", "%20", "x" * 50]), max_size=20)


@given(st.lists(segments, max_size=60), st.integers(2, 40))
def test_children_never_have_more_than_their_parent(pages: list[list[str]], max_nodes: int) -> None:
    root = tree(["/" + "/".join(page) for page in pages], max_nodes)
    assert root["pages"] == len(pages)
    assert size(root) <= max_nodes
    waiting = [root]
    while waiting:
        node = waiting.pop()
        assert sum(child["pages"] for child in node["children"]) <= node["pages"]
        waiting += node["children"]
