"""Collects the findings of a scan from its inventory, mentions, visits and sitemaps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from sitecrawl.coverage.sightings import SourceGroup
from sitecrawl.findings.kinds import DESCRIPTIONS, Severity, SiteFinding, unit_of
from sitecrawl.findings.text_similarity import difference_words
from sitecrawl.items import NOT_SENT, DocumentKind, FetchOutcome
from sitecrawl.parsing.findings import FindingKind
from sitecrawl.report.mentions import GROUPS
from sitecrawl.store.queries import findings as stored_findings
from sitecrawl.store.queries.documents import document_fetches, document_urls
from sitecrawl.store.queries.findings import (
    Found,
    SitemapEntries,
    implausible_lastmods,
    lastmod_ranges,
    near_duplicate_pages,
    text_difference,
)
from sitecrawl.store.queries.page_findings import NO_SOURCES, PageFindings
from sitecrawl.store.queries.pages import page_urls
from sitecrawl.store.queries.topics import competing_pages_of
from sitecrawl.store.queries.visits import external_pages
from sitecrawl.store.schema import iso_text
from sitecrawl.urls.address import resolve
from sitecrawl.urls.canonical import page_key
from sitecrawl.urls.redirects import redirect_chains
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from sitecrawl.report.data import FindingFacts, FindingItem
    from sitecrawl.report.inventory import Inventory
    from sitecrawl.report.mentions import PageMentions
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.documents import DocumentFetch
    from sitecrawl.store.queries.page_findings import LinkSources
    from sitecrawl.store.queries.scans import Scan

MAX_ITEMS: Final = 100_000
"""Of each finding, unless all are asked for."""
# A link in a footer is on every page: so many of those that have it are named.
MAX_SOURCES: Final = 100
# Findings whose items are named with the pages that link to them.
_LINKED: Final = (
    *(SiteFinding.BROKEN_LINK, SiteFinding.PAGE_ERROR, SiteFinding.BROKEN_EXTERNAL_LINK),
    *(SiteFinding.REDIRECTED_LINK, SiteFinding.REDIRECT_LOOP),
)
# A few pages may well be published on the same day.
_FEWEST_DATED: Final = 10
_STALE_AFTER: Final = timedelta(days=730)
_SITEMAP_BIT: Final = 1 << GROUPS.index(SourceGroup.SITEMAPS)
# All outcomes but those that were read, not found, or not requested.
_NOT_READ: Final = frozenset(FetchOutcome) - {
    *(FetchOutcome.OK, FetchOutcome.NOT_MODIFIED, FetchOutcome.FRESH, FetchOutcome.NOT_FOUND),
    *(FetchOutcome.REDIRECTED, FetchOutcome.ADDRESS_NOT_ALLOWED, *NOT_SENT),
}
_SEVERITIES: Final = tuple(Severity)


@dataclass(frozen=True, slots=True)
class _Sources:
    """The sources of findings."""

    database: Database
    scan: Scan
    inventory: Inventory
    mentions: PageMentions
    crawl: CrawlCoverage
    max_items: int


class _Kind(NamedTuple):
    """A finding of a kind; by page, which pages link to it where that is asked for."""

    found: Found
    linked_from: Sequence[LinkSources] | None = None
    """Beside the items."""


def site_findings(
    database: Database,
    scan: Scan,
    inventory: Inventory,
    mentions: PageMentions,
    crawl: CrawlCoverage,
    *,
    max_items: int = MAX_ITEMS,
) -> list[FindingFacts]:
    """The most severe first, then those with the most pages."""
    sources = _Sources(database, scan, inventory, mentions, crawl, max_items)
    with database.reading() as connection:
        found = {
            kind: _Kind(each)
            for part in (_of_entries, _of_lastmods, _of_visits, _of_links)
            for kind, each in part(connection, sources)
        }
        found |= dict(_of_pages(connection, sources))
    found |= {kind: _Kind(each) for kind, each in _of_sitemaps(sources)}
    in_order = sorted(
        ((kind, each) for kind, each in found.items() if each.found.total),
        key=lambda item: (
            _SEVERITIES.index(DESCRIPTIONS[item[0]].severity),
            -item[1].found.total,
            item[0],
        ),
    )
    return [_facts(kind, each, _caveat(kind, crawl)) for kind, each in in_order]


def _facts(kind: SiteFinding, each: _Kind, caveat: str) -> FindingFacts:
    description = DESCRIPTIONS[kind]
    items: list[FindingItem] = [{"url": url, "detail": detail} for url, detail in each.found.items]
    for item, linked in zip(items, each.linked_from or (), strict=False):
        item["linked_from"] = [url for url, _ in linked.first]
        item["links"] = linked.total
    return {
        "kind": kind.value,
        "severity": description.severity.value,
        "topic": description.topic.value,
        "title": description.title,
        "count": each.found.total,
        "unit": unit_of(kind).value,
        "items": items,
        "advice": f"{description.advice} {caveat}".rstrip(),
        "before": None,
    }


def _caveat(kind: SiteFinding, crawl: CrawlCoverage) -> str:
    if kind is SiteFinding.ORPHAN and not crawl.is_whole:
        return "Not every page was visited: some of them may be linked all the same."
    return ""


def _of_pages(connection: Connection, sources: _Sources) -> Iterator[tuple[SiteFinding, _Kind]]:
    """What visits have shown of single pages."""
    findings = PageFindings(connection, sources.scan)
    for kind, items in findings.by_kind():
        if not items:
            continue
        found = _found(((item.url, item.detail) for item in items), sources.max_items)
        if kind in _LINKED:
            links = findings.sources(kind, MAX_SOURCES)
            shown = items[: sources.max_items]
            yield kind, _Kind(found, [links.get(item.page_id, NO_SOURCES) for item in shown])
        else:
            yield kind, _Kind(found)


def _of_entries(connection: Connection, sources: _Sources) -> Iterator[tuple[SiteFinding, Found]]:
    entries = SitemapEntries(connection, sources.scan, sources.max_items)
    yield SiteFinding.SITEMAP_NOT_FOUND, entries.refused_for(Reason.NOT_FOUND)
    yield SiteFinding.SITEMAP_SOFT_404, entries.refused_for(Reason.SOFT_404)
    yield (
        SiteFinding.SITEMAP_REDIRECT,
        entries.refused_for(Reason.REDIRECTED, Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS),
    )
    yield SiteFinding.SITEMAP_OTHER_HOST, entries.refused_for(Reason.OFFSITE)
    yield SiteFinding.SITEMAP_BLOCKED, entries.blocked()
    yield SiteFinding.SITEMAP_NOINDEX, entries.noindex()
    yield SiteFinding.SITEMAP_ERROR, entries.failed()
    yield SiteFinding.SITEMAP_HTTP, entries.insecure()
    yield SiteFinding.SITEMAP_DUPLICATE, entries.repeated()
    refused = entries.refused_for(Reason.OTHER_CANONICAL)
    listed = _found(_non_canonical(connection, sources), sources.max_items)
    yield (
        SiteFinding.SITEMAP_NON_CANONICAL,
        Found(
            refused.total + listed.total,
            [*refused.items, *listed.items][: sources.max_items],
        ),
    )


def _non_canonical(connection: Connection, sources: _Sources) -> Iterator[tuple[str, str]]:
    pages = stored_findings.named_canonicals(connection, sources.scan)
    positions = sources.mentions.index.positions([page.page_id for page in pages])
    is_entry = sources.mentions.masks & np.uint8(_SITEMAP_BIT) != 0
    for page, position in zip(pages, positions.tolist(), strict=True):
        if position < 0 or not is_entry[position]:
            continue
        target = resolve(page.canonical, page.url) or page.canonical
        if page_key(target) != page_key(page.url):
            yield page.url, target


def _of_lastmods(connection: Connection, sources: _Sources) -> Iterator[tuple[SiteFinding, Found]]:
    scan = sources.scan
    yield SiteFinding.LASTMOD_IMPLAUSIBLE, implausible_lastmods(connection, scan, sources.max_items)
    dated = [each for each in lastmod_ranges(connection, scan) if each.dated >= _FEWEST_DATED]
    long_ago = iso_text(scan.started_at - _STALE_AFTER)
    yield (
        SiteFinding.LASTMOD_ALL_EQUAL,
        _found(
            (
                (each.sitemap, f"{each.first or ''} in all {each.dated:,} entries")
                for each in dated
                if each.first == each.last and each.dated == each.entries
            ),
            sources.max_items,
        ),
    )
    yield (
        SiteFinding.LASTMOD_STALE,
        _found(
            (
                (each.sitemap, f"the newest of {each.dated:,} is {each.last}")
                for each in dated
                if (each.last or "") < long_ago
            ),
            sources.max_items,
        ),
    )


def _of_visits(connection: Connection, sources: _Sources) -> Iterator[tuple[SiteFinding, Found]]:
    scan = sources.scan
    chains = redirect_chains(stored_findings.redirect_targets(connection, scan))
    yield (
        SiteFinding.REDIRECT_CHAIN,
        _found(((chain[0], " -> ".join(chain[1:])) for chain in chains), sources.max_items),
    )
    same = stored_findings.duplicate_texts(connection, scan, sources.max_items)
    yield SiteFinding.DUPLICATE_TEXT, _with_words("same as", same)
    yield SiteFinding.NEAR_DUPLICATE, _near_duplicates(connection, sources)
    rivals = [
        (pair.url, f"as {pair.other}: {pair.words} (similarity {pair.cosine:.2f})")
        for pair in competing_pages_of(connection, scan.site_id)
    ]
    yield SiteFinding.COMPETING_PAGES, _found(rivals, sources.max_items)
    traps = stored_findings.trapped_pages(connection, scan)
    rules = [
        (trap.example, f"{trap.reason}: {trap.rule} ({trap.pages:,} addresses)")
        for trap in traps[: sources.max_items]
    ]
    yield SiteFinding.TRAP, Found(sum(trap.pages for trap in traps), rules)


def _near_duplicates(connection: Connection, sources: _Sources) -> Found:
    """Pages with nearly the text of another one, each with the words in which it differs."""
    scan = sources.scan
    near = list(near_duplicate_pages(connection, scan))
    examples = []
    for page in near[: sources.max_items]:
        difference = text_difference(connection, scan, page.original_id, page.page_id)
        words = f": {difference_words(difference)}" if difference else ""
        # Rounded down: nothing that differs is 100 % the same.
        share = int(100 * page.similarity)
        examples.append((page.url, f"{share} % the same as {page.original}{words}"))
    return Found(len(near), examples)


def _of_sitemaps(sources: _Sources) -> Iterator[tuple[SiteFinding, Found]]:
    fetches = document_fetches(sources.database, sources.scan, DocumentKind.SITEMAP)
    unreadable = [
        (fetch.url, f"HTTP {fetch.status}" if fetch.status else fetch.outcome)
        for fetch in fetches
        if fetch.outcome in _NOT_READ
    ]
    yield SiteFinding.SITEMAP_UNREADABLE, _found(unreadable, sources.max_items)
    missing = [
        (fetch.url, f"named by {fetch.found_by}")
        for fetch in fetches
        if fetch.outcome == FetchOutcome.NOT_FOUND and fetch.is_named
    ]
    yield SiteFinding.SITEMAP_MISSING, _found(missing, sources.max_items)
    yield SiteFinding.SITEMAP_MALFORMED, _found(_mistakes(fetches), sources.max_items)
    dates = [
        (fetch.url, f"{each['count']:,} entries, such as {each['detail']}", each["count"])
        for fetch in fetches
        for each in fetch.findings
        if each["kind"] == FindingKind.INVALID_LASTMOD
    ]
    yield (
        SiteFinding.LASTMOD_INVALID,
        Found(
            sum(number for _, _, number in dates),
            [(url, words) for url, words, _ in dates[: sources.max_items]],
        ),
    )


def _mistakes(fetches: Iterable[DocumentFetch]) -> Iterator[tuple[str, str]]:
    """Sitemaps with what is wrong with each; dates have a finding of their own."""
    for fetch in fetches:
        words = [
            f"{each['kind'].replace('_', ' ')} ({each['count']:,})"
            for each in fetch.findings
            if each["kind"] != FindingKind.INVALID_LASTMOD
        ]
        if words and fetch.outcome != FetchOutcome.NOT_FOUND:
            yield fetch.url, ", ".join(words)


def _of_links(connection: Connection, sources: _Sources) -> Iterator[tuple[SiteFinding, Found]]:
    """Sitemaps compared with links; nothing, if one of them is missing."""
    mentions, scan = sources.mentions, sources.scan
    if not sources.crawl.sitemaps or not sources.crawl.has_crawled:
        return
    is_start = _is_one_of(stored_findings.start_pages(connection, scan), mentions)
    is_orphan = mentions.is_in_sitemap & ~mentions.is_linked & ~is_start
    yield SiteFinding.ORPHAN, _named(connection, sources, is_orphan)
    is_external = _is_one_of(external_pages(sources.database, scan), mentions)
    is_unlisted = mentions.is_linked & ~mentions.is_in_sitemap & ~is_external
    yield SiteFinding.UNLISTED, _named(connection, sources, is_unlisted)


def _is_one_of(page_ids: set[int], mentions: PageMentions) -> NDArray[np.bool_]:
    found = np.zeros(len(mentions.index), np.bool_)
    positions = mentions.index.positions(sorted(page_ids))
    found[positions[positions >= 0]] = True
    return found


def _named(connection: Connection, sources: _Sources, is_meant: NDArray[np.bool_]) -> Found:
    """Pages, each with the document that named it first."""
    inventory = sources.inventory
    positions = np.flatnonzero(is_meant)[: sources.max_items].tolist()
    shown = {
        position: inventory.listed[position].row.url
        for position in positions
        if position < len(inventory.listed)
    }
    # Of a large site only the first pages are at hand.
    further = {inventory.ids[position]: position for position in positions[len(shown) :]}
    shown |= {further[page_id]: url for page_id, url in page_urls(connection, further).items()}
    names = document_urls(connection, {inventory.documents[position] for position in positions})
    items = [
        (shown[position], f"named by {names[inventory.documents[position]]}")
        for position in positions
    ]
    return Found(int(np.count_nonzero(is_meant)), items)


def _found(rows: Iterable[tuple[str, str]], max_items: int) -> Found:
    """Count all, keep the first."""
    rest = iter(rows)
    items = list(islice(rest, max_items))
    return Found(len(items) + sum(1 for _ in rest), items)


def _with_words(words: str, found: Found) -> Found:
    return Found(found.total, [(url, f"{words} {detail}") for url, detail in found.items])
