"""Character references: the numeric ones and HTML's names, never what a DTD defines."""

from __future__ import annotations

import html.entities
import re

_REFERENCE = re.compile(r"&(#[0-9]{1,9}|#[xX][0-9a-fA-F]{1,8}|[A-Za-z][A-Za-z0-9]{0,31});")
_FIRST_PRINTABLE = 0x20
_SURROGATES = range(0xD800, 0xE000)
_WHITESPACE = frozenset({0x09, 0x0A, 0x0D})


def resolve_references(text: str) -> str | None:
    """Resolve character references; None when one of them stands for nothing we know.

    - The semicolon is required, so a raw ampersand in a query stays as it is:
      `?a=1&copy=2` has no copyright sign in it.
    - Resolved once: `&amp;amp;` becomes `&amp;`.

    >>> resolve_references("/b?x=1&amp;y=2&copy=3&#233;&eacute;")
    '/b?x=1&y=2&copy=3éé'
    >>> resolve_references("/&defined_in_a_dtd;/&x;") is None
    True
    """
    if "&" not in text:
        return text
    try:
        return _REFERENCE.sub(_character, text)
    except LookupError:
        return None


def plain_text(raw: str) -> str:
    """Resolve and trim a text that is not an address; a broken reference stays as written."""
    if "&" in raw:
        raw = resolve_references(raw) or raw
    return raw.strip()


def has_raw_ampersand(text: str) -> bool:
    """Whether an ampersand starts no reference, as in a query that was never escaped."""
    return text.count("&") != len(_REFERENCE.findall(text))


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if name[0] != "#":
        return html.entities.html5[f"{name};"]
    digits = name[1:]
    code = int(f"0{digits}", 0) if digits[0] in "xX" else int(digits)
    is_text = code >= _FIRST_PRINTABLE or code in _WHITESPACE
    if not is_text or code in _SURROGATES or code > 0x10FFFF:  # noqa: PLR2004 - the end of Unicode
        raise LookupError(name)
    return chr(code)
