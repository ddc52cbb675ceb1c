"""Data that frameworks leave in a page for their scripts, read as data and never run.

- JSON in a script of its own: `__NEXT_DATA__`, `__NUXT_DATA__`, any `application/json`.
- Assignments: `window.__remixContext = {...}`, `window.__NUXT__ = ...`, Gatsby's `pagePath`.
- What Next.js streams: `self.__next_f.push([1, "..."])`.
- Lists of routes: `self.__BUILD_MANIFEST = {...}`, `window.__remixManifest = {...}`.

Only what looks like an address and stands under a key that means a link is taken.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sitecrawl.parse.links.targets import looks_like_address
from sitecrawl.parse.links.vocabulary import LinkSource

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_VALUES = 200_000
_MAX_ROUTE_DEPTH = 20
_LINK_WORDS = """
    href url uri link permalink path pathname fullpath aspath to route canonical canonicalurl
    canonicalpath pageurl pagepath weburl web_url websiteurl page_url producturl product_url
    relativeurl relative_url urlpath url_path
"""
_LINK_KEYS = frozenset(_LINK_WORDS.split())
_ASSIGNMENT = re.compile(r"\b(?:window|self|globalThis)\.(__\w{1,60}|pagePath)\s{0,9}=\s{0,9}")
_STREAMED = re.compile(r"\bself\.__next_f\.push\(\s{0,9}(?=\[)")
# In a script that is no JSON: `href:"/a"`, `"url": "\u002Fa"`.
_LITERAL = re.compile(
    r"""\b(?:href|url|uri|link|permalink|path|pathname|fullPath|to|route)["']?\s{0,5}:\s{0,5}"""
    r'''"((?:/|\\u002[Ff]|\\/|https?:)[^"\n]{0,2000})"'''
)
_ROUTE = re.compile(r"""["'](/[\w/.%~-]{0,500})["']\s{0,5}[:,\]]""")
# What a framework serves to itself, and what is no page by its name.
_INTERNAL = re.compile(
    r"/(?:_|api/|404$|500$)"
    r"|[^?#]*\.(?:js|mjs|css|map|json|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|mp4|webm)(?:[?#]|$)",
    re.IGNORECASE,
)
_DECODER = json.JSONDecoder()


def script_addresses(kind: str, text: str) -> Iterator[tuple[LinkSource, str]]:
    """Give the addresses in a script's data, by its type and its text.

    Raises ValueError or RecursionError where the data is not what it says.
    """
    if "json" in kind:
        yield from _in_data(json.loads(text))
        return
    for match in _STREAMED.finditer(text):
        piece, _ = _DECODER.raw_decode(text, match.end())
        if len(piece) > 1 and isinstance(piece[1], str):
            yield from _in_literals(piece[1])
    for match in _ASSIGNMENT.finditer(text):
        name, start = match[1], match.end()
        if name == "__BUILD_MANIFEST":
            # A function that returns an object: the routes are its keys.
            yield from _in_route_names(text[start:])
            return
        try:
            data, _ = _DECODER.raw_decode(text, start)
        except ValueError:
            # Not JSON but a script that makes it: `(function(a,b){return {...}}("/x", 1))`.
            yield from _in_literals(text[start:])
            return
        if name == "__remixManifest":
            yield from _in_routes(data)
        else:
            yield from _in_data({"path": data} if name == "pagePath" else data)


def _in_data(data: object) -> Iterator[tuple[LinkSource, str]]:
    """Walk through data and give what stands under a key that means a link."""
    table = data if isinstance(data, list) else []
    pending: list[object] = [data]
    seen = 0
    while pending and seen < _MAX_VALUES:
        seen += 1
        value = pending.pop()
        if isinstance(value, list):
            pending += [item for item in reversed(value) if isinstance(item, dict | list)]
        elif isinstance(value, dict):
            inner = []
            for key, child in value.items():
                if isinstance(child, dict | list):
                    inner.append(child)
                elif key.lower() in _LINK_KEYS:
                    address = _dereferenced(child, table)
                    if _is_page(address):
                        yield LinkSource.JSON_ISLAND, address
            pending += reversed(inner)


def _dereferenced(value: Any, table: list[Any]) -> str:
    """Give a string, also where it is written as its number in the list of all values (Nuxt)."""
    if type(value) is int and 0 <= value < len(table):
        value = table[value]
    return value.strip() if isinstance(value, str) else ""


def _in_literals(text: str) -> Iterator[tuple[LinkSource, str]]:
    for quoted in _LITERAL.findall(text):
        try:
            address = json.loads(f'"{quoted}"')
        except ValueError:
            continue
        if _is_page(address):
            yield LinkSource.JSON_ISLAND, address


def _in_route_names(text: str) -> Iterator[tuple[LinkSource, str]]:
    for route in _ROUTE.findall(text):
        if _is_page(route):
            yield LinkSource.MANIFEST, route


def _in_routes(manifest: Any) -> Iterator[tuple[LinkSource, str]]:
    """Give the paths of Remix's routes; each is relative to that of its parent."""
    routes = manifest.get("routes") if isinstance(manifest, dict) else None
    if not isinstance(routes, dict):
        return
    for name in routes:
        path = _route_path(routes, name)
        if _is_page(path):
            yield LinkSource.MANIFEST, path


def _route_path(routes: dict[str, Any], name: str) -> str:
    parts: list[str] = []
    route = routes.get(name)
    while isinstance(route, dict) and len(parts) < _MAX_ROUTE_DEPTH:
        part = route.get("path")
        parts.append(part.strip("/") if isinstance(part, str) else "")
        route = routes.get(str(route.get("parentId")))
    return "/" + "/".join(filter(None, reversed(parts)))


def _is_page(address: str) -> bool:
    return looks_like_address(address) and not _INTERNAL.match(address)
