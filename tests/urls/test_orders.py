from __future__ import annotations

from itertools import permutations

from sitecrawl.urls.orders import _MAX_PATHS, PathOrders


def test_all_orders_but_the_first_are_recognised() -> None:
    orders = PathOrders()
    paths = ["/" + "/".join(order) for order in permutations(("map", "news", "team"))]
    for path in paths:
        orders.add(path)
    assert [orders.is_reordered(path) for path in paths] == [False] + [True] * 5


def test_a_segment_more_is_another_path() -> None:
    orders = PathOrders()
    orders.add("/a/b")
    assert not any(map(orders.is_reordered, ("/a", "/a/b/c", "/a/b/b", "/ab", "/b")))


def test_looking_adds_nothing() -> None:
    orders = PathOrders()
    assert not orders.is_reordered("/a/b")
    assert not orders.is_reordered("/b/a")


def test_only_so_many_are_remembered() -> None:
    orders = PathOrders()
    for number in range(_MAX_PATHS + 10):
        orders.add(f"/a/{number}")
    assert orders.is_reordered(f"/{_MAX_PATHS - 1}/a")
    assert not orders.is_reordered(f"/{_MAX_PATHS}/a")
