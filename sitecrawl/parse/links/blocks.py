"""Blocks that pages repeat byte by byte, such as menus and footers: parsed and read once.

Before a page is parsed, the content of a block that is known gives way to its bare text, with a
mark before it. What comes of the page is the same as if it had been parsed whole:

- Its start tag stays, so whatever that depends on or brings about is as it was.
- A block is plain (see `plainmarkup`) and has text, so its content would have left the parser as
  the mark and the text leave it.
- The mark must be found where it was put, and only inside of elements that have no say in how
  their content is parsed. So no link, button or formatting is open that would be closed or
  continued in the block, and it was no comment, script or attribute that happens to look like it.

A page where that is not so is parsed whole.
"""

from __future__ import annotations

import re
import secrets
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from sitecrawl.parse.links.chosen import MARK_TAG, chosen_elements
from sitecrawl.parse.links.plainmarkup import parsed_shape, written_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from sitecrawl.parse.links.chosen import Elements
    from sitecrawl.parse.links.linkreader import LinkReader
    from sitecrawl.parse.links.places import Place

# Nobody who writes a page can know it.
_MARK = f"data-{secrets.token_hex(8)}"
_START_TAG = re.compile(rb"""<(?:"[^"]*+"|'[^']*+'|[^"'>])*+>""")
_LANDMARK_TAG = re.compile(rb"<(?:/(nav|header|footer|aside)>|(nav|header|footer|aside)[\s>])")
_MAX_LANDMARK_TAGS = 200
_MIN_BYTES = 200
_MAX_BYTES = 64 * 1024
_MAX_KNOWN_BLOCKS = 64
_MAX_SEEN_BLOCKS = 10_000
# To learn a block costs as much as some pages gain by it.
_TIMES_TO_LEARN = 3
_NEUTRAL_NAMES = "article aside body center div footer form header html main nav section"
_NEUTRAL_TAGS = frozenset(_NEUTRAL_NAMES.split())


class Block:
    """A block with its tree, and what readers have made of it."""

    __slots__ = ("_after_mark", "_before_mark", "markup", "name", "readers", "root")

    def __init__(self, markup: bytes, root: LexborNode, text: str):
        self.markup = markup
        self.root = root
        self.name = root.tag
        self.readers: dict[Place, LinkReader] = {}
        """What was read of it, by the place inside of its outermost element."""
        start_tag = _START_TAG.match(markup)
        assert start_tag is not None
        self._before_mark = start_tag[0]
        bare_text = escape(text, quote=False).replace("\r", "&#13;")
        self._after_mark = f"{bare_text}</{self.name}>".encode()

    def stand_in(self, number: int) -> bytes:
        """The markup that takes its place."""
        mark = b'<%b %b="%d">' % (MARK_TAG.encode(), _MARK.encode(), number)
        return self._before_mark + mark + self._after_mark

    def is_marked_by(self, mark: LexborNode) -> bool:
        """Whether the mark stands where it was put."""
        element, text = mark.parent, mark.next
        if element is None or element.tag != self.name or mark.prev is not None:
            return False
        if text is None or not text.is_text_node or text.next is not None:
            return False
        while element is not None and element.is_element_node:
            if element.tag not in _NEUTRAL_TAGS:
                return False
            element = element.parent
        return True


class ParsedPage(NamedTuple):
    """A tree, what of it is worth a look, and the blocks that are left out, by their marks' ids."""

    tree: LexborHTMLParser
    elements: Elements
    blocks: dict[int, Block]


class KnownBlocks:
    """The blocks of the pages so far: what comes again and again is kept."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._useless: set[int] = set()
        self._blocks: dict[int, Block] = {}

    def parse(self, markup: bytes) -> ParsedPage:
        """Parse a page without the blocks of it that are known."""
        shortened, blocks = self._cut(markup)
        if blocks:
            page = parse_whole(shortened)
            if self._are_placed(blocks, page):
                return page
        return parse_whole(markup)

    def _cut(self, markup: bytes) -> tuple[bytes, list[Block]]:
        pieces: list[bytes] = []
        blocks: list[Block] = []
        position = 0
        # The outer ones come first.
        for start, end in sorted(_landmarks(markup)):
            if start >= position and (block := self._known(markup[start:end])):
                pieces += (markup[position:start], block.stand_in(len(blocks)))
                blocks.append(block)
                position = end
        pieces.append(markup[position:])
        return b"".join(pieces), blocks

    def _are_placed(self, blocks: list[Block], page: ParsedPage) -> bool:
        for tag, node in page.elements:
            if tag == MARK_TAG and (number := node.attributes.get(_MARK)):
                block = blocks[int(number)]
                if block.is_marked_by(node):
                    page.blocks[node.mem_id] = block
        if len(page.blocks) == len(blocks):
            return True
        # On the next page they would not be in their place, either.
        for block in {*blocks} - {*page.blocks.values()}:
            self._give_up(_key(block.markup))
        return False

    def _known(self, markup: bytes) -> Block | None:
        key = _key(markup)
        block = self._blocks.get(key)
        if block is None and key not in self._useless:
            block = self._learned(key, markup)
        return block if block is not None and block.markup == markup else None

    def _learned(self, key: int, markup: bytes) -> Block | None:
        if len(self._seen) >= _MAX_SEEN_BLOCKS:
            self._seen.clear()
        times = self._seen[key] = self._seen.get(key, 0) + 1
        if times < _TIMES_TO_LEARN:
            return None
        block = _read(markup)
        if block is None:
            self._give_up(key)
            return None
        if len(self._blocks) >= _MAX_KNOWN_BLOCKS:
            oldest = next(iter(self._blocks))
            del self._blocks[oldest]
            self._seen.pop(oldest, None)
        self._blocks[key] = block
        return block

    def _give_up(self, key: int) -> None:
        self._blocks.pop(key, None)
        if len(self._useless) >= _MAX_SEEN_BLOCKS:
            self._useless.clear()
        self._useless.add(key)


def parse_whole(markup: bytes) -> ParsedPage:
    # Not at the top: it is large, and whoever only needs the words of links does not need it.
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(markup)
    return ParsedPage(tree, chosen_elements(tree.root) if tree.root is not None else [], {})


def _key(markup: bytes) -> int:
    return xxhash.xxh3_64_intdigest(markup)


def _landmarks(markup: bytes) -> Iterator[tuple[int, int]]:
    """Where the parts of a page start and end that are likely to be on others, too."""
    starts: dict[bytes, int] = {}
    for tag in islice(_LANDMARK_TAG.finditer(markup), _MAX_LANDMARK_TAGS):
        end_name, start_name = tag.groups()
        if start_name:
            starts[start_name] = tag.start()
        elif (start := starts.pop(end_name, None)) is not None:
            end = tag.end()
            if _MIN_BYTES <= end - start <= _MAX_BYTES:
                yield start, end


def _read(markup: bytes) -> Block | None:
    shape = written_shape(markup)
    if shape is None:
        return None
    body = parse_whole(b"<!doctype html><body>" + markup).tree.body
    root = body.first_child if body is not None else None
    if root is None or root.next is not None or parsed_shape(root) != shape:
        return None
    text = root.text(separator=" ")
    return Block(markup, root, text) if text.strip() else None
