"""The tree of paths and the links between sections, small enough to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.clusters import Cluster
from sitecrawl.classify.pages import ClusterKind
from sitecrawl.report import structure
from sitecrawl.report.inventory import Inventory, PageRow, SiteClusters
from sitecrawl.report.mentions import PageMentions
from sitecrawl.report.structure import PathTree, section_links
from tests.report.classes import page_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

    from sitecrawl.report.data import LinkFacts, TreeNode

SITE = "https://example.com"


def drawn(sections: dict[str, int]) -> LinkFacts:
    """Sections with so many pages: each page is linked by the first one."""
    urls = [f"{SITE}/"] + [
        f"{SITE}{name}/{number}" for name, size in sections.items() for number in range(size)
    ]
    clusters = [
        Cluster(name, ClusterKind.SECTION, name, name.rpartition("/")[0], size, (), "")
        for name, size in sections.items()
    ]
    classes = {name: page_class(name) for name in ["", *sections]}
    inventory = Inventory(SiteClusters(clusters))
    inventory.add(
        [
            PageRow(number, url, None, f"Page {number}", None, None, 7, source, "")
            for number, url in enumerate(urls)
            for source in ["link" if number else "start"]
        ],
        [classes[url.removeprefix(SITE).rpartition("/")[0]] for url in urls],
    )
    mentions = PageMentions(inventory, visited=[(7, 0), (8, len(urls) - 1)], sitemaps=[])
    # The last page links to the one before.
    mentions.add([(8, len(urls) - 2, "link", "")])
    return section_links(inventory, mentions)


def named_links(found: LinkFacts) -> dict[tuple[str, str], int]:
    names = {section["id"]: section["name"] for section in found["sections"]}
    return {
        (names[each["source"]], names[each["target"]]): each["links"] for each in found["links"]
    }


def test_links_are_counted_by_section() -> None:
    found = drawn({"/a": 30, "/b": 20})
    assert [(each["name"], each["pages"]) for each in found["sections"]] == [
        *(("/a", 30), ("/b", 20), ("other pages", 1)),
    ]
    assert named_links(found) == {
        ("other pages", "/a"): 30,
        ("other pages", "/b"): 20,
        ("/b", "/b"): 1,
    }


def test_the_most_linked_pages_of_a_section_are_named() -> None:
    found = drawn({"/a": 30, "/b": 20})
    b = found["sections"][1]["most_linked"]
    assert b[0] == {"url": f"{SITE}/b/18", "title": "Page 49", "links": 2}
    assert [page["links"] for page in b[1:]] == [1] * 19


def test_sections_are_inside_of_others() -> None:
    found = drawn({"/a": 0, "/a/x": 30, "/a/y": 20})
    ids = {section["name"]: section["id"] for section in found["sections"]}
    inside = {section["name"]: section["parent"] for section in found["sections"]}
    assert inside == {"/a": None, "/a/x": ids["/a"], "/a/y": ids["/a"], "other pages": None}


def test_what_has_no_room_counts_in_the_section_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure, "MAX_SECTIONS", 2)
    found = drawn({"/a": 40, "/b": 30, "/a/x": 20, "/c": 20})
    assert {each["name"]: each["pages"] for each in found["sections"]} == {
        "/a": 60,
        "/b": 30,
        "other pages": 21,
    }
    assert named_links(found)["other pages", "/a"] == 60


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
