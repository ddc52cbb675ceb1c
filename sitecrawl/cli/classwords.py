"""What classification says of a page, in the words of ``sitecrawl why``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitecrawl.classify.language import is_other_language, language_name
from sitecrawl.classify.pages import LanguageSource
from sitecrawl.store.queries.classification import explain_page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.classify.pages import PageClass
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.explain import PageFact
    from sitecrawl.store.queries.scans import Scan

_TOLD_BY = {
    LanguageSource.HREFLANG: "hreflang says so",
    LanguageSource.HTML: "the page says so",
    LanguageSource.PATH: "by its path",
    LanguageSource.SUBDOMAIN: "by its host",
    LanguageSource.QUERY: "by a parameter",
    LanguageSource.TEXT: "by its text",
}


def class_words(database: Database, scan: Scan, page: PageFact) -> Iterator[str]:
    """Category, language, priority and clusters, each with its reason."""
    explained = explain_page(database, scan, page.id)
    if explained is None:
        return
    found = explained.page_class
    yield f"{found.category} content, {found.page_type}: {found.reason}"
    if found.language:
        yield _language_words(found, scan)
    yield f"priority {found.priority:g}:"
    total = sum(part.weight for part in explained.parts)
    for part in explained.parts:
        share = part.value * part.weight / total
        yield f"  {share:.2f} of {part.weight / total:.2f}: {part.words}"
    if explained.clusters:
        yield "in the clusters:"
        for cluster in explained.clusters:
            size = _size_words(cluster.pages, is_estimate=explained.are_estimates)
            yield f"  {cluster.key} ({size}): {cluster.why}"


def _size_words(pages: int, *, is_estimate: bool) -> str:
    """
    >>> _size_words(12_345, is_estimate=False), _size_words(12_345, is_estimate=True)
    ('12,345 pages', 'about 12,000 pages')
    """
    return f"about {float(f'{pages:.2g}'):,.0f} pages" if is_estimate else f"{pages:,} pages"


def _language_words(found: PageClass, scan: Scan) -> str:
    chosen = scan.settings.get("languages", ())
    is_other = is_other_language(found.language, chosen)
    mark = f", none of the chosen {', '.join(chosen)}" if is_other else ""
    source = f", {_TOLD_BY[found.language_source]}" if found.language_source else ""
    return f"language: {language_name(found.language)}{source}{mark}"
