from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.changes.moves import MoveEvidence, MovingPage, pair_moves

ROOT = "https://example.com"


def page(number: int, path: str, **facts: object) -> MovingPage:
    return MovingPage(number, ROOT + path, **facts)  # type: ignore[arg-type]


def paired(
    leaving: list[MovingPage],
    arriving: list[MovingPage],
    known: dict[int, MovingPage] | None = None,
) -> list[tuple[int, int, MoveEvidence]]:
    return [
        (move.old.id, move.new.id, move.by) for move in pair_moves(leaving, arriving, known or {})
    ]


@pytest.mark.parametrize(
    ("old", "new", "by"),
    [
        ({"redirects_to": 2}, {}, MoveEvidence.REDIRECT),
        ({"canonical_id": 2}, {}, MoveEvidence.CANONICAL),
        ({"text_hash": "abc"}, {"text_hash": "abc"}, MoveEvidence.SAME_TEXT),
        (
            {"title": "Old  Shoes", "fingerprint": 0b1111},
            {"title": "old shoes", "fingerprint": 0b1011},
            MoveEvidence.SIMILAR_TEXT,
        ),
    ],
)
def test_each_evidence(old: dict[str, object], new: dict[str, object], by: MoveEvidence) -> None:
    assert paired([page(1, "/a", **old)], [page(2, "/b", **new)]) == [(1, 2, by)]


def test_a_distinctive_slug_pairs_pages_of_one_template() -> None:
    old, new = page(1, "/a/red-shoes", template="/{}"), page(2, "/b/red-shoes", template="/{}")
    assert paired([old], [new]) == [(1, 2, MoveEvidence.SAME_SLUG)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (page(1, "/a/about"), page(2, "/b/about")),  # not distinctive
        (page(1, "/a/red-shoes", template="x"), page(2, "/b/red-shoes", template="y")),
        (page(1, "/a/red-shoes"), page(2, "/b/blue-shoes")),
        (page(1, "/a", title="Same", fingerprint=0), page(2, "/b", title="Same", fingerprint=-1)),
        (page(1, "/a", text_hash=""), page(2, "/b", text_hash="")),
    ],
)
def test_no_evidence(old: MovingPage, new: MovingPage) -> None:
    assert paired([old], [new]) == []


def test_a_target_of_many_redirects_is_no_new_place() -> None:
    leaving = [page(number, f"/old/{number}", redirects_to=9) for number in range(3)]
    assert paired(leaving, [page(9, "/all")]) == []
    assert paired([page(1, "/old", redirects_to=9)], [], {9: page(9, "/")}) == []


def test_a_text_of_several_pages_pairs_none() -> None:
    leaving = [page(number, f"/x{number}", text_hash="same") for number in (1, 2)]
    assert paired(leaving, [page(3, "/y", text_hash="same")]) == []


def test_a_rename_of_many_pages_decides_also_for_plain_slugs() -> None:
    leaving = [page(number, f"/blog/{number}") for number in range(5)]
    arriving = [page(100 + number, f"/news/{number}") for number in range(5)]
    arriving.append(page(200, "/other/3"))
    assert paired(leaving, arriving) == [
        (number, 100 + number, MoveEvidence.RENAME) for number in range(5)
    ]


@given(
    st.lists(st.sampled_from(["/a/x-y", "/b/x-y", "/b/p-q", "/c/1", "/c/2"]), unique=True),
    st.lists(st.sampled_from(["/d/x-y", "/e/x-y", "/e/p-q", "/f/1", "/f/2"]), unique=True),
)
def test_pairs_are_one_to_one(old: list[str], new: list[str]) -> None:
    leaving = [page(number, path) for number, path in enumerate(old)]
    arriving = [page(100 + number, path) for number, path in enumerate(new)]
    found = paired(leaving, arriving)
    assert len({first for first, _, _ in found}) == len(found)
    assert len({second for _, second, _ in found}) == len(found)
