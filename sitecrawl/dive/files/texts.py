"""Reads plain text, Markdown and e-books (EPUB)."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from sitecrawl.dive.extraction import (
    Article,
    Block,
    BlockKind,
    extract_article,
    limited_blocks,
    words,
)
from sitecrawl.dive.files.archive import first_text
from sitecrawl.dive.files.formats import FileProblem, UnreadableFileError
from sitecrawl.html.decoding import page_as_utf8
from sitecrawl.parsing.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.dive.files.archive import Archive

EPUB_TYPE: Final = "application/epub+zip"
_MAX_CHAPTERS: Final = 1_000
_MAX_TEXT_CHARACTERS: Final = 5_000_000
_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_ITEM: Final = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(.*)")
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_UNDERLINE: Final = re.compile(r"(=+|-+)\s*$")
_SHORTEST_UNDERLINE: Final = 3


def read_text(body: bytes) -> Article:
    """Plain text; headings, lists and code as Markdown writes them.

    >>> article = read_text(b"# Hours\\n\\nWe open\\nat nine.\\n\\n- on Monday\\n- on Friday\\n")
    >>> [(block.kind.value, block.text) for block in article.blocks]
    [('heading', 'Hours'), ('paragraph', 'We open at nine.'), ('item', 'on Monday'),
     ('item', 'on Friday')]
    """
    text = page_as_utf8(body, "text/plain", Findings()).decode("utf-8", "replace")
    blocks = limited_blocks(_text_blocks(text[:_MAX_TEXT_CHARACTERS].splitlines()))
    headings = (block.text for block in blocks if block.kind is BlockKind.HEADING)
    return Article(title=next(headings, ""), blocks=blocks)


def _text_blocks(lines: list[str]) -> Iterator[Block]:
    kind, gathered = BlockKind.PARAGRAPH, list[str]()
    for line in lines:
        if _FENCE.match(line):
            yield _gathered(kind, gathered)
            kind = BlockKind.PARAGRAPH if kind is BlockKind.CODE else BlockKind.CODE
            gathered = []
        elif kind is BlockKind.CODE:
            gathered.append(line)
        elif found := _HEADING.match(line):
            yield _gathered(kind, gathered)
            yield Block(BlockKind.HEADING, words(found[2]), len(found[1]))
            kind, gathered = BlockKind.PARAGRAPH, []
        elif len(gathered) == 1 and _is_underline(line):
            yield Block(BlockKind.HEADING, words(gathered[0]), 1 if line[0] == "=" else 2)
            gathered = []
        elif found := _ITEM.match(line):
            yield _gathered(kind, gathered)
            kind, gathered = BlockKind.ITEM, [found[1]]
        elif line.strip():
            gathered.append(line)
        else:
            yield _gathered(kind, gathered)
            kind, gathered = BlockKind.PARAGRAPH, []
    yield _gathered(kind, gathered)


def _is_underline(line: str) -> bool:
    return len(line.strip()) >= _SHORTEST_UNDERLINE and _UNDERLINE.match(line) is not None


def _gathered(kind: BlockKind, lines: list[str]) -> Block:
    return Block(kind, "\n".join(lines) if kind is BlockKind.CODE else words(" ".join(lines)))


def read_epub(archive: Archive) -> Article:
    """The chapters of an e-book in their order; each of them is read as a page is."""
    container = archive.tree("META-INF/container.xml")
    names = [each.get("full-path", "") for each in container.iter("{*}rootfile")]
    if not names:
        raise UnreadableFileError(FileProblem.DAMAGED, "the e-book names no contents")
    if "META-INF/encryption.xml" in archive.names and "META-INF/rights.xml" in archive.names:
        raise UnreadableFileError(FileProblem.ENCRYPTED, "the e-book is protected")
    package = archive.tree(names[0])
    return Article(
        title=words(first_text(package, "title")),
        author=words(first_text(package, "creator")),
        published=first_text(package, "date")[:10],
        language=first_text(package, "language"),
        blocks=limited_blocks(_chapters(archive, package, posixpath.dirname(names[0]))),
    )


def _chapters(archive: Archive, package: Any, folder: str) -> Iterator[Block]:
    files = {each.get("id", ""): each.get("href", "") for each in package.iter("{*}item")}
    spine = [each.get("idref", "") for each in package.iter("{*}itemref")]
    for number in spine[:_MAX_CHAPTERS]:
        name = posixpath.normpath(posixpath.join(folder, unquote(files.get(number, ""))))
        html = page_as_utf8(archive.read(name), "application/xhtml+xml", Findings())
        yield from extract_article(html.decode("utf-8", "replace")).blocks
