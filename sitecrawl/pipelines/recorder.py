"""Turns items into records of the store; runs on the store's thread."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sitecrawl.items import (
    Document,
    DocumentKind,
    DocumentRead,
    Evidence,
    FetchOutcome,
    MentionBatch,
    SiteResolved,
)
from sitecrawl.pipelines.rows import page_rows
from sitecrawl.store.records import DocumentRecord, FetchRecord, VerdictRecord

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.statscollectors import StatsCollector

    from sitecrawl.config import Config
    from sitecrawl.items import Judged
    from sitecrawl.store.scan_writer import ScanWriter
    from sitecrawl.store.validators import Validators


class ItemRecorder:
    """Knows what belongs together: the pages of a document, a document and its fetch.

    Stats: ``sitecrawl/scan/root_url``, ``sitecrawl/pages/unchanged``,
    ``sitecrawl/documents/outcome/<outcome>``, ``sitecrawl/findings/<kind>``.
    """

    def __init__(
        self,
        writer: ScanWriter,
        config: Config,
        fingerprint: str,
        validators: Mapping[str, Validators],
        stats: StatsCollector,
    ):
        self._writer = writer
        self._config = config
        self._fingerprint = fingerprint
        self._validators = validators
        self._stats = stats
        self._document_ids: dict[str, int] = {}
        self._verdict_ids: dict[Judged, int] = {}
        self._being_read: dict[str, Document] = {}
        self._listed: Counter[str] = Counter()
        self._policies: dict[str, dict[str, str]] = {}
        self._damaged: set[str] = set()

    def is_damaged(self, document: str) -> None:
        """Something of the document was lost: it has not been read completely."""
        self._damaged.add(document)

    def take(self, item: Any) -> None:
        if isinstance(item, MentionBatch):
            self._add_mentions(item)
        elif isinstance(item, Document):
            self._add_document(item)
        elif isinstance(item, DocumentRead):
            self._end_document(item)
        elif isinstance(item, Evidence):
            self._writer.add_evidence(
                item.type,
                item.content,
                metadata=item.metadata,
                confidence=item.confidence,
                document_id=self._document_ids[item.document] if item.document else None,
            )
        elif isinstance(item, SiteResolved):
            self._stats.set_value("sitecrawl/scan/root_url", item.root_url)
            self._writer.set_root(item.root_url)

    def _add_mentions(self, batch: MentionBatch) -> None:
        rows = page_rows(batch, self._document_ids[batch.document], self._verdict_id)
        self._writer.add_pages(rows)
        self._listed[batch.document] += batch.listed
        self._policies.setdefault(batch.document, {}).update(batch.policies)

    def _verdict_id(self, judged: Judged | None) -> int | None:
        if judged is None:
            return None
        if judged not in self._verdict_ids:
            verdict = judged.verdict
            self._verdict_ids[judged] = self._writer.verdict(
                VerdictRecord(
                    document_id=self._document_ids.get(judged.robots_url),
                    allowed=verdict.allowed,
                    reason=verdict.reason,
                    rule=verdict.rule or None,
                    line=verdict.line,
                    agents=verdict.group or None,
                    crawl_delay=verdict.crawl_delay,
                    confidence=verdict.confidence,
                )
            )
        return self._verdict_ids[judged]

    def _add_document(self, document: Document) -> None:
        self._stats.inc_value(f"sitecrawl/documents/outcome/{document.outcome}")
        self._document_ids[document.url] = self._writer.document(
            DocumentRecord(
                url=document.url,
                kind=document.kind,
                found_by=document.found_by,
                parent_id=self._document_ids.get(document.parent or ""),
                depth=document.depth,
            )
        )
        if document.is_to_be_read:
            self._being_read[document.url] = document
            return
        if document.outcome is FetchOutcome.NOT_MODIFIED:
            listed = self._validators[document.url].listed
            self._stats.inc_value("sitecrawl/pages/unchanged", listed)
        self._writer.record_fetch(self._fetch(document, None))

    def _end_document(self, read: DocumentRead) -> None:
        document = self._being_read.pop(read.url)
        for finding in read.findings:
            self._stats.inc_value(f"sitecrawl/findings/{finding.kind}", finding.count)
        for position, child in enumerate(read.children, 1):
            self._writer.document(
                DocumentRecord(
                    url=child.url,
                    kind=DocumentKind.SITEMAP,
                    found_by=child.found_by,
                    parent_id=self._document_ids[read.url],
                    position=position,
                    depth=child.depth,
                )
            )
        fetch = self._fetch(document, read)
        limit = self._config.keep_bodies_max_bytes or len(document.body)
        if self._config.keep_bodies and 0 < len(document.body) <= limit:
            self._writer.keep_body(fetch.sha256, document.body)
        self._writer.record_fetch(fetch)

    def _fetch(self, document: Document, read: DocumentRead | None) -> FetchRecord:
        facts = FetchRecord(
            document_id=self._document_ids[document.url],
            outcome=document.outcome,
            fetched_at=document.fetched_at,
            status=document.status,
            error=document.error,
            content_type=document.content_type,
            received_bytes=0 if document.outcome is FetchOutcome.FRESH else len(document.body),
            elapsed_ms=round(document.elapsed_seconds * 1000),
            final_url=document.final_url,
            redirects=document.redirects,
            sha256=hashlib.sha256(document.body).hexdigest() if document.body else "",
            etag=document.etag,
            last_modified=document.last_modified,
            fingerprint=self._fingerprint,
            fresh_until=document.fresh_until,
            directives=document.directives,
            truncated=document.is_cut,
            # Nothing is read from a page yet, so all of it has been read.
            complete=document.kind is DocumentKind.PAGE
            and document.outcome is FetchOutcome.OK
            and not document.is_cut,
        )
        if read is None:
            return facts
        return replace(
            facts,
            decompressed_bytes=read.decompressed_bytes,
            format=read.format,
            entries=read.entries,
            listed=self._listed.pop(document.url, 0),
            policies=self._policies.pop(document.url, {}),
            findings=[finding._asdict() for finding in read.findings],
            truncated=read.truncated,
            complete=not read.truncated and document.url not in self._damaged,
        )
