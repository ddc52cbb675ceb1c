"""The type of a page as its address says it: by the folders it lies in and by what it is called."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.folderwords import FOLDER_RULES
from sitecrawl.classify.leafwords import LEAF_RULES
from sitecrawl.classify.queryrules import SCRIPT_RULES
from sitecrawl.classify.segments import DATE, DAY, MONTH, YEAR, compact_word
from sitecrawl.classify.vocabulary import PageType
from sitecrawl.urls.rules import FILE_KINDS

if TYPE_CHECKING:
    from sitecrawl.classify.folderwords import FolderRule
    from sitecrawl.classify.vocabulary import Category

_DATE_PARTS: Final = frozenset({YEAR, MONTH, DAY})
# Below a folder of one kind, a page is no list because something lies below it, and a word that
# may be a heading says nothing.
_ONE_KIND: Final = frozenset(
    {PageType.DOCUMENTATION, PageType.HELP, PageType.LEGAL, PageType.LOGIN, PageType.CART}
)
_NO_HEADING: Final = frozenset(
    {
        *(PageType.LEGAL, PageType.LOGIN, PageType.CART),
        *(PageType.SEARCH, PageType.FEED, PageType.CONTACT),
    }
)
_BY_ENDING: Final = MappingProxyType(
    {
        f".{ending}": PageType.MEDIA if kind in {"image", "media"} else PageType.FILE
        for kind, endings in FILE_KINDS.items()
        for ending in endings
    }
)
_NAMESPACES = {
    PageType.LISTING: "category kategorie categorie categoria portal special spezial",
    PageType.PROFILE: "user benutzer utilisateur usuario",
    PageType.DISCUSSION: "talk user-talk diskussion discussion discusion",
    PageType.HELP: "help hilfe aide ayuda",
    PageType.MEDIA: "file datei fichier archivo image",
}
_BY_NAMESPACE: Final = MappingProxyType(
    {
        name.replace("-", ""): page_type
        for page_type, names in _NAMESPACES.items()
        for name in names.split()
    }
)


class AddressType(NamedTuple):
    """What an address says of a page, and why."""

    page_type: PageType
    reason: str
    is_firm: bool = True
    """Whether it is clear: then a title does not change it."""
    category: Category | None = None
    """If it is not that of the type."""


class FolderContext(NamedTuple):
    """What the folders of an address say."""

    rule: FolderRule | None = None
    word: str = ""
    """The folder, or the host, that the rule is of."""
    is_dated: bool = False

    @property
    def is_of_one_kind(self) -> bool:
        return self.rule is not None and self.rule.below in _ONE_KIND

    @property
    def is_doubtful(self) -> bool:
        """Whether what a page is called may say more of it than where it lies."""
        return self.rule is None and not self.is_dated


def type_by_name(
    leaf: str, word: str, context: FolderContext, *, is_folder: bool
) -> AddressType | None:
    """What a page is by what it is called; *is_folder*: others lie below it."""
    if leaf in SCRIPT_RULES:
        return AddressType(SCRIPT_RULES[leaf], f"the script {leaf}")
    folder = FOLDER_RULES.get(word) if is_folder else None
    named = LEAF_RULES.get(word)
    if named is not None and _counts(named.page_type, folder, context):
        return AddressType(named.page_type, f"the word {leaf}", category=named.category)
    if wiki := _of_namespace(leaf):
        return wiki
    if is_folder and not context.is_of_one_kind:
        page_type = folder.own if folder else PageType.LISTING
        return AddressType(page_type, "pages lie below it", is_firm=folder is not None)
    return None


def _counts(said: PageType, folder: FolderRule | None, context: FolderContext) -> bool:
    """Whether the word for *said* counts as a page's name here."""
    if folder is not None and said is PageType.LISTING:
        return False
    if not context.is_of_one_kind or said is PageType.FEED:
        return True
    # Documentation explains how to log in; help has a page with the terms.
    is_help = context.rule is not None and context.rule.below is PageType.HELP
    return is_help and said in _NO_HEADING


def _of_namespace(leaf: str) -> AddressType | None:
    """Pages of wikis: ``Category:Volcanoes``, ``Special:Search``."""
    namespace, colon, title = leaf.replace("%3A", ":").partition(":")
    page_type = _BY_NAMESPACE.get(compact_word(namespace)) if colon else None
    if page_type is None:
        return None
    named = LEAF_RULES.get(compact_word(title)) if page_type is PageType.LISTING else None
    if named is not None and named.page_type in _NO_HEADING:
        page_type = named.page_type
    return AddressType(page_type, f"the namespace {namespace}")


def type_by_shape(
    stand_in: str,
    context: FolderContext,
    learned: PageType | None,
    *,
    is_title: bool,
    is_numbered: bool,
) -> AddressType:
    """What a page is that no word names; *learned* is what pages of its template say they are."""
    if "." in stand_in and (of_file := _BY_ENDING.get(stand_in[stand_in.index(".") :])):
        return AddressType(of_file, "its file type")
    if found := _by_date(stand_in, context):
        return found
    if learned is not None and not (context.rule is not None and context.rule.is_closed):
        return AddressType(learned, "pages like it say so in their structured data")
    if context.rule is not None:
        where = f"in the folder {context.word}"
        return AddressType(context.rule.below, where, category=context.rule.category)
    return _by_guess(context, is_title=is_title, is_numbered=is_numbered)


def _by_date(stand_in: str, context: FolderContext) -> AddressType | None:
    if stand_in in _DATE_PARTS and not context.is_of_one_kind:
        return AddressType(PageType.LISTING, "all of a year, a month or a day")
    is_event = context.rule is not None and context.rule.below is PageType.EVENT
    if stand_in == DATE and is_event:
        return AddressType(PageType.LISTING, "all of a date")
    return None


def _by_guess(context: FolderContext, *, is_title: bool, is_numbered: bool) -> AddressType:
    if context.is_dated:
        return AddressType(PageType.ARTICLE, "a date in the path")
    if is_numbered:
        return AddressType(PageType.PRODUCT, "a number as shops have it", is_firm=False)
    if is_title:
        return AddressType(PageType.ARTICLE, "a headline as its name", is_firm=False)
    return AddressType(PageType.PAGE, "no rule says more", is_firm=False)
