"""The words of classification: categories, types of pages, kinds of clusters."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Category(StrEnum):
    """What a page is for."""

    PRIMARY = "primary"
    """What the site is there for."""
    SUPPORT = "support"
    """Documents that help to use what the site offers."""
    UTILITY = "utility"
    """What a site needs in order to work, and hardly anybody reads."""


class PageType(StrEnum):
    """What kind of page it is."""

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
"""The category that goes with a type, unless a rule says otherwise."""


class ClusterKind(StrEnum):
    """What the pages of a cluster have in common."""

    SECTION = "section"
    PATTERN = "pattern"
    TYPE = "type"
    LANGUAGE = "language"
    TOPIC = "topic"


class LanguageSource(StrEnum):
    """What a page's language is known from."""

    HREFLANG = "hreflang"
    HTML = "html"
    PATH = "path"
    SUBDOMAIN = "subdomain"
    QUERY = "query"
    TEXT = "text"
