"""Learns a whole site: first its addresses, then what its pages are.

Both from a sample, which is all of a site that fits into it. On a larger site, how many pages a
cluster has is an estimate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from heapq import nsmallest
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.classify.classifier import PageClassifier, joined_text
from sitecrawl.classify.clusters import MAX_SAMPLE, Cluster, ClusterTally
from sitecrawl.classify.learning import SAMPLE_ROWS, SpeakingPage, learn_addresses
from sitecrawl.classify.model import SiteModel
from sitecrawl.classify.priority import MONTH_LENGTH, SiteScale, month_of
from sitecrawl.classify.sample import PageSample, by_chance
from sitecrawl.classify.topics import learn_topics
from sitecrawl.classify.vocabulary import ClusterKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitecrawl.classify.pages import PageClass, PageColumns

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
    sample = look.sample
    model = look.model()
    tally = _tally(sample.chunks, PageClassifier(model))
    clusters = tally.clusters(one_of * look.pages / max(len(sample), 1))
    keys = frozenset(each.key for each in clusters)
    is_whole = one_of == 1 and sample.is_whole
    return LearnedSite(model.with_clusters(keys, is_whole=is_whole), clusters)


class _Look:
    """Keeps a sample of the pages, and one of those that say what they are."""

    def __init__(self, sample_rows: int):
        self.sample = PageSample(sample_rows)
        self.pages = 0
        """That were seen."""
        self._speaking = PageSample(sample_rows)
        self._most_inlinks = 0
        self._has_menu = False

    def see(self, columns: PageColumns) -> None:
        self.pages += len(columns.urls)
        self.sample.add(columns)
        self.hear(columns)

    def hear(self, columns: PageColumns) -> None:
        if columns.inlinks:
            self._most_inlinks = max(self._most_inlinks, *(each or 0 for each in columns.inlinks))
        if columns.importances and not self._has_menu:
            self._has_menu = any(columns.importances)
        if columns.kinds or columns.own_languages:
            nothing = [None] * len(columns.urls)
            said = zip(columns.kinds or nothing, columns.own_languages or nothing, strict=True)
            self._speaking.add(columns.only([bool(kind or own) for kind, own in said]))

    def model(self) -> SiteModel:
        """What is known of the site but for its clusters."""
        chunks = self.sample.chunks
        priorities = {each for chunk in chunks for each in chunk.sitemap_priorities or ()}
        scale = SiteScale(
            most_inlinks=self._most_inlinks,
            newest_month=_newest_month(chunk.lastmods or () for chunk in chunks),
            has_menu=self._has_menu,
            has_priorities=len(priorities - {None}) > 1,
        )
        urls = [url for chunk in chunks for url in chunk.urls]
        heard = (*chunks, *self._speaking.chunks)
        speaking = {page.url: page for chunk in heard for page in _speaking(chunk)}
        addresses = learn_addresses(urls, list(speaking.values()))
        return SiteModel(addresses, scale, learn_topics(_texts(chunks)))


def _speaking(columns: PageColumns) -> Iterator[SpeakingPage]:
    """The pages from which more can be learned than from their address."""
    said = (columns.kinds, columns.languages, columns.own_languages, columns.titles)
    if any(said):
        texts = ([each or "" for each in column] if column else repeat("") for column in said)
        rows = zip(columns.urls, *texts, strict=False)  # what no page has has no end
        for url, kind, language, own_language, title in rows:
            if kind or language or own_language or title:
                yield SpeakingPage(url, kind, language or own_language, title)


def _texts(chunks: Iterable[PageColumns]) -> Iterator[str]:
    for chunk in chunks:
        if chunk.titles or chunk.anchors:
            nothing = [None] * len(chunk.urls)
            texts = map(joined_text, chunk.titles or nothing, chunk.anchors or nothing)
            yield from filter(None, texts)


def _newest_month(lastmods: Iterable[Sequence[str | None]]) -> str:
    months: Counter[str] = Counter()
    for column in lastmods:
        months.update([lastmod[:MONTH_LENGTH] for lastmod in column if lastmod])
    months = Counter({month: pages for month, pages in months.items() if month_of(month)})
    wanted = months.total() / _NEWEST_SHARE
    for month in sorted(months, reverse=True):
        wanted -= months[month]
        if wanted <= 0:
            return month
    return ""


def _tally(chunks: Iterable[PageColumns], classifier: PageClassifier) -> ClusterTally:
    """Count what may become clusters, with examples."""
    members: defaultdict[PageClass, list[str]] = defaultdict(list)
    for chunk in chunks:
        # What only the priority depends on makes no difference here.
        columns = replace(
            chunk, lastmods=None, sitemap_priorities=None, importances=None, inlinks=None
        )
        for found, url in zip(classifier.classify(columns), columns.urls, strict=True):
            members[found].append(url)
    examples = (
        (place, found)
        for found, urls in members.items()
        for place in nsmallest(MAX_SAMPLE, map(by_chance, urls))
    )
    tally = ClusterTally()
    for (_, url), found in sorted(examples, key=itemgetter(0)):
        tally.place_pattern(found.template, found.sections)
        for kind, value in _groups(found):
            tally.show(kind, value, url)
    for found, urls in members.items():
        tally.add(len(urls), _groups(found))
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
