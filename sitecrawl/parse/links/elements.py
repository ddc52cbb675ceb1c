"""The links of a page's elements, in the order of the document."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.parse.links.attributes import Attributes, Targets, element_targets
from sitecrawl.parse.links.languages import normalize_language
from sitecrawl.parse.links.places import Places
from sitecrawl.parse.links.reading import MenuEntry
from sitecrawl.parse.links.targets import cleaned
from sitecrawl.parse.links.vocabulary import LinkSource, Region

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.parse.links.heads import HeadReader
    from sitecrawl.parse.links.reading import PageLimits
    from sitecrawl.parse.links.rows import LinkRows
    from sitecrawl.parse.links.scripts import ScriptReader

_HEAD_TAGS = frozenset({"html", "title", "base", "link", "meta"})
_SILENT_TAGS = frozenset({"script", "style"})
# Their links count, but nobody sees their text.
_UNSEEN_TAGS = frozenset({"noscript", "template"})
_LINK_TAGS = frozenset({"a", "area", "iframe", "frame", "form", "loc"})
# Elements that often act like links.
_ACTING_TAGS = frozenset({"button", "router-link", "nuxt-link", "g-link", "gatsby-link", "inertia"})
_TAGS = frozenset.union(_HEAD_TAGS, _SILENT_TAGS, _UNSEEN_TAGS, _LINK_TAGS, _ACTING_TAGS)
# Each of these costs a look at every element, so only the usual ones are here: others are read
# on links, buttons and whatever else is chosen.
_ACTING_QUERY = "[data-href],[data-url],[data-link],[onclick],[role=link],[routerlink],[hx-get]"
_MENU_REGIONS = frozenset({Region.NAVIGATION, Region.HEADER, Region.ASIDE})
_NO_MENU_SOURCES = frozenset({LinkSource.IFRAME, LinkSource.FORM, LinkSource.INLINE_LOC})
_NO_PAGES = ("#", "mailto:", "tel:", "javascript:", "data:")
_MAX_LABELLED = 50
_LINKS_AT_ONCE = 1_000
_PAGING = frozenset({"next", "prev", "previous"})


# An element that leads somewhere. A named tuple would cost as much as all else about it.
_Link = tuple["LexborNode", str, Attributes, Targets]


class ElementReader:
    """Reads the elements of a document and of the templates in it."""

    def __init__(
        self,
        rows: LinkRows,
        head: HeadReader,
        scripts: ScriptReader,
        limits: PageLimits,
        text_budget: int,
        *,
        has_menu: bool,
    ):
        self.menu: list[MenuEntry] = []
        self._has_menu = has_menu
        self._rows = rows
        self._head = head
        self._scripts = scripts
        self._max_anchor_characters = limits.max_anchor_characters
        self._places = Places(limits.max_path_characters)
        # Links can be nested, and the text of the inner ones is part of the outer ones' text:
        # without a bound the cost would grow with the square of the page.
        self._text_budget = text_budget

    def read(self, root: LexborNode) -> None:
        """Read all elements; afterwards the tree has only the text that people see."""
        pending = [root]
        hidden: list[LexborNode] = []
        while pending and not self._rows.is_full:
            links, unseen = self._sorted(pending.pop())
            for first in range(0, len(links), _LINKS_AT_ONCE):
                self._add(links[first : first + _LINKS_AT_ONCE])
                if self._rows.is_full:
                    break
            for node in unseen:
                contents = node.template_fragments() if node.tag == "template" else []
                for content in contents:
                    self._places.enter(content)
                pending += contents
            hidden += unseen
        for node in hidden:
            node.decompose()

    def _sorted(self, root: LexborNode) -> tuple[list[_Link], list[LexborNode]]:
        """Give the links and what nobody sees; the elements of the head are read right away.

        Scripts and styles are taken out of the tree, so that they are in nobody's text.
        """
        links: list[_Link] = []
        unseen, silent = [], []
        for tag, node in _chosen(root):
            if tag in _HEAD_TAGS:
                self._head.read(tag, node, node.attributes)
            elif tag in _SILENT_TAGS:
                silent.append(node)
                if tag == "script":
                    self._scripts.take(node)
            elif tag in _UNSEEN_TAGS:
                unseen.append(node)
            else:
                attributes = node.attributes
                targets = _inline_loc(node) if tag == "loc" else element_targets(tag, attributes)
                if targets:
                    links.append((node, tag, attributes, targets))
        for node in silent:
            node.decompose()
        return links, unseen

    def _add(self, links: list[_Link]) -> None:
        # Column by column: short loops are faster than one that does everything.
        around, path_to = self._places.around, self._places.path_to
        places = [around(node) for node, _, _, _ in links]
        paths = [path_to(link[1], place) for link, place in zip(links, places, strict=True)]
        anchors = [self._anchor(node, attributes) for node, _, attributes, _ in links]
        add, menu = self._rows.add, self.menu
        for (_, _, attributes, targets), place, path, anchor in zip(
            links, places, paths, anchors, strict=True
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
        if text is None and self._text_budget > 0:
            text = node.text(separator=" ")
            self._text_budget -= len(text)
        words = text[: 8 * limit].split() if text else None
        if words:
            return " ".join(words)[:limit]
        label = attributes.get("aria-label") or attributes.get("alt")
        if not label and child is not None:
            label = _picture_label(node)
        label = label or attributes.get("title") or ""
        return " ".join(label[: 8 * limit].split())[:limit]


def _chosen(root: LexborNode) -> list[tuple[str, LexborNode]]:
    """Choose the elements that are worth a look, with their names.

    Walking over all of them is faster than asking for each of many names by a selector.
    """
    acting = {node.mem_id for node in root.css(_ACTING_QUERY)}
    if not acting:
        return [(tag, node) for node in root.traverse() if (tag := node.tag) in _TAGS]
    every = [(node.tag or "", node) for node in root.traverse()]
    return [(tag, node) for tag, node in every if tag in _TAGS or node.mem_id in acting]


def _picture_label(node: LexborNode) -> str:
    """Give what stands for the first picture or icon in a link."""
    for element in islice(node.traverse(), 1, _MAX_LABELLED):
        found = element.attributes
        if label := found.get("alt") or found.get("aria-label") or found.get("title"):
            return label
    return ""


def _is_menu_link(source: LinkSource, loc: str) -> bool:
    return source not in _NO_MENU_SOURCES and not loc[:11].lower().startswith(_NO_PAGES)


def _inline_loc(node: LexborNode) -> Targets:
    """Give the address of a sitemap entry that was pasted into a page."""
    text = node.text()
    child = node.first_child
    if not text.strip() and child is not None and child.is_comment_node:
        # HTML knows no CDATA: to its parser `<![CDATA[...]]>` is a comment.
        text = (child.comment_content or "").removeprefix("[CDATA[").removesuffix("]]")
    address = cleaned(text)
    return [(LinkSource.INLINE_LOC, address)] if address else []
