"""The links of the elements of a page, in the order of the document."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.html.addresses import Attributes, Targets, cleaned, element_targets
from sitecrawl.html.head import normalize_language
from sitecrawl.html.links import LinkRows, LinkSource, MenuEntry, Region
from sitecrawl.html.regions import Places
from sitecrawl.sitemaps.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from selectolax.lexbor import LexborNode

    from sitecrawl.html.blocks import Block
    from sitecrawl.html.embedded_data import ScriptReader
    from sitecrawl.html.head import HeadReader
    from sitecrawl.html.links import PageLimits


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


_MENU_REGIONS = frozenset({Region.NAVIGATION, Region.HEADER, Region.ASIDE})
_NO_MENU_SOURCES = frozenset({LinkSource.IFRAME, LinkSource.FORM, LinkSource.INLINE_LOC})
_NO_PAGES = ("#", "mailto:", "tel:", "javascript:", "data:")
_MAX_LABELLED = 50
_LINKS_AT_ONCE = 1_000
_PAGING = frozenset({"next", "prev", "previous"})

# An element that leads somewhere. A named tuple would cost as much as all else about it.
Link = tuple["LexborNode", str, Attributes, Targets]


class LinkReader:
    """Reads links one after another, in the order of the document."""

    def __init__(
        self, rows: LinkRows, limits: PageLimits, text_budget: int, *, has_menu: bool = False
    ):
        self.menu: list[MenuEntry] = []
        self.limits = limits
        self.places = Places(limits.max_path_characters)
        self._has_menu = has_menu
        self._rows = rows
        self._max_anchor_characters = limits.max_anchor_characters
        # Links can be nested, and the text of the inner ones is part of the outer ones' text:
        # without a bound the cost would grow with the square of the page.
        self._text_budget = text_budget
        self._text_taken = 0

    def add(self, links: list[Link], places: Places | None = None) -> None:
        """Add links; *places* are needed for those of another tree."""
        for first in range(0, len(links), _LINKS_AT_ONCE):
            self._add(links[first : first + _LINKS_AT_ONCE], places or self.places)
            if self._rows.is_full:
                break

    def add_as_read(self, other: LinkReader) -> bool:
        """Add what another one has read, if it is what would be read here; False: it is not."""
        is_same = (
            other._text_taken < other._text_budget
            and self._text_taken + other._text_taken < self._text_budget
            and self.places.have_none_of(other.places)
            and self._rows.can_take(other._rows)
        )
        if is_same:
            self._text_taken += other._text_taken
            self.places.take_paths(other.places)
            self._rows.take(other._rows)
        return is_same

    def _add(self, links: list[Link], places: Places) -> None:
        # Column by column: short loops are faster than one that does everything.
        around = [places.around(node) for node, _, _, _ in links]
        paths = [places.path_to(link[1], place) for link, place in zip(links, around, strict=True)]
        anchors = [self._anchor(node, attributes) for node, _, attributes, _ in links]
        add, menu = self._rows.add, self.menu
        for (_, _, attributes, targets), place, path, anchor in zip(
            links, around, paths, anchors, strict=True
        ):
            region, rel, language = place.region, "", ""
            # Most have nothing but their address and a class.
            if "rel" in attributes:
                relations = (attributes["rel"] or "").lower().split()
                rel = " ".join(relations)
                if not _PAGING.isdisjoint(relations):
                    region = Region.PAGINATION
            if "hreflang" in attributes:
                language = normalize_language(attributes["hreflang"] or "")
            is_menu_place = self._has_menu and region in _MENU_REGIONS
            for source, loc in targets:
                row = add(source, loc, region, anchor, rel, path, language)
                if is_menu_place and row >= 0 and _is_menu_link(source, loc):
                    menu.append(MenuEntry(anchor, row, max(0, place.lists - 1)))

    def _anchor(self, node: LexborNode, attributes: Attributes) -> str:
        """Give the text of a link, or what stands for it where it is a picture."""
        limit = self._max_anchor_characters
        child = node.first_child
        text = child.text_content if child is not None and child.next is None else None
        if text is None and self._text_taken < self._text_budget:
            text = node.text(separator=" ")
            self._text_taken += len(text)
        words = text[: 8 * limit].split() if text else None
        if words:
            return " ".join(words)[:limit]
        label = attributes.get("aria-label") or attributes.get("alt")
        if not label and child is not None:
            label = _picture_label(node)
        label = label or attributes.get("title") or ""
        return " ".join(label[: 8 * limit].split())[:limit]


def _picture_label(node: LexborNode) -> str:
    """Give what stands for the first picture or icon in a link."""
    for element in islice(node.traverse(), 1, _MAX_LABELLED):
        found = element.attributes
        if label := found.get("alt") or found.get("aria-label") or found.get("title"):
            return label
    return ""


def _is_menu_link(source: LinkSource, loc: str) -> bool:
    return source not in _NO_MENU_SOURCES and not loc[:11].lower().startswith(_NO_PAGES)


# Stands for a block that is known (see `blocks`); of others it says nothing.
MARK_TAG = "wbr"
HEAD_TAGS = frozenset({"html", "title", "base", "link", "meta"})
SILENT_TAGS = frozenset({"script", "style"})
# Their links count, but nobody sees their text.
UNSEEN_TAGS = frozenset({"noscript", "template"})
_LINK_TAGS = frozenset({"a", "area", "iframe", "frame", "form", "loc"})
# Elements that often act like links.
_ACTING_TAGS = frozenset({"button", "router-link", "nuxt-link", "g-link", "gatsby-link", "inertia"})
_TAGS = frozenset.union(
    *(HEAD_TAGS, SILENT_TAGS, UNSEEN_TAGS, _LINK_TAGS, _ACTING_TAGS), {MARK_TAG}
)
# Each of these costs a look at every element, so only the usual ones are here: others are read
# on links, buttons and whatever else is chosen.
_ACTING_QUERY = "[data-href],[data-url],[data-link],[onclick],[role=link],[routerlink],[hx-get]"

# Elements with their names.
Elements = list[tuple[str, "LexborNode"]]


def chosen_elements(root: LexborNode) -> Elements:
    """Choose elements, in the order of the document.

    Walking over all of them is faster than asking for each of many names by a selector.
    """
    acting = {node.mem_id for node in root.css(_ACTING_QUERY)}
    if not acting:
        return [(tag, node) for node in root.traverse() if (tag := node.tag) in _TAGS]
    every = [(node.tag or "", node) for node in root.traverse()]
    return [(tag, node) for tag, node in every if tag in _TAGS or node.mem_id in acting]
