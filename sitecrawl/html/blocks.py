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

from sitecrawl.html.elements import MARK_TAG, chosen_elements
from sitecrawl.html.plainmarkup import parsed_shape, written_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from sitecrawl.html.elements import Elements, LinkReader
    from sitecrawl.html.regions import Place


# Nobody who writes a page can know it.
_MARK = f"data-{secrets.token_hex(8)}"
_START_TAG = re.compile(rb"""<(?:"[^"]*+"|'[^']*+'|[^"'>])*+>""")
_LANDMARK_TAG = re.compile(rb"<(?:/(nav|header|footer|aside)>|(nav|header|footer|aside)[\s>])")
_MAX_LANDMARK_TAGS = 200
_MIN_BYTES = 200
_MAX_BYTES = 64 * 1024
_HEAD_BYTES = 64
_MAX_KIN = 8
_MAX_BLOCKS_OF_A_KIN = 16
_MAX_MISSES = 50
_MAX_SEEN_BLOCKS = 10_000
_FIRST_PAGES = 20
_PAGES_BETWEEN = 8
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


class _Kin:
    """Blocks that start alike, such as a menu that shows where in the site one is."""

    __slots__ = ("blocks", "head", "misses")

    def __init__(self, head: bytes):
        self.head = head
        self.blocks: list[Block] = []
        self.misses = 0
        """Pages in a row that had none of them."""

    def find(self, markup: bytes) -> tuple[int, int, Block] | None:
        """Where one of them starts and ends in a page, if it is where the first could be."""
        start = markup.find(self.head)
        if start >= 0:
            for block in self.blocks:
                if markup.startswith(block.markup, start):
                    self.misses = 0
                    return start, start + len(block.markup), block
        self.misses += 1
        return None


class KnownBlocks:
    """The blocks of the pages so far: what comes again and again is kept.

    To find a known block in a page is cheap, to look for unknown ones is not: after the first pages
    only some are searched.
    """

    def __init__(self) -> None:
        self._pages = 0
        self._seen: dict[int, int] = {}
        self._useless: set[int] = set()
        self._kin: dict[bytes, _Kin] = {}

    def parse(self, markup: bytes) -> ParsedPage:
        """Parse a page without the blocks of it that are known."""
        found = self._found(markup)
        self._pages += 1
        if self._pages <= _FIRST_PAGES or self._pages % _PAGES_BETWEEN == 0:
            self._learn(markup, found)
        if found:
            page = parse_whole(_shortened(markup, found))
            if self._are_placed([block for _, _, block in found], page):
                return page
        return parse_whole(markup)

    def _found(self, markup: bytes) -> list[tuple[int, int, Block]]:
        """The known blocks of a page, in their order; of one in another only the outer one."""
        found: list[tuple[int, int, Block]] = []
        places = [place for kin in self._kin.values() if (place := kin.find(markup))]
        for start, end, block in sorted(places, key=lambda place: (place[0], -place[1])):
            if not found or start >= found[-1][1]:
                found.append((start, end, block))
        for kin in [kin for kin in self._kin.values() if kin.misses > _MAX_MISSES]:
            del self._kin[kin.head]
        return found

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
            self._kin[block.markup[:_HEAD_BYTES]].blocks.remove(block)
        return False

    def _learn(self, markup: bytes, found: list[tuple[int, int, Block]]) -> None:
        """Look for blocks that are not known yet."""
        known = {(start, end) for start, end, _ in found}
        known_until = 0
        # The outer ones come first.
        for start, end in sorted({*known, *_landmarks(markup)}):
            is_inside = start < known_until
            if not is_inside and ((start, end) in known or self._learn_block(markup[start:end])):
                known_until = end

    def _learn_block(self, markup: bytes) -> bool:
        """Count a block; whether it is known from now on."""
        key = _key(markup)
        if key in self._useless:
            return False
        if len(self._seen) >= _MAX_SEEN_BLOCKS:
            self._seen.clear()
        times = self._seen[key] = self._seen.get(key, 0) + 1
        if times < _TIMES_TO_LEARN:
            return False
        block = _read(markup)
        if block is None:
            self._give_up(key)
            return False
        self._keep(block)
        return True

    def _keep(self, block: Block) -> None:
        head = block.markup[:_HEAD_BYTES]
        if head not in self._kin:
            if len(self._kin) >= _MAX_KIN:
                del self._kin[next(iter(self._kin))]
            self._kin[head] = _Kin(head)
        blocks = self._kin[head].blocks
        if block.markup not in {other.markup for other in blocks}:
            blocks.append(block)
            del blocks[:-_MAX_BLOCKS_OF_A_KIN]

    def _give_up(self, key: int) -> None:
        if len(self._useless) >= _MAX_SEEN_BLOCKS:
            self._useless.clear()
        self._useless.add(key)


def _shortened(markup: bytes, found: list[tuple[int, int, Block]]) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for number, (start, end, block) in enumerate(found):
        pieces += (markup[position:start], block.stand_in(number))
        position = end
    pieces.append(markup[position:])
    return b"".join(pieces)


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
