"""The Markdown of an llms.txt: what a site wrote stays text, whatever it looks like.

Square brackets become character references, because simple readers of the format look for them,
and would take an escaped one for the end of a title.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.urls.canonical import strict_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_TITLE_CHARACTERS: Final = 120
MAX_NOTE_CHARACTERS: Final = 200
MAX_SUMMARY_CHARACTERS: Final = 1_000
OPTIONAL: Final = "Optional"
# Scripts need them between letters; every other invisible character can hide text.
_JOINERS: Final = frozenset("\u200c\u200d")
_ESCAPES: Final = str.maketrans(
    {"[": "&#91;", "]": "&#93;"} | {char: f"\\{char}" for char in "\\`*_<#~|"}
)
_REFERENCE: Final = re.compile(r"&(?=#?\w{1,40};)")
_BLOCK_START: Final = re.compile(r"[-+>]|[0-9]{1,9}(?=[.)])")
_PARENTHESES: Final = str.maketrans({"(": "%28", ")": "%29"})


class Link(NamedTuple):
    """A page; title and note are plain text."""

    title: str
    url: str
    note: str = ""


class Section(NamedTuple):
    title: str
    links: Sequence[Link]


def llms_text(title: str, summary: str, sections: Sequence[Section]) -> str:
    """The file: a title, a summary, and sections of links."""
    quoted = _at_line_start(escaped(summary, MAX_SUMMARY_CHARACTERS))
    lines = [f"# {escaped(title)}", "", f"> {quoted}"]
    for section in sections:
        lines += ["", f"## {escaped(section.title)}", "", *_list(section.links)]
    return "\n".join(lines) + "\n"


def _list(links: Sequence[Link]) -> Iterator[str]:
    for link in links:
        note = escaped(link.note, MAX_NOTE_CHARACTERS)
        yield f"- [{escaped(link.title)}]({link_target(link.url)})" + (f": {note}" if note else "")


def plain(text: str, max_characters: int = MAX_TITLE_CHARACTERS) -> str:
    """*text* on one line, without what cannot be seen, cut to its length."""
    seen = "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)
    words = " ".join(seen.split())
    return words if len(words) <= max_characters else f"{words[: max_characters - 1].rstrip()}…"


def escaped(text: str, max_characters: int = MAX_TITLE_CHARACTERS) -> str:
    """
    >>> escaped("*Sale*  [50%](http://x.example)\\n# now")
    '\\\\*Sale\\\\* &#91;50%&#93;(http://x.example) \\\\# now'
    >>> escaped("R&D &amp; Co")
    'R&D &amp;amp; Co'
    """
    return _REFERENCE.sub("&amp;", plain(text, max_characters)).translate(_ESCAPES)


def link_target(url: str) -> str:
    """The address so that it ends where the link ends.

    >>> link_target("https://a.example/Mercury_(planet)?a&lt;b")
    'https://a.example/Mercury_%28planet%29?a%26lt;b'
    """
    return _REFERENCE.sub("%26", strict_url(url).translate(_PARENTHESES))


def _at_line_start(text: str) -> str:
    """A line that begins no list and no quotation.

    >>> _at_line_start("- a"), _at_line_start("1. b"), _at_line_start("c")
    ('\\\\- a', '1\\\\. b', 'c')
    """
    match = _BLOCK_START.match(text)
    if match is None:
        return text
    place = 0 if match.end() == 1 and not match[0].isdigit() else match.end()
    return f"{text[:place]}\\{text[place:]}"
