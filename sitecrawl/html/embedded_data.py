"""Links in the data that scripts hold: JSON-LD, and the state of frameworks. No script is run.

- JSON-LD: `url`, `@id`, `mainEntityOfPage` and breadcrumbs, and the types of what it describes.
- JSON in a script of its own: `__NEXT_DATA__`, `__NUXT_DATA__`, any `application/json`.
- Assignments: `window.__remixContext = {...}`, `window.__NUXT__ = ...`, Gatsby's `pagePath`.
- What Next.js streams: `self.__next_f.push([1, "..."])`.
- Lists of routes: `self.__BUILD_MANIFEST = {...}`, `window.__remixManifest = {...}`.

Only values that look like addresses count, under keys that are used for links.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sitecrawl.html.addresses import looks_like_address
from sitecrawl.html.links import NO_REGION, LinkSource
from sitecrawl.html.rules import (
    JSONLD_ADDRESS_KEYS,
    JSONLD_SKIPPED_KEYS,
    JSONLD_SKIPPED_TYPES,
    LINK_KEYS,
)
from sitecrawl.parsing.findings import FindingKind, Findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

    from sitecrawl.html.addresses import Attributes
    from sitecrawl.html.links import LinkRows, PageLimits


_JSON_LD = "ld+json"
# Themes leave out the generator of Sphinx, but its search needs this script.
_SPHINX_OPTIONS = "documentation_options"
# Scripts without one of these hold no data that is read here.
_DATA_MARKS = (".__", ".pagePath")


class ScriptReader:
    """Collects the scripts that hold data; their links are added after those of the elements."""

    def __init__(self, limits: PageLimits, findings: Findings):
        self._findings = findings
        self._max_anchor_characters = limits.max_anchor_characters
        self._texts: list[tuple[str, str]] = []
        self._room = limits.max_json_characters
        self._max_types = limits.max_declared_types
        self.types: list[str] = []
        """The types that JSON-LD declares; filled by `add_links`."""
        self.generator = ""
        """The program that made the page, if one of its scripts says so."""

    def take(self, script: LexborNode, attributes: Attributes) -> None:
        if attributes.get("id") == _SPHINX_OPTIONS:
            self.generator = "sphinx"
        if "src" in attributes:
            return
        kind = (attributes.get("type") or "").lower()
        text = script.text()
        if "json" not in kind and not any(mark in text for mark in _DATA_MARKS):
            return
        if len(text) > self._room:
            self._findings.note(FindingKind.OVER_LIMIT, f"data of {len(text):,} characters")
            return
        self._room -= len(text)
        self._texts.append((kind, text))

    def add_links(self, rows: LinkRows, url: str) -> None:
        for kind, text in self._texts:
            try:
                if _JSON_LD in kind:
                    data = json.loads(text, strict=False)
                    self.types += islice(jsonld_types(data), self._max_types - len(self.types))
                    for address, name in jsonld_addresses(data):
                        anchor = " ".join(name.split())[: self._max_anchor_characters]
                        rows.add(LinkSource.JSON_LD, address, NO_REGION, anchor, "", "")
                else:
                    site = _site_of(url)
                    for source, address in script_addresses(kind, text):
                        if _is_of_site(address, site):
                            rows.add(source, address, NO_REGION, "", "", "")
            except (ValueError, RecursionError) as error:
                self._findings.note(FindingKind.BAD_JSON, str(error))


def _is_of_site(address: str, site: str) -> bool:
    return "//" not in address[:8] or _site_of(address) == site


def _site_of(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


_MAX_VALUES = 200_000
_MAX_ROUTE_DEPTH = 20
_ASSIGNMENT = re.compile(r"\b(?:window|self|globalThis)\.(__\w{1,60}|pagePath)\s{0,9}=\s{0,9}")
_STREAMED = re.compile(r"\bself\.__next_f\.push\(\s{0,9}(?=\[)")
# In a script that is no JSON: `href:"/a"`, `"url": "\u002Fa"`.
_LITERAL = re.compile(
    r"""\b(?:href|url|uri|link|permalink|path|pathname|fullPath|to|route)["']?\s{0,5}:\s{0,5}"""
    r'''"((?:/|\\u002[Ff]|\\/|https?:)[^"\n]{0,2000})"'''
)
_ROUTE = re.compile(r"""["'](/[\w/.%~-]{0,500})["']\s{0,5}[:,\]]""")
# Paths that frameworks use internally, and files that are not pages.
_INTERNAL = re.compile(
    r"/(?:_|api/|404$|500$)"
    r"|[^?#]*\.(?:js|mjs|css|map|json|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|mp4|webm)(?:[?#]|$)",
    re.IGNORECASE,
)
_DECODER = json.JSONDecoder()


def script_addresses(kind: str, text: str) -> Iterator[tuple[LinkSource, str]]:
    """The addresses in the data of a script.

    Raises ValueError or RecursionError if the data is invalid.
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
    """The values of data under keys that are used for links."""
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
                elif key.lower() in LINK_KEYS:
                    address = _dereferenced(child, table)
                    if _is_page(address):
                        yield LinkSource.JSON_ISLAND, address
            pending += reversed(inner)


def _dereferenced(value: Any, table: list[Any]) -> str:
    """The string of a value, also if it is an index into the list of all values (Nuxt)."""
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
    """The paths of Remix's routes; each is relative to the path of its parent."""
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


_MAX_OBJECTS = 50_000
_MAX_OUTERMOST = 200
_MAX_TYPE_CHARACTERS = 60
# An `@id` may be anything, and templates such as `/search?q={term}` are not addresses.
_JSONLD_ADDRESS = re.compile(r"""\s*((?:https?://|/)[^\s<>"{}|\\^`]*)\s*""", re.IGNORECASE)


def jsonld_addresses(data: object) -> Iterator[tuple[str, str]]:
    """The addresses in JSON-LD, each with the name of the thing it belongs to."""
    pending = [data]
    seen = 0
    while pending and seen < _MAX_OBJECTS:
        seen += 1
        value = pending.pop()
        if isinstance(value, list):
            pending += reversed(value)
        elif isinstance(value, dict) and not _is_skipped(value):
            inner = []
            for key, child in value.items():
                if isinstance(child, str):
                    if key in JSONLD_ADDRESS_KEYS and (address := _JSONLD_ADDRESS.fullmatch(child)):
                        yield address[1], _name_of(value)
                elif isinstance(child, dict | list) and key not in JSONLD_SKIPPED_KEYS:
                    inner.append(child)
            inner.reverse()
            pending += inner


def jsonld_types(data: object) -> Iterator[str]:
    """The types of what the page is about: those of the outermost things, not of their parts."""
    outermost = data if isinstance(data, list) else [data]
    for value in islice(outermost, _MAX_OUTERMOST):
        if not isinstance(value, dict):
            continue
        graph = value.get("@graph")
        inner = graph if isinstance(graph, list) else [value, value.get("mainEntity")]
        for thing in islice(inner, _MAX_OUTERMOST):
            kinds = thing.get("@type") if isinstance(thing, dict) else None
            for kind in kinds if isinstance(kinds, list) else [kinds]:
                if isinstance(kind, str) and len(kind) <= _MAX_TYPE_CHARACTERS:
                    yield kind


def _is_skipped(value: dict[str, Any]) -> bool:
    kind = value.get("@type")
    return isinstance(kind, str) and kind in JSONLD_SKIPPED_TYPES


def _name_of(value: dict[str, Any]) -> str:
    name = value.get("name") or value.get("headline")
    return name if isinstance(name, str) else ""
