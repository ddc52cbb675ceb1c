"""What goes into classification and what comes out: columns of pages, and their classes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import compress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from sitecrawl.classify.vocabulary import Category, LanguageSource, PageType

    Texts: TypeAlias = Sequence[str | None] | None


@dataclass(frozen=True, slots=True)
class PageColumns:
    """Some pages of a site, one row each; a column that no page has is None."""

    urls: Sequence[str]
    titles: Texts = None
    anchors: Texts = None
    kinds: Texts = None
    """What a page says it is: the type of its structured data, or its kind of file."""
    languages: Texts = None
    """What hreflang says."""
    own_languages: Texts = None
    """What ``<html lang>`` says."""
    text_languages: Texts = None
    """What the text was found to be."""
    regions: Texts = None
    """The part of a page that links to it, the most prominent if there are several."""
    lastmods: Texts = None
    sitemap_priorities: Sequence[float | None] | None = None
    importances: Sequence[float | None] | None = None
    inlinks: Sequence[int | None] | None = None
    """How many pages link to it."""

    def only(self, chosen: Sequence[bool]) -> PageColumns:
        """Without the pages that are not *chosen*.

        >>> PageColumns(["a", "b"], titles=["A", None]).only([False, True]).urls
        ['b']
        """
        columns = {each.name: getattr(self, each.name) for each in fields(self)}
        return PageColumns(
            **{name: column and list(compress(column, chosen)) for name, column in columns.items()}
        )


@dataclass(frozen=True, slots=True, eq=False)
class PageClass:
    """What classification says of a page; pages that are alike share one."""

    category: Category
    page_type: PageType
    reason: str
    """Why this type."""
    template: str
    depth: int
    """Path segments."""
    sections: tuple[str, ...]
    """The folders that it lies in, from the outermost on, as far as they have names."""
    topics: tuple[str, ...]
    language: str
    """``""``: not known."""
    language_source: LanguageSource | None
    priority: float
    clusters: tuple[str, ...]
    """Keys, from the section to the topics."""
