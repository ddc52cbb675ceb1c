"""The languages of the links of one page, as far as that page shows them.

Before a site is known, a page that links to ``/de/...`` and ``/fr/...`` shows that these are
languages. Nothing is remembered from page to page, so a crawl that was interrupted decides as one
that was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.classify.languages import is_language_place, parse_code, query_language

if TYPE_CHECKING:
    from collections.abc import Sequence


def link_languages(
    urls: Sequence[str], segments: Sequence[str], hreflangs: Sequence[str] | None
) -> list[str]:
    """The language of what each link leads to; *segments* are the first of their paths.

    >>> urls = ["https://a.example/de/x", "https://a.example/fr/", "https://a.example/it"]
    >>> link_languages(urls, ["de", "fr", "it"], None)
    ['de', 'fr', 'it']
    >>> link_languages(urls[2:], ["it"], None)
    ['']
    """
    names = {segment: segment.partition("?")[0].partition("#")[0] for segment in set(segments)}
    declared = hreflangs or [""] * len(urls)
    agreed = [
        names[segment]
        for segment, said in zip(segments, declared, strict=True)
        if said and parse_code(names[segment]) == said
    ]
    codes = {segment: parse_code(name) for segment, name in names.items()}
    is_place = is_language_place(names.values(), agreed)
    return [
        said or (codes[segment] if is_place else "") or _by_query(url)
        for url, segment, said in zip(urls, segments, map(parse_code, declared), strict=True)
    ]


def _by_query(url: str) -> str:
    return query_language(url.partition("#")[0].partition("?")[2]) if "?" in url else ""
