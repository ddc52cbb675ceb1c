"""Learns a whole site: first its addresses, then, page by page, what is on it.

The first look keeps a sample, the second only counts. A site that fits into the sample needs no
second look at its inventory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from sitecrawl.classify.classifier import PageClassifier, joined_text
from sitecrawl.classify.clusters import MAX_SAMPLE, Cluster, ClusterTally
from sitecrawl.classify.learning import SAMPLE_ROWS, SampledPage, learn_addresses
from sitecrawl.classify.model import SiteModel
from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.priority import SiteScale, month_of
from sitecrawl.classify.sample import RowSample
from sitecrawl.classify.spotmemory import SpotMemory
from sitecrawl.classify.topics import learn_topics
from sitecrawl.classify.vocabulary import ClusterKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sitecrawl.classify.pages import PageClass
    from sitecrawl.classify.spots import Spot

# The newest month counts that so much of the site has seen: a page from the future does not.
_NEWEST_SHARE: Final = 100
_MAX_CLASSES: Final = 20_000


Batches: TypeAlias = "Callable[[], Iterable[PageColumns]]"


class LearnedSite(NamedTuple):
    """What there is to store of a site."""

    model: SiteModel
    clusters: list[Cluster]
    counts: Mapping[str, Mapping[str, int]]
    """Pages by ``category``, ``type``, ``language`` and ``language_source``."""
    classifier: PageClassifier
    """With that model."""
    spots: SpotMemory
    """Of all pages, as that classifier reads them."""


def learn_site(
    pages: Batches,
    *,
    sample: Batches | None = None,
    speaking: Batches | None = None,
    sample_rows: int = SAMPLE_ROWS,
) -> LearnedSite:
    """Learn a site from all of its pages.

    Whoever has many can save looking at each twice by giving a *sample* of them, chosen by chance,
    and those that are *speaking*: that say what they are, or in which language.
    """
    look = _FirstLook(sample_rows)
    for columns in (sample or pages)():
        look.add(columns)
    for columns in speaking() if speaking else ():
        look.hear(columns)
    seen = look.sample.rows()
    tally = _Tally(look.model(seen))
    is_all = look.kept is not None and sample is None
    for columns in look.kept or () if is_all else pages():
        tally.add(columns)
    tally.show(seen)
    return tally.learned()


class _FirstLook:
    """Keeps a sample of the pages, and one of those that say what they are."""

    def __init__(self, sample_rows: int):
        self.sample: RowSample[SampledPage] = RowSample(sample_rows)
        self.kept: list[PageColumns] | None = []
        """All pages, as long as they fit into the sample."""
        self._speaking: RowSample[SampledPage] = RowSample(sample_rows)

    def add(self, columns: PageColumns) -> None:
        self.sample.add(columns.urls, _row_maker(columns))
        if not self.sample.is_whole:
            self.kept = None
        elif self.kept is not None:
            self.kept.append(columns)
        self.hear(columns)

    def hear(self, columns: PageColumns) -> None:
        said = [each for each in (columns.kinds, columns.own_languages) if each]
        rows = [row for row, facts in enumerate(zip(*said, strict=True)) if any(facts)]
        make = _row_maker(columns)
        self._speaking.add([columns.urls[row] for row in rows], lambda number: make(rows[number]))

    def model(self, pages: Sequence[SampledPage]) -> SiteModel:
        """What is known of the site so far."""
        speaking = {page.url: page for page in (*pages, *self._speaking.rows())}
        priorities = {page.sitemap_priority for page in pages} - {None}
        scale = SiteScale(
            newest_month=_newest_month(page.lastmod for page in pages),
            has_priorities=len(priorities) > 1,
        )
        texts = (
            joined_text(page.title, page.anchor) for page in pages if page.title or page.anchor
        )
        topics = learn_topics(texts)
        return SiteModel(learn_addresses(pages, list(speaking.values())), scale, topics)


def _row_maker(columns: PageColumns) -> Callable[[int], SampledPage]:
    """What makes the row of a number."""
    nothing: Sequence[Any] = [None] * len(columns.urls)
    urls, kinds = columns.urls, columns.kinds or nothing
    languages, own_languages = columns.languages or nothing, columns.own_languages or nothing
    titles, anchors = columns.titles or nothing, columns.anchors or nothing
    lastmods, priorities = columns.lastmods or nothing, columns.sitemap_priorities or nothing
    return lambda row: SampledPage(
        urls[row],
        kinds[row] or "",
        languages[row] or own_languages[row] or "",
        titles[row] or "",
        anchors[row] or "",
        lastmods[row] or "",
        priorities[row],
    )


def _newest_month(lastmods: Iterable[str]) -> str:
    months = Counter(month for lastmod in lastmods if (month := month_of(lastmod)))
    wanted = months.total() / _NEWEST_SHARE
    for month in sorted(months, reverse=True):
        wanted -= months[month]
        if wanted <= 0:
            return month
    return ""


class _Tally:
    """Counts what the pages of a site are."""

    def __init__(self, model: SiteModel):
        self._model = model
        self._classifier = PageClassifier(model)
        self._classes: Counter[PageClass] = Counter()
        self._memory = SpotMemory()
        self._spots: Counter[Spot] = Counter()
        """Of pages of which only the address is known."""
        self._counts: dict[str, Counter[str]] = {
            name: Counter() for name in ("category", "type", "language", "language_source")
        }
        self._clusters = ClusterTally()
        self._most_inlinks = 0
        self._has_menu = False

    def add(self, columns: PageColumns) -> None:
        if columns.inlinks:
            self._most_inlinks = max(self._most_inlinks, *(each or 0 for each in columns.inlinks))
        if columns.importances and not self._has_menu:
            self._has_menu = any(columns.importances)
        # What only the priority depends on makes no difference here.
        plain = replace(
            columns, lastmods=None, sitemap_priorities=None, importances=None, inlinks=None
        )
        spots = self._classifier.spots(columns.urls)
        self._memory.add(columns.urls, spots)
        rows = plain.saying_rows()
        if len(rows) == len(spots):
            self._classes.update(self._classifier.classify(plain, spots))
        else:
            self._spots.update(spots)
        if 0 < len(rows) < len(spots):
            saying = [spots[row] for row in rows]
            self._spots.subtract(saying)
            self._classes.update(self._classifier.classify(plain.only(rows), saying))
        if len(self._classes) + len(self._spots) > _MAX_CLASSES:
            self._settle()

    def show(self, pages: Sequence[SampledPage]) -> None:
        """Take examples from the sample."""
        columns = PageColumns(
            urls=[page.url for page in pages],
            titles=[page.title for page in pages],
            anchors=[page.anchor for page in pages],
            kinds=[page.kind for page in pages],
            languages=[page.language for page in pages],
        )
        shown: Counter[PageClass] = Counter()
        for page, found in zip(pages, self._classifier.classify(columns), strict=True):
            if shown[found] < MAX_SAMPLE:
                shown[found] += 1
                for kind, value in _groups(found):
                    self._clusters.show(kind, value, page.url)

    def learned(self) -> LearnedSite:
        self._settle()
        clusters = self._clusters.clusters()
        scale = replace(self._model.scale, most_inlinks=self._most_inlinks, has_menu=self._has_menu)
        keys = frozenset(each.key for each in clusters)
        model = replace(self._model, scale=scale, cluster_keys=keys)
        classifier = self._classifier.knowing(model)
        return LearnedSite(model, clusters, self._counts, classifier, self._memory)

    def _settle(self) -> None:
        """Turn the counts of classes into those of what they say."""
        counts = self._counts
        for spot, pages in (+self._spots).items():
            self._classes[self._classifier.classify_spot(spot)] += pages
        self._spots.clear()
        for found, pages in self._classes.items():
            counts["category"][found.category] += pages
            counts["type"][found.page_type] += pages
            counts["language"][found.language] += pages
            counts["language_source"][found.language_source or ""] += pages
            for kind, value in _groups(found):
                self._clusters.count(kind, value, pages)
            self._clusters.place_pattern(found.template, found.sections)
            self._clusters.total += pages
        self._classes.clear()


def _groups(found: PageClass) -> Iterator[tuple[ClusterKind, str]]:
    """Everything that may be a cluster of the page."""
    for section in found.sections:
        yield ClusterKind.SECTION, section
    yield ClusterKind.PATTERN, found.template
    yield ClusterKind.TYPE, found.page_type
    if found.language:
        yield ClusterKind.LANGUAGE, found.language
    for topic in found.topics:
        yield ClusterKind.TOPIC, topic
