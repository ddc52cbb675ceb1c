"""Why a page is known: its mentions and its visit, or what may have hidden it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, and_, case, func, select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.checks import last_check_of
from sitecrawl.store.queries.coverage import crawl_coverage, crawl_end
from sitecrawl.store.queries.documents import doubtful_fetches, unread_documents
from sitecrawl.store.queries.scans import last_look, latest_scan
from sitecrawl.store.queries.visits import click_path, last_visit
from sitecrawl.store.schema import documents, fetches, mentions, pages, scans, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Subquery
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.checks import LastCheck
    from sitecrawl.store.queries.coverage import CrawlCoverage, CrawlEnd
    from sitecrawl.store.queries.documents import Fetch
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.queries.visits import ClickStep, VisitFact


@dataclass(frozen=True, slots=True)
class PageFact:
    id: int
    site_id: int
    url: str
    reason: str | None
    rule: str | None
    verdict_id: int | None
    source: str
    lastmod: str | None
    changefreq: str | None
    sitemap_priority: float | None
    title: str | None
    language: str | None
    category: str | None
    details: str | None
    first_scan_id: int


@dataclass(frozen=True, slots=True)
class VerdictFact:
    robots_url: str | None
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawl_delay: float | None
    confidence: float
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class MentionFact:
    document_id: int
    document_url: str
    document_kind: str
    found_by: str
    position: int
    source: str
    lastmod: str | None
    region: str | None
    anchor: str | None
    rel: str | None
    path: str | None
    """A short selector of the element that the link is in."""
    scan_id: int
    """The scan that read it."""
    is_current: bool
    """Whether the document still lists it, as far as we know."""
    last_seen_scan_id: int
    """The newest scan that read or confirmed it."""
    fetched_at: datetime | None
    """When the document was fetched in ``scan_id``; None while that scan has not come so far."""
    last_seen_at: datetime | None
    """The same of ``last_seen_scan_id``."""
    gone_scan_id: int | None
    """The scan that found that the document is no longer part of the site."""
    dropped_scan_id: int | None
    """The first scan that read the document completely without it."""


@dataclass(frozen=True, slots=True)
class MentionCount:
    is_current: bool
    source: str
    region: str | None
    mentions: int


_NEVER = 2**63 - 1
_IS_CURRENT = and_(
    documents.c.gone_scan_id.is_(None),
    mentions.c.scan_id >= func.coalesce(documents.c.content_scan_id, 0),
)

_ORDER = (
    _IS_CURRENT.desc(),
    documents.c.kind == DocumentKind.PAGE,
    mentions.c.scan_id,
    mentions.c.document_id,
    mentions.c.position,
)


def first_mentions(
    connection: Connection, page_id: int, limit: int | None = None
) -> list[MentionFact]:
    """Those that still hold before the others, those of sitemaps before links, then the oldest."""
    found = _of_page(page_id).order_by("rank").limit(limit).subquery()
    # Once more, as a subquery promises no order.
    rows = connection.execute(_with_fetches(found).order_by(found.c.rank)).mappings()
    return [MentionFact(**{name: row[name] for name in MentionFact.__slots__}) for row in rows]


def mention_counts(connection: Connection, page_id: int) -> list[MentionCount]:
    """How many mentions there are of each kind, the most first."""
    number = func.count()
    kind = (_IS_CURRENT, mentions.c.source, mentions.c.region)
    statement = (
        select(*kind, number)
        .join_from(mentions, documents, documents.c.id == mentions.c.document_id)
        .where(mentions.c.page_id == page_id)
        .group_by(*kind)
        .order_by(number.desc(), mentions.c.source, mentions.c.region)
    )
    return [MentionCount(bool(row[0]), *row[1:]) for row in connection.execute(statement)]


def last_seen_scan(connection: Connection, page_id: int) -> int | None:
    """The newest scan that read or confirmed a mention of the page."""
    newer = documents.c.last_scan_id > mentions.c.scan_id
    last_seen = case((newer, documents.c.last_scan_id), else_=mentions.c.scan_id)
    statement = (
        select(func.max(last_seen))
        .join_from(mentions, documents, documents.c.id == mentions.c.document_id)
        .where(mentions.c.page_id == page_id, _IS_CURRENT)
    )
    if (current := connection.scalar(statement)) is not None:
        return int(current)
    # Nobody mentions it any more: the fetches tell until when somebody did.
    return max(
        (each.last_seen_scan_id for each in first_mentions(connection, page_id)), default=None
    )


def _of_page(page_id: int) -> Select[Any]:
    own = ("document_id", "position", "source", "lastmod", "scan_id")
    link = ("region", "anchor", "rel", "path")
    return (
        select(
            *(mentions.c[name] for name in (*own, *link)),
            documents.c.url.label("document_url"),
            documents.c.kind.label("document_kind"),
            documents.c.found_by,
            documents.c.gone_scan_id,
            _IS_CURRENT.label("is_current"),
            func.row_number().over(order_by=_ORDER).label("rank"),
        )
        .join_from(mentions, documents, documents.c.id == mentions.c.document_id)
        .where(mentions.c.page_id == page_id)
    )


def _with_fetches(found: Subquery) -> Select[Any]:
    """When each was read, and which scan saw it last.

    Subqueries within subqueries are tied to the mention only when they say so.
    """
    later = fetches.alias("later")
    dropped_in = (
        select(func.min(later.c.scan_id))
        .where(
            later.c.document_id == found.c.document_id,
            later.c.complete,
            later.c.scan_id > found.c.scan_id,
        )
        .correlate(found)
        .scalar_subquery()
    )
    confirming = fetches.alias("confirming")
    confirmed_in = (
        select(func.max(confirming.c.scan_id))
        .where(
            confirming.c.document_id == found.c.document_id,
            confirming.c.outcome.in_([FetchOutcome.OK, FetchOutcome.NOT_MODIFIED]),
            confirming.c.scan_id >= found.c.scan_id,
            confirming.c.scan_id < func.coalesce(dropped_in, _NEVER),
        )
        .correlate(found)
        .scalar_subquery()
    )
    last_seen_in = func.coalesce(confirmed_in, found.c.scan_id)
    return select(
        found,
        last_seen_in.label("last_seen_scan_id"),
        _fetched_at(found, found.c.scan_id).label("fetched_at"),
        _fetched_at(found, last_seen_in).label("last_seen_at"),
        dropped_in.label("dropped_scan_id"),
    )


def _fetched_at(found: Subquery, scan_id: ColumnElement[Any]) -> ColumnElement[Any]:
    """When the scan fetched the document."""
    read = fetches.alias()
    return (
        select(func.max(read.c.fetched_at))
        .where(read.c.document_id == found.c.document_id, read.c.scan_id == scan_id)
        .correlate(found)
        .scalar_subquery()
    )


# Every page of a site mentions what is in its menu.
MAX_MENTIONS = 10


@dataclass(frozen=True, slots=True)
class Why:
    """The answer: either ``page`` with its mentions, or what was not read in the last scan."""

    scan: Scan | None
    """The scan that the answer is as of."""
    crawl: CrawlEnd | None = None
    """Whether its crawl ran and why it ended, if the page is known."""
    coverage: CrawlCoverage | None = None
    """How complete its crawl was, if the page is not known."""
    page: PageFact | None = None
    first_seen_at: datetime | None = None
    """When the scan started that saw the page first."""
    last_seen_scan_id: int | None = None
    """The newest scan that read or confirmed a mention of it."""
    verdict: VerdictFact | None = None
    """What robots.txt says of it."""
    mentions: Sequence[MentionFact] = ()
    """The first ones; those that still hold come before the others."""
    mention_counts: Sequence[MentionCount] = ()
    """How many there are of each kind, the most first."""
    visit: VisitFact | None = None
    """What the newest scan that was to visit the page knows of it."""
    last_check: LastCheck | None = None
    """How the last visit that was made ended, by a crawl or by a check."""
    click_path: Sequence[ClickStep] = ()
    """A shortest way from where the crawl started; empty: no link led to it."""
    doubtful: Sequence[Fetch] = ()
    """Documents that the scan could not read to the end, if the page is not known."""
    unread: Sequence[str] = ()
    """Documents that the scan knew of and did not fetch, if the page is not known."""

    @property
    def is_mentioned(self) -> bool:
        """Whether a document still lists it, as far as is known."""
        return any(each.is_current for each in self.mention_counts)

    @property
    def mentions_left_out(self) -> int:
        return sum(each.mentions for each in self.mention_counts) - len(self.mentions)


def why(
    database: Database, site_id: int, page_id: int, max_mentions: int | None = MAX_MENTIONS
) -> Why:
    """What is known of the page with this id (see ``sitecrawl.urls.batches.page_ids``)."""
    scan = latest_scan(database, site_id)
    if page := page_fact(database, page_id):
        with database.reading() as connection:
            crawl = crawl_end(connection, scan) if scan else None
            return Why(scan, crawl, **_facts(connection, page, scan, max_mentions))
    if scan is None:
        return Why(scan)
    scan = last_look(database, scan)
    return Why(
        scan,
        coverage=crawl_coverage(database, scan),
        doubtful=doubtful_fetches(database, scan.id),
        unread=unread_documents(database, scan.id),
    )


def page_fact(database: Database, page_id: int) -> PageFact | None:
    """The row of the page."""
    wanted = select(*(pages.c[name] for name in PageFact.__slots__)).where(pages.c.id == page_id)
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    return PageFact(**row._asdict()) if row else None


def _facts(
    connection: Connection, page: PageFact, scan: Scan | None, max_mentions: int | None
) -> dict[str, Any]:
    judged = connection.execute(_verdict(page.verdict_id)).first() if page.verdict_id else None
    visit = last_visit(connection, page.id)
    crawl_id = visit.scan_id if visit else scan.id if scan else page.first_scan_id
    return {
        "page": page,
        "first_seen_at": connection.scalar(_started(page.first_scan_id)),
        "last_seen_scan_id": last_seen_scan(connection, page.id),
        "verdict": VerdictFact(**judged._asdict()) if judged else None,
        "mentions": first_mentions(connection, page.id, max_mentions),
        "mention_counts": mention_counts(connection, page.id),
        "visit": visit,
        "last_check": last_check_of(connection, page.id),
        "click_path": click_path(connection, crawl_id, page.id, page.url),
    }


def _started(scan_id: int) -> Select[Any]:
    return select(scans.c.started_at).where(scans.c.id == scan_id)


def _verdict(verdict_id: int) -> Select[Any]:
    own = (verdicts.c[name] for name in VerdictFact.__slots__ if name != "robots_url")
    return (
        select(documents.c.url.label("robots_url"), *own)
        .join_from(verdicts, documents, documents.c.id == verdicts.c.document_id, isouter=True)
        .where(verdicts.c.id == verdict_id)
    )
