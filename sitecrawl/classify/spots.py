"""Where an address lies on its site, and what that alone says of the page.

Addresses that lie alike share one :class:`Spot`: a million of them need a few hundred.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sitecrawl.classify.addresstypes import (
    AddressType,
    FolderContext,
    type_by_name,
    type_by_shape,
)
from sitecrawl.classify.folderwords import FOLDER_RULES
from sitecrawl.classify.languages import parse_code
from sitecrawl.classify.leafwords import LEAF_RULES, LONGEST_LEAF
from sitecrawl.classify.queryrules import SCRIPT_RULES
from sitecrawl.classify.segments import DATE, LANGUAGE, REST, SLUG, YEAR, compact_word, placeholder
from sitecrawl.classify.shapes import HEADLINE
from sitecrawl.classify.vocabulary import CATEGORY_OF, Category, LanguageSource, PageType
from sitecrawl.urls.patterns import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.classify.places import Place

HOME: Final = "/"
"""In place of a page's name: the start of its host."""
_MAX_SECTIONS: Final = 4
_MAX_KNOWN: Final = 1_000
_TITLE_HYPHENS: Final = 3
_HEADLINE_HYPHENS: Final = 2
_LONGEST_NAME: Final = LONGEST_LEAF + 10  # with hyphens and an ending
_SAYS_PRODUCT = re.compile(r"-p-?[0-9]{3,}(?:\.html?)?\Z")


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """What all addresses have in common that lie alike."""

    template: str
    page_type: PageType
    category: Category
    reason: str
    is_firm: bool
    """Whether the address is clear: then a title does not change it."""
    sections: tuple[str, ...] = ()
    """Its folders as far as they have names, the outermost first."""
    language: str = ""
    language_source: LanguageSource | None = None
    depth: int = 0
    """Path segments, its own name included."""


class Learned:
    """What all folders of a site share."""

    def __init__(self, types: Mapping[str, PageType]):
        self.types = types
        """By template, what the pages say of themselves."""
        self.views = 0
        """How many there are."""


