"""Stores documents, their fetches and bodies, and the verdicts of robots.txt."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from sitecrawl.items import DocumentKind, FetchOutcome, PackedBody
from sitecrawl.store.compression import pack_body
from sitecrawl.store.schema import blobs, document_links, documents, fetches, verdicts
from sitecrawl.store.writers.bulk import PreparedInsert, PreparedUpdate, upserting_insert
from sitecrawl.store.writers.records import VerdictRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.writers.records import DocumentRecord, FetchRecord, ScanHandle

_DOCUMENT_COLUMNS = (
    *("site_id", "url", "first_scan_id", "kind", "parent_id", "depth", "found_by"),
)
_RENEW = """
ON CONFLICT (site_id, url) DO UPDATE SET kind = excluded.kind, parent_id = excluded.parent_id,
    depth = excluded.depth, found_by = excluded.found_by
RETURNING id, url
"""
_FETCH_COLUMNS = tuple(column.name for column in fetches.c if column.name != "id")
_CONTENT_COLUMNS = (
    *("last_scan_id", "content_scan_id", "format", "etag", "last_modified", "sha256"),
    *("content_fingerprint", "entries", "policies", "listed", "gone_scan_id"),
)


class DocumentWriter:
    """Writes documents within the transaction of its connection."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._scan = scan
        dialect = connection.dialect
        self._insert = upserting_insert(dialect)
        self._upsert_document = PreparedInsert(documents, _DOCUMENT_COLUMNS, dialect, _RENEW)
        self._insert_fetch = PreparedInsert(fetches, _FETCH_COLUMNS, dialect)
        self._renew_content = PreparedUpdate(documents, _CONTENT_COLUMNS, dialect, "id = {}")
        confirmed = ["last_scan_id", "gone_scan_id"]
        self._confirm_content = PreparedUpdate(documents, confirmed, dialect, "id = {}")
        self._ids: dict[str, int] = {}
        self._links: set[tuple[int, int]] = set()

    def forget(self) -> None:
        """After a roll-back: what was remembered may not be there."""
        self._ids.clear()
        self._links.clear()
        for statement in (self._insert_fetch, self._renew_content, self._confirm_content):
            statement.gathered.forget()

    def flush(self) -> None:
        """Write what was gathered."""
        for statement in (self._insert_fetch, self._renew_content, self._confirm_content):
            statement.gathered.run(self._connection)

    def add(self, records: Sequence[DocumentRecord]) -> dict[str, int]:
        """Store documents, and that their parents name them; give their ids by their URLs.

        The first call that names a document gives it its parent.
        """
        known = {each.url: self._ids[each.url] for each in records if each.url in self._ids}
        ids = known | self._upsert({each.url: each for each in records if each.url not in known})
        for record in records:
            if record.kind != DocumentKind.PAGE:  # there may be millions, each fetched once
                self._ids[record.url] = ids[record.url]
            if record.parent_id is not None:
                self._link(record.parent_id, ids[record.url], record.position)
        return ids

    def _upsert(self, records: Mapping[str, DocumentRecord]) -> dict[str, int]:
        if not records:
            return {}
        rows = map(self._values, records.values())
        return {url: row_id for row_id, url in self._upsert_document.run(self._connection, *rows)}

    def _values(self, record: DocumentRecord) -> dict[str, Any]:
        return {
            "site_id": self._scan.site_id,
            "url": record.url,
            "first_scan_id": self._scan.scan_id,
            "kind": record.kind,
            "parent_id": record.parent_id,
            "depth": record.depth,
            "found_by": record.found_by,
        }

    def _link(self, parent_id: int, child_id: int, position: int) -> None:
        if (parent_id, child_id) in self._links:
            return
        self._links.add((parent_id, child_id))
        named = {"position": position, "scan_id": self._scan.scan_id}
        statement = self._insert(document_links).values(
            parent_id=parent_id, child_id=child_id, **named
        )
        self._connection.execute(
            statement.on_conflict_do_update(
                index_elements=[document_links.c.parent_id, document_links.c.child_id], set_=named
            )
        )

    def record_fetch(self, record: FetchRecord) -> None:
        if record.is_check and record.complete and self._lists_pages(record.document_id):
            # The next crawl reads it again: what it lists may have changed.
            record = replace(record, complete=False)
        values = {
            "scan_id": self._scan.scan_id,
            "document_id": record.document_id,
            "outcome": record.outcome,
            "status": record.status,
            "error": record.error or None,
            "content_type": record.content_type or None,
            "received_bytes": record.received_bytes,
            "decompressed_bytes": record.decompressed_bytes,
            "elapsed_ms": record.elapsed_ms,
            "fetched_at": record.fetched_at,
            "fresh_until": record.fresh_until,
            "final_url": record.final_url or None,
            "redirects": list(record.redirects),
            "directives": list(record.directives),
            "sha256": record.sha256 or None,
            "format": record.format or None,
            "entries": record.entries,
            "findings": list(record.findings),
            "truncated": record.truncated,
            "complete": record.complete,
        }
        self._insert_fetch.gather(values)
        if record.outcome is FetchOutcome.NOT_MODIFIED:
            confirmed = {"last_scan_id": self._scan.scan_id, "gone_scan_id": None}
            self._confirm_content.gather(confirmed, record.document_id)
        elif record.complete:
            self._renew_content.gather(self._content(record), record.document_id)
        elif record.outcome is FetchOutcome.OK or record.entries:
            # Part of a new content is stored: "unchanged since" would hide the rest of it.
            self._connection.execute(
                update(documents)
                .where(documents.c.id == record.document_id)
                .values(
                    last_scan_id=self._scan.scan_id, content_fingerprint=None, gone_scan_id=None
                )
            )

    def _lists_pages(self, document_id: int) -> bool:
        entries = select(documents.c.entries).where(documents.c.id == document_id)
        return bool(self._connection.scalar(entries))

    def _content(self, record: FetchRecord) -> dict[str, Any]:
        return {
            "last_scan_id": self._scan.scan_id,
            "content_scan_id": self._scan.scan_id,
            "format": record.format or None,
            "etag": record.etag or None,
            "last_modified": record.last_modified or None,
            "sha256": record.sha256 or None,
            "content_fingerprint": record.fingerprint,
            "entries": record.entries,
            "policies": dict(record.policies),
            "listed": record.listed,
            "gone_scan_id": None,
        }

    def keep_body(self, sha256: str, body: bytes | PackedBody) -> None:
        # The lock keeps it from being removed before the fetch that refers to it is committed.
        known = select(blobs.c.size).where(blobs.c.sha256 == sha256)
        if self._connection.scalar(known.with_for_update(read=True, key_share=True)) is not None:
            return
        packed = body if isinstance(body, PackedBody) else pack_body(body)
        statement = self._insert(blobs).values(sha256=sha256, **packed._asdict())
        self._connection.execute(statement.on_conflict_do_nothing())


_OWN = tuple(verdicts.c[name] for name in VerdictRecord.__slots__)


class VerdictWriter:
    """Gives verdicts their ids within the transaction of its connection."""

    def __init__(self, connection: Connection, scan: ScanHandle) -> None:
        self._connection = connection
        self._site_id = scan.site_id
        self._ids: dict[VerdictRecord, int] | None = None

    def add(self, record: VerdictRecord) -> int:
        """Store the verdict unless an earlier scan has, and give its id."""
        if self._ids is None:
            known = select(verdicts.c.id, *_OWN).where(verdicts.c.site_id == self._site_id)
            self._ids = {
                VerdictRecord(*facts): id_ for id_, *facts in self._connection.execute(known)
            }
        if record not in self._ids:
            values = {**asdict(record), "site_id": self._site_id, "decided_at": datetime.now(UTC)}
            adding = verdicts.insert().values(values).returning(verdicts.c.id)
            self._ids[record] = self._connection.scalars(adding).one()
        return self._ids[record]

    def forget(self) -> None:
        """After a roll-back: what was remembered may not be there."""
        self._ids = None
