"""Learns a site from its pages: the model of its URLs, the scale of its signals, its clusters.

The site is learned from a sample, which is the whole of a small site. On a larger one the sizes of
clusters are estimates. The sample depends on the pages alone: not on their order, nor on how often
a page comes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field, replace
from heapq import nsmallest
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import xxhash

from sitecrawl.classify.classifier import PageClassifier, joined_text
from sitecrawl.classify.clusters import MAX_EXAMPLES, Cluster, ClusterTally, learn_topics
from sitecrawl.classify.pages import PAGE_TYPE_NAMES, ClusterKind
from sitecrawl.classify.priority import MONTH_LENGTH, SiteScale, month_of
from sitecrawl.classify.url_classifier import UrlClassifier
from sitecrawl.classify.url_model import DescribedPage, UrlModel, learn_types, learn_urls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sitecrawl.classify.pages import PageClass, PageColumns

# Raised whenever the same inventory would give another model, or the same model other classes:
# then a stored model is learned again.
MODEL_VERSION: Final = 5
SAMPLE_ROWS: Final = 20_000
# One of so many pages must be as new as the newest month: a single page from the future is not.
_NEWEST_SHARE: Final = 100
_ALL_DIGESTS: Final = 1 << 64


@dataclass(frozen=True, slots=True)
class SiteModel:
    """What :class:`~sitecrawl.classify.classifier.PageClassifier` needs to know of a site."""

    urls: UrlModel = field(default_factory=UrlModel)
    scale: SiteScale = field(default_factory=SiteScale)
    topics: tuple[str, ...] = ()
    cluster_keys: frozenset[str] = frozenset()
    is_whole: bool = True
    """Whether the sample had all pages; else sizes of clusters are estimates."""

    def as_data(self) -> dict[str, Any]:
        """For JSON, without the cluster keys: these are stored with the clusters."""
        return {
            "version": MODEL_VERSION,
            "urls": self.urls.as_data(),
            "scale": asdict(self.scale),
            "topics": list(self.topics),
            "is_whole": self.is_whole,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any], cluster_keys: frozenset[str]) -> SiteModel | None:
        """The model; None if another version made it."""
        if data.get("version") != MODEL_VERSION:
            return None
        return cls(
            urls=UrlModel.from_data(data["urls"]),
            scale=SiteScale(**data["scale"]),
            topics=tuple(data["topics"]),
            cluster_keys=cluster_keys,
            is_whole=data["is_whole"],
        )


class LearnedSite(NamedTuple):
    """The result of learning, to be stored."""

    model: SiteModel
    clusters: list[Cluster]


def learn_site(
    pages: Iterable[PageColumns],
    described: Iterable[PageColumns] = (),
    *,
    one_of: int = 1,
    sample_rows: int = SAMPLE_ROWS,
) -> LearnedSite:
    """Learn a site from its pages.

    A caller with many pages may give a random one of *one_of*, and beside them all pages that are
    *described*: that declare a type or a language, are in the menu or linked.
    """
    learner = _SiteLearner(sample_rows)
    for columns in pages:
        learner.add(columns)
    for columns in described:
        learner.add_described(columns)
    model = learner.model()
    sample = learner.sample
    tally = _tally(sample.chunks, PageClassifier(model))
    clusters = tally.clusters(one_of * learner.pages / max(len(sample), 1))
    keys = frozenset(each.key for each in clusters)
    is_whole = one_of == 1 and sample.is_whole
    return LearnedSite(replace(model, cluster_keys=keys, is_whole=is_whole), clusters)


class PageSample:
    """Keeps between *limit* and twice as many pages, if there are so many.

    Beyond the limit these are the pages with the smallest hashes, so one per cent more pages change
    about one per cent of the sample.
    """

    def __init__(self, limit: int):
        self._limit = limit
        self._chunks: list[PageColumns] = []
        self._pages = 0
        self._below = _ALL_DIGESTS

    def __len__(self) -> int:
        return self._pages

    @property
    def chunks(self) -> Sequence[PageColumns]:
        return self._chunks

    @property
    def is_whole(self) -> bool:
        """Whether every page is in it."""
        return self._below == _ALL_DIGESTS

    def add(self, columns: PageColumns) -> None:
        self._keep(columns if self.is_whole else self._chosen(columns))
        # The bound only falls: a page that is left out now would be left out at the end as well.
        while self._pages > 2 * self._limit:
            self._below //= 2
            chunks, self._chunks, self._pages = self._chunks, [], 0
            for chunk in chunks:
                self._keep(self._chosen(chunk))

    def _keep(self, columns: PageColumns) -> None:
        if columns.urls:
            self._chunks.append(columns)
            self._pages += len(columns.urls)

    def _chosen(self, columns: PageColumns) -> PageColumns:
        return columns.only([_digest(url) < self._below for url in columns.urls])


def _digest(url: str) -> int:
    return xxhash.xxh3_64_intdigest(url.encode("utf-8", "replace"))


class _SiteLearner:
    """Collects a sample of all pages and one of the described pages, and learns from them."""

    def __init__(self, sample_rows: int):
        self.sample = PageSample(sample_rows)
        self.pages = 0
        self._described = PageSample(sample_rows)
        self._most_inlinks = 0
        self._has_menu = False

    def add(self, columns: PageColumns) -> None:
        self.pages += len(columns.urls)
        self.sample.add(columns)
        self.add_described(columns)

    def add_described(self, columns: PageColumns) -> None:
        if columns.inlinks:
            self._most_inlinks = max(self._most_inlinks, *(each or 0 for each in columns.inlinks))
        if columns.importances and not self._has_menu:
            self._has_menu = any(columns.importances)
        if columns.kinds or columns.own_languages:
            unknown = [None] * len(columns.urls)
            declared = zip(columns.kinds or unknown, columns.own_languages or unknown, strict=True)
            self._described.add(columns.only([bool(kind or own) for kind, own in declared]))

    def model(self) -> SiteModel:
        """The model without its clusters."""
        chunks = self.sample.chunks
        priorities = {each for chunk in chunks for each in chunk.sitemap_priorities or ()}
        scale = SiteScale(
            most_inlinks=self._most_inlinks,
            newest_month=_newest_month(chunk.lastmods or () for chunk in chunks),
            has_menu=self._has_menu,
            has_priorities=len(priorities - {None}) > 1,
        )
        urls = [url for chunk in chunks for url in chunk.urls]
        described = {
            page.url: page
            for chunk in (*chunks, *self._described.chunks)
            for page in _described_pages(chunk)
        }
        return SiteModel(_learn_urls(urls, described.values()), scale, learn_topics(_texts(chunks)))


def _learn_urls(urls: Sequence[str], described: Iterable[DescribedPage]) -> UrlModel:
    untyped = learn_urls(urls, described)
    # Only fetched pages can declare a type.
    fetched = [page for page in described if page.title or page.kind in PAGE_TYPE_NAMES]
    classes = UrlClassifier(untyped).classify([page.url for page in fetched])
    learned = learn_types(fetched, [found.template for found in classes])
    return replace(untyped, types=learned.types, uniform=learned.uniform)


def _described_pages(columns: PageColumns) -> Iterator[DescribedPage]:
    """The pages with more known of them than their URL."""
    described = (columns.kinds, columns.languages, columns.own_languages, columns.titles)
    if any(described):
        texts = ([each or "" for each in column] if column else repeat("") for column in described)
        rows = zip(columns.urls, *texts, strict=False)  # repeat() has no end
        for url, kind, language, own_language, title in rows:
            if kind or language or own_language or title:
                yield DescribedPage(url, kind, language or own_language, title)


def _texts(chunks: Iterable[PageColumns]) -> Iterator[str]:
    for chunk in chunks:
        if chunk.titles or chunk.anchors:
            unknown = [None] * len(chunk.urls)
            texts = map(joined_text, chunk.titles or unknown, chunk.anchors or unknown)
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


# --- clusters ------------------------------------------------------------------------------------


def _tally(chunks: Iterable[PageColumns], classifier: PageClassifier) -> ClusterTally:
    """Count the groups that may become clusters, with examples."""
    members: defaultdict[PageClass, list[str]] = defaultdict(list)
    for chunk in chunks:
        # Signals that only the priority depends on make no difference to clusters.
        columns = replace(
            chunk, lastmods=None, sitemap_priorities=None, importances=None, inlinks=None
        )
        for found, url in zip(classifier.classify(columns), columns.urls, strict=True):
            members[found].append(url)
    # In the order of their hashes: random, but always the same.
    examples = (
        (digest_and_url, found)
        for found, urls in members.items()
        for digest_and_url in nsmallest(MAX_EXAMPLES, ((_digest(url), url) for url in urls))
    )
    tally = ClusterTally()
    for (_, url), found in sorted(examples, key=itemgetter(0)):
        tally.add_template(found.template, found.sections)
        for kind, value in _groups(found):
            tally.add_example(kind, value, url)
    for found, urls in members.items():
        tally.add(len(urls), _groups(found))
    return tally


def _groups(found: PageClass) -> Iterator[tuple[ClusterKind, str]]:
    """Every group of the page that may be a cluster."""
    for section in found.sections:
        yield ClusterKind.SECTION, section
    yield ClusterKind.PATTERN, found.template
    yield ClusterKind.TYPE, found.page_type
    if found.language:
        yield ClusterKind.LANGUAGE, found.language
    for topic in found.topics:
        yield ClusterKind.TOPIC, topic
