"""Why a page is known: every mention of it, or what might have hidden it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select

from sitecrawl.items import FetchOutcome
from sitecrawl.store.facts import MentionFact, PageFact, VerdictFact
from sitecrawl.store.queries import doubtful_fetches, latest_scan, unread_documents
from sitecrawl.store.tables import documents, fetches, mentions, pages, scans, verdicts

if TYPE_CHECKING:
    from datetime import datetime

    from sitecrawl.store.engine import Database
    from sitecrawl.store.facts import Fetch, Scan

_NEVER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Why:
    """The answer: either ``page`` with its mentions, or what was not read in the last scan."""

    page: PageFact | None
    first_seen_at: datetime | None
    """When the scan started that saw the page first."""
    verdict: VerdictFact | None
    """What robots.txt says of it."""
    mentions: list[MentionFact]
    scan: Scan | None
    """The scan that the answer is as of."""
    doubtful: list[Fetch]
    """Documents that this scan could not read to the end."""
    unread: list[str]
    """Documents that this scan knew of and did not fetch."""

    @property
    def last_seen_scan_id(self) -> int | None:
        return max((mention.last_seen_scan_id for mention in self.mentions), default=None)


def why(database: Database, site_id: int, page_id: int) -> Why:
    """What is known of the page with this id (see ``sitecrawl.urls.canonical.page_ids``)."""
    wanted = select(*(pages.c[name] for name in PageFact.__slots__)).where(pages.c.id == page_id)
    with database.reading() as connection:
        row = connection.execute(wanted).first()
        page = PageFact(**row._asdict()) if row else None
        rows = connection.execute(_mentions(page_id)).all() if page else []
        first_seen_at = connection.scalar(_started(page.first_scan_id)) if page else None
        judged = (
            connection.execute(_verdict(page.verdict_id)).first()
            if page and page.verdict_id
            else None
        )
    scan = latest_scan(database, site_id)
    return Why(
        page=page,
        first_seen_at=first_seen_at,
        verdict=VerdictFact(**judged._asdict()) if judged else None,
        mentions=[MentionFact(**mention._asdict()) for mention in rows],
        scan=scan,
        doubtful=doubtful_fetches(database, scan.id) if scan else [],
        unread=unread_documents(database, scan.id) if scan else [],
    )


def _started(scan_id: int) -> Select[Any]:
    return select(scans.c.started_at).where(scans.c.id == scan_id)


def _verdict(verdict_id: int) -> Select[Any]:
    own = (verdicts.c[name] for name in VerdictFact.__slots__ if name != "robots_url")
    return (
        select(documents.c.url.label("robots_url"), *own)
        .join_from(verdicts, documents, documents.c.id == verdicts.c.document_id, isouter=True)
        .where(verdicts.c.id == verdict_id)
    )


def _mentions(page_id: int) -> Select[Any]:
    later = fetches.alias("later")
    dropped_in = (
        select(func.min(later.c.scan_id))
        .where(
            later.c.document_id == mentions.c.document_id,
            later.c.complete,
            later.c.scan_id > mentions.c.scan_id,
        )
        .scalar_subquery()
    )
    confirming = fetches.alias("confirming")
    confirmed_in = (
        select(func.max(confirming.c.scan_id))
        .where(
            confirming.c.document_id == mentions.c.document_id,
            confirming.c.outcome.in_([FetchOutcome.OK, FetchOutcome.NOT_MODIFIED]),
            confirming.c.scan_id >= mentions.c.scan_id,
            confirming.c.scan_id < func.coalesce(dropped_in, _NEVER),
        )
        .scalar_subquery()
    )
    read = fetches.alias("read")
    fetched_at = (
        select(func.max(read.c.fetched_at))
        .where(read.c.document_id == mentions.c.document_id, read.c.scan_id == mentions.c.scan_id)
        .scalar_subquery()
    )
    is_current = mentions.c.scan_id >= func.coalesce(documents.c.content_scan_id, 0)
    return (
        select(
            mentions.c.document_id,
            documents.c.url.label("document_url"),
            documents.c.kind.label("document_kind"),
            documents.c.found_by,
            mentions.c.position,
            mentions.c.source,
            mentions.c.lastmod,
            mentions.c.scan_id,
            is_current.label("is_current"),
            func.coalesce(confirmed_in, mentions.c.scan_id).label("last_seen_scan_id"),
            fetched_at.label("fetched_at"),
        )
        .join_from(mentions, documents, documents.c.id == mentions.c.document_id)
        .where(mentions.c.page_id == page_id)
        .order_by(is_current.desc(), mentions.c.scan_id, mentions.c.document_id)
    )
