"""The content of an HTML page as blocks: headings, paragraphs, list items, table rows, code.

trafilatura decides what is content; menus, footers, comments and hidden text are dropped. Its tree
becomes blocks in the order of the page.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from collections.abc import Iterator

# A page with more markup is cut: extraction takes time in proportion to it.
MAX_HTML_CHARACTERS: Final = 5_000_000
_MAX_BLOCKS: Final = 20_000
_MAX_BLOCK_CHARACTERS: Final = 50_000
_MAX_FIELD_CHARACTERS: Final = 500
_SPACE: Final = re.compile(r"\s+")
# Documentation tools put these signs behind a heading, as a link to itself.
_HEADING_SIGNS: Final = " \t¶#§🔗\N{LINK SYMBOL}"
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_ROOT: Final = re.compile(r"<(?:html|body)\b", re.IGNORECASE)
_WRAPPERS: Final = frozenset({"div", "header", "hgroup"})
# A browser does not show these elements, so they may hold text that is meant for machines only.
_HIDDEN: Final = (
    "//template | //*[@hidden or @aria-hidden='true']"
    " | //*[contains(translate(@style, ' ', ''), 'display:none')]"
    " | //*[contains(translate(@style, ' ', ''), 'visibility:hidden')]"
)
# On a page with little text trafilatura takes these for content.
_MENUS: Final = (
    "//nav | //*[@role='navigation']"
    " | //*[contains(concat(' ', normalize-space(@class), ' '), ' toc ')]"
)
_TOP_LEVEL: Final = 1
_LOWEST_LEVEL: Final = 6


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of content."""

    kind: BlockKind
    text: str
    level: int = 0
    """Of a heading: 1 to 6."""
    page: int = 0
    """Of a PDF file or of slides, from 1."""


@dataclass(frozen=True, slots=True)
class Article:
    """The content of a page, without menus and the like."""

    title: str = ""
    author: str = ""
    published: str = ""
    """A date as YYYY-MM-DD."""
    language: str = ""
    """As the page declares it; empty: it declares none."""
    blocks: list[Block] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.blocks)


def extract_article(html: str, url: str = "") -> Article:
    """The content of the page; an article without blocks if there is none.

    >>> page = extract_article("<html><title>A</title><body><article><h2>Hours</h2>"
    ...                        "<p>We open at nine on every day of the week.</p></article>")
    >>> [(block.kind.value, block.text) for block in page.blocks]
    [('heading', 'Hours'), ('paragraph', 'We open at nine on every day of the week.')]
    """
    from trafilatura import load_html

    text = html[:MAX_HTML_CHARACTERS]
    if _ROOT.search(text) is None:
        # HTML lets authors omit these tags; trafilatura does not accept such a page as HTML.
        text = LexborHTMLParser(text).html or ""
    tree: Any = load_html(text)
    if tree is None:
        return Article()
    _drop(tree, _HIDDEN)
    _drop(tree, _MENUS)
    _unwrap_headings(tree)
    has_headings = next(tree.iter(*_HEADINGS), None) is not None
    body = tree.find("body")
    found = _extract(tree, url)
    if has_headings and body is not None and not _has_heading(found):
        # Without a container that it knows trafilatura takes the paragraphs only.
        body.tag = "article"
        tree.replace(body, wrapper := tree.makeelement("body"))
        wrapper.append(body)
        found = _extract(tree, url)
    if found is None or found.body is None:
        return Article()
    return Article(
        title=_field(found.title),
        author=_field(found.author),
        published=_field(found.date),
        language=_field(found.language),
        blocks=limited_blocks(_blocks(found.body)),
    )


def _extract(tree: Any, url: str) -> Any:
    from trafilatura import bare_extraction
    from trafilatura.settings import set_date_params

    return bare_extraction(
        deepcopy(tree),
        url=url or None,
        include_comments=False,
        include_formatting=True,
        with_metadata=True,
        # Dates that the page declares or shows; a search through all of its text takes longer than
        # all else, and finds dates of other things.
        date_extraction_params=set_date_params(extensive=False),
    )


