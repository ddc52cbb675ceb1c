"""The links of the elements of a page, in the order of the document."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from sitecrawl.html.addresses import Attributes, Targets, cleaned, element_targets
from sitecrawl.html.audit import AUDITED_TAGS
from sitecrawl.html.head import normalize_language
from sitecrawl.html.links import LinkRows, LinkSource, MenuEntry, Region
from sitecrawl.html.regions import ElementContexts

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from sitecrawl.html.audit import AuditReader
    from sitecrawl.html.embedded_data import ScriptReader
    from sitecrawl.html.head import HeadReader
    from sitecrawl.html.links import PageLimits

_HEAD_TAGS = frozenset({"html", "title", "base", "link", "meta"})
_SILENT_TAGS = frozenset({"script", "style"})
# Their links count, but their text is not visible.
_INVISIBLE_TAGS = frozenset({"noscript", "template"})
_LINK_TAGS = frozenset({"a", "area", "iframe", "frame", "form", "loc"})
# Elements that often act like links.
_ACTING_TAGS = frozenset({"button", "router-link", "nuxt-link", "g-link", "gatsby-link", "inertia"})
_SELECTED_TAGS = frozenset().union(
    _HEAD_TAGS, _SILENT_TAGS, _INVISIBLE_TAGS, _LINK_TAGS, _ACTING_TAGS, AUDITED_TAGS
)
# Each attribute here is looked up on every element of a page, so only the usual ones are listed;
# the others are read on links, buttons and whatever else is selected.
_ACTING_QUERY = "[data-href],[data-url],[data-link],[onclick],[role=link],[routerlink],[hx-get]"
_ACTING_ATTRIBUTES = frozenset(
    {"data-href", "data-url", "data-link", "onclick", "role", "routerlink", "hx-get"}
)

_MENU_REGIONS = frozenset({Region.NAVIGATION, Region.HEADER, Region.ASIDE})
_NO_MENU_SOURCES = frozenset({LinkSource.IFRAME, LinkSource.FORM, LinkSource.INLINE_LOC})
_NO_PAGES = ("#", "mailto:", "tel:", "javascript:", "data:")
# Behind "#": with these an application may name a page of its own.
_ROUTE_STARTS = frozenset("/!")
_MAX_LABELLED = 50
_PAGING = frozenset({"next", "prev", "previous"})


class ElementReader:
    """Reads the elements of a document and of the templates in it.

    Elements of the head, scripts and what an audit asks for are handed to their readers; links are
    added to *rows*.
    *text_budget* limits the characters of link texts: links can be nested, and without a limit
    reading the text of each would take time with the square of the page.
    """

    def __init__(
        self,
        rows: LinkRows,
        head: HeadReader,
        scripts: ScriptReader,
        audit: AuditReader,
        limits: PageLimits,
        text_budget: int,
        *,
        has_menu: bool,
    ):
        self.menu: list[MenuEntry] = []
        self.own_links = 0
        self._rows = rows
        self._head = head
        self._scripts = scripts
        self._audit = audit
        self._has_menu = has_menu
        self.contexts = ElementContexts(limits.max_path_characters)
        self._max_anchor_characters = limits.max_anchor_characters
        self._text_left = text_budget

    def read(self, root: LexborNode) -> None:
        """Read a document; afterwards its tree has only the text that visitors see."""
        pending = [root]
        removed: list[LexborNode] = []
        while pending and not self._rows.is_full:
            invisible = self._read_tree(pending.pop())
            for node in invisible:
                if node.tag == "template":
                    for content in node.template_fragments():
                        self.contexts.add_fragment(content)
                        pending.append(content)
            removed += invisible
        for node in removed:
            node.decompose()

    def _read_tree(self, root: LexborNode) -> list[LexborNode]:
        """Read the elements below *root* and return those that visitors do not see."""
        links: list[tuple[str, LexborNode]] = []
        invisible, silent = [], []
        for tag, node in _selected_elements(root):
            if tag in _HEAD_TAGS:
                self._head.read(tag, node, node.attributes)
            elif tag in _SILENT_TAGS:
                silent.append(node)
                if tag == "script":
                    self._read_script(node)
            elif tag in _INVISIBLE_TAGS:
                invisible.append(node)
            elif tag not in AUDITED_TAGS or self._acts_as_link(tag, node):
                links.append((tag, node))
        # Before texts are read, so that no text has a script in it.
        for node in silent:
            node.decompose()
        self._audit.read_headings()
        for tag, node in links:
            if self._rows.is_full:
                break
            self._read_link(tag, node)
        return invisible

    def _read_script(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._scripts.take(node, attributes)
        if "src" in attributes:
            self._audit.note_resource(attributes["src"])

    def _acts_as_link(self, tag: str, node: LexborNode) -> bool:
        """Audit an element, and tell whether it can be a link as well."""
        attributes = node.attributes
        self._audit.read(tag, node, attributes)
        return not _ACTING_ATTRIBUTES.isdisjoint(attributes)

    def _read_link(self, tag: str, node: LexborNode) -> None:
        attributes = node.attributes
        if tag == "iframe":
            self._audit.note_resource(attributes.get("src"))
        targets = _inline_loc(node) if tag == "loc" else element_targets(tag, attributes)
        if targets and self._is_of_this_page(targets[0][1]):
            self.own_links += 1
            targets = targets[1:]
        if not targets:
            return
        context = self.contexts.around(node)
        path = self.contexts.path_to(tag, context)
        anchor = self._anchor(node, attributes)
        region, rel, language = context.region, "", ""
        # Most links have neither.
        if "rel" in attributes:
            relations = (attributes["rel"] or "").lower().split()
            rel = " ".join(relations)
            if not _PAGING.isdisjoint(relations):
                region = Region.PAGINATION
        if "hreflang" in attributes:
            language = normalize_language(attributes["hreflang"] or "")
        is_in_menu = self._has_menu and region in _MENU_REGIONS
        for source, loc in targets:
            row = self._rows.add(source, loc, region, anchor, rel, path, language)
            if is_in_menu and row >= 0 and _is_menu_link(source, loc):
                self.menu.append(MenuEntry(anchor, row, max(0, context.lists - 1)))

    def _is_of_this_page(self, loc: str) -> bool:
        """Whether an address is a fragment of the page, and neither a route nor of another base."""
        return loc[0] == "#" and loc[1:2] not in _ROUTE_STARTS and not self._head.facts.base

    def _anchor(self, node: LexborNode, attributes: Attributes) -> str:
        """The text of a link, or the label of its picture."""
        limit = self._max_anchor_characters
        child = node.first_child
        text = child.text_content if child is not None and child.next is None else None
        if text is None and self._text_left > 0:
            text = node.text(separator=" ")
            self._text_left -= len(text)
        words = text[: 8 * limit].split() if text else None
        if words:
            return " ".join(words)[:limit]
        label = attributes.get("aria-label") or attributes.get("alt")
        if not label and child is not None:
            label = _picture_label(node)
        label = label or attributes.get("title") or ""
        return " ".join(label[: 8 * limit].split())[:limit]


def _selected_elements(root: LexborNode) -> list[tuple[str, LexborNode]]:
    """The elements to read, with their names, in the order of the document.

    Walking over all elements is faster than a selector that names many of them.
    """
    acting = {node.mem_id for node in root.css(_ACTING_QUERY)}
    if not acting:
        return [(tag, node) for node in root.traverse() if (tag := node.tag) in _SELECTED_TAGS]
    every = [(node.tag or "", node) for node in root.traverse()]
    return [(tag, node) for tag, node in every if tag in _SELECTED_TAGS or node.mem_id in acting]


def _picture_label(node: LexborNode) -> str:
    """The label of the first picture or icon in a link."""
    for element in islice(node.traverse(), 1, _MAX_LABELLED):
        found = element.attributes
        if label := found.get("alt") or found.get("aria-label") or found.get("title"):
            return label
    return ""


def _is_menu_link(source: LinkSource, loc: str) -> bool:
    return source not in _NO_MENU_SOURCES and not loc[:11].lower().startswith(_NO_PAGES)


def _inline_loc(node: LexborNode) -> Targets:
    """The address of a sitemap entry that was pasted into a page."""
    text = node.text()
    child = node.first_child
    if not text.strip() and child is not None and child.is_comment_node:
        # HTML has no CDATA: its parser reads `<![CDATA[...]]>` as a comment.
        text = (child.comment_content or "").removeprefix("[CDATA[").removesuffix("]]")
    address = cleaned(text)
    return [(LinkSource.INLINE_LOC, address)] if address else []
