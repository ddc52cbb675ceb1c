from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sitecrawl.sitemaps.markup import MAX_TAG_CHARACTERS, MarkupTokenizer, parse_attributes

PARTS = st.sampled_from(
    [
        "<a>", "</a>", "<B:c d='>' e=\">\"/>", "text", "<", ">", "&amp;", "<!--", "--", "-->",
        "<![CDATA[", "]]", "]]>", "<?", "<?xml ", "?>", "<!DOCTYPE x", "[", "]", "'", '"', "<!",
        "</", "<a b='", "<1", "é",
    ]
)  # fmt: skip


class Recorder:
    """A handler that writes down what it is told, joining the parts of a text."""

    def __init__(self) -> None:
        self.wants_text = True
        self.calls: list[tuple[str, ...]] = []

    def start(self, prefix: str, name: str, attributes: str, *, is_empty: bool) -> None:
        self.calls.append(("start", prefix, name, attributes, str(is_empty)))

    def end(self, prefix: str, name: str) -> None:
        self.calls.append(("end", prefix, name))

    def text(self, data: str) -> None:
        if self.calls and self.calls[-1][0] == "text":
            data = self.calls.pop()[1] + data
        self.calls.append(("text", data))

    def declaration(self, head: str) -> None:
        self.calls.append(("declaration", head))


def tokens(*pieces: str) -> list[tuple[str, ...]]:
    recorder = Recorder()
    tokenizer = MarkupTokenizer(recorder)
    for piece in pieces:
        tokenizer.feed(piece)
    tokenizer.close()
    return recorder.calls


@given(st.lists(PARTS, max_size=20).map("".join))
@settings(max_examples=500)
def test_pieces_make_no_difference(text: str) -> None:
    expected = tokens(text)
    assert tokens(*text) == expected
    for cut in range(len(text)):
        assert tokens(text[:cut], text[cut:]) == expected


@given(st.lists(PARTS, max_size=12).map("".join))
@settings(max_examples=500)
def test_an_idle_tokenizer_starts_afresh(text: str) -> None:
    recorder = Recorder()
    tokenizer = MarkupTokenizer(recorder)
    tokenizer.feed(text)
    if tokenizer.is_idle:
        before = len(recorder.calls)
        tokenizer.feed("<next/>")
        assert recorder.calls[before:] == [("start", "", "next", "/", "True")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<A:B>", [("start", "a", "b", "", "False")]),
        ("<a b='1'/>", [("start", "", "a", " b='1'/", "True")]),
        ("</a\n>", [("end", "", "a")]),
        ("a < b", [("text", "a < b")]),
        ("<a title='x>", [("start", "", "a", " title='x", "False")]),
        ("<a <b>", [("text", "<a "), ("start", "", "b", "", "False")]),
        ("<![CDATA[a&b<c>]]>", [("text", "a&amp;b<c>")]),
        ("<!-- <a> --><?b <c> ?>x", [("text", "x")]),
        ("<!DOCTYPE a [<!ENTITY b ']>'>]>x", [("declaration", "<!DOCTYPE a [<!ENTITY b ']"),
                                               ("text", "x")]),
        ("</a </b<c>", [("end", "", "a"), ("end", "", "b"), ("start", "", "c", "", "False")]),
        ("<!-- never closed <a>", []),
        ("<never closed", [("text", "<never closed")]),
    ],
)  # fmt: skip
def test_tokens(text: str, expected: list[tuple[str, ...]]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize("size", [1_000, MAX_TAG_CHARACTERS * 3])
def test_a_tag_that_is_too_long_is_text(size: int) -> None:
    text = f"<a b='{'x' * MAX_TAG_CHARACTERS}'>"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert tokens(*pieces) == [("text", text)]


def test_text_nobody_wants_is_not_given() -> None:
    recorder = Recorder()
    recorder.wants_text = False
    MarkupTokenizer(recorder).feed("a<b>c<![CDATA[d]]>")
    assert recorder.calls == [("start", "", "b", "", "False")]


def test_attributes() -> None:
    raw = """ A = 'x"y' b="&lt;" c=bare/1 d e='&unknown;' a:F="" """
    assert parse_attributes(raw) == {
        "a": 'x"y', "b": "<", "c": "bare/1", "e": "&unknown;", "a:f": "",
    }  # fmt: skip
