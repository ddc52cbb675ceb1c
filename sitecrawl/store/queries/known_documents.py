"""What earlier scans know that the next one uses: robots.txt, validators, and pages to be visited.

A page counts as known when it can be asked whether it has changed, and everything that it says is
stored:

- it has an ETag or a Last-Modified, and was read completely, under the same settings;
- it was read as HTML or as a file. A feed that a page names is read each time;
- it was not rendered: what a browser shows depends on data that may have changed although the HTML
  has not, so such a page is fetched and rendered again;
- its body is stored, if bodies of pages are to be kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, exists, func, literal_column, or_, select

from sitecrawl.items import (
    DocumentRead,
    FetchOutcome,
    KnownPage,
    PageFacts,
    PageFormat,
    StoredLink,
    Validators,
)
from sitecrawl.parsing.findings import Finding
from sitecrawl.store.compression import unpack_body
from sitecrawl.store.schema import (
    blobs,
    document_links,
    documents,
    fetches,
    other_mentions,
    pages,
    visits,
)
from sitecrawl.store.writers.bulk import literal
from sitecrawl.urls.refusal import NO_ADDRESSES, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Set
    from datetime import datetime

    from sqlalchemy import Row, Select
    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.writers.records import ScanHandle


ROBOTS_ANSWERS = (
    FetchOutcome.OK,
    FetchOutcome.NOT_FOUND,
    FetchOutcome.HTTP_ERROR,
    FetchOutcome.TOO_MANY_REDIRECTS,
)


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """How a robots.txt was answered."""

    scan_id: int
    outcome: FetchOutcome
    status: int | None
    error: str
    redirects: int
    fetched_at: datetime
    fresh_until: datetime | None
    body: bytes | None
    """None: it was not kept, or was no robots.txt."""


def last_answer(
    database: Database, site_id: int, url: str, *, before_scan: int | None = None
) -> RobotsCopy | None:
    """The last answer of the server, whatever it was, in a scan before *before_scan*.

    Where nobody answered, nothing is known: such a robots.txt is asked for again.
    """
    is_answer = fetches.c.outcome.in_(ROBOTS_ANSWERS)
    return _newest(database, _copies(site_id, url, before_scan).where(is_answer))


def last_good_copy(
    database: Database, site_id: int, url: str, *, before_scan: int | None = None
) -> RobotsCopy | None:
    """The last robots.txt that could be read and was kept, of a scan before *before_scan*."""
    is_empty = fetches.c.received_bytes == 0
    wanted = _copies(site_id, url, before_scan).where(
        fetches.c.outcome == FetchOutcome.OK, blobs.c.content.is_not(None) | is_empty
    )
    return _newest(database, wanted)


def _copies(site_id: int, url: str, before_scan: int | None) -> Select[Any]:
    wanted = (
        select(
            fetches.c.scan_id,
            fetches.c.outcome,
            fetches.c.status,
            fetches.c.error,
            fetches.c.redirects,
            fetches.c.fetched_at,
            fetches.c.fresh_until,
            fetches.c.received_bytes,
            blobs.c.encoding,
            blobs.c.content,
        )
        .join_from(fetches, documents, documents.c.id == fetches.c.document_id)
        .join(blobs, blobs.c.sha256 == fetches.c.sha256, isouter=True)
        .where(documents.c.site_id == site_id, documents.c.url == url)
        .order_by(fetches.c.id.desc())
        .limit(1)
    )
    return wanted if before_scan is None else wanted.where(fetches.c.scan_id < before_scan)


def _newest(database: Database, wanted: Select[Any]) -> RobotsCopy | None:
    with database.reading() as connection:
        row = connection.execute(wanted).first()
    if row is None:
        return None
    return RobotsCopy(
        scan_id=row.scan_id,
        outcome=FetchOutcome(row.outcome),
        status=row.status,
        error=row.error or "",
        redirects=len(row.redirects),
        fetched_at=row.fetched_at,
        fresh_until=row.fresh_until,
        body=_body(row),
    )


def _body(row: Row[Any]) -> bytes | None:
    if row.outcome != FetchOutcome.OK:
        return None
    if row.content is None:
        return b"" if row.received_bytes == 0 else None
    return unpack_body(row.encoding, row.content)


VALIDATORS = tuple(
    documents.c[name]
    for name in ("id", "kind", "format", "etag", "last_modified", "sha256", "listed", "policies")
)
"""The columns of ``Validators``, in the order of its fields."""


def load_validators(database: Database, site_id: int, fingerprint: str) -> dict[str, Validators]:
    """By URL, the sitemaps and feeds whose stored content counts under the same settings.

    ``fingerprint`` is of the settings that decide what is read from a document. There may be many
    pages, which :func:`load_known_pages` loads some at a time.
    """
    statement = select(documents.c.url, *VALIDATORS).where(
        documents.c.site_id == site_id,
        documents.c.content_scan_id.is_not(None),
        documents.c.content_fingerprint == fingerprint,
        func.coalesce(documents.c.format, "").not_in(list(PageFormat)),
    )
    with database.reading() as connection:
        return {row[0]: Validators(*row[1:]) for row in connection.execute(statement).all()}


def children(database: Database, document_id: int) -> list[tuple[str, str]]:
    """The documents that this one names, in its order, as it was last read, and how it does."""
    parent, child = documents.alias("parent"), documents.alias("child")
    statement = (
        select(child.c.url, child.c.found_by)
        .join_from(document_links, parent, document_links.c.parent_id == parent.c.id)
        .join(child, document_links.c.child_id == child.c.id)
        .where(
            document_links.c.parent_id == document_id,
            document_links.c.scan_id >= func.coalesce(parent.c.content_scan_id, 0),
        )
        .order_by(document_links.c.position, child.c.id)
    )
    with database.reading() as connection:
        return [(row.url, row.found_by) for row in connection.execute(statement)]


_FACTS: Final = ("title", "language", "canonical", "category", "text_hash")
_ANSWER: Final = ("status", "content_type", "directives", "decompressed_bytes", "findings")

# Cross joins keep the order: SQLite would begin with the contexts, and search mentions of each.
# Most links lead to pages that are in the frontier already, or that the page links to ten times.
_LINKS: Final = """
SELECT linked.*, p.url
FROM (
    SELECT document_id, page_id, source, rel, min(position) AS position
    FROM (
        SELECT other.document_id, other.page_id, context.source, context.rel, other.position
        FROM documents AS d CROSS JOIN other_mentions AS other CROSS JOIN link_contexts AS context
        WHERE d.id IN ({documents}) AND other.document_id = d.id
        AND other.scan_id >= d.content_scan_id AND NOT EXISTS (
            SELECT 1 FROM visits WHERE page_id = other.page_id AND scan_id = {scan})
        AND context.id = other.context_id
        UNION ALL
        SELECT own.document_id, own.id, own.source, own.rel, own.position
        FROM documents AS d CROSS JOIN pages AS own
        WHERE d.id IN ({documents}) AND own.document_id = d.id AND own.source <> 'sitemap'
        AND own.seen_scan_id >= d.content_scan_id AND NOT EXISTS (
            SELECT 1 FROM visits WHERE page_id = own.id AND scan_id = {scan})
    ) AS mentioned
    GROUP BY document_id, page_id, source, rel
) AS linked CROSS JOIN pages AS p
WHERE p.id = linked.page_id AND (p.reason IS NULL OR p.reason NOT IN ({left_out}))
ORDER BY linked.document_id, linked.position
"""


def check_fingerprint(fingerprint: str) -> str:
    """Of what a check reads under the settings of *fingerprint*: everything but the links."""
    return f"{fingerprint}-check"


def load_known_pages(
    connection: Connection,
    scan: ScanHandle,
    numbers: range,
    fingerprint: str,
    *,
    leaves_site: bool,
    needs_body: Callable[[int], bool],
    are_checks: bool = False,
) -> dict[int, KnownPage]:
    """Those of the waiting visits with these *numbers* whose pages are known, by number.

    *fingerprint* is of the settings that decide what is read; *leaves_site*: links to other sites
    may be followed; *are_checks*: no link is, so that what a check has read is known as well;
    *needs_body*: whether the body of a page of so many bytes has to be stored.
    """
    fingerprints = [fingerprint, *([check_fingerprint(fingerprint)] if are_checks else [])]
    read = [
        row
        for row in connection.execute(_waiting_pages(scan, numbers, fingerprints))
        if row.has_body or not needs_body(row.decompressed_bytes)
    ]
    if are_checks:
        return {row.number: _known_page(row, ()) for row in read}
    left_out = NO_ADDRESSES if leaves_site else NO_ADDRESSES | {Reason.OFFSITE}
    links = _links(connection, scan, {row.id for row in read}, left_out)
    return {row.number: _known_page(row, links.get(row.id, ())) for row in read}


def _waiting_pages(scan: ScanHandle, numbers: range, fingerprints: list[str]) -> Select[Any]:
    """What was read at the addresses of the visits, with the visit that has read it."""
    waiting, read = visits.alias("waiting"), visits.alias("read")
    is_known = and_(
        documents.c.site_id == scan.site_id,
        documents.c.url == waiting.c.url,
        documents.c.content_fingerprint.in_(fingerprints),
        documents.c.format.in_([PageFormat.HTML, PageFormat.OTHER]),
        or_(documents.c.etag.is_not(None), documents.c.last_modified.is_not(None)),
        # Links that are not there any more cannot be followed.
        or_(
            documents.c.entries == 0,
            exists().where(other_mentions.c.document_id == documents.c.id),
            exists().where(
                pages.c.document_id == documents.c.id, pages.c.source != literal_column("'sitemap'")
            ),
        ),
    )
    has_read_it = and_(
        read.c.page_id == waiting.c.page_id,
        read.c.scan_id == documents.c.content_scan_id,
        read.c.document_id == documents.c.id,
        read.c.outcome == FetchOutcome.OK,
        read.c.rendered.is_(None),
    )
    is_its_answer = and_(
        fetches.c.document_id == documents.c.id,
        fetches.c.scan_id == documents.c.content_scan_id,
        fetches.c.complete,
    )
    return (
        select(
            *VALIDATORS,
            documents.c.entries,
            waiting.c.number,
            waiting.c.url,
            *(read.c[name] for name in (*_FACTS, "fingerprint")),
            *(fetches.c[name] for name in _ANSWER),
            exists().where(blobs.c.sha256 == documents.c.sha256).label("has_body"),
        )
        .join_from(waiting, documents, is_known)
        .join(read, has_read_it)
        .join(fetches, is_its_answer)
        .where(
            waiting.c.scan_id == scan.scan_id,
            waiting.c.number.between(numbers.start, numbers.stop - 1),
            waiting.c.outcome.is_(None),
        )
    )


def _links(
    connection: Connection, scan: ScanHandle, document_ids: set[int], left_out: Set[Reason]
) -> dict[int, list[StoredLink]]:
    if not document_ids:
        return {}
    statement = _LINKS.format(
        scan=literal(scan.scan_id),
        documents=", ".join(map(literal, document_ids)),
        left_out=", ".join(map(literal, left_out)),
    )
    rows = map(StoredLink._make, connection.exec_driver_sql(statement))
    return {document_id: list(links) for document_id, links in groupby(rows, itemgetter(0))}


def _known_page(row: Row[Any], links: Sequence[StoredLink]) -> KnownPage:
    values = row._asdict()
    facts: dict[str, Any] = {name: values[name] or "" for name in _FACTS}
    facts["fingerprint"] = values["fingerprint"]
    return KnownPage(
        validators=Validators(*row[: len(VALIDATORS)]),
        status=row.status,
        content_type=row.content_type or "",
        directives=row.directives,
        read=DocumentRead(
            row.url,
            format=row.format,
            entries=row.entries,
            decompressed_bytes=row.decompressed_bytes,
            truncated=False,
            findings=[Finding(**finding) for finding in row.findings],
        ),
        facts=PageFacts(**facts),
        links=links,
    )
