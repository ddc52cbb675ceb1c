"""The words of a link: where in a page it was written, and in which part of it."""

from __future__ import annotations

from enum import StrEnum


class LinkSource(StrEnum):
    """Which construct named the address; the values are what users see."""

    LINK = "link"
    AREA = "area"
    DATA_ATTRIBUTE = "data-attribute"
    BUTTON = "button"
    ROLE_LINK = "role-link"
    ROUTER_LINK = "router-link"
    ONCLICK = "onclick"
    LINK_NEXT = "link-next"
    LINK_PREV = "link-prev"
    CANONICAL = "canonical"
    HREFLANG = "hreflang"
    AMP = "amphtml"
    FEED_LINK = "feed-link"
    IFRAME = "iframe"
    FORM = "form"
    META_REFRESH = "meta-refresh"
    HTTP_LINK = "http-link"
    HTTP_REFRESH = "http-refresh"
    REDIRECT = "redirect"
    JSON_LD = "json-ld"
    OPENGRAPH = "opengraph"
    INLINE_LOC = "inline-loc"
    JSON_ISLAND = "json-island"
    MANIFEST = "manifest"
    # What only a browser sees.
    RENDERED_LINK = "rendered-link"
    SPA_ROUTER_TABLE = "spa-router-table"
    SPA_CLICK = "spa-click"
    SPA_SCRIPT = "spa-script"


RENDERED_SOURCES = frozenset(
    {
        *(LinkSource.RENDERED_LINK, LinkSource.SPA_ROUTER_TABLE),
        *(LinkSource.SPA_CLICK, LinkSource.SPA_SCRIPT),
    }
)


class Region(StrEnum):
    """The part of the page that a link stands in; what has no place there has the empty string."""

    NAVIGATION = "navigation"
    HEADER = "header"
    FOOTER = "footer"
    ASIDE = "aside"
    CONTENT = "content-link"
    BREADCRUMB = "breadcrumb"
    PAGINATION = "pagination"


NO_REGION = ""
