"""The region and path of an element: which part of the page it is in, and how to get there.

The role and the tag of an element come first, then its label and class names, for sites that are
made of `div` alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sitecrawl.html.links import NO_REGION, Region
from sitecrawl.html.rules import (
    LANDMARK_TAGS,
    LIST_TAGS,
    REGION_LABELS,
    REGION_ROLES,
    REGION_TAGS,
    REGION_WORDS,
    SECTION_ROLES,
    SECTION_TAGS,
)

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


_REGION_OF_WORD = {word: region for region, words in REGION_WORDS.items() for word in words.split()}
# Regions that say what their links do, not only where they are.
_SPECIFIC = frozenset({Region.BREADCRUMB, Region.PAGINATION})
# `footer__inner`, `Footer_root__x3fa` and `footer--dark` all are of the block `footer`.
_BLOCK_END = re.compile(r"_|--")
_MAX_ATTRIBUTE_CHARACTERS = 200
_MAX_NAME_CHARACTERS = 40
_ARROW = " > "
_CUT = "..."
# They open no region, whatever their classes say, so their attributes are not read.
_PLAIN_TAGS = frozenset({"li", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "b", "tr"})
_TELLING_ATTRIBUTES = ("class", "id", "role", "aria-label", "itemtype")
# The name of an element, and the values of these attributes if it has any.
TraitsKey = tuple[str | None, ...]
_STEP_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class ElementTraits:
    """What an element means for those inside it; `step` is its part of their path."""

    step: str
    region: str
    is_semantic: bool
    is_section: bool
    is_list: bool
    starts_path: bool


# The pages of a site use the same elements and class names.
@lru_cache(maxsize=4_096)
def element_traits(
    tag: str,
    classes: str = "",
    name: str = "",
    role: str = "",
    label: str = "",
    item_type: str = "",
) -> ElementTraits:
    """Read the name and the attributes of an element."""
    role = role.strip().lower()
    tokens = classes.split()
    region, is_semantic = _region(tag, name, tokens, role, label, item_type)
    return ElementTraits(
        step=_step(tag, name, tokens),
        region=region,
        is_semantic=is_semantic,
        is_section=tag in SECTION_TAGS or role in SECTION_ROLES,
        is_list=tag in LIST_TAGS or role == "menu",
        starts_path=bool(name) or tag in LANDMARK_TAGS,
    )


def _region(
    tag: str, name: str, tokens: list[str], role: str, label: str, item_type: str
) -> tuple[str, bool]:
    by_words = _region_by_words(name, tokens)
    specific = by_words if by_words in _SPECIFIC else ""
    if item_type.endswith("BreadcrumbList"):
        specific = Region.BREADCRUMB
    elif label and not specific:
        specific = next((region for words, region in REGION_LABELS if words.search(label)), "")
    semantic = REGION_ROLES.get(role) or REGION_TAGS.get(tag)
    if specific:
        return specific, True
    return (semantic, True) if semantic else (by_words, False)


def _region_by_words(name: str, tokens: list[str]) -> str:
    for token in (name, *tokens):
        block = _BLOCK_END.split(token.lower(), 1)[0]
        if region := _REGION_OF_WORD.get(block):
            return region
        if "breadcrumb" in block:
            return Region.BREADCRUMB
        if "pagination" in block:
            return Region.PAGINATION
    return NO_REGION


def _step(tag: str, name: str, tokens: list[str]) -> str:
    tag = tag[:40]
    if name and _STEP_NAME.fullmatch(name):
        return f"{tag}#{name}"
    if tokens and _STEP_NAME.fullmatch(tokens[0]):
        return f"{tag}.{tokens[0]}"
    return tag


class ElementContext:
    """What holds for everything directly inside an element, and inside those like it."""

    __slots__ = ("inner", "is_section", "is_semantic", "lists", "path", "region")

    def __init__(self, region: str, path: str, *, lists: int, is_section: bool, is_semantic: bool):
        self.region = region
        self.path = path
        self.lists = lists
        self.is_section = is_section
        self.is_semantic = is_semantic
        self.inner: dict[TraitsKey, ElementContext] = {}
        """The contexts of the elements directly inside, by what tells them apart."""

    def opened(self, traits: ElementTraits, max_path_characters: int) -> ElementContext:
        """The context inside an element that is in this one."""
        region, is_semantic = _region_inside(self, traits)
        # The lists of a menu count, not those that the menu itself is in.
        lists = self.lists if region == self.region else 0
        return ElementContext(
            region,
            traits.step if traits.starts_path else self.path_to(traits.step, max_path_characters),
            lists=lists + traits.is_list,
            is_section=self.is_section or traits.is_section,
            is_semantic=is_semantic,
        )

    def path_to(self, step: str, max_characters: int) -> str:
        """The path to an element in this context; of a long path the end is kept."""
        path = f"{self.path}{_ARROW}{step}" if self.path else step
        excess = len(path) - max_characters
        if excess <= 0:
            return path
        cut = path.find(_ARROW, excess + len(_CUT))
        return _CUT + path[cut:] if cut >= 0 else step[:max_characters]


class ElementContexts:
    """The contexts of one document, found on the way up from its links.

    Elements that look alike and are in the same context share one.
    """

    def __init__(self, max_path_characters: int):
        self._max_path_characters = max_path_characters
        self._root = ElementContext(
            Region.CONTENT, "", lists=0, is_section=False, is_semantic=False
        )
        self._known: dict[int, ElementContext] = {}
        self._path_counts: dict[str, int] = {}

    def around(self, node: LexborNode) -> ElementContext:
        """The context that a node is in."""
        unknown = []
        context: ElementContext | None = None
        element = node.parent
        while element is not None:
            context = self._known.get(element.mem_id)
            if context is not None:
                break
            unknown.append(element)
            element = element.parent
        context = context or self._root
        for element in reversed(unknown):
            context = self._known[element.mem_id] = self._inside(context, element)
        return context

    def inside(self, node: LexborNode) -> ElementContext:
        """The context of what is directly inside of a node."""
        context = self._known.get(node.mem_id)
        return context or self._inside(self.around(node), node)

    def add_fragment(self, content: LexborNode) -> None:
        """Remember the context of a template's content, which is in a tree of its own."""
        self._known[content.mem_id] = self.around(content)

    def path_to(self, tag: str, context: ElementContext) -> str:
        """The path to the next link in a context, by the name of its element.

        A number is appended from the second link on that has the same path.
        """
        path = context.path_to(tag[:_MAX_NAME_CHARACTERS], self._max_path_characters)
        count = self._path_counts[path] = self._path_counts.get(path, 0) + 1
        return path if count == 1 else f"{path}:nth({count})"

    def _inside(self, outer: ElementContext, element: LexborNode) -> ElementContext:
        tag = element.tag or ""
        key: TraitsKey = (tag,)
        if tag not in _PLAIN_TAGS:
            if not element.is_element_node:
                return outer
            attributes = element.attributes
            if attributes:
                key = (tag, *map(attributes.get, _TELLING_ATTRIBUTES))
        inner = outer.inner.get(key)
        if inner is None:
            # Hostile values are cut here: the traits are kept beyond the page.
            values = (value[:_MAX_ATTRIBUTE_CHARACTERS] if value else "" for value in key)
            inner = outer.opened(element_traits(*values), self._max_path_characters)
            outer.inner[key] = inner
        return inner


def _region_inside(outer: ElementContext, traits: ElementTraits) -> tuple[str, bool]:
    """Decide between the region of an element itself and the one around it.

    A region that says what links do beats one that says where they are; a menu in the header is a
    menu; class names do not overrule elements and roles, except for a menu in a header.
    """
    own, around = traits.region, outer.region
    if not own or own == around:
        return around, outer.is_semantic
    if own in _SPECIFIC:
        return own, True
    if around in _SPECIFIC or (own in {Region.HEADER, Region.FOOTER} and outer.is_section):
        return around, outer.is_semantic
    if own == Region.NAVIGATION:
        is_stronger = traits.is_semantic or not outer.is_semantic or around == Region.HEADER
    else:
        is_stronger = around == Region.CONTENT or (traits.is_semantic and not outer.is_semantic)
    return (own, traits.is_semantic) if is_stronger else (around, outer.is_semantic)
