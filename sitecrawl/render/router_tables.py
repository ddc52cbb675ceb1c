"""Routes of an application: addresses that a router knows, or that a click leads to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import ada_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ADDRESS_CHARACTERS = 2_000


class RouteKind(StrEnum):
    """How a route was found; the values are what users see."""

    ROUTER_TABLE = "spa-router-table"
    CLICK = "spa-click"
    SCRIPT = "spa-script"
    """The page went there on its own."""


@dataclass(frozen=True, slots=True)
class Route:
    """One address, as absolute URL, with the element whose click led there."""

    url: str
    kind: RouteKind
    label: str = ""
    path: str = ""
    is_pattern: bool = False
    """A parameter is left open, as in ``/user/:id``."""


# A fragment is a route only in these forms; otherwise it is an anchor within the page.
_HASH_ROUTE = re.compile(r"#(?:/|!)")
_WILDCARD = re.compile(r"\*|\(\.\*\)")
# `:id`, `:id?`, `:id+`, `[id]`, `[[...id]]`, `$id`, `{id}`.
_PARAMETER = re.compile(
    r"""
    : (?P<colon> \w+ )
    | \[{1,2} (?:\.\.\.)? (?P<bracket> [\w-]+ ) \]{1,2}
    | \$ (?P<dollar> \w+ )
    | \{ (?P<brace> \w+ ) \}
    """,
    re.VERBOSE,
)
_OPTIONAL_END = re.compile(r"/[^/]*(?:\?|\]\])$")
_PRIVATE_PAGES = frozenset({"/_app", "/_error", "/_document", "/404", "/500"})


def reachable(address: str, start: str) -> str:
    """The URL of an address that is a page, and another one than the start; else an empty string.

    >>> reachable("https://a.example/x#part", "https://a.example/y")
    'https://a.example/x'
    >>> reachable("https://a.example/y#part", "https://a.example/y")
    ''
    >>> reachable("https://a.example/#/x", "https://a.example/")
    'https://a.example/#/x'
    """
    if len(address) > MAX_ADDRESS_CHARACTERS or not address.startswith(("https://", "http://")):
        return ""
    url = _page_of(address)
    return url if url != _page_of(start) else ""


def table_routes(root: str, paths: Iterable[str], start: str) -> Iterator[Route]:
    """Routes of a router's table; *root* is the address of its ``/``.

    >>> [route.url for route in table_routes("https://a.example/#/", ["/", "/user/:id?"], "")]
    ['https://a.example/#/', 'https://a.example/#/user/:id', 'https://a.example/#/user']
    """
    for path in paths:
        for form in _forms(path):
            if url := reachable(root.rstrip("/") + form, start):
                yield Route(url, RouteKind.ROUTER_TABLE, is_pattern=":" in form)


def _page_of(address: str) -> str:
    try:
        url = ada_url.URL(address)
    except ValueError:
        return ""
    if not _HASH_ROUTE.match(url.hash):
        url.hash = ""
    return url.href


def _forms(path: str) -> Iterator[str]:
    """The path as it is or with its parameters named, and without an optional end."""
    path = "/" + path.strip("/")
    if path in _PRIVATE_PAGES:
        return
    while _WILDCARD.search(path.rpartition("/")[2]):
        # What is below `docs/*` is not told, but `docs` is there; the mere `*` is the error page.
        path = path.rpartition("/")[0]
        if not path:
            return
    optional = _OPTIONAL_END.search(path)
    segments = (_plain_segment(segment) for segment in path.split("/"))
    yield "/".join(segments)
    if optional:
        yield from _forms(path[: optional.start()] or "/")


def _plain_segment(segment: str) -> str:
    """``:id(\\d+)?`` -> ``:id``; the rules for a value are not part of the address."""
    match = _PARAMETER.search(segment)
    if match is None:
        return segment.partition("?")[0]
    return segment[: match.start()] + ":" + match[match.lastgroup or 0]
