"""Lists of what a scan has read: documents with their fetch, evidence, robots rules, sitemaps."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import func, select

from sitecrawl.items import DocumentKind
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.store import schema as t
from sitecrawl.store.compression import unpack_body
from sitecrawl.store.queries.cursors import ListPage, Order, list_page, page_of
from sitecrawl.store.queries.documents import READ_OUTCOMES
from sitecrawl.store.queries.scans import membership
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ScalarSelect
    from sqlalchemy.engine import Row

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan


_MAX_ROBOTS_BYTES: Final = 512 * 1024
_MAX_KEPT_RULES: Final = 200


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A document, and what came of its last fetch in the scan."""

    id: int
    url: str
    kind: str
    format: str | None
    depth: int
    found_by: str
    first_scan_id: int
    gone_scan_id: int | None
    entries: int | None
    etag: str | None
    last_modified: str | None
    outcome: str | None
    status: int | None
    error: str | None
    content_type: str | None
    received_bytes: int | None
    elapsed_ms: int | None
    fetched_at: datetime | None
    final_url: str | None
    truncated: bool | None


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    id: int
    type: str
    content: str
    metadata: dict[str, Any]
    confidence: float
    created_at: datetime
    document_url: str | None


@dataclass(frozen=True, slots=True)
class RobotsRule:
    """What robots.txt says of some pages: the line that decides, and how many it is about."""

    robots_url: str | None
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawl_delay: float | None
    pages: int


@dataclass(frozen=True, slots=True)
class RobotsFile:
    document_id: int
    url: str
    outcome: str | None
    status: int | None
    fetched_at: datetime | None
    text: str | None
    """None: it was not kept, or there is none."""


_OF_FETCH: Final = (
    *("outcome", "status", "error", "content_type", "received_bytes", "elapsed_ms"),
    *("fetched_at", "final_url", "truncated"),
)
_OF_DOCUMENT: Final = tuple(
    name for name in FetchedDocument.__dataclass_fields__ if name not in _OF_FETCH
)


def fetched_documents(
    database: Database, scan: Scan, kind: str, cursor: str | None, limit: int
) -> ListPage[FetchedDocument]:
    """Those that are part of the site, or were fetched by the scan, in the order of finding."""
    statement = (
        select(
            *(t.documents.c[name] for name in _OF_DOCUMENT),
            *(t.fetches.c[name] for name in _OF_FETCH),
        )
        .outerjoin_from(t.documents, t.fetches, t.fetches.c.id == _last_fetch(scan))
        .where(t.documents.c.site_id == scan.site_id)
        .where(t.documents.c.gone_scan_id.is_(None) | t.fetches.c.id.is_not(None))
    )
    if kind:
        statement = statement.where(t.documents.c.kind == kind)
    order = Order(t.documents.c.id, t.documents.c.id)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _document)


def evidence_records(
    database: Database, scan: Scan, type_: str, cursor: str | None, limit: int
) -> ListPage[EvidenceRecord]:
    """In the order in which they were recorded."""
    own = ("id", "type", "content", "confidence", "created_at")
    statement = (
        select(
            *(t.evidence.c[name] for name in own),
            t.evidence.c["metadata"],
            t.documents.c.url.label("document_url"),
        )
        .outerjoin_from(t.evidence, t.documents)
        .where(t.evidence.c.scan_id == scan.id)
    )
    if type_:
        statement = statement.where(t.evidence.c.type == type_)
    order = Order(t.evidence.c.id, t.evidence.c.id)
    with database.reading() as connection:
        rows = connection.execute(page_of(statement, order, cursor, limit)).all()
    return list_page(rows, limit, _evidence)


_DECIDED: Final = """
SELECT p.verdict_id, count(*) FROM {pages} AS p
WHERE p.site_id = {site} AND p.verdict_id IS NOT NULL AND {own_counts}
GROUP BY p.verdict_id ORDER BY count(*) DESC, p.verdict_id
"""
_NOT_GONE: Final = """
p.id NOT IN (
    SELECT page_id FROM page_absences WHERE site_id = {site} AND until_scan_id IS NULL)
"""
_kept_rules: dict[tuple[str, int, int], list[RobotsRule]] = {}


def _decided(scan: Scan) -> str:
    """SQL: how many pages each verdict is about as of the scan, those of most pages first."""
    names = membership(scan)
    if scan.next_scan_id is None:
        names["own_counts"] = _NOT_GONE.format_map(names)
    return _DECIDED.format_map(names)


def robots_rules(database: Database, scan: Scan, limit: int) -> list[RobotsRule]:
    """The rules that decided for pages of the site, those of most pages first.

    Every page is looked at, so what can no longer change is kept.
    """
    key = (database.label, scan.id, limit)
    if key in _kept_rules:
        return _kept_rules[key]
    names = ("allowed", "reason", "rule", "line", "agents", "crawl_delay")
    statement = (
        select(
            t.verdicts.c.id,
            t.documents.c.url.label("robots_url"),
            *(t.verdicts.c[name] for name in names),
        )
        .outerjoin_from(t.verdicts, t.documents, t.documents.c.id == t.verdicts.c.document_id)
        .where(t.verdicts.c.site_id == scan.site_id)
    )
    with database.reading() as connection:
        counted = connection.exec_driver_sql(_decided(scan))
        pages = dict(islice(((row[0], row[1]) for row in counted), limit))
        verdicts = {
            row.id: row for row in connection.execute(statement.where(t.verdicts.c.id.in_(pages)))
        }
    rules = []
    for number, count in pages.items():
        values = verdicts[number]._asdict()
        del values["id"]
        rules.append(RobotsRule(**values, pages=count))
    if scan.status != ScanStatus.RUNNING:
        if len(_kept_rules) >= _MAX_KEPT_RULES:
            _kept_rules.clear()
        _kept_rules[key] = rules
    return rules