def _has_heading(found: Any) -> bool:
    return found is not None and found.body is not None and found.body.find(".//head") is not None


def _drop(tree: Any, places: str) -> None:
    for element in tree.xpath(places):
        if element.getparent() is not None:
            element.drop_tree()


def _unwrap_headings(tree: Any) -> None:
    """Replace wrappers that hold only a heading (DocBook) by the heading.

    trafilatura takes such a wrapper for the header of the page and drops it.
    """
    for heading in list(tree.iter(*_HEADINGS)):
        outermost = heading
        while (parent := outermost.getparent()) is not None and _holds_only(parent, outermost):
            outermost = parent
        if outermost is not heading:
            tail, heading.tail = outermost.tail, None
            outermost.getparent().replace(outermost, heading)
            heading.tail = tail


def _holds_only(parent: Any, child: Any) -> bool:
    if parent.tag not in _WRAPPERS or parent.getparent() is None or (parent.text or "").strip():
        return False
    others = (each for each in parent if each is not child)
    if any("".join(each.itertext()).strip() for each in others):
        return False
    return not any((each.tail or "").strip() for each in parent)


def _field(value: object) -> str:
    text = _SPACE.sub(" ", str(value or "")).strip(_HEADING_SIGNS)
    return text[:_MAX_FIELD_CHARACTERS]


def words(text: str) -> str:
    """The text in one line."""
    return _SPACE.sub(" ", text).strip()[:_MAX_BLOCK_CHARACTERS]


def limited_blocks(blocks: Iterator[Block]) -> list[Block]:
    """The blocks that have a text, up to a limit."""
    return list(islice((block for block in blocks if block.text), _MAX_BLOCKS))


def _blocks(element: Any) -> Iterator[Block]:
    """The blocks of trafilatura's tree, whose elements have the names of TEI."""
    for child in element:
        match child.tag:
            case "head":
                text = _words(child).rstrip(_HEADING_SIGNS)
                yield Block(BlockKind.HEADING, text, _heading_level(child.get("rend")))
            case "p":
                yield Block(BlockKind.PARAGRAPH, _words(child))
            case "code":
                yield Block(BlockKind.CODE, _lines(child))
            case "quote":
                yield Block(BlockKind.QUOTE, _words(child))
            case "list":
                yield from _items(child)
            case "table":
                yield from _rows(child)
            case "div" | "body":
                yield from _blocks(child)
            case _:
                yield Block(BlockKind.PARAGRAPH, _words(child))
        # Text between two elements.
        if tail := words(child.tail or ""):
            yield Block(BlockKind.PARAGRAPH, tail)


def _items(element: Any) -> Iterator[Block]:
    for item in element.iter("item"):
        # The items of a nested list come on their own.
        own = "".join(_own_text(item))
        yield Block(BlockKind.ITEM, words(own))


def _own_text(item: Any) -> Iterator[str]:
    yield item.text or ""
    for child in item:
        if child.tag != "list":
            yield "".join(child.itertext())
            if child.tag in {"p", "code", "head"}:
                yield " "
        yield child.tail or ""


def _rows(element: Any) -> Iterator[Block]:
    for row in element.iter("row"):
        cells = (_words(cell) for cell in row.iter("cell"))
        text = " | ".join(cell for cell in cells if cell)
        yield Block(BlockKind.ROW, text[:_MAX_BLOCK_CHARACTERS])


def _words(element: Any) -> str:
    return words("".join(element.itertext()))


def _lines(element: Any) -> str:
    return "".join(element.itertext()).strip("\n")[:_MAX_BLOCK_CHARACTERS]


def _heading_level(rend: str | None) -> int:
    digits = (rend or "").removeprefix("h")
    level = int(digits) if digits.isdecimal() else _TOP_LEVEL
    return min(max(level, _TOP_LEVEL), _LOWEST_LEVEL)
