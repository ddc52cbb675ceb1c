"""Learns a whole site: first its addresses, then what its pages are.

Both from a sample, which is all of a site that fits into it. On a larger site, how many pages a
cluster has is an estimate.
"""

from __future__ import annotations

from collections import Counter
from itertools import repeat
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.classifier import PageClassifier, joined_text
from sitecrawl.classify.clusters import MAX_SAMPLE, Cluster, ClusterTally
from sitecrawl.classify.learning import SAMPLE_ROWS, SampledPage, learn_addresses
from sitecrawl.classify.model import SiteModel
from sitecrawl.classify.pages import PageColumns
from sitecrawl.classify.priority import SiteScale, month_of
from sitecrawl.classify.sample import RowSample
from sitecrawl.classify.topics import learn_topics
from sitecrawl.classify.vocabulary import ClusterKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.classify.pages import PageClass

# The newest month counts that so much of the site has seen: a page from the future does not.
_NEWEST_SHARE: Final = 100


class LearnedSite(NamedTuple):
    """What there is to store of a site."""

    model: SiteModel
    clusters: list[Cluster]


def learn_site(
    pages: Iterable[PageColumns],
    speaking: Iterable[PageColumns] = (),
    *,
    one_of: int = 1,
    sample_rows: int = SAMPLE_ROWS,
) -> LearnedSite:
    """Learn a site from its pages.

    Whoever has many can give one *one_of* so many, chosen by chance, and beside them all that are
    *speaking*: that say what they are or in which language, are in the menu or linked.
    """
    look = _Look(sample_rows)
    for columns in pages:
        look.see(columns)
    for columns in speaking:
        look.hear(columns)
    sample = look.sample.rows()
    model = look.model(sample)
    tally = _tally(sample, PageClassifier(model))
    clusters = tally.clusters(one_of * look.pages / max(len(sample), 1))
    keys = frozenset(each.key for each in clusters)
    is_whole = one_of == 1 and look.sample.is_whole
    return LearnedSite(model.with_clusters(keys, is_whole=is_whole), clusters)


class _Look:
    """Keeps a sample of the pages, and one of those that say what they are."""

    def __init__(self, sample_rows: int):
        self.sample: RowSample[SampledPage] = RowSample(sample_rows)
        self.pages = 0
        """That were seen."""
        self._speaking: RowSample[SampledPage] = RowSample(sample_rows)
        self._most_inlinks = 0
        self._has_menu = False

    def see(self, columns: PageColumns) -> None:
        self.pages += len(columns.urls)
        rows = _sampled(columns)
        self.sample.add(rows)
        self._listen(columns, rows)

    def hear(self, columns: PageColumns) -> None:
        self._listen(columns, _sampled(columns))

    def _listen(self, columns: PageColumns, rows: Sequence[SampledPage]) -> None:
        if columns.inlinks:
            self._most_inlinks = max(self._most_inlinks, *(each or 0 for each in columns.inlinks))
        if columns.importances and not self._has_menu:
            self._has_menu = any(columns.importances)
        if columns.kinds or columns.own_languages:
            self._speaking.add([row for row in rows if row.kind or row.own_language])

    def model(self, sample: Sequence[SampledPage]) -> SiteModel:
        """What is known of the site but for its clusters."""
        speaking = {page.url: page for page in (*sample, *self._speaking.rows())}
        priorities = {page.sitemap_priority for page in sample} - {None}
        scale = SiteScale(
            most_inlinks=self._most_inlinks,
            newest_month=_newest_month(page.lastmod for page in sample),
            has_menu=self._has_menu,
            has_priorities=len(priorities) > 1,
        )
        texts = (
            joined_text(page.title, page.anchor) for page in sample if page.title or page.anchor
        )
        topics = learn_topics(texts)
        return SiteModel(learn_addresses(sample, list(speaking.values())), scale, topics)


def _sampled(columns: PageColumns) -> list[SampledPage]:
    texts = (
        *(columns.kinds, columns.languages, columns.own_languages, columns.text_languages),
        *(columns.regions, columns.titles, columns.anchors, columns.lastmods),
    )
    rows = zip(
        columns.urls,
        *([each or "" for each in column] if column else repeat("") for column in texts),
        columns.sitemap_priorities or repeat(None),
        strict=False,  # what no page has has no end
    )
    return list(map(SampledPage._make, rows))


def _newest_month(lastmods: Iterable[str]) -> str:
    months = Counter(month for lastmod in lastmods if (month := month_of(lastmod)))
    wanted = months.total() / _NEWEST_SHARE
    for month in sorted(months, reverse=True):
        wanted -= months[month]
        if wanted <= 0:
            return month
    return ""


def _tally(pages: Sequence[SampledPage], classifier: PageClassifier) -> ClusterTally:
    """Count what may become clusters, with examples."""
    # What only the priority depends on makes no difference here.
    columns = PageColumns(
        urls=[page.url for page in pages],
        titles=[page.title for page in pages],
        anchors=[page.anchor for page in pages],
        kinds=[page.kind for page in pages],
        languages=[page.language for page in pages],
        own_languages=[page.own_language for page in pages],
        text_languages=[page.text_language for page in pages],
        regions=[page.region for page in pages],
    )
    classes = classifier.classify(columns)
    tally = ClusterTally()
    for found, number in Counter(classes).items():
        tally.add(number, _groups(found))
        tally.place_pattern(found.template, found.sections)
    shown: Counter[PageClass] = Counter()
    for page, found in zip(pages, classes, strict=True):
        if shown[found] < MAX_SAMPLE:
            shown[found] += 1
            for kind, value in _groups(found):
                tally.show(kind, value, page.url)
    return tally


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
