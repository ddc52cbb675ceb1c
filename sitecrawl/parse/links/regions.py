"""Which part of a page an element opens, by its role, name, labels and class names.

Tables of words: an element's role and name come first, then what its label and classes say, for
sites that are made of `div` alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sitecrawl.parse.links.vocabulary import NO_REGION, Region

_ROLES = {
    "navigation": Region.NAVIGATION,
    "menubar": Region.NAVIGATION,
    "banner": Region.HEADER,
    "contentinfo": Region.FOOTER,
    "complementary": Region.ASIDE,
}
_TAGS = {
    "nav": Region.NAVIGATION,
    "header": Region.HEADER,
    "footer": Region.FOOTER,
    "aside": Region.ASIDE,
}
# What `header` and `footer` inside of them belong to is not the page.
_SECTIONS = frozenset({"article", "section", "main", "aside", "nav"})
_SECTION_ROLES = frozenset({"main", "article", "region"})
_LISTS = frozenset({"ul", "ol", "menu"})
_LANDMARKS = frozenset({"body", "main", "nav", "header", "footer", "aside"})

_WORDS = {
    Region.NAVIGATION: """
        nav navbar navigation menu menubar topnav top-nav topmenu top-menu mainnav main-nav
        mainmenu main-menu main-navigation sitenav site-nav site-navigation site-menu
        primary-nav primary-menu primary-navigation global-nav globalnav nav-menu navmenu
        nav-links navlinks nav-list subnav sub-nav submenu sub-menu mega-menu megamenu
        mobile-menu mobile-nav sidenav side-nav side-menu sidemenu drawer-menu offcanvas-menu
        dropdown-menu header-nav header-menu""",
    Region.HEADER: """
        header site-header masthead topbar top-bar global-header globalheader main-header
        mainheader header-wrapper""",
    Region.FOOTER: """
        footer site-footer page-footer main-footer mainfooter global-footer globalfooter
        footer-nav footer-menu footer-links footer-wrapper footer-widgets colophon""",
    Region.ASIDE: """
        aside sidebar side-bar sidebar-left sidebar-right left-sidebar right-sidebar
        left-column right-column widget-area side-column""",
    Region.PAGINATION: """
        pagination pager page-numbers pagenumbers paging paginator pagenavi wp-pagenavi
        page-navigation page-nav nav-previous nav-next nextprev next-prev prev-next
        post-navigation posts-navigation""",
    Region.BREADCRUMB: "breadcrumb breadcrumbs crumbs crumb-trail breadcrumb-trail bread-crumb",
}
_REGION_OF_WORD = {word: region for region, words in _WORDS.items() for word in words.split()}
_TELLING_LABELS = (
    (re.compile(r"bread.?crumb", re.IGNORECASE), Region.BREADCRUMB),
    (re.compile(r"paginat|\bpag(?:es|er|ing)\b", re.IGNORECASE), Region.PAGINATION),
)
_SPECIFIC = frozenset({Region.BREADCRUMB, Region.PAGINATION})
# `footer__inner`, `Footer_root__x3fa` and `footer--dark` all are of the block `footer`.
_BLOCK_END = re.compile(r"_|--")
_MAX_ATTRIBUTE_CHARACTERS = 200
# An element's name alone, or with its class, id, role, aria-label and itemtype.
MarkKey = str | tuple[str, str | None, str | None, str | None, str | None, str | None]
_STEP_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")


@dataclass(frozen=True, slots=True)
class Mark:
    """What an element is to those inside it; `step` is its part of their path."""

    step: str
    region: str
    is_semantic: bool
    is_section: bool
    is_list: bool
    starts_path: bool


def mark_of(key: MarkKey) -> Mark:
    """Read an element's name and attributes."""
    parts = (key, "", "", "", "", "") if isinstance(key, str) else key
    tag, classes, name, role, label, item_type = (
        part[:_MAX_ATTRIBUTE_CHARACTERS] if part else "" for part in parts
    )
    role = role.strip().lower()
    tokens = classes.split()
    region, is_semantic = _region(tag, name, tokens, role, label, item_type)
    return Mark(
        step=_step(tag, name, tokens),
        region=region,
        is_semantic=is_semantic,
        is_section=tag in _SECTIONS or role in _SECTION_ROLES,
        is_list=tag in _LISTS or role == "menu",
        starts_path=bool(name) or tag in _LANDMARKS,
    )


def is_specific(region: str) -> bool:
    """Whether a region says what its links do, not only where they are."""
    return region in _SPECIFIC


def _region(
    tag: str, name: str, tokens: list[str], role: str, label: str, item_type: str
) -> tuple[str, bool]:
    by_words = _region_by_words(name, tokens)
    specific = by_words if by_words in _SPECIFIC else ""
    if item_type.endswith("BreadcrumbList"):
        specific = Region.BREADCRUMB
    elif label and not specific:
        specific = next((region for words, region in _TELLING_LABELS if words.search(label)), "")
    semantic = _ROLES.get(role) or _TAGS.get(tag)
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
