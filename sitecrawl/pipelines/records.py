"""Turns items into records of the store."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Any, TypeVar

from sitecrawl.html.links import LinkSource
from sitecrawl.items import (
    NOT_SENT,
    Document,
    DocumentKind,
    DocumentRead,
    Evidence,
    FetchOutcome,
    MentionBatch,
    SiteResolved,
    Source,
    mention_batches,
)
from sitecrawl.store.queries.known_documents import check_fingerprint
from sitecrawl.store.writers.host_queues import queue_of
from sitecrawl.store.writers.records import (
    DocumentRecord,
    FetchRecord,
    LinkColumns,
    MenuRow,
    NewVisits,
    PageFactsRecord,
    PageRows,
    Repeats,
    VerdictRecord,
    VisitRecord,
)
from sitecrawl.urls.address import without_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from sitecrawl.items import Judged, MenuItem, VisitedPage
    from sitecrawl.scan import Scan
    from sitecrawl.sitemaps.entries import EntryDetails
    from sitecrawl.store.writers.scan_writer import ScanWriter

T = TypeVar("T")
# A longer text is not kept.
_MAX_TEXT_CHARACTERS = 1_000_000

_NOINDEX = {"noindex", "none"}
_NOFOLLOW = {"nofollow", "none"}
# A page has one version for each language; there are not many more languages.
_MAX_ALTERNATES = 500


class ItemRecorder:
    """Knows what belongs together: the pages of a document, a document and its fetch.

    Runs on the store's thread.
    """

    def __init__(self, scan: Scan, writer: ScanWriter, damaged: Container[str]):
        """*damaged* are documents of which something was lost: they are not complete."""
        assert scan.database is not None
        self._writer = writer
        self._config = scan.config
        self._counters = scan.counters
        self._fingerprint = scan.database.fingerprint
        self._validators = scan.database.validators
        self._document_ids: dict[str, int] = {}
        self._verdict_ids: dict[Judged, int] = {}
        self._being_read: dict[str, Document] = {}
        self._listed: Counter[str] = Counter()
        self._policies: dict[str, dict[str, str]] = {}
        self._damaged = damaged

    def take_pages(self, pages: Sequence[VisitedPage]) -> None:
        """Store what some visits gave, all of it or nothing."""
        with self._writer.together():
            self._count_documents(page.document for page in pages if not page.visit.is_check)
            self._add_records([page.document for page in pages])
            for page in pages:
                self._add_visited(page)
        for page in pages:
            if page.visit.clicks or page.visit.is_check:
                # Nothing refers to it any more, and there may be millions. Two pages share one
                # document if the same address is requested for both.
                self._document_ids.pop(page.document.url, None)

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
            self._writer.set_root(item.root_url)

    def _add_mentions(self, batch: MentionBatch) -> None:
        if not batch.is_stored:
            rows = page_rows(batch, self._document_ids[batch.document], self._verdict_id)
            self._writer.add_pages(rows)
        self._listed[batch.document] += batch.listed
        self._policies.setdefault(batch.document, {}).update(batch.policies)
        if batch.to_visit:
            self._writer.add_visits(self._new_visits(batch))
        if batch.menu:
            self._writer.add_menu([_menu_row(batch, item) for item in batch.menu])

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

    def _count_documents(self, documents: Iterable[Document]) -> None:
        for document in documents:
            if document.is_probe:
                self._counters.probes += 1
            else:
                self._counters.documents[document.outcome] += 1

    def _add_records(self, documents: Sequence[Document]) -> None:
        records = [
            DocumentRecord(
                url=document.url,
                kind=document.kind,
                found_by=document.found_by,
                parent_id=self._document_ids.get(document.parent or ""),
                depth=document.depth,
            )
            for document in documents
        ]
        self._document_ids |= self._writer.documents(records)

    def _add_document(self, document: Document) -> None:
        self._count_documents([document])
        self._add_records([document])
        if document.is_to_be_read:
            self._being_read[document.url] = document
            return
        if document.outcome is FetchOutcome.NOT_MODIFIED:
            known = self._validators[document.url]
            self._counters.pages_unchanged += known.listed
            document.sha256 = known.sha256 or ""
        self._writer.record_fetch(self._fetch(document, None))

    def _end_document(self, read: DocumentRead) -> None:
        document = self._being_read.pop(read.url)
        self._count_findings(read)
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
        if self._config.keeps_body(len(document.body), of_page=False):
            self._writer.keep_body(fetch.sha256, document.body)
        self._writer.record_fetch(fetch)

    def _count_findings(self, read: DocumentRead) -> None:
        for finding in read.findings:
            self._counters.findings[finding.kind] += finding.count

    def _new_visits(self, batch: MentionBatch) -> NewVisits:
        entries, visit = batch.to_visit, batch.visit
        assert visit is not None
        is_redirect = batch.source == LinkSource.REDIRECT
        page_ids = [batch.ids[entry.row] for entry in entries]
        urls = [batch.urls[entry.row] for entry in entries]
        shards = self._config.shards if self._config.fetchers else 0
        return NewVisits(
            # A sitemap has no number: no visit has found what it lists.
            found_by=None if batch.source == Source.START else visit.number,
            page_ids=page_ids,
            urls=urls,
            numbers=[entry.number for entry in entries],
            families=[entry.family or "" for entry in entries],
            clicks=[entry.clicks for entry in entries],
            external_hops=[entry.external_hops for entry in entries],
            redirected_from=json.dumps([*visit.redirected_from, visit.url]) if is_redirect else "",
            queues=[queue_of(*page, shards) for page in zip(urls, page_ids, strict=True)]
            if shards
            else (),
        )

    def _add_visited(self, page: VisitedPage) -> None:
        """Store a visited page: a crawl that is killed afterwards continues behind it."""
        document = page.document
        for batch in mention_batches(page):
            self._add_mentions(batch)
        if page.read is not None:
            self._count_findings(page.read)
        fetch = self._fetch(document, page.read)
        if page.visit.is_check:
            fetch = replace(fetch, is_check=True, fingerprint=check_fingerprint(fetch.fingerprint))
        if document.packed_body is not None:
            self._writer.keep_body(fetch.sha256, document.packed_body)
        self._writer.record_fetch(fetch)
        if document.outcome not in NOT_SENT:
            self._end_visit(page)

    def _end_visit(self, page: VisitedPage) -> None:
        document, visit, facts = page.document, page.visit, page.facts
        refusal, outcome = facts.refusal, page.outcome
        self._writer.finish_visit(
            VisitRecord(
                number=visit.number,
                outcome=document.outcome,
                document_id=self._document_ids[document.url],
                is_productive=outcome.is_productive if outcome else None,
                reason=refusal.reason if refusal else "",
                rule=refusal.rule if refusal else "",
                title=facts.title,
                language=facts.language,
                canonical=facts.canonical,
                category=facts.category,
                declared_type=facts.declared_type,
                text_language=facts.text_language,
                text_hash=facts.text_hash,
                text=facts.text if self._keeps_text(facts.text, visit.number) else "",
                fingerprint=facts.fingerprint,
                rendered=page.rendered or "",
                only_rendered=page.only_rendered if page.rendered else None,
                redirect_target=facts.redirect_target,
                facts=_page_facts(page),
            )
        )
        if outcome and outcome.released:
            self._writer.release_visits(outcome.family, outcome.released, outcome.first_number)

    def _keeps_text(self, text: str, number: int) -> bool:
        limit = self._config.keep_texts_max_pages
        is_kept = self._config.keep_texts and (not limit or number <= limit)
        return is_kept and len(text) <= _MAX_TEXT_CHARACTERS

    def _fetch(self, document: Document, read: DocumentRead | None) -> FetchRecord:
        said = self._unread(document) if read is None else self._read(document, read)
        body = document.body
        received_bytes = len(body) if body else document.received_bytes
        sha256 = hashlib.sha256(body).hexdigest() if body else document.sha256
        return FetchRecord(
            document_id=self._document_ids[document.url],
            outcome=document.outcome,
            fetched_at=document.fetched_at,
            status=document.status,
            error=document.error,
            content_type=document.content_type,
            received_bytes=0 if document.outcome is FetchOutcome.FRESH else received_bytes,
            elapsed_ms=round(document.elapsed_seconds * 1000),
            final_url=document.final_url,
            redirects=document.redirects,
            sha256=sha256,
            etag=document.etag,
            last_modified=document.last_modified,
            fingerprint=self._fingerprint,
            fresh_until=document.fresh_until,
            directives=document.directives,
            **said,
        )

    def _unread(self, document: Document) -> dict[str, Any]:
        """A page without content to read is complete."""
        is_page = document.kind is DocumentKind.PAGE and document.outcome is FetchOutcome.OK
        return {"truncated": document.is_cut, "complete": is_page and not document.is_cut}

    def _read(self, document: Document, read: DocumentRead) -> dict[str, Any]:
        return {
            "decompressed_bytes": read.decompressed_bytes,
            "format": read.format,
            "entries": read.entries,
            "listed": self._listed.pop(document.url, 0),
            "policies": self._policies.pop(document.url, {}),
            "findings": [finding._asdict() for finding in read.findings],
            "truncated": read.truncated,
            "complete": document.outcome is not FetchOutcome.NOT_MODIFIED
            and not read.truncated
            and document.url not in self._damaged,
        }


def _page_facts(page: VisitedPage) -> PageFactsRecord | None:
    audit, document = page.facts.audit, page.document
    if audit is None:
        return None
    directives = {*document.directives}
    alternates = _alternates(page.batches)
    return PageFactsRecord(
        elapsed_ms=round(document.elapsed_seconds * 1000),
        bytes=len(document.body) or document.received_bytes,
        is_noindex=not directives.isdisjoint(_NOINDEX),
        is_nofollow=not directives.isdisjoint(_NOFOLLOW),
        canonical_id=_canonical_id(page.batches) if page.facts.canonical else None,
        description=audit.description,
        h1=audit.h1,
        h1_count=audit.h1_count,
        images=audit.images,
        images_without_alt=audit.images_without_alt,
        insecure_resources=audit.insecure_resources,
        insecure_example=audit.insecure_example,
        bad_hreflang=audit.bad_hreflang,
        robots_meta=", ".join(document.robots_meta),
        robots_header=", ".join(document.robots_header),
        alternates=alternates,
        alternates_hash=_hash_of_set(alternates) if alternates else "",
    )


def _canonical_id(batches: Sequence[MentionBatch]) -> int | None:
    """The page that the head names as canonical, else the one that the headers name."""
    named: dict[str, int] = {}
    for batch in batches:
        sources = batch.sources or ()
        if LinkSource.CANONICAL in sources:
            named.setdefault("head", batch.ids[sources.index(LinkSource.CANONICAL)])
        if LinkSource.HTTP_LINK in sources:
            for row, source in enumerate(sources):
                if source == LinkSource.HTTP_LINK and "canonical" in (batch.rels or ())[row]:
                    named.setdefault("headers", batch.ids[row])
    return named.get("head", named.get("headers"))


def _alternates(batches: Sequence[MentionBatch]) -> dict[int, str]:
    """Versions of the page in other languages; few pages name any."""
    found: dict[int, str] = {}
    for batch in batches:
        if batch.languages is None or batch.sources is None or batch.rels is None:
            continue
        for row, language in enumerate(batch.languages):
            is_alternate = batch.sources[row] == LinkSource.HREFLANG or (
                batch.sources[row] == LinkSource.HTTP_LINK and "alternate" in batch.rels[row]
            )
            if language and is_alternate and len(found) < _MAX_ALTERNATES:
                found.setdefault(batch.ids[row], language)
    return found


def _hash_of_set(alternates: Mapping[int, str]) -> str:
    named = "\n".join(sorted(f"{language} {page}" for page, language in alternates.items()))
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def _menu_row(batch: MentionBatch, item: MenuItem) -> MenuRow:
    region = batch.regions[item.row] if batch.regions else ""
    position = batch.positions[item.row]
    return MenuRow(position, item.level, batch.ids[item.row], item.title, region)


def page_rows(
    batch: MentionBatch, document_id: int, verdict_id: Callable[[Judged | None], int | None]
) -> PageRows:
    """The pages that are new in this scan as rows, further mentions of known ones as repeats."""
    usual = verdict_id(batch.judged)
    otherwise = {row: verdict_id(judged) for row, judged in batch.judged_otherwise.items()}
    rows = PageRows(
        document_id=document_id,
        source=batch.source,
        ids=batch.ids,
        urls=batch.urls,
        positions=batch.positions,
        lastmods=batch.lastmods,
        changefreqs=batch.changefreqs,
        priorities=batch.priorities,
        languages=batch.languages,
        verdict_id=usual,
        verdict_ids=[otherwise.get(row, usual) for row in range(len(batch.ids))]
        if otherwise
        else None,
        titles={row: entry.title for row, entry in batch.details.items() if entry.title},
        details=_details_column(batch.details),
        categories=batch.categories,
        refused={row: (refusal.reason, refusal.rule) for row, refusal in batch.refused.items()},
        links=_link_columns(batch),
    )
    return rows if all(batch.is_new) else _split(rows, batch.is_new)


def _link_columns(batch: MentionBatch) -> LinkColumns | None:
    if batch.sources is None:
        return None
    nothing = [""] * len(batch.ids)
    return LinkColumns(
        sources=batch.sources,
        regions=batch.regions or nothing,
        anchors=batch.anchors or nothing,
        rels=batch.rels or nothing,
        paths=batch.paths or nothing,
    )


def _split(rows: PageRows, is_new: list[bool]) -> PageRows:
    is_repeated = [not new for new in is_new]
    repeated = list(compress(range(len(is_new)), is_repeated))

    def new_ones(column: Sequence[T]) -> list[T]:
        return list(compress(column, is_new))

    def pick(column: Sequence[T] | None) -> list[T] | None:
        return None if column is None else new_ones(column)

    def pick_sparse(column: Mapping[int, T]) -> dict[int, T]:
        # A row moves up by those that are taken out before it.
        return {
            row - bisect_left(repeated, row): value for row, value in column.items() if is_new[row]
        }

    return PageRows(
        document_id=rows.document_id,
        source=rows.source,
        ids=new_ones(rows.ids),
        urls=new_ones(rows.urls),
        positions=new_ones(rows.positions),
        lastmods=pick(rows.lastmods),
        changefreqs=pick(rows.changefreqs),
        priorities=pick(rows.priorities),
        languages=pick(rows.languages),
        verdict_id=rows.verdict_id,
        verdict_ids=pick(rows.verdict_ids),
        titles=pick_sparse(rows.titles),
        details=pick_sparse(rows.details),
        categories=pick_sparse(rows.categories),
        refused=pick_sparse(rows.refused),
        links=_some_links(rows.links, is_new),
        repeats=Repeats(
            ids=list(compress(rows.ids, is_repeated)),
            positions=list(compress(rows.positions, is_repeated)),
            lastmods=None if rows.lastmods is None else list(compress(rows.lastmods, is_repeated)),
            links=_some_links(rows.links, is_repeated),
        ),
    )


def _some_links(links: LinkColumns | None, chosen: Sequence[bool]) -> LinkColumns | None:
    if links is None:
        return None
    return LinkColumns(*(list(compress(column, chosen)) for column in links.by_name().values()))


def _details_column(entries: Mapping[int, EntryDetails]) -> dict[int, str]:
    """JSON by row; the versions of a page in several languages share one object of details."""
    texts = {key: _details(entry) for key, entry in {id(e): e for e in entries.values()}.items()}
    return {row: texts[id(entry)] for row, entry in entries.items()}


def _details(entry: EntryDetails) -> str:
    facts = {
        "alternates": [
            [alternate.hreflang, without_credentials(alternate.href)]
            for alternate in entry.alternates
        ],
        "images": entry.images,
        "videos": entry.videos,
        "published": entry.published,
    }
    return json.dumps({name: value for name, value in facts.items() if value})
