"""The links of a page's elements, in the order of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.parse.findings import Findings
from sitecrawl.parse.links.attributes import Targets, element_targets
from sitecrawl.parse.links.chosen import (
    HEAD_TAGS,
    MARK_TAG,
    SILENT_TAGS,
    UNSEEN_TAGS,
    chosen_elements,
)
from sitecrawl.parse.links.linkreader import LinkReader
from sitecrawl.parse.links.rows import LinkRows
from sitecrawl.parse.links.targets import cleaned
from sitecrawl.parse.links.vocabulary import LinkSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

    from sitecrawl.parse.links.blocks import Block
    from sitecrawl.parse.links.chosen import Elements
    from sitecrawl.parse.links.heads import HeadReader
    from sitecrawl.parse.links.linkreader import Link
    from sitecrawl.parse.links.reading import MenuEntry, PageLimits
    from sitecrawl.parse.links.scripts import ScriptReader

# A block stands in the same place on nearly all pages.
_MAX_PLACES_OF_A_BLOCK = 20
_NO_BLOCKS: Mapping[int, Block] = {}


class ElementReader:
    """Reads the elements of a document and of the templates in it.

    *blocks* are known parts that the document has marks for, by the ids of these.
    """

    def __init__(
        self,
        rows: LinkRows,
        head: HeadReader,
        scripts: ScriptReader,
        limits: PageLimits,
        text_budget: int,
        *,
        has_menu: bool,
        blocks: Mapping[int, Block] = _NO_BLOCKS,
    ):
        self._rows = rows
        self._head = head
        self._scripts = scripts
        self._limits = limits
        self._text_budget = text_budget
        self._blocks = blocks
        self._links = LinkReader(rows, limits, text_budget, has_menu=has_menu)

    @property
    def menu(self) -> list[MenuEntry]:
        return self._links.menu

    def read(self, elements: Elements) -> None:
        """Read a document's elements; afterwards it has only the text that people see."""
        pending = [elements]
        hidden: list[LexborNode] = []
        while pending and not self._rows.is_full:
            unseen = self._read_some(pending.pop())
            pending += map(chosen_elements, self._contents(unseen))
            hidden += unseen
        for node in hidden:
            node.decompose()

    def _contents(self, unseen: list[LexborNode]) -> list[LexborNode]:
        """The contents of templates, which are in no tree."""
        templates = (node for node in unseen if node.tag == "template")
        contents = [content for node in templates for content in node.template_fragments()]
        for content in contents:
            self._links.places.enter(content)
        return contents

    def _read_some(self, elements: Elements) -> list[LexborNode]:
        """Read elements; gives those that nobody sees."""
        links, marks, unseen = self._sorted(elements)
        first = 0
        for end, mark in marks:
            self._links.add(links[first:end])
            self._add_block(mark, self._blocks[mark.mem_id])
            first = end
        self._links.add(links[first:])
        return unseen

    def _sorted(
        self, elements: Elements
    ) -> tuple[list[Link], list[tuple[int, LexborNode]], list[LexborNode]]:
        """Give the links, the marks between them, and what nobody sees.

        The elements of the head are read right away. Scripts and styles are taken out of the tree,
        so that they are in nobody's text.
        """
        links: list[Link] = []
        marks, unseen, silent = [], [], []
        for tag, node in elements:
            if tag in HEAD_TAGS:
                self._head.read(tag, node, node.attributes)
            elif tag in SILENT_TAGS:
                silent.append(node)
                if tag == "script":
                    self._scripts.take(node)
            elif tag in UNSEEN_TAGS:
                unseen.append(node)
            elif tag == MARK_TAG and node.mem_id in self._blocks:
                marks.append((len(links), node))
            else:
                _add_link(links, tag, node)
        for node in silent:
            node.decompose()
        return links, marks, unseen

    def _add_block(self, mark: LexborNode, block: Block) -> None:
        """Add the links of a block, as they were read before if that would come to the same."""
        place = self._links.places.around(mark)
        alone = block.readers.get(place)
        if alone is None or alone.limits is not self._limits:
            if len(block.readers) >= _MAX_PLACES_OF_A_BLOCK:
                block.readers.clear()
            alone = block.readers[place] = LinkReader(
                LinkRows(self._limits, Findings()), self._limits, self._text_budget
            )
            alone.add(_block_links(block), alone.places.inside(block.root, place))
        if not self._links.add_as_read(alone):
            self._links.add(_block_links(block), self._links.places.inside(block.root, place))


def _block_links(block: Block) -> list[Link]:
    """The links inside of its outermost element, which itself is in the document."""
    links: list[Link] = []
    for tag, node in chosen_elements(block.root):
        if node.mem_id != block.root.mem_id:
            _add_link(links, tag, node)
    return links


def _add_link(links: list[Link], tag: str, node: LexborNode) -> None:
    attributes = node.attributes
    targets = _inline_loc(node) if tag == "loc" else element_targets(tag, attributes)
    if targets:
        links.append((node, tag, attributes, targets))


def _inline_loc(node: LexborNode) -> Targets:
    """Give the address of a sitemap entry that was pasted into a page."""
    text = node.text()
    child = node.first_child
    if not text.strip() and child is not None and child.is_comment_node:
        # HTML knows no CDATA: to its parser `<![CDATA[...]]>` is a comment.
        text = (child.comment_content or "").removeprefix("[CDATA[").removesuffix("]]")
    address = cleaned(text)
    return [(LinkSource.INLINE_LOC, address)] if address else []
