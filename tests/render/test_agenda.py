from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.render.actions import Clickable
from sitecrawl.render.agenda import Agenda
from sitecrawl.render.answers import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator


def _candidate(label: str, kind: str = "") -> Candidate:
    return Candidate(0, f"body > {label}", kind or label, Clickable("p", text=label))


def _rows(kind: str, count: int) -> list[Candidate]:
    return [_candidate(f"{kind}{number}", kind) for number in range(count)]


def _taken(agenda: Agenda, urls: str = "") -> Iterator[str]:
    while candidate := agenda.take():
        yield candidate.label
        agenda.conclude(candidate, [urls.format(candidate.label)] if urls else [])


def test_document_order_with_the_rest_of_what_is_alike_at_the_end() -> None:
    agenda = Agenda(max_alike=100)
    agenda.add([*_rows("a", 5), _candidate("about"), *_rows("b", 4)])

    assert list(_taken(agenda)) == ["a0", "a1", "a2", "about", "b0", "b1", "b2", "a3", "a4", "b3"]
    assert agenda.left_out == 0


def test_what_is_revealed_comes_at_once_and_in_its_order() -> None:
    agenda = Agenda(max_alike=100)
    agenda.add([_candidate("menu"), _candidate("about")])
    menu = agenda.take()
    assert menu is not None
    agenda.add(_rows("item", 4), revealer=menu)

    assert list(_taken(agenda)) == ["item0", "item1", "item2", "item3", "about"]


def test_rows_that_lead_to_pages_of_one_sort_are_sampled() -> None:
    agenda = Agenda(max_alike=4)
    agenda.add(_rows("row", 50))

    assert len(list(_taken(agenda, "https://a.example/items/{}"))) == 4
    assert agenda.left_out == 46


def test_rows_that_lead_nowhere_are_given_up() -> None:
    agenda = Agenda(max_alike=4)
    agenda.add(_rows("row", 50))

    assert len(list(_taken(agenda))) == 4


def test_items_of_a_menu_that_lead_to_pages_of_many_sorts_are_all_clicked() -> None:
    names = ["about", "team", "jobs", "press", "contact", "imprint"]
    agenda = Agenda(max_alike=2)
    agenda.add(_candidate(name, "item") for name in names)

    assert sorted(_taken(agenda, "https://a.example/en/{}")) == sorted(names)


def test_nothing_comes_twice() -> None:
    agenda = Agenda(max_alike=100)
    agenda.add([_candidate("about"), _candidate("about")])
    agenda.add([_candidate("about")])

    assert list(_taken(agenda)) == ["about"]


def test_actions_are_kept_with_their_reason() -> None:
    agenda = Agenda(max_alike=100)
    agenda.add([_candidate("Delete"), _candidate("about")])

    assert list(_taken(agenda)) == ["about"]
    [refused] = agenda.refused
    assert (refused.label, refused.path, refused.refusal.rule) == (
        "Delete",
        "body > Delete",
        "delete",
    )


def test_what_was_lost_comes_again_with_what_revealed_it() -> None:
    menu, item, about = map(_candidate, ("menu", "item", "about"))
    agenda = Agenda(max_alike=100)
    agenda.add([menu, about])
    agenda.take()
    agenda.add([item], revealer=menu)
    assert list(_taken(agenda)) == ["item", "about"]
    assert not agenda.has_lost

    agenda.lose(item)
    assert agenda.has_lost
    agenda.retry()
    assert not agenda.has_lost
    agenda.add([menu, about])

    assert list(_taken(agenda)) == ["menu"]
    agenda.add([item], revealer=menu)
    assert list(_taken(agenda)) == ["item"]
