"""The type of a page by its URL (folders, slug, query) and by its structured data."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.pages import Category, PageType
from sitecrawl.classify.paths import DATE, DAY, MONTH, YEAR, compact_word
from sitecrawl.classify.rules.paths import (
    EDITING_ACTIONS,
    FOLDER_RULES,
    NAMESPACE_TYPES,
    PARAMETER_RULES,
    SCRIPT_RULES,
    FolderRule,
    QueryRule,
)
from sitecrawl.classify.rules.slugs import SLUG_RULES
from sitecrawl.classify.rules.structured_data import STRUCTURED_TYPES
from sitecrawl.urls.rules import FILE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_DATE_PARTS: Final = frozenset({YEAR, MONTH, DAY})
# In folders of these types all pages have the type of the folder: a page with others below it is no
# listing there, and most words of the slug rules are headings.
_UNIFORM_TYPES: Final = frozenset(
    {PageType.DOCUMENTATION, PageType.HELP, PageType.LEGAL, PageType.LOGIN, PageType.CART}
)
_NO_HEADINGS: Final = frozenset(
    {
        *(PageType.LEGAL, PageType.LOGIN, PageType.CART),
        *(PageType.SEARCH, PageType.FEED, PageType.CONTACT),
    }
)
_TYPE_BY_EXTENSION: Final = MappingProxyType(
    {
        f".{extension}": PageType.MEDIA if kind in {"image", "media"} else PageType.FILE
        for kind, extensions in FILE_KINDS.items()
        for extension in extensions
    }
)
_PAGE_ENDINGS: Final = (".html", ".htm", ".xhtml", ".shtml")
_MAX_PARAMETERS: Final = 16
# A page that declares so many items of its most specific type is a list of them.
_LISTED_ITEMS: Final = 3


class UrlType(NamedTuple):
    """The type of a page by its URL, and why."""

    page_type: PageType
    reason: str
    is_certain: bool = True
    """Whether a title or a link region cannot change it."""
    category: Category | None = None
    """If it is not that of the type."""


class FolderContext(NamedTuple):
    """What the folders of a URL tell about the pages in them."""

    rule: FolderRule | None = None
    word: str = ""
    """The folder or the host that has the rule."""
    is_dated: bool = False

    @property
    def is_uniform(self) -> bool:
        return self.rule is not None and self.rule.below in _UNIFORM_TYPES

    @property
    def is_unknown(self) -> bool:
        """Whether the folders tell nothing, so that the shape of the slug decides."""
        return self.rule is None and not self.is_dated


def type_by_slug(
    slug: str, word: str, context: FolderContext, *, is_folder: bool
) -> UrlType | None:
    """The type by the slug and its *word*; *is_folder*: other pages are below it."""
    if slug in SCRIPT_RULES:
        return UrlType(SCRIPT_RULES[slug], f"the script {slug}")
    folder = FOLDER_RULES.get(word) if is_folder else None
    rule = SLUG_RULES.get(word)
    if rule is not None and _applies(rule.page_type, folder, context):
        return UrlType(rule.page_type, f"the word {slug}", category=rule.category)
    if wiki := _type_by_namespace(slug):
        return wiki
    if is_folder and not context.is_uniform:
        page_type = folder.own if folder else PageType.LISTING
        return UrlType(page_type, "pages lie below it", is_certain=folder is not None)
    return None


def _applies(page_type: PageType, folder: FolderRule | None, context: FolderContext) -> bool:
    """Whether a slug rule of this type applies in this folder."""
    if folder is not None and page_type is PageType.LISTING:
        return False
    if not context.is_uniform or page_type is PageType.FEED:
        return True
    # Documentation explains how to log in; a help center has a page with the terms.
    is_help = context.rule is not None and context.rule.below is PageType.HELP
    return is_help and page_type in _NO_HEADINGS


def _type_by_namespace(slug: str) -> UrlType | None:
    """Pages of wikis: ``Category:Volcanoes``, ``Special:Search``."""
    namespace, colon, title = slug.replace("%3A", ":").partition(":")
    page_type = NAMESPACE_TYPES.get(compact_word(namespace)) if colon else None
    if page_type is None:
        return None
    rule = SLUG_RULES.get(compact_word(title)) if page_type is PageType.LISTING else None
    if rule is not None and rule.page_type in _NO_HEADINGS:
        page_type = rule.page_type
    return UrlType(page_type, f"the namespace {namespace}")


def type_by_shape(
    placeholder: str,
    context: FolderContext,
    learned: PageType | None,
    *,
    is_title: bool,
    is_numbered: bool,
) -> UrlType:
    """The type of a page that no slug rule knows.

    *learned* is the type that most pages of its template declare.
    """
    if "." in placeholder:
        file_type = _TYPE_BY_EXTENSION.get(placeholder[placeholder.index(".") :])
        if file_type is not None:
            return UrlType(file_type, "its file type")
    if found := _type_by_date(placeholder, context):
        return found
    if learned is not None:
        return UrlType(learned, "pages like it say so in their structured data")
    is_html = placeholder.endswith(_PAGE_ENDINGS)
    if context.rule is not None and not (is_html and context.rule.below is PageType.FILE):
        reason = f"in the folder {context.word}"
        return UrlType(context.rule.below, reason, category=context.rule.category)
    return _guess_type(context, is_title=is_title, is_numbered=is_numbered)


def _guess_type(context: FolderContext, *, is_title: bool, is_numbered: bool) -> UrlType:
    if context.is_dated:
        return UrlType(PageType.ARTICLE, "a date in the path")
    if is_numbered:
        return UrlType(PageType.PRODUCT, "a number as shops have it", is_certain=False)
    if is_title:
        return UrlType(PageType.ARTICLE, "a headline as its name", is_certain=False)
    return UrlType(PageType.PAGE, "no rule says more", is_certain=False)


def _type_by_date(placeholder: str, context: FolderContext) -> UrlType | None:
    if placeholder in _DATE_PARTS and not context.is_uniform:
        return UrlType(PageType.LISTING, "all of a year, a month or a day")
    is_event = context.rule is not None and context.rule.below is PageType.EVENT
    if placeholder == DATE and is_event:
        return UrlType(PageType.LISTING, "all of a date")
    return None


def parse_parameters(query: str) -> list[tuple[str, str]]:
    """
    >>> parse_parameters("a=1&b=&&c")
    [('a', '1'), ('b', ''), ('c', '')]
    """
    pairs = query.split("&", _MAX_PARAMETERS)[:_MAX_PARAMETERS]
    return [(name, value) for name, _, value in (pair.partition("=") for pair in pairs) if name]


def query_rule(parameters: Sequence[tuple[str, str]], path_type: PageType) -> QueryRule | None:
    """The rule of the first parameter that has one; filters and sorting apply to listings only.

    >>> query_rule([("q", "x")], PageType.PAGE).page_type
    <PageType.SEARCH: 'search'>
    >>> query_rule([("page", "2")], PageType.DISCUSSION) is None
    True
    """
    for name, value in parameters:
        lowered = name.lower().removesuffix("[]")
        if lowered in {"action", "do"} and value.lower() in EDITING_ACTIONS:
            return QueryRule(PageType.PAGE, Category.UTILITY)
        if lowered in {"mode", "action", "do", "view"} and (
            by_value := SLUG_RULES.get(compact_word(value))
        ):
            return QueryRule(by_value.page_type, by_value.category)
        rule = PARAMETER_RULES.get(lowered)
        if rule is None:
            continue
        if rule.page_type is PageType.LISTING and path_type not in {
            PageType.PAGE,
            PageType.HOME,
            PageType.LISTING,
        }:
            return None
        return rule
    return None


def declared_type(names: Iterable[str]) -> PageType | None:
    """The type that a page declares: names of schema.org types, and ``og:`` with its ``og:type``.

    A program that makes nothing but documentation, with ``generator:``, counts as a declaration.

    >>> declared_type(["BreadcrumbList", "https://schema.org/Product", "Organization"])
    <PageType.PRODUCT: 'product'>
    >>> declared_type(["WebSite", "og:website"]) is None
    True
    >>> declared_type(["og:website", "generator:javadoc"])
    <PageType.DOCUMENTATION: 'documentation'>
    """
    known = [
        found
        for name in names
        if (found := STRUCTURED_TYPES.get(name.rpartition("/")[2].lower())) is not None
    ]
    if not known:
        return None
    most_specific = min(known)
    is_list = known.count(most_specific) >= _LISTED_ITEMS
    return PageType.LISTING if is_list else most_specific[1]
