"""What a page itself says to robots: the ``X-Robots-Tag`` header and ``<meta name="robots">``."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


_HEAD_BYTES = 256 * 1024
_MAX_DIRECTIVES = 50
_MAX_CHARACTERS = 100
# Spelled out because ignoring case would cost three times as much on every page.
_META = re.compile(rb"<[mM][eE][tT][aA]")
_META_BYTES = 2_000
_GOES_ON = re.compile(rb"\w")  # <metadata>
_ATTRIBUTE = re.compile(r"""(?<![a-z-])([a-z-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
_COMMENT, _COMMENT_END = b"<!--", b"-->"
_ADDRESSEE = re.compile(r"\s*+([a-z][\w.-]*+)\s*+:(.*)", re.IGNORECASE | re.DOTALL)
_EVERYBODY = "robots"
# Directives with a value: in a header their colon is not that of an agent's name.
_VALUED = {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}


def header_directives(values: Iterable[str], token: str) -> list[str]:
    """The directives of ``X-Robots-Tag`` headers that are meant for everybody or for *token*.

    A name holds for what follows it in its header, up to the next name.

    >>> header_directives(["noindex, NoFollow", "otherbot: none", "me: noarchive"], "me")
    ['noindex', 'nofollow', 'noarchive']
    """
    found: list[str] = []
    for value in values:
        is_for_us = True
        for part in value.split(","):
            named = _ADDRESSEE.match(part)
            if named is not None and named[1].lower() not in _VALUED:
                is_for_us = named[1].lower() == token.lower()
                found += _words(named[2]) if is_for_us else []
            elif is_for_us:
                found += _words(part)
    return _distinct(found)


def meta_directives(body: bytes, token: str) -> list[str]:
    """The directives of the meta elements named ``robots`` or like *token*, in any order.

    >>> meta_directives(b"<META content='noindex,follow' name=robots>", "sitecrawl")
    ['noindex', 'follow']
    """
    # Names and directives are ASCII in every encoding of the web but UTF-16, in any case.
    head = body[:_HEAD_BYTES].replace(b"\0", b"")
    names = {_EVERYBODY, token.lower()}
    hints = [*(name.encode() for name in names), b"&#"]
    found: list[str] = []
    left = _MAX_DIRECTIVES
    # Every page has meta elements, and few of them are for robots: the first checks are cheap.
    for meta in _META.finditer(head):
        start = meta.end()
        element = head[start : max(start, head.find(b">", start, start + _META_BYTES))].lower()
        if not any(name in element for name in hints) or _GOES_ON.match(element):
            continue
        attributes: dict[str, str] = {}
        for name, double, single, bare in _ATTRIBUTE.findall(element.decode("latin-1")):
            # The first of two counts, as in browsers.
            attributes.setdefault(name, unescape(double or single or bare))
        if attributes.get("name", "").strip().lower() in names:
            left -= 1
            if not _is_in_comment(head, meta.start()):
                found += _words(attributes.get("content", ""))
            if not left:
                break
    return _distinct(found)


def _is_in_comment(head: bytes, position: int) -> bool:
    opened = head.rfind(_COMMENT, 0, position)
    return opened >= 0 and head.find(_COMMENT_END, opened + len(_COMMENT), position) < 0


def _words(text: str) -> list[str]:
    words = (word.strip().lower()[:_MAX_CHARACTERS].rstrip() for word in text.split(","))
    return [word for word in words if word]


def _distinct(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))[:_MAX_DIRECTIVES]
