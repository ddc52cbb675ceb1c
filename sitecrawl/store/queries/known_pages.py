"""What earlier scans know of pages that a crawl is to visit: validators, facts and links.

A page counts as known when it can be asked whether it has changed, and everything that it says is
stored:

- it has an ETag or a Last-Modified, and was read completely, under the same settings;
- it was read as HTML or as a file. A feed that a page names is read each time;
- it was not rendered: what a browser shows depends on data that may have changed although the HTML
  has not, so such a page is fetched and rendered again;
- its body is stored, if bodies of pages are to be kept.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, exists, literal_column, or_, select

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
from sitecrawl.store.queries.archive import VALIDATORS
from sitecrawl.store.schema import blobs, documents, fetches, other_mentions, pages, visits
from sitecrawl.store.writers.bulk import literal
from sitecrawl.urls.refusal import NO_ADDRESSES, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Set

    from sqlalchemy import Row, Select
    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import ScanHandle


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
