"""Why a page is known: its mentions and the crawl's visit, or what might have hidden it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, select

from sitecrawl.store.coverage import crawl_coverage
from sitecrawl.store.document_queries import doubtful_fetches, unread_documents
from sitecrawl.store.page_facts import PageFact, VerdictFact
from sitecrawl.store.page_mentions import first_mentions, last_seen_scan, mention_counts
from sitecrawl.store.queries import latest_scan
from sitecrawl.store.tables import documents, pages, scans, verdicts
from sitecrawl.store.visits import click_path, last_visit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from sitecrawl.store.coverage import CrawlCoverage
    from sitecrawl.store.document_facts import Fetch
    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Scan
    from sitecrawl.store.page_facts import MentionCount, MentionFact
    from sitecrawl.store.visits import ClickStep, VisitFact

# Every page of a site mentions what is in its menu.
MAX_MENTIONS = 10


@dataclass(frozen=True, slots=True)
class Why:
    """The answer: either ``page`` with its mentions, or what was not read in the last scan."""

    scan: Scan | None
    """The scan that the answer is as of."""
    coverage: CrawlCoverage | None
    """How complete the crawl of this scan was."""
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
    """What the newest crawl that knows the page knows of it."""
    click_path: Sequence[ClickStep] = ()
    """A shortest way from where the crawl started; empty: no link led to it."""
    doubtful: Sequence[Fetch] = ()
    """Documents that the scan could not read to the end, if the page is not known."""
    unread: Sequence[str] = ()
    """Documents that the scan knew of and did not fetch, if the page is not known."""

    @property
    def mentions_left_out(self) -> int:
        return sum(each.mentions for each in self.mention_counts) - len(self.mentions)


def why(
    database: Database, site_id: int, page_id: int, max_mentions: int | None = MAX_MENTIONS
) -> Why:
    """What is known of the page with this id (see ``sitecrawl.urls.columns.page_ids``)."""
    scan = latest_scan(database, site_id)
    coverage = crawl_coverage(database, scan) if scan else None
    if page := page_fact(database, page_id):
        with database.reading() as connection:
            return Why(scan, coverage, **_facts(connection, page, scan, max_mentions))
    if scan is None:
        return Why(scan, coverage)
    return Why(
        scan,
        coverage,
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
