"""JSON-LD: its addresses (`url`, `@id`, `mainEntityOfPage`, breadcrumbs) and what it is about."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS_KEYS = frozenset({"url", "@id", "mainEntityOfPage", "item"})
# What hangs on these is not a page.
_SKIPPED_KEYS = frozenset({"@context", "image", "logo", "thumbnail", "photo", "thumbnailUrl"})
_SKIPPED_TYPES = frozenset({"ImageObject", "AudioObject", "MediaObject"})
_MAX_OBJECTS = 50_000
_MAX_OUTERMOST = 200
_MAX_TYPE_CHARACTERS = 60
# Other things that have an `@id`, and templates such as `/search?q={term}`, are no addresses.
_ADDRESS = re.compile(r"""\s*((?:https?://|/)[^\s<>"{}|\\^`]*)\s*""", re.IGNORECASE)


def jsonld_addresses(data: object) -> Iterator[tuple[str, str]]:
    """Give the addresses with the name of what they belong to."""
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
                    if key in _ADDRESS_KEYS and (address := _ADDRESS.fullmatch(child)):
                        yield address[1], _name_of(value)
                elif isinstance(child, dict | list) and key not in _SKIPPED_KEYS:
                    inner.append(child)
            inner.reverse()
            pending += inner


def jsonld_types(data: object) -> Iterator[str]:
    """Give the types of what the page is about: of the outermost things, not of their parts."""
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
    return isinstance(kind, str) and kind in _SKIPPED_TYPES


def _name_of(value: dict[str, Any]) -> str:
    name = value.get("name") or value.get("headline")
    return name if isinstance(name, str) else ""
