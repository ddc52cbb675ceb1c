"""Tells from its start what a document is, where its markup does not."""

from __future__ import annotations

import re

_URL_LINE = re.compile(r"(?:^|[\r\n])[ \t\ufeff]*https?://[^\s<>]", re.IGNORECASE)
_ROOT_TAG = re.compile(r"<(?:\w+:)?(?:urlset|sitemapindex|rss|rdf|feed)[\s>]", re.IGNORECASE)
# As they look after decoding: bytes above 0x7f have become windows-1252 characters.
_SIGNATURES = (
    ("%PDF", "a PDF file"),
    ("{", "JSON"),
    ("[", "JSON"),
    ("\u2030PNG", "an image"),
    ("GIF8", "an image"),
    ("PK\x03\x04", "a zip archive"),
    ("\x1f\u2039", "compressed in too many layers"),
)


def is_text_list(head: str) -> bool:
    """Whether a document is a text map: a URL starts a line before any markup.

    >>> is_text_list("# our pages\\r\\nhttps://shop.example/a\\r\\n")
    True
    >>> is_text_list('<a href="https://shop.example/a">')
    False
    """
    before_markup = head.partition("<")[0]
    return bool(_URL_LINE.search(before_markup)) and not _ROOT_TAG.search(head)


def describe_other(head: str) -> str:
    """Say what a document is that cannot be a map; the empty string when it may be one.

    >>> describe_other('{"error": 404}'), describe_other("Warning: x\\n<urlset>")
    ('JSON', '')
    """
    if _ROOT_TAG.search(head):
        return ""
    start = head.lstrip("\ufeff \t\r\n")
    for signature, name in _SIGNATURES:
        if start.startswith(signature):
            return name
    return "" if "<" in head else "neither markup nor a list of URLs"