class View:
    """A folder as an address goes through it; all folders that vary alike share one."""

    def __init__(
        self,
        place: Place | None,
        learned: Learned,
        name: str = "",
        context: FolderContext | None = None,
    ):
        self.name = name
        self.context = context or FolderContext()
        self.language = ""
        self.language_source: LanguageSource | None = None
        self.sections: tuple[str, ...] = ()
        self.depth = 0
        self._place = place
        self._learned = learned
        learned.views += 1
        self._before = ""
        self._is_plain = True  # no folder above it varies
        self._children: dict[tuple[str, str], View] = {}
        self.by_segment: dict[str, View] = {}
        """The folders in it by what they are called, unless there are too many of them."""
        self._known: dict[str, Spot] = {}
        self._spots: dict[tuple[str, bool, bool], Spot] = {}
        self._names: Mapping[str, Place] = place.named if place is not None else {}
        self._has_languages = place is not None and LANGUAGE in place.varying
        # Whether a folder or a language here may be called like a headline.
        self._has_long_names = self._has_languages or any(
            name.count("-") >= _HEADLINE_HYPHENS for name in self._names
        )
        # Whether it makes no difference what exactly a page is called.
        self._is_clear = not self.context.is_doubtful
        self.by_shape: dict[bytes, Spot] = {}
        """The spots of pages whose name needs no look: its shape says all."""
        self._headlines: dict[bytes, Spot] = {}
        """The spots of pages that are called like a headline of this shape, if it is no name."""

    # --- folders -----------------------------------------------------------------------------

    def child(self, segment: str) -> View:
        """The folder of this name in this one."""
        known = self.by_segment.get(segment)
        if known is not None:
            return known
        name, place = self._generalized(segment)
        word = compact_word(segment)
        # What a folder is called counts, also where folders vary.
        mark = parse_code(segment) if name == LANGUAGE else word if word in FOLDER_RULES else ""
        view = self._children.get((name, mark))
        if view is None:
            view = self._children[name, mark] = self._make_child(segment, name, place, word)
        if len(self.by_segment) < _MAX_KNOWN:
            self.by_segment[segment] = view
        return view

    def _generalized(self, segment: str) -> tuple[str, Place | None]:
        place = self._place
        if place is None:
            return REST, None
        if segment in place.named:
            return segment, place.named[segment]
        if LANGUAGE in place.varying and parse_code(segment):
            return LANGUAGE, place.varying[LANGUAGE]
        for stand_in in (placeholder(segment, self._before), SLUG):
            if stand_in in place.varying:
                return stand_in, place.varying[stand_in]
        return REST, None

    def _make_child(self, segment: str, name: str, place: Place | None, word: str) -> View:
        is_rest = name == REST and self.name.endswith(REST)
        view = View(
            place,
            self._learned,
            self.name if is_rest else f"{self.name}/{name}",
            self._child_context(segment, name, word),
        )
        view._before = name
        view.depth = self.depth + 1
        view.language, view.language_source = self.language, self.language_source
        if name == LANGUAGE:
            view.language, view.language_source = parse_code(segment), LanguageSource.PATH
        view._is_plain = self._is_plain and name in {segment, LANGUAGE}
        view.sections = self._sections_with(segment) if name == segment else self.sections
        return view

    def _child_context(self, segment: str, name: str, word: str) -> FolderContext:
        context = self.context
        rule = FOLDER_RULES.get(word) if name != LANGUAGE else None
        is_closed = context.rule is not None and context.rule.is_closed
        if rule is not None and not is_closed:
            context = context._replace(rule=rule, word=segment)
        return context._replace(is_dated=context.is_dated or name in {YEAR, DATE})

    def _sections_with(self, segment: str) -> tuple[str, ...]:
        if not self._is_plain or len(self.sections) >= _MAX_SECTIONS:
            return self.sections
        return (*self.sections, shortened(f"{self.name}/{segment}"))

    def at_depth(self, depth: int) -> View:
        """The same folder, as it is for addresses so deep that nobody tells their folders apart."""
        view = View(self._place, self._learned, self.name, self.context)
        view.language, view.language_source = self.language, self.language_source
        view.sections, view.depth = self.sections, depth
        view._before, view._is_plain = self._before, self._is_plain
        return view

    # --- pages -------------------------------------------------------------------------------

    def spot(self, leaf: str, shape: bytes) -> Spot:
        """The spot of the page of this name, which has this shape, in this folder."""
        if shape.endswith(b"."):
            # Endings that are rare are told apart here.
            shape += leaf[leaf.rindex(".") :].encode("utf-8", "surrogatepass")
        spot = self._headlines.get(shape)
        if (
            spot is not None
            and (self._is_clear or "-p" not in leaf)
            and (b"0" in shape or not _is_word(leaf))
            and not (self._has_long_names and self._has_name(leaf))
        ):
            return spot
        return self._known.get(leaf) or self._other_spot(leaf, shape)

    def _other_spot(self, leaf: str, shape: bytes) -> Spot:
        word = compact_word(leaf) if len(leaf) <= _LONGEST_NAME else ""
        has_word = word in LEAF_RULES or ":" in leaf or leaf in SCRIPT_RULES
        if has_word or self._has_name(leaf) or leaf == HOME:
            spot = self._named_spot(leaf, shape, word)
            if len(self._known) < _MAX_KNOWN:
                self._known[leaf] = spot
            return spot
        return self._shaped_spot(leaf, shape)

    def _has_name(self, leaf: str) -> bool:
        return leaf in self._names or (self._has_languages and bool(parse_code(leaf)))

    def _named_spot(self, leaf: str, shape: bytes, word: str) -> Spot:
        if leaf == HOME:
            return self._home_spot()
        if self._has_languages and (code := parse_code(leaf)):
            home = AddressType(PageType.HOME, f"the start of the site in {code}")
            return replace(
                self._make_spot(LANGUAGE, home), language=code, language_source=LanguageSource.PATH
            )
        is_folder = leaf in self._names
        found = type_by_name(leaf, word, self.context, is_folder=is_folder)
        if is_folder:
            found = found or self._type_by_shape(leaf, placeholder(leaf, self._before))
            return replace(self._make_spot(leaf, found), sections=self._sections_with(leaf))
        if found is None:
            return self._shaped_spot(leaf, shape)
        return self._make_spot(placeholder(leaf, self._before), found)

    def _shaped_spot(self, leaf: str, shape: bytes) -> Spot:
        stand_in = placeholder(leaf, self._before)
        is_title = leaf.count("-") >= _TITLE_HYPHENS
        is_numbered = not self._is_clear and _SAYS_PRODUCT.search(leaf) is not None
        key = (stand_in, is_title, is_numbered)
        spot = self._spots.get(key)
        if spot is None:
            spot = self._make_spot(stand_in, self._type_by_shape(leaf, stand_in))
            self._spots[key] = spot
        if shape.startswith(b"--") and not is_numbered:
            self._remember_headline(leaf, shape, stand_in, spot)
        return spot

    def _remember_headline(self, leaf: str, shape: bytes, stand_in: str, spot: Spot) -> None:
        headline = HEADLINE.fullmatch(shape)
        _, dot, ending = leaf.partition(".")
        if headline is None or stand_in != SLUG + dot + ending:
            return
        if len(self._headlines) < _MAX_KNOWN:
            self._headlines[shape] = spot
            if headline["number"] and self._is_clear and not self._has_long_names:
                self.by_shape[shape] = spot

    def _type_by_shape(self, leaf: str, stand_in: str) -> AddressType:
        return type_by_shape(
            stand_in,
            self.context,
            self._learned.types.get(self._template(stand_in)),
            is_title=leaf.count("-") >= _TITLE_HYPHENS,
            is_numbered=_SAYS_PRODUCT.search(leaf) is not None,
        )

    def _template(self, name: str) -> str:
        return shortened(f"{self.name}/{name}")

    def _home_spot(self) -> Spot:
        rule = self.context.rule
        page_type = rule.own if rule else PageType.HOME
        home = AddressType(page_type, "the start of the site")
        return replace(self._make_spot("", home), template=f"{self.name}/", depth=0)

    def _make_spot(self, name: str, found: AddressType) -> Spot:
        return Spot(
            template=self._template(name),
            page_type=found.page_type,
            category=found.category or CATEGORY_OF[found.page_type],
            reason=found.reason,
            is_firm=found.is_firm,
            sections=self.sections,
            language=self.language,
            language_source=self.language_source,
            depth=self.depth + 1,
        )


def _is_word(leaf: str) -> bool:
    """Whether the rules know the words of a headline."""
    if len(leaf) > _LONGEST_NAME:
        return False
    word = leaf.replace("-", "").lower()
    return (word.partition(".")[0] if "." in word else word) in LEAF_RULES
