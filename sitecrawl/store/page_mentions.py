"""Reads the mentions of one page: who gives it, in what words, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, case, func, select

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.page_facts import MentionCount, MentionFact
from sitecrawl.store.tables import documents, fetches
from sitecrawl.store.views import mentions

if TYPE_CHECKING:
    from sqlalchemy import Subquery
    from sqlalchemy.engine import Connection

_NEVER = 2**63 - 1
_IS_CURRENT = mentions.c.scan_id >= func.coalesce(documents.c.content_scan_id, 0)

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
    found = _of_page(page_id).order_by("place").limit(limit).subquery()
    # Once more, as a subquery promises no order.
    rows = connection.execute(_with_fetches(found).order_by(found.c.place)).mappings()
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
            _IS_CURRENT.label("is_current"),
            func.row_number().over(order_by=_ORDER).label("place"),
        )
        .join_from(mentions, documents, documents.c.id == mentions.c.document_id)
        .where(mentions.c.page_id == page_id)
    )


def _with_fetches(found: Subquery) -> Select[Any]:
    """When each was read, and which scan saw it last."""
    later = fetches.alias("later")
    dropped_in = (
        select(func.min(later.c.scan_id))
        .where(
            later.c.document_id == found.c.document_id,
            later.c.complete,
            later.c.scan_id > found.c.scan_id,
        )
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
        .scalar_subquery()
    )
    read = fetches.alias("read")
    fetched_at = (
        select(func.max(read.c.fetched_at))
        .where(read.c.document_id == found.c.document_id, read.c.scan_id == found.c.scan_id)
        .scalar_subquery()
    )
    return select(
        found,
        func.coalesce(confirmed_in, found.c.scan_id).label("last_seen_scan_id"),
        fetched_at.label("fetched_at"),
    )