def robots_files(database: Database, scan: Scan) -> list[RobotsFile]:
    """Every robots.txt of the site, with its text if it was kept."""
    statement = (
        select(
            t.documents.c.id,
            t.documents.c.url,
            t.fetches.c.outcome,
            t.fetches.c.status,
            t.fetches.c.fetched_at,
            t.blobs.c.encoding,
            t.blobs.c.content,
        )
        .outerjoin_from(t.documents, t.fetches, t.fetches.c.id == _last_fetch(scan))
        .outerjoin(
            t.blobs, t.blobs.c.sha256 == func.coalesce(t.fetches.c.sha256, t.documents.c.sha256)
        )
        .where(t.documents.c.site_id == scan.site_id, t.documents.c.kind == DocumentKind.ROBOTS_TXT)
        .order_by(t.documents.c.id)
    )
    with database.reading() as connection:
        rows = connection.execute(statement).all()
    return [
        RobotsFile(row.id, row.url, row.outcome, row.status, row.fetched_at, _text(row))
        for row in rows
    ]


def _text(row: Any) -> str | None:
    if row.content is None:
        return None
    return unpack_body(row.encoding, row.content)[:_MAX_ROBOTS_BYTES].decode("utf-8", "replace")


def _last_fetch(scan: Scan) -> ScalarSelect[Any]:
    """That of each document by the scan; found by its index, so only for rows that are shown."""
    own = t.fetches.alias()
    return (
        select(func.max(own.c.id))
        .where(own.c.document_id == t.documents.c.id, own.c.scan_id == scan.id)
        .correlate(t.documents)
        .scalar_subquery()
    )


def _document(row: Row[Any]) -> FetchedDocument:
    values = row._asdict()
    del values["sort_value"]
    return FetchedDocument(**values)


def _evidence(row: Row[Any]) -> EvidenceRecord:
    values = row._asdict()
    del values["sort_value"]
    return EvidenceRecord(**values)


# Each listed page belongs to the document that was the first to name it.
_BY_DOCUMENT: Final = """
SELECT p.document_id, count(*), count(CASE WHEN {own_counts} THEN 1 END)
FROM pages AS p WHERE p.site_id = {site} AND p.reason IS NULL GROUP BY p.document_id
"""
_MAX_KEPT_COUNTS: Final = 500

Counts: TypeAlias = dict[int, tuple[int, int]]
_kept: dict[tuple[str, int], Counts] = {}


@dataclass(frozen=True, slots=True)
class UrlCounts:
    total: int
    active: int
    inactive: int


@dataclass(frozen=True, slots=True)
class SitemapFact:
    """A sitemap as the newest scan that asked for it has seen it."""

    id: int
    url: str
    is_index: bool
    url_counts: UrlCounts
    last_status: int | None
    last_outcome: str | None
    etag: str | None
    last_modified: str | None
    fetched_at: datetime
    is_named: bool
    """Whether another document names it; otherwise it was looked for where one usually is."""

    @property
    def is_there(self) -> bool:
        """Whether it is, or was, a sitemap of the site: most of the usual places never have one."""
        return self.is_named or self.url_counts.total > 0 or self.last_outcome in READ_OUTCOMES


def read_sitemap_facts(database: Database, scan: Scan) -> tuple[UrlCounts, list[SitemapFact]]:
    """Of all URLs of the site, and of each sitemap in the order in which they were found."""
    counts = _counts(database, scan)
    with database.reading() as connection:
        rows = connection.execute(_sitemaps(scan.site_id)).all()
    sitemaps = [
        SitemapFact(
            id=row.id,
            url=row.url,
            is_index=row.format == SitemapKind.INDEX,
            url_counts=_url_counts(*counts.get(row.id, (0, 0))),
            last_status=row.status,
            last_outcome=row.outcome,
            etag=row.etag,
            last_modified=row.last_modified,
            fetched_at=row.fetched_at,
            is_named=row.parent_id is not None,
        )
        for row in rows
    ]
    totals = [sum(each) for each in zip(*counts.values(), strict=True)] or [0, 0]
    return _url_counts(*totals), sitemaps


def _url_counts(total: int, active: int) -> UrlCounts:
    return UrlCounts(total, active, total - active)


def _sitemaps(site_id: int) -> Any:
    own = t.fetches.alias()
    newest = (
        select(func.max(own.c.id))
        .where(own.c.document_id == t.documents.c.id)
        .correlate(t.documents)
        .scalar_subquery()
    )
    return (
        select(t.documents, t.fetches.c.status, t.fetches.c.outcome, t.fetches.c.fetched_at)
        .join_from(t.documents, t.fetches, t.fetches.c.id == newest)
        .where(
            t.documents.c.site_id == site_id,
            t.documents.c.kind == DocumentKind.SITEMAP,
            t.documents.c.gone_scan_id.is_(None),
        )
        .order_by(t.documents.c.id)
    )


def _counts(database: Database, scan: Scan) -> Counts:
    """By document. Every page is looked at, so what can no longer change is kept."""
    key = (database.label, scan.id)
    if key in _kept:
        return _kept[key]
    with database.reading() as connection:
        rows = connection.exec_driver_sql(_BY_DOCUMENT.format_map(membership(scan))).all()
    counts = {document_id: (total, active) for document_id, total, active in rows}
    if scan.status != ScanStatus.RUNNING:
        if len(_kept) >= _MAX_KEPT_COUNTS:
            _kept.clear()
        _kept[key] = counts
    return counts
