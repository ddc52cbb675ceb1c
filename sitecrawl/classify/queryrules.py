"""What the parameters of an address say of a page; the rules are data."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.leafwords import LEAF_RULES
from sitecrawl.classify.segments import compact_word
from sitecrawl.classify.vocabulary import Category, PageType

if TYPE_CHECKING:
    from collections.abc import Sequence


class QueryRule(NamedTuple):
    page_type: PageType | None
    """None: what the path says."""
    category: Category | None = None


_SEARCHED = "q query s search keyword keywords searchterm search_query term what wd suche recherche"
_LISTED = """
    sort sort_by sortby order orderby order_by dir filter filters facet facets per_page limit view
    category cat tag tags brand color colour size price min_price max_price diet availability
"""
_UTILITY = "print printable share replytocom add-to-cart add_to_cart remove_item preview redirect"
_EDITING = frozenset({"edit", "history", "raw", "submit", "info", "print", "delete", "protect"})
_BY_NAME: Final = MappingProxyType(
    {
        **dict.fromkeys(_SEARCHED.split(), QueryRule(PageType.SEARCH, Category.UTILITY)),
        **dict.fromkeys(_LISTED.split(), QueryRule(PageType.LISTING, Category.PRIMARY)),
        **dict.fromkeys(_UTILITY.split(), QueryRule(PageType.PAGE, Category.UTILITY)),
        "feed": QueryRule(PageType.FEED, Category.UTILITY),
    }
)
# Scripts of boards and wikis whose name says it all.
SCRIPT_RULES: Final = MappingProxyType(
    {
        "viewtopic.php": PageType.DISCUSSION,
        "showthread.php": PageType.DISCUSSION,
        "showpost.php": PageType.DISCUSSION,
        "viewforum.php": PageType.LISTING,
        "forumdisplay.php": PageType.LISTING,
        "memberlist.php": PageType.PROFILE,
        "member.php": PageType.PROFILE,
        "profile.php": PageType.PROFILE,
        "ucp.php": PageType.LOGIN,
        "wp-login.php": PageType.LOGIN,
        "search.php": PageType.SEARCH,
    }
)
_MAX_PARAMETERS: Final = 16


def parameters(query: str) -> list[tuple[str, str]]:
    """
    >>> parameters("a=1&b=&&c")
    [('a', '1'), ('b', ''), ('c', '')]
    """
    pairs = query.split("&", _MAX_PARAMETERS)[:_MAX_PARAMETERS]
    return [(name, value) for name, _, value in (pair.partition("=") for pair in pairs) if name]


def query_rule(pairs: Sequence[tuple[str, str]], path_type: PageType) -> QueryRule | None:
    """The first parameter that says something decides; a view of a list is a list.

    >>> query_rule([("q", "x")], PageType.PAGE).page_type
    <PageType.SEARCH: 'search'>
    >>> query_rule([("page", "2")], PageType.DISCUSSION) is None
    True
    """
    for name, value in pairs:
        lowered = name.lower().removesuffix("[]")
        if lowered in {"action", "do"} and value.lower() in _EDITING:
            return QueryRule(PageType.PAGE, Category.UTILITY)
        if lowered in {"mode", "action", "do", "view"} and (
            named := LEAF_RULES.get(compact_word(value))
        ):
            return QueryRule(named.page_type, named.category)
        rule = _BY_NAME.get(lowered)
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
