"""The links in the headers of a response: `Link`, `Refresh` and `Location`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sitecrawl.html.addresses import cleaned, refresh_target
from sitecrawl.html.head import alternate_source, normalize_language, normalize_media_type
from sitecrawl.html.links import NO_REGION, LinkSource
from sitecrawl.html.rules import INTERFACE_TYPES, RESOURCE_RELATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.html.links import LinkRows


_MAX_HEADER_CHARACTERS = 65_536
_TARGET = re.compile(r"[\s,]*<([^<>]*)>")
_PARAMETER = re.compile(r'\s*;\s*([\w*-]{1,40})\s*(?:=\s*(?:"([^"]*)"|([^\s",;]*)))?')


def read_headers(headers: Mapping[str, Sequence[str]], rows: LinkRows) -> str:
    """Add the links of the headers and return the canonical address that they name, if any."""
    canonical = ""
    for value in headers.get("location", ()):
        _add(rows, LinkSource.REDIRECT, cleaned(value))
    for value in headers.get("refresh", ()):
        _add(rows, LinkSource.HTTP_REFRESH, refresh_target(value))
    for value in headers.get("link", ()):
        for target, parameters in parse_link_header(value):
            relations = parameters.get("rel", "").lower().split()
            if not relations or not RESOURCE_RELATIONS.isdisjoint(relations):
                continue
            language = normalize_language(parameters.get("hreflang", ""))
            rel = " ".join(relations)
            media_type = normalize_media_type(parameters.get("type", ""))
            if "alternate" in relations and media_type in INTERFACE_TYPES:
                continue
            if "alternate" in relations and alternate_source(media_type) is LinkSource.ALTERNATE:
                path = f'Link[type="{media_type}"]'
                source = LinkSource.ALTERNATE
                rows.add(source, target, NO_REGION, "", rel, path, language, media_type)
            else:
                _add(rows, LinkSource.HTTP_LINK, target, rel=rel, language=language)
            if "canonical" in relations:
                canonical = canonical or target
    return canonical


def parse_link_header(value: str) -> list[tuple[str, dict[str, str]]]:
    """Split a `Link` header (RFC 8288) into targets with their parameters.

    >>> parse_link_header('</2>; rel="next"; title="a, b", </fr>;rel=alternate;hreflang=fr')
    [('/2', {'rel': 'next', 'title': 'a, b'}), ('/fr', {'rel': 'alternate', 'hreflang': 'fr'})]
    """
    value = value[:_MAX_HEADER_CHARACTERS]
    found = []
    position = 0
    while match := _TARGET.match(value, position):
        parameters: dict[str, str] = {}
        position = match.end()
        while parameter := _PARAMETER.match(value, position):
            position = parameter.end()
            parameters.setdefault(parameter[1].lower(), parameter[2] or parameter[3] or "")
        found.append((cleaned(match[1]), parameters))
        # After something unreadable, the next link starts behind a comma.
        comma = value.find(",", position)
        position = comma + 1 if comma >= 0 else len(value)
    return found


def _add(
    rows: LinkRows, source: LinkSource, loc: str, *, rel: str = "", language: str = ""
) -> None:
    if loc:
        rows.add(source, loc, NO_REGION, "", rel, "", language)
