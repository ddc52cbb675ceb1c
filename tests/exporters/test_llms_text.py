"""The Markdown of an llms.txt, read by a Markdown parser and by a simple reader of the format."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from sitecrawl.exporters.llms_text import (
    MAX_TITLE_CHARACTERS,
    Link,
    Section,
    link_target,
    llms_text,
    plain,
)
from sitecrawl.urls.canonical import canonicalize
from tests.urls.nasty import nasty_urls

# As the reader that comes with the proposal at llmstxt.org looks for links.
_SIMPLE_LINK = re.compile(r"-\s*\[(?P<title>[^\]]+)\]\((?P<url>[^\)]+)\)(?::\s*(?P<note>.*))?")

_words = st.text() | st.lists(
    st.sampled_from(
        [
            *("a", " ", "\n", "[", "]", "(", ")", "<b>", "*", "_", "`", "#", "> ", "- ", "1. "),
            *("\\", "&amp;", "&", "|", "~~~", "```", "---", "===", "![x](y)", "\u202e", "\x1b"),
        ]
    )
).map("".join)
_links = st.builds(
    lambda title, url, note: Link(
        plain(title) or "x", canonicalize(url) or "https://a.example/", note
    ),
    _words,
    nasty_urls(),
    _words,
)


def read(text: str) -> list[tuple[str, Any]]:
    """Each block with its text; a link as text, address and what is behind it."""
    found: list[tuple[str, Any]] = []
    kind = ""
    for token in MarkdownIt("commonmark").parse(text):
        if token.type.endswith("_open") and token.type != "paragraph_open":
            kind = token.tag
            found += [(kind, None)] if kind not in {"h1", "h2", "li", "blockquote"} else []
        elif token.type == "inline":
            found.append((kind, _inline(token.children or [])))
        elif token.type != "paragraph_open" and not token.type.endswith("_close"):
            found.append((token.type, token.content))
    return found


def _inline(tokens: list[Any]) -> Any:
    types = [token.type for token in tokens if token.type not in {"text", "text_special"}]
    text = "".join(token.content for token in tokens)
    if types == []:
        return text
    assert types == ["link_open", "link_close"], types
    close = next(place for place, token in enumerate(tokens) if token.type == "link_close")
    title = "".join(token.content for token in tokens[:close])
    behind = "".join(token.content for token in tokens[close:])
    return title, tokens[0].attrs["href"], behind


def test_the_form() -> None:
    sections = [
        Section("Docs", [Link("Start", "https://a.example/start", "How to begin")]),
        Section("Optional", [Link("Imprint", "https://a.example/imprint")]),
    ]
    assert llms_text("A site", "What it is.", sections) == (
        "# A site\n\n> What it is.\n\n## Docs\n\n"
        "- [Start](https://a.example/start): How to begin\n\n## Optional\n\n"
        "- [Imprint](https://a.example/imprint)\n"
    )


@settings(max_examples=150)
@given(_words, _words, _words, st.lists(_links, min_size=1, max_size=3))
def test_whatever_a_site_writes_stays_text(
    title: str, summary: str, heading: str, links: list[Link]
) -> None:
    title, summary, heading = (plain(text) or "x" for text in (title, summary, heading))
    text = llms_text(title, summary, [Section(heading, links)])
    notes = [plain(link.note, 200) for link in links]
    assert read(text) == [
        ("h1", title),
        ("blockquote", summary),
        ("h2", heading),
        ("ul", None),
        *(
            ("li", (link.title, link_target(link.url), f": {note}" if note else ""))
            for link, note in zip(links, notes, strict=True)
        ),
    ]


@settings(max_examples=150)
@given(st.lists(_links, min_size=1, max_size=3))
def test_a_simple_reader_finds_every_link(links: list[Link]) -> None:
    text = llms_text("x", "y", [Section("z", links)])
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    matches = [_SIMPLE_LINK.fullmatch(line) for line in lines]
    assert [match and match["url"] for match in matches] == [
        link_target(link.url) for link in links
    ]


@pytest.mark.parametrize(
    "text", ["a\u202eb", "a\u200bb", "a\x1b[31mb", "a\u2028b", "a\U000e0041b", "a\x00b"]
)
def test_nothing_is_hidden(text: str) -> None:
    assert plain(text).isprintable()


def test_what_joins_letters_stays() -> None:
    assert plain("\u0645\u06cc\u200c\u062e") == "\u0645\u06cc\u200c\u062e"


def test_a_long_title_is_cut() -> None:
    cut = plain("word " * 100)
    assert len(cut) <= MAX_TITLE_CHARACTERS
    assert cut.endswith("word…")
