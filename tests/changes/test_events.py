from __future__ import annotations

from typing import Any

import pytest

from sitecrawl.changes.events import group_pages
from sitecrawl.changes.kinds import Change, ChangeKind, PageRef, Severity


def changed(
    kind: ChangeKind, *paths: str, type_: str = "", important: int = 0, **facts: Any
) -> list[Change]:
    return [
        Change(
            kind,
            PageRef(
                number, f"https://example.com{path}", type=type_, is_important=number < important
            ),
            **facts,
        )
        for number, path in enumerate(paths)
    ]


def posts(number: int, folder: str = "/blog") -> list[str]:
    return [f"{folder}/post-{each}" for each in range(number)]


STATUS: dict[str, Any] = {"before": {"status": 200}, "after": {"status": 404}}
NOINDEX: dict[str, Any] = {"before": {"indexable": True}, "after": {"indexable": False}}
TITLE: dict[str, Any] = {"before": {"title": "a"}, "after": {"title": "b"}}


@pytest.mark.parametrize(
    ("changes", "titles"),
    [
        (
            changed(ChangeKind.ADDED, *posts(120), type_="article"),
            ["/blog: 120 new articles"],
        ),
        (
            changed(ChangeKind.UPDATED, *posts(12, "/p"), type_="product", **STATUS),
            ["/p: 12 product pages answer 404"],
        ),
        (
            changed(ChangeKind.UPDATED, *posts(2), **STATUS, evidence={"soft_404": True}),
            ["/blog: 2 pages answer with error pages (soft 404)"],
        ),
        (changed(ChangeKind.REMOVED, "/a"), ["https://example.com/a was removed"]),
        (
            changed(ChangeKind.ADDED, *(f"/{each}/x" for each in range(7))),
            ["7 new pages in 7 sections"],
        ),
        (
            changed(ChangeKind.ADDED, "/a/1", "/a/2", "/b/1"),
            ["/a: 2 new pages", "new page https://example.com/b/1"],
        ),
        (
            changed(ChangeKind.UPDATED, "/a", **NOINDEX),
            ["https://example.com/a can no longer be indexed"],
        ),
        (changed(ChangeKind.UPDATED, *posts(2), **TITLE), ["/blog: 2 pages changed: title"]),
    ],
)
def test_events_in_words(changes: list[Change], titles: list[str]) -> None:
    assert [event.title for event in group_pages(changes)] == titles


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        (changed(ChangeKind.ADDED, *posts(500)), Severity.INFO),
        (changed(ChangeKind.REMOVED, *posts(5)), Severity.LOW),
        (changed(ChangeKind.REMOVED, *posts(5), important=1), Severity.MEDIUM),
        (changed(ChangeKind.REMOVED, *posts(100), important=1), Severity.HIGH),
        (changed(ChangeKind.UPDATED, *posts(5), **STATUS), Severity.MEDIUM),
        (changed(ChangeKind.UPDATED, *posts(100), important=2, **STATUS), Severity.CRITICAL),
    ],
)
def test_kind_number_and_importance_make_the_severity(
    changes: list[Change], severity: Severity
) -> None:
    [event] = group_pages(changes)
    assert event.severity is severity


def test_broken_pages_open_an_incident_and_new_ones_do_not() -> None:
    [broken] = group_pages(changed(ChangeKind.UPDATED, *posts(5), **STATUS))
    [added] = group_pages(changed(ChangeKind.ADDED, *posts(5)))
    assert (broken.incident, added.incident) == ("broken:/blog:404", "")
