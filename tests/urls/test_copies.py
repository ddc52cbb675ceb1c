from __future__ import annotations

import pytest

from sitecrawl.urls.copies import PageCopies


def copies(*known: str, enough: int = 1, most: int = 100, pages: int = 10) -> PageCopies:
    made = PageCopies(enough=enough, most=most)
    for number in range(pages):
        made.record(f"/real-{number}", is_productive=True)
    for location in known:
        made.record(location, is_productive=False)
    return made


@pytest.mark.parametrize(
    ("location", "depth_of_text", "expected"),
    [
        ("/a", 1, False),
        ("/a/b", 2, False),
        ("/a/b", 3, False),
        ("/a/b", 1, True),
        ("", 0, False),
        # One step more is what a copy of the whole site has.
        ("/gb/a", 1, False),
        ("/gb/a/b", 2, True),
        ("/gb/a", 0, True),
    ],
)
def test_a_copy_is_deeper_than_its_text(location: str, depth_of_text: int, expected: bool) -> None:
    assert copies("/gb").is_copy(location, depth_of_text) is expected


def test_what_lies_below_a_copy() -> None:
    known = copies("/a/b")
    assert [known.is_below(path) for path in ("/a/b/c", "/a/b/c/d")] == [True, True]
    assert not any(map(known.is_below, ("/a/b", "/a/bc", "/a", "", "/a/b/c/d/e", "/x/a/b")))


def test_the_root_is_no_copy() -> None:
    assert not any(map(copies("").is_below, ("/a", "/a/b")))


def test_few_copies_do_not_count() -> None:
    assert not copies("/a", enough=2).is_below("/a/b")
    assert copies("/a", "/b", enough=2).is_below("/a/b")
    assert not copies("/a", "/b", enough=0).is_below("/a/b")


def test_copies_of_a_site_with_few_pages_do_not_count() -> None:
    assert not copies("/a", pages=9).is_below("/a/b")


def test_only_so_many_are_remembered() -> None:
    known = copies("/a", "/b", most=1)
    assert [known.is_below(path) for path in ("/a/x", "/b/x")] == [True, False]
