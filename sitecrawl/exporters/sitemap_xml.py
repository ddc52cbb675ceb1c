"""The XML of sitemaps: entries, their frame, and the index."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING, Final

from sitecrawl.exporters.sitemap_fitness import MAX_LOC_CHARACTERS
from sitecrawl.sitemaps.lastmod import normalize_lastmod
from sitecrawl.store.columns import iso_text
from sitecrawl.urls.canonical import canonicalize, strict_url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

MARK: Final = b"<!-- Written by sitecrawl. The next export replaces this file. -->\n"
_DECLARATION: Final = b'<?xml version="1.0" encoding="UTF-8"?>\n' + MARK
_NAMESPACE: Final = b'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_XHTML: Final = b'xmlns:xhtml="http://www.w3.org/1999/xhtml"'
URLSET_HEAD: Final = _DECLARATION + b"<urlset " + _NAMESPACE + b" " + _XHTML + b">\n"
URLSET_TAIL: Final = b"</urlset>\n"
INDEX_HEAD: Final = _DECLARATION + b"<sitemapindex " + _NAMESPACE + b">\n"
INDEX_TAIL: Final = b"</sitemapindex>\n"

_DATE_CHARACTERS: Final = 10
# 1970-01-01 is what a program writes that knows no date; sitemaps are younger than the web.
_FIRST_DATE: Final = "1995"
# Clocks and time zones differ.
_LEEWAY: Final = timedelta(days=1)
_HREFLANG: Final = re.compile(r"x-default|[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}")
_FEWEST_ALTERNATES: Final = 2


def entry_xml(url: str, lastmod: str = "", alternates: Sequence[tuple[str, str]] = ()) -> bytes:
    """One ``<url>``; *alternates* are languages with addresses.

    >>> entry_xml("https://a.example/?a&b", "2026-01-02")
    b'<url><loc>https://a.example/?a&amp;b</loc><lastmod>2026-01-02</lastmod></url>\\n'
    """
    dated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    links = "".join(map(_link_xml, alternates)) if alternates else ""
    return f"<url><loc>{escape(strict_url(url))}</loc>{dated}{links}</url>\n".encode()


def _link_xml(alternate: tuple[str, str]) -> str:
    language, href = alternate
    return f'<xhtml:link rel="alternate" hreflang="{language}" href="{escape(strict_url(href))}"/>'


def index_entry_xml(url: str, lastmod: str) -> bytes:
    loc = f"<loc>{escape(url)}</loc><lastmod>{lastmod}</lastmod>"
    return f"<sitemap>{loc}</sitemap>\n".encode()


def latest_lastmod(seen_at: datetime) -> str:
    """The latest date that a page can have which was seen then."""
    return iso_text(seen_at + _LEEWAY)


def valid_lastmod(text: str | None, latest: str) -> str:
    """The date as a sitemap may have it; ``""`` for what is none, or none that can be true.

    The schema takes a date, or a time with its zone; of a time without one the date stays.

    >>> [valid_lastmod(text, "2027") for text in ("2026-05-06T07:08:09Z", "2026-05-06T07:08:09")]
    ['2026-05-06T07:08:09Z', '2026-05-06']
    >>> [valid_lastmod(text, "2027") for text in ("2026-05", "2028-01-01", "1970-01-01", "soon")]
    ['', '', '', '']
    """
    date = normalize_lastmod(text) if text else ""
    if len(date) < _DATE_CHARACTERS or not _FIRST_DATE <= date <= latest:
        return ""
    return date if date.endswith("Z") else date[:_DATE_CHARACTERS]


def valid_alternates(
    details: str | None, base: str, is_unfit: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """The alternates that an entry's details name, each language once; one alone is none."""
    if not details or '"alternates"' not in details:
        return []
    found: dict[str, str] = {}
    for language, href in json.loads(details)["alternates"]:
        code = language.strip().lower().replace("_", "-")
        url = canonicalize(href, base) or ""
        is_usable = bool(url) and len(strict_url(url)) <= MAX_LOC_CHARACTERS
        if is_usable and _HREFLANG.fullmatch(code) and not is_unfit(url):
            found.setdefault(code, url)
    return list(found.items()) if len(found) >= _FEWEST_ALTERNATES else []
