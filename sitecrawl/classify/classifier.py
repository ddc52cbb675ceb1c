"""Classifies pages: type, category, language, priority and clusters, each with its reason.

The URL gives a :class:`~sitecrawl.classify.url_classifier.UrlClass`, which similar URLs share. The
other signals are reduced to few values, and the class of each combination is made once.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sitecrawl.classify.clusters import cluster_key, topic_words
from sitecrawl.classify.language import parse_code, primary_language
from sitecrawl.classify.pages import (
    CATEGORY_OF,
    PAGE_TYPE_NAMES,
    Category,
    ClusterKind,
    LanguageSource,
    PageClass,
    PageType,
)
from sitecrawl.classify.paths import compact_word
from sitecrawl.classify.priority import (
    MONTH_LENGTH,
    PrioritySignals,
    freshness,
    priority,
    priority_parts,
)
from sitecrawl.classify.rules.slugs import LONGEST_SLUG, SLUG_RULES
from sitecrawl.classify.url_classifier import UrlClassifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.classify.pages import PageColumns
    from sitecrawl.classify.priority import PriorityPart
    from sitecrawl.classify.site_model import SiteModel
    from sitecrawl.classify.url_classifier import UrlClass

_MAX_COMBINATIONS: Final = 50_000
_MAX_MONTHS: Final = 10_000
_MEDIA_KINDS: Final = frozenset({"image", "media"})
# Where these are at the top of a site, the URL decides, whatever the page declares.
_SERVICES: Final = frozenset({PageType.LOGIN, PageType.CART, PageType.SEARCH})
_SERVICE_DEPTH: Final = 2
# Titles that are a word of one of these types decide; words of other types may be headlines.
_TITLE_TYPES: Final = frozenset(
    {
        *(PageType.LEGAL, PageType.LOGIN, PageType.CART, PageType.SEARCH),
        *(PageType.CONTACT, PageType.HELP, PageType.ABOUT),
    }
)
_SITE_REGIONS: Final = frozenset({"navigation", "header", "footer"})
_LISTING_REGIONS: Final = frozenset({"pagination", "breadcrumb"})


class _Signals(NamedTuple):
    """Everything that the class of a page depends on."""

    url_class: UrlClass
    title_type: str = ""
    """The type that the title gives; ``""`` for most."""
    topics: tuple[str, ...] = ()
    kind: str = ""
    language: str = ""
    own_language: str = ""
    text_language: str = ""
    region: str = ""
    freshness: float | None = None
    sitemap_priority: float | None = None
    is_in_menu: bool = False
    inlinks: int | None = None


class PageClassifier:
    """Classifies the pages of one site with the model that was learned of it."""

    def __init__(self, model: SiteModel):
        self.model = model
        self._url_classifier = UrlClassifier(model.urls)
        self._topics = frozenset(model.topics)
        self._classes: dict[tuple[Any, ...], PageClass] = {}
        self._freshness = lru_cache(maxsize=_MAX_MONTHS)(
            partial(freshness, newest_month=model.scale.newest_month)
        )

    def classify(self, columns: PageColumns) -> list[PageClass]:
        """The class of each page."""
        known = self._classes
        return [
            known.get(signals) or self._classify_combination(signals)
            for signals in self._signals(columns)
        ]

    def explain(self, columns: PageColumns) -> list[Sequence[PriorityPart]]:
        """The parts of the priority of each page."""
        rows = map(_known_signals, self._signals(columns))
        return [
            priority_parts(_priority_signals(signals, self._type_of(signals)[1]), self.model.scale)
            for signals in rows
        ]

    def _signals(self, columns: PageColumns) -> Iterator[tuple[Any, ...]]:
        """For each page the fields of :class:`_Signals`; None: unknown."""
        unknown = [None] * len(columns.urls)
        fresh = self._freshness
        return zip(
            self._url_classifier.classify(columns.urls),
            [_type_by_title(each) for each in columns.titles] if columns.titles else unknown,
            self._topics_of(columns) or unknown,
            columns.kinds or unknown,
            columns.languages or unknown,
            columns.own_languages or unknown,
            columns.text_languages or unknown,
            columns.regions or unknown,
            [fresh(each[:MONTH_LENGTH]) if each else None for each in columns.lastmods]
            if columns.lastmods
            else unknown,
            columns.sitemap_priorities or unknown,
            list(map(bool, columns.importances)) if columns.importances else unknown,
            columns.inlinks or unknown,
            strict=True,
        )

    def _topics_of(self, columns: PageColumns) -> list[tuple[str, ...]] | None:
        if not self._topics or not (columns.titles or columns.anchors):
            return None
        unknown = [None] * len(columns.urls)
        texts = map(joined_text, columns.titles or unknown, columns.anchors or unknown)
        return [tuple(sorted(topic_words(text) & self._topics)) if text else () for text in texts]

    def _classify_combination(self, combination: tuple[Any, ...]) -> PageClass:
        signals = _known_signals(combination)
        url_class = signals.url_class
        page_type, category, reason = self._type_of(signals)
        language, language_source = _language_of(signals)
        found = PageClass(
            category=category,
            page_type=page_type,
            reason=reason,
            template=url_class.template,
            depth=url_class.depth,
            sections=url_class.sections,
            topics=signals.topics,
            language=language,
            language_source=language_source,
            priority=priority(_priority_signals(signals, category), self.model.scale),
            clusters=self._clusters_of(
                *((ClusterKind.SECTION, section) for section in url_class.sections),
                (ClusterKind.PATTERN, url_class.template),
                (ClusterKind.TYPE, page_type),
                (ClusterKind.LANGUAGE, language),
                *((ClusterKind.TOPIC, topic) for topic in signals.topics),
            ),
        )
        if len(self._classes) >= _MAX_COMBINATIONS:
            self._classes.clear()
        self._classes[combination] = found
        return found

    def _type_of(self, signals: _Signals) -> tuple[PageType, Category, str]:
        return _type_of(signals, self.model.scale.most_inlinks)

    def _clusters_of(self, *groups: tuple[ClusterKind, str]) -> tuple[str, ...]:
        # The template of a section's own page is the section: each key once.
        keys = dict.fromkeys(cluster_key(kind, value) for kind, value in groups)
        return tuple(key for key in keys if key in self.model.cluster_keys)


def joined_text(title: str | None, anchor: str | None) -> str:
    """Link text and title, which are often the same."""
    # The title comes last, because the name of the site is cut off at the end.
    return (title or "") if not anchor or title == anchor else f"{anchor} {title or ''}"


def _known_signals(combination: tuple[Any, ...]) -> _Signals:
    given = zip(_Signals._fields, combination, strict=True)
    return _Signals(**{name: value for name, value in given if value is not None})


def _priority_signals(signals: _Signals, category: Category) -> PrioritySignals:
    return PrioritySignals(
        category=category,
        depth=signals.url_class.depth,
        is_structural=signals.is_in_menu,
        inlinks=signals.inlinks,
        region=signals.region,
        sitemap_priority=signals.sitemap_priority,
        freshness=signals.freshness,
    )


def _type_by_title(title: str | None) -> str:
    if not title or len(title) > LONGEST_SLUG:
        return ""
    rule = SLUG_RULES.get(compact_word(title))
    return rule.page_type if rule is not None and rule.page_type in _TITLE_TYPES else ""


def _type_of(signals: _Signals, most_inlinks: int) -> tuple[PageType, Category, str]:
    """The type, its category, and the reason."""
    url_class, kind = signals.url_class, signals.kind
    if url_class.hint is not None and _is_linked_everywhere(signals, most_inlinks):
        return (
            url_class.hint,
            CATEGORY_OF[url_class.hint],
            "its name, and nearly all pages link to it",
        )
    if kind in PAGE_TYPE_NAMES:
        declared = PageType(kind)
        # A listing of products declares products.
        is_overruled = url_class.is_certain and declared is PageType.LISTING
        if not _is_service(url_class) and not is_overruled:
            return declared, CATEGORY_OF[declared], "its structured data"
    elif kind:
        file_type = PageType.MEDIA if kind in _MEDIA_KINDS else PageType.FILE
        return file_type, CATEGORY_OF[file_type], f"it is a file: {kind}"
    if not url_class.is_certain:
        if signals.title_type:
            by_title = PageType(signals.title_type)
            return by_title, CATEGORY_OF[by_title], "its title"
        if signals.region in _LISTING_REGIONS:
            return PageType.LISTING, CATEGORY_OF[PageType.LISTING], f"linked in {signals.region}"
    return url_class.page_type, url_class.category, url_class.reason


def _is_service(url_class: UrlClass) -> bool:
    """Whether the URL is that of the root page, or of a form of the site."""
    if url_class.page_type is PageType.HOME:
        return True
    return url_class.page_type in _SERVICES and url_class.depth <= _SERVICE_DEPTH


def _is_linked_everywhere(signals: _Signals, most_inlinks: int) -> bool:
    """Whether it is in the header, the menu or the footer of most pages."""
    inlinks = signals.inlinks or 0
    return signals.region in _SITE_REGIONS and 0 < most_inlinks <= 2 * inlinks


def _language_of(signals: _Signals) -> tuple[str, LanguageSource | None]:
    url_class = signals.url_class
    if hreflang := parse_code(signals.language):
        return hreflang, LanguageSource.HREFLANG
    own, text = parse_code(signals.own_language), signals.text_language
    if own:
        # Many templates declare "en" on every page: URL and text together overrule them.
        agreed = primary_language(url_class.language)
        if agreed and agreed == primary_language(text) and agreed != primary_language(own):
            return url_class.language, url_class.language_source
        return own, LanguageSource.HTML
    if url_class.language:
        return url_class.language, url_class.language_source
    return (text, LanguageSource.TEXT) if text else ("", None)
