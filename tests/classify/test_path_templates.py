"""Which folders keep their names in templates, and which vary."""

from __future__ import annotations

import pytest

from sitecrawl.classify.path_templates import (
    MAX_DEPTH,
    FolderNode,
    FolderTreeLearner,
    count_folders,
)


def learned(pages: dict[str, int]) -> FolderNode:
    """The root; *pages* has for each folder the number of its pages."""
    host = "site.example"
    urls = [
        f"https://{host}/{folder}/page-{n}"
        for folder, number in pages.items()
        for n in range(number)
    ]
    return FolderTreeLearner({}).learn(count_folders(urls)[host])


def many(folders: int, pages: int) -> dict[str, int]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {f"{letters[n // 26]}{letters[n % 26]}x": pages for n in range(folders)}


@pytest.mark.parametrize(
    ("folders", "pages", "vary"),
    [(40, 30, False), (41, 30, True), (11, 1, False), (12, 2, True), (12, 3, False)],
)
def test_many_siblings_vary(folders: int, pages: int, vary: bool) -> None:
    root = learned(many(folders, pages))
    assert (len(root.named), list(root.varying)) == ((0, ["{slug}"]) if vary else (folders, []))


def test_large_folders_and_words_of_the_rules_keep_their_names() -> None:
    root = learned({**many(50, 2), "gallery": 1, "big": 60})
    assert sorted(root.named) == ["big", "gallery"]
    assert list(root.varying) == ["{slug}"]


def test_headlines_numbers_and_dates_vary_however_few_there_are() -> None:
    root = learned({"how-to-true-a-wheel": 2, "4711": 1, "2026": 5, "shop": 3, "about-us": 1})
    assert sorted(root.named) == ["about-us", "shop"]
    assert sorted(root.varying) == ["{id}", "{slug}", "{yyyy}"]
    assert sorted(learned({"how-to-true-a-wheel": 30, "a": 3}).named) == [
        "a",
        "how-to-true-a-wheel",
    ]


def test_folders_below_what_varies_are_learned_together() -> None:
    root = learned({f"{n}/photos": 2 for n in range(5)} | {f"{n}/files": 2 for n in range(3)})
    assert sorted(root.varying["{id}"].named) == ["files", "photos"]


def test_the_tree_has_an_end() -> None:
    node: FolderNode | None = learned({"/".join("abcdefghijklmnop"): 3})
    depth = -1
    while node is not None:
        depth += 1
        node = next(iter(node.named.values()), None)
    assert depth == MAX_DEPTH


def test_it_comes_back_from_data() -> None:
    data = learned({"shop": 3, "4711/x": 2, **many(50, 1)}).as_data()
    assert FolderNode.from_data(data).as_data() == data
