from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sitecrawl.classify.shapes import shapes_of


@given(st.lists(st.text() | st.from_regex(r"[a-zA-Z0-9-]{0,9}(\.html)?\n?", fullmatch=True)))
def test_names_have_the_same_shape_together_and_alone(names: list[str]) -> None:
    assert shapes_of(names) == [shape for name in names for shape in shapes_of([name])]


@given(st.text())
def test_only_an_ending_stands_as_one(name: str) -> None:
    assert (b"\xff" in shapes_of([name])[0]) == name.endswith(".html")
