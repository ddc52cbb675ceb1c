"""Says of each page what it is: category, type, language, priority, clusters, and why.

The address gives a spot that pages which lie alike share. What else is known of a page is reduced
to few values, and each combination is worked out once: so most pages cost a few look-ups.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from sitecrawl.classify.addresses import AddressReader
from sitecrawl.classify.clusters import cluster_key
from sitecrawl.classify.languages import parse_code, primary_language
from sitecrawl.classify.leafwords import LEAF_RULES, LONGEST_LEAF
from sitecrawl.classify.pages import PageClass
from sitecrawl.classify.priority import PageSignals, freshness, priority, priority_parts
from sitecrawl.classify.segments import compact_word
from sitecrawl.classify.topics import topic_words
from sitecrawl.classify.vocabulary import (
    CATEGORY_OF,
    Category,
    ClusterKind,
    LanguageSource,
    PageType,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sitecrawl.classify.model import SiteModel
    from sitecrawl.classify.pages import PageColumns
    from sitecrawl.classify.priority import PriorityPart
    from sitecrawl.classify.spots import Spot

_Made = TypeVar("_Made")

_MAX_COMBINATIONS: Final = 50_000
_MAX_MONTHS: Final = 10_000
_TYPE_NAMES: Final = frozenset(PageType)
_MEDIA_KINDS: Final = frozenset({"image", "media"})
# What these are is clear from the address, whatever the page says of itself.
_SURE: Final = frozenset({PageType.HOME, PageType.LOGIN, PageType.CART, PageType.SEARCH})
# Titles that are one of these words; others may be a headline.
_BY_TITLE: Final = frozenset(
    {
        *(PageType.LEGAL, PageType.LOGIN, PageType.CART, PageType.SEARCH),
        *(PageType.CONTACT, PageType.HELP, PageType.ABOUT),
    }
)
_OF_LISTS: Final = frozenset({"pagination", "breadcrumb"})


class _Facts(NamedTuple):
    """What is known of a page, reduced to what makes a difference."""

    spot: Spot
    titled: str = ""
    """The type that its title says, ``""`` for most."""
    topics: tuple[str, ...] = ()
    kind: str = ""
    language: str = ""
    own_language: str = ""
    text_language: str = ""
    region: str = ""
    # From here on, it is the priority alone that makes use of it.
    freshness: float | None = None
    sitemap_priority: float | None = None
    is_structural: bool = False
    inlinks: int | None = None


_SAYING_FACTS: Final = _Facts._fields.index("freshness")


class _Said(NamedTuple):
    """What the facts of a page come to."""

    page_type: PageType
    category: Category
    reason: str
    language: str
    language_source: LanguageSource | None
    clusters: tuple[str, ...]


class PageClassifier:
    """Classifies the pages of one site with what was learned of it."""

    def __init__(self, model: SiteModel):
        self.model = model
        self._reader = AddressReader(model.addresses)
        self._topics = frozenset(model.topics)
        self._classes = self.mapped(_itself)
        self._said: dict[tuple[Any, ...], _Said] = {}
        self._freshness = _Freshness(model.scale.newest_month)

    def classify(self, columns: PageColumns) -> list[PageClass]:
        """The class of each page."""
        return self._classes.of(columns)

    def mapped(self, make: Callable[[PageClass], _Made]) -> ClassMap[_Made]:
        """What *make* makes of the class of each page."""
        return ClassMap(self, make)

    def explain(self, columns: PageColumns) -> list[Sequence[PriorityPart]]:
        """What the priority of each page is made of."""
        names, values = self.facts(columns)
        rows = (_facts_of(names, facts) for facts in zip(*values, strict=True))
        return [
            priority_parts(_signals(facts, _type_of(facts)[1]), self.model.scale) for facts in rows
        ]

    def facts(self, columns: PageColumns) -> tuple[tuple[str, ...], list[Sequence[Any]]]:
        """Those columns of :class:`_Facts` that there is anything in, and their names.

        Every further one would cost as much as looking the combination up.
        """
        lastmods, fresh = columns.lastmods, self._freshness
        found: dict[str, Sequence[Any] | None] = {
            "spot": self._reader.read(columns.urls),
            "titled": columns.titles and [_said_by_title(each) for each in columns.titles],
            "topics": self._topics_of(columns),
            "kind": columns.kinds,
            "language": columns.languages,
            "own_language": columns.own_languages,
            "text_language": columns.text_languages,
            "region": columns.regions,
            "freshness": lastmods and [fresh[each[:7] if each else ""] for each in lastmods],
            "sitemap_priority": columns.sitemap_priorities,
            "is_structural": columns.importances and list(map(bool, columns.importances)),
            "inlinks": columns.inlinks,
        }
        present = {name: column for name, column in found.items() if column}
        return tuple(present), list(present.values())

    def _topics_of(self, columns: PageColumns) -> list[tuple[str, ...]] | None:
        if not self._topics or not (columns.titles or columns.anchors):
            return None
        nothing = [""] * len(columns.urls)
        texts = map(joined_text, columns.titles or nothing, columns.anchors or nothing)
        return [tuple(sorted(topic_words(text) & self._topics)) if text else () for text in texts]

    # --- one combination ---------------------------------------------------------------------

    def classify_facts(self, names: tuple[str, ...], values: tuple[Any, ...]) -> PageClass:
        """The class of a page with these facts."""
        facts = _facts_of(names, values)
        spot = facts.spot
        said = self._said_of(facts)
        return PageClass(
            category=said.category,
            page_type=said.page_type,
            reason=said.reason,
            template=spot.template,
            depth=spot.depth,
            sections=spot.sections,
            topics=facts.topics,
            language=said.language,
            language_source=said.language_source,
            priority=priority(_signals(facts, said.category), self.model.scale),
            clusters=said.clusters,
        )

    def _said_of(self, facts: _Facts) -> _Said:
        """All but the priority, which differs from month to month."""
        key = facts[:_SAYING_FACTS]
        said = self._said.get(key)
        if said is None:
            page_type, category, reason = _type_of(facts)
            language, language_source = _language_of(facts)
            clusters = self._clusters_of(
                *((ClusterKind.SECTION, section) for section in facts.spot.sections),
                (ClusterKind.PATTERN, facts.spot.template),
                (ClusterKind.TYPE, page_type),
                (ClusterKind.LANGUAGE, language),
                *((ClusterKind.TOPIC, topic) for topic in facts.topics),
            )
            said = _Said(page_type, category, reason, language, language_source, clusters)
            if len(self._said) >= _MAX_COMBINATIONS:
                self._said.clear()
            self._said[key] = said
        return said

    def _clusters_of(self, *groups: tuple[ClusterKind, str]) -> tuple[str, ...]:
        # The own page of a section has its name as its template.
        keys = dict.fromkeys(cluster_key(kind, value) for kind, value in groups)
        return tuple(key for key in keys if key in self.model.cluster_keys)


def _facts_of(names: tuple[str, ...], values: tuple[Any, ...]) -> _Facts:
    given = zip(names, values, strict=True)
    return _Facts(**{name: value for name, value in given if value is not None})


def _signals(facts: _Facts, category: Category) -> PageSignals:
    return PageSignals(
        category=category,
        depth=facts.spot.depth,
        is_structural=facts.is_structural,
        inlinks=facts.inlinks,
        region=facts.region,
        sitemap_priority=facts.sitemap_priority,
        freshness=facts.freshness,
    )


def joined_text(title: str | None, anchor: str | None) -> str:
    """The title and the text of a link, which are often the same."""
    # The end of a title is the name of the site: nothing may stand behind it.
    return (title or "") if not anchor or title == anchor else f"{anchor} {title or ''}"


def _said_by_title(title: str | None) -> str:
    if not title or len(title) > LONGEST_LEAF:
        return ""
    rule = LEAF_RULES.get(compact_word(title))
    return rule.page_type if rule is not None and rule.page_type in _BY_TITLE else ""


def _type_of(facts: _Facts) -> tuple[PageType, Category, str]:
    """The type, its category, and why."""
    spot, kind = facts.spot, facts.kind
    if kind and kind in _TYPE_NAMES:
        said = PageType(kind)
        # A list of products names products.
        if spot.page_type not in _SURE and not (spot.is_firm and said is PageType.LISTING):
            return said, CATEGORY_OF[said], "its structured data"
    elif kind:
        said = PageType.MEDIA if kind in _MEDIA_KINDS else PageType.FILE
        return said, CATEGORY_OF[said], f"it is a file: {kind}"
    if not spot.is_firm:
        if facts.titled:
            said = PageType(facts.titled)
            return said, CATEGORY_OF[said], "its title"
        if facts.region in _OF_LISTS:
            return PageType.LISTING, CATEGORY_OF[PageType.LISTING], f"linked in {facts.region}"
    return spot.page_type, spot.category, spot.reason


def _language_of(facts: _Facts) -> tuple[str, LanguageSource | None]:
    spot = facts.spot
    if hreflang := parse_code(facts.language):
        return hreflang, LanguageSource.HREFLANG
    own, text = parse_code(facts.own_language), facts.text_language
    if own:
        # Templates that say "en" on every page are common; two against one decide.
        agreed = primary_language(spot.language)
        if agreed and agreed == primary_language(text) and agreed != primary_language(own):
            return spot.language, spot.language_source
        return own, LanguageSource.HTML
    if spot.language:
        return spot.language, spot.language_source
    return (text, LanguageSource.TEXT) if text else ("", None)


class ClassMap(Generic[_Made]):
    """What a function makes of classes: once for each combination, as they are themselves.

    So it costs no more to have what is made of a class than to have the class.
    """

    def __init__(self, classifier: PageClassifier, make: Callable[[PageClass], _Made]):
        self._classifier = classifier
        self._make = make
        self._made: dict[tuple[str, ...], _Remembered[_Made]] = {}

    def of(self, columns: PageColumns) -> list[_Made]:
        """What is made of each page."""
        names, values = self._classifier.facts(columns)
        made = self._made.get(names)
        if made is None:
            made = self._made[names] = _Remembered(partial(self._make_one, names))
        return list(map(made.__getitem__, zip(*values, strict=True)))

    def _make_one(self, names: tuple[str, ...], facts: tuple[Any, ...]) -> _Made:
        return self._make(self._classifier.classify_facts(names, facts))


class _Remembered(dict[tuple[Any, ...], _Made]):
    """What was made by combination, as long as there is not too much of it."""

    def __init__(self, make: Callable[[tuple[Any, ...]], _Made]):
        super().__init__()
        self._make = make

    def __missing__(self, combination: tuple[Any, ...]) -> _Made:
        made = self._make(combination)
        if len(self) >= _MAX_COMBINATIONS:
            self.clear()
        self[combination] = made
        return made


def _itself(found: PageClass) -> PageClass:
    return found


class _Freshness(dict[str, "float | None"]):
    """How fresh a page is, by the first letters of its lastmod."""

    def __init__(self, newest_month: str):
        super().__init__()
        self._newest_month = newest_month

    def __missing__(self, start: str) -> float | None:
        found = freshness(start, self._newest_month)
        if len(self) < _MAX_MONTHS:
            self[start] = found
        return found
