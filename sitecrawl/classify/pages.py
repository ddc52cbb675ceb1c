"""What goes into classification and what comes out: columns of pages, and their classes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Texts: TypeAlias = Sequence[str | None] | None


class Category(StrEnum):
    """The purpose of a page."""

    PRIMARY = "primary"
    """The content that the site exists for."""
    SUPPORT = "support"
    """Documents that help to use what the site offers."""
    UTILITY = "utility"
    """Pages that a site needs in order to work, and hardly anybody reads."""


class PageType(StrEnum):
    """The kind of page."""

    HOME = "home"
    LISTING = "listing"
    ARTICLE = "article"
    PRODUCT = "product"
    EVENT = "event"
    JOB = "job"
    PROFILE = "profile"
    DISCUSSION = "discussion"
    MEDIA = "media"
    ABOUT = "about"
    PAGE = "page"
    DOCUMENTATION = "documentation"
    HELP = "help"
    CONTACT = "contact"
    FILE = "file"
    LEGAL = "legal"
    SEARCH = "search"
    LOGIN = "login"
    CART = "cart"
    FEED = "feed"


PAGE_TYPE_NAMES: Final = frozenset(PageType)
_SUPPORT = {PageType.DOCUMENTATION, PageType.HELP, PageType.CONTACT, PageType.FILE}
_UTILITY = {PageType.LEGAL, PageType.SEARCH, PageType.LOGIN, PageType.CART, PageType.FEED}

CATEGORY_OF: Final = MappingProxyType(
    {
        page_type: Category.SUPPORT
        if page_type in _SUPPORT
        else Category.UTILITY
        if page_type in _UTILITY
        else Category.PRIMARY
        for page_type in PageType
    }
)
"""The category of a type, unless a rule says otherwise."""


class ClusterKind(StrEnum):
    """What the pages of a cluster have in common."""

    SECTION = "section"
    PATTERN = "pattern"
    TYPE = "type"
    LANGUAGE = "language"
    TOPIC = "topic"


class LanguageSource(StrEnum):
    """How a page's language is known."""

    HREFLANG = "hreflang"
    HTML = "html"
    PATH = "path"
    SUBDOMAIN = "subdomain"
    QUERY = "query"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class PageColumns:
    """Some pages of a site, one row each; a column that is None is unknown for every page."""

    urls: Sequence[str]
    """Canonical URLs; any other text is classified as well as possible."""
    titles: Texts = None
    anchors: Texts = None
    kinds: Texts = None
    """The type that the page's structured data declares, or its kind of file."""
    languages: Texts = None
    """By hreflang."""
    own_languages: Texts = None
    """By ``<html lang>``."""
    text_languages: Texts = None
    """By detection in the page's text."""
    regions: Texts = None
    """The part of a page that links to it, the most prominent if there are several."""
    lastmods: Texts = None
    sitemap_priorities: Sequence[float | None] | None = None
    importances: Sequence[float | None] | None = None
    """More than 0: the page is in the site's menu."""
    inlinks: Sequence[int | None] | None = None
    """The number of pages that link to it."""

    def only(self, chosen: Sequence[bool]) -> PageColumns:
        """Only the rows that are *chosen*.

        >>> PageColumns(["a", "b"], titles=["A", None]).only([False, True]).urls
        ['b']
        """
        columns = {each.name: getattr(self, each.name) for each in fields(self)}
        return PageColumns(
            **{name: column and list(compress(column, chosen)) for name, column in columns.items()}
        )


class PageClass(NamedTuple):
    """The result for one page; equal and hashable by value, so that classes can be numbered."""

    category: Category
    page_type: PageType
    reason: str
    """Why this type."""
    template: str
    depth: int
    """Path segments."""
    sections: tuple[str, ...]
    """The named folders that contain the page, from the outermost on."""
    topics: tuple[str, ...]
    language: str
    """``""``: unknown."""
    language_source: LanguageSource | None
    priority: float
    clusters: tuple[str, ...]
    """Keys of clusters: sections, pattern, type, language, topics."""
