from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.render.page_script import Answer, AnswerError, RenderedFragment

_FACTS: dict[str, Any] = {
    "id": 3,
    "path": "body > p",
    "kind": "<p ",
    "tag": "p",
    "type": "",
    "text": "About us",
    "titles": [],
    "names": ["about"],
    "classes": ["wide"],
    "handlers": ["() => go()"],
    "inForm": True,
}


def _answer(**values: object) -> Answer:
    return Answer.parse(json.dumps(values))


def test_a_candidate_is_read() -> None:
    [candidate] = _answer(candidates=[_FACTS]).candidates()

    assert (candidate.number, candidate.label) == (3, "About us")
    assert candidate.identity == ("<p ", "body > p", "About us")
    assert candidate.clickable.names == ("about",)
    assert candidate.clickable.in_form
    assert not candidate.clickable.is_download


def test_fragments_are_cut_to_their_limit() -> None:
    part = {"where": "shadow", "base": "https://a.example/", "html": "<p>long"}

    assert _answer(fragments=[part]).fragments(3, "Menu") == [
        RenderedFragment("<p>", "https://a.example/", "shadow", "Menu")
    ]


def test_where_the_page_wanted_to_go_is_read() -> None:
    assert _answer(noted=[{"url": "https://a.example/", "click": 2}]).noted() == [
        ("https://a.example/", 2)
    ]


@pytest.mark.parametrize(
    "text", [None, 7, {}, "", "{", "[]", "null", '"text"', "[" * 100_000, "NaN"], ids=repr
)
def test_what_is_no_object_is_refused(text: object) -> None:
    with pytest.raises(AnswerError):
        Answer.parse(text)


@pytest.mark.parametrize("number", [-1, 1.5, 10**12, "3", None, [], float("nan")])
def test_a_number_has_to_be_one(number: object) -> None:
    with pytest.raises(AnswerError):
        _answer(candidates=[_FACTS | {"id": number}]).candidates()


@pytest.mark.parametrize("name", ["path", "kind", "tag", "type", "text"])
@pytest.mark.parametrize("value", [None, 3, ["x"], {"x": "y"}], ids=repr)
def test_a_text_has_to_be_one(name: str, value: object) -> None:
    with pytest.raises(AnswerError):
        _answer(candidates=[_FACTS | {name: value}]).candidates()


def test_a_place_has_to_be_known() -> None:
    part = {"where": "elsewhere", "base": "", "html": ""}
    with pytest.raises(AnswerError):
        _answer(fragments=[part]).fragments(10)


def test_everything_is_limited() -> None:
    large = _FACTS | {"text": "x" * 10_000, "names": ["y" * 10_000] * 100}
    candidates = _answer(candidates=[large, *[_FACTS] * 3000]).candidates()

    assert len(candidates) == 2000
    assert len(candidates[0].label) == 2000
    assert [len(name) for name in candidates[0].clickable.names] == [2000] * 60


def test_text_that_no_database_takes_is_made_good() -> None:
    [candidate] = _answer(candidates=[_FACTS | {"text": "a\0b\ud800"}]).candidates()

    assert candidate.label == "ab?"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*_FACTS, "url", "click", "html"]), inner, max_size=6)
    ),
    max_leaves=20,
)


@given(st.fixed_dictionaries({"candidates": _JSON, "noted": _JSON, "fragments": _JSON}))
def test_an_answer_is_read_or_refused(values: dict[str, object]) -> None:
    answer = _answer(**values)
    for read in (answer.candidates, answer.noted, lambda: answer.fragments(10)):
        with contextlib.suppress(AnswerError):
            read()
