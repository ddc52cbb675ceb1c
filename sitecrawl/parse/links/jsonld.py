"""The addresses in JSON-LD: `url`, `@id`, `mainEntityOfPage` and the items of breadcrumbs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS_KEYS = frozenset({"url", "@id", "mainEntityOfPage", "item"})
# What hangs on these is not a page.
_SKIPPED_KEYS = frozenset({"@context", "image", "logo", "thumbnail", "photo", "thumbnailUrl"})
_SKIPPED_TYPES = frozenset({"ImageObject", "AudioObject", "MediaObject"})
_MAX_OBJECTS = 50_000
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


def _is_skipped(value: dict[str, Any]) -> bool:
    kind = value.get("@type")
    return isinstance(kind, str) and kind in _SKIPPED_TYPES


def _name_of(value: dict[str, Any]) -> str:
    name = value.get("name") or value.get("headline")
    return name if isinstance(name, str) else ""
