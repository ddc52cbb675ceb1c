"""The tree of paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.report.tree import PathTree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sitecrawl.report.data import TreeNode

SITE = "https://example.com"


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
