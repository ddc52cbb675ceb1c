"""Sitemaps: those that robots.txt names, then the common places, then all that they point to."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from scrapy import Request

from sitecrawl.items import (
    COMMON_PLACE,
    Document,
    DocumentKind,
    DocumentRead,
    Evidence,
    EvidenceType,
    FetchOutcome,
    MentionBatch,
    NamedDocument,
    SitemapPointer,
    Source,
    Visit,
)
from sitecrawl.scan.documents import confidence, document_request, failed_document, fetched_document
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.sitemaps.reader import SitemapReader
from sitecrawl.stages.base import ScanContext, Stage
from sitecrawl.stages.order import InOrder
from sitecrawl.stages.sitemap_entries import Alternates, UrlCap, own_languages
from sitecrawl.stages.waterfall import sitemaps_are_enough
from sitecrawl.urls.address import origin_of, resolve, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scrapy.http import Response
    from twisted.python.failure import Failure

    from sitecrawl.scan.database import KnownDocument
    from sitecrawl.sitemaps.entries import EntryBatch

# Handed to Scrapy at once; the politeness of the download slots comes on top. More would only wait
# for the store, and each map that is being read costs memory.
_MAX_PARALLEL = 4
# Answers that wait for an earlier one: bounded in number and in bytes.
_MAX_WAITING = 16
_MAX_WAITING_BYTES = 64_000_000
_SPARE_POINTERS = 1_000
_AMONG_PAGES = "the pages of another sitemap"
_FEEDS = {SitemapKind.RSS, SitemapKind.ATOM}


class _Answer(NamedTuple):
    """An answer to a request for a map, with what is known of it if it has not changed."""

    document: Document
    pointer: SitemapPointer
    known: KnownDocument | None


class SitemapStage(Stage):
    """Read every sitemap once, breadth first, within the limits.

    Maps are fetched at the same time, and read in the order in which they were named: so a limit
    cuts the same list, in the same order, whichever answer came first.

    The stage has its own queue, so that it can drop and report what is left when a limit or its
    time is reached, instead of leaving requests in the scheduler.

    Settings: ``SITECRAWL_MAX_SITEMAPS``, ``SITECRAWL_MAX_SITEMAP_DEPTH``,
    ``SITECRAWL_MAX_SITEMAP_URLS``, ``SITECRAWL_MAX_SITEMAP_BYTES``, ``SITECRAWL_MIN_SITEMAP_URLS``,
    ``SITECRAWL_SITEMAP_PLACES``, ``SITECRAWL_SITEMAP_BATCH_ENTRIES``,
    ``SITECRAWL_*SITEMAP_TIMEOUT_SECONDS``, ``SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS``,
    ``SITECRAWL_CRAWL_LISTED_PAGES``. Meta: ``sitecrawl_unchanged``.
    """

    name: ClassVar[str] = "sitemaps"

    def __init__(self, context: ScanContext):
        super().__init__(context)
        config = context.config
        self._limits = config.sitemap_limits()
        self._queue: deque[SitemapPointer] = deque()
        self._known: set[str] = set()
        self._choice = context.sitemap_choice
        self._places = deque(() if self._choice.urls else config.sitemap_places)
        # Hosts whose maps may be read: the site's own, and those that robots.txt names.
        self._hosts: set[str] = set()
        self._fetched = 0
        self._in_flight = 0
        self._order: InOrder[_Answer] = InOrder()
        self._waiting_bytes = 0
        self._cap = UrlCap(config.max_sitemap_urls)
        self._deadline = 0.0
        self._refused_children = 0
        self._forgotten = 0  # maps that were named, and not even remembered
        self._read_before: Mapping[str, Sequence[tuple[str, str]]] = {}

    async def next_requests(self) -> Iterable[Request]:
        if not self._deadline:
            await self._start()
        if missing := self._order.give_up_missing():
            self.context.counters.items_lost += missing
            self._in_flight -= missing
            await self._drain()
        requests = list(self._dispatch())
        while not requests and self._places:
            if sitemaps_are_enough(self.context.config, self.context.counters.pages_of_sitemaps):
                if not self.limits:
                    self.end_reason = "the sitemaps gave enough"
                break
            if self._is_out_of_time() or self._cap.is_reached:
                break
            place = self._places.popleft()
            self._enqueue(
                SitemapPointer(
                    origin_of(self.context.root_url) + place, COMMON_PLACE, None, is_guess=True
                )
            )
            requests = list(self._dispatch())
        return requests

    def outcome(self) -> dict[str, Any]:
        return {
            **super().outcome(),
            "documents": self._fetched,
            "not_read": self._refused_children + self.context.unusable_sitemaps,
        }

    async def _start(self) -> None:
        if resumption := await self.context.resumption():
            self._read_before = resumption.read_maps
            self._cap = UrlCap(self._cap.limit, resumption.read_entries)
        seconds = self.context.config.sitemap_stage_timeout_seconds
        self._deadline = time.monotonic() + seconds if seconds else float("inf")
        pointers = await self._first_pointers()
        self._hosts = {site_of(self.context.root_url)}
        self._hosts |= {site_of(pointer.url) for pointer in pointers}
        for pointer in pointers:
            self._enqueue(pointer)

    async def _first_pointers(self) -> list[SitemapPointer]:
        """Those that the spider names, or else those of robots.txt."""
        if not self._choice.urls:
            return self.context.robots_sitemaps
        pointers: list[SitemapPointer] = []
        for name in self._choice.urls:
            url = resolve(name, self.context.root_url) or name
            if url.endswith("/robots.txt"):
                pointers += (await self.context.robots_of(url)).pointers()
            else:
                pointers.append(SitemapPointer(url, "sitemap_urls of the spider", None))
        return pointers

    def _is_out_of_time(self) -> bool:
        if time.monotonic() < self._deadline:
            return False
        limit = self.context.config.sitemap_stage_timeout_seconds
        name = "SITECRAWL_SITEMAP_STAGE_TIMEOUT_SECONDS"
        self.truncate("sitemaps not read in time", name, limit)
        self.end_reason = "its time was up"
        return True

    def _enqueue(self, pointer: SitemapPointer) -> None:
        """Queue a map that is not known yet and that the limits allow."""
        config = self.context.config
        if pointer.url in self._known:
            return
        if config.max_sitemaps and len(self._known) >= 2 * config.max_sitemaps + _SPARE_POINTERS:
            # An index may list a million maps; more than this are not even remembered.
            self.truncate("more sitemaps", "SITECRAWL_MAX_SITEMAPS", config.max_sitemaps)
            self._forgotten += 1
            return
        self._known.add(pointer.url)
        if site_of(pointer.url) not in self._hosts:
            self._refused_children += 1
        elif config.max_sitemap_depth and pointer.depth > config.max_sitemap_depth:
            self.truncate(
                "sitemaps nested too deep", "SITECRAWL_MAX_SITEMAP_DEPTH", config.max_sitemap_depth
            )
        else:
            self._queue.append(pointer)

    def _dispatch(self) -> Iterator[Request]:
        """Take from the queue what may be fetched now; drop the rest when the stage is over."""
        limit = self.context.config.max_sitemaps
        while self._queue and self._has_room:
            if limit and self._fetched >= limit:
                self.truncate("more sitemaps", "SITECRAWL_MAX_SITEMAPS", limit)
                self._queue.clear()
            elif self._is_out_of_time():
                self._queue.clear()
            elif self._cap.is_reached:
                self._truncate_urls()
                self._queue.clear()
            elif (pointer := self._queue.popleft()).url in self._read_before:
                self._fetched += 1
                self._follow_again(pointer, self._read_before[pointer.url])
            else:
                self._fetched += 1
                self._in_flight += 1
                yield self._request(pointer)

    @property
    def _has_room(self) -> bool:
        return (
            self._in_flight < _MAX_PARALLEL
            and len(self._order) < _MAX_WAITING
            and self._waiting_bytes < _MAX_WAITING_BYTES
        )

    def _truncate_urls(self) -> None:
        self.truncate("URLs of sitemaps", "SITECRAWL_MAX_SITEMAP_URLS", self._cap.limit)
        self.end_reason = "the limit of URLs was reached"

    def _truncate_bytes(self) -> None:
        limit = self._limits.max_bytes
        self.truncate("the end of a large sitemap", "SITECRAWL_MAX_SITEMAP_BYTES", limit)

    def _request(self, pointer: SitemapPointer) -> Request:
        config = self.context.config
        timeout = (
            config.nested_sitemap_timeout_seconds
            if pointer.depth
            else config.sitemap_timeout_seconds
        )
        left = self._deadline - time.monotonic()
        self._order.announce(self._fetched)
        return document_request(
            pointer.url,
            DocumentKind.SITEMAP,
            pointer.found_by,
            callback=self._answered,
            errback=self._failed,
            callback_arguments={"pointer": pointer, "number": self._fetched},
            timeout_seconds=min(timeout, max(left, 0.1)),
            deadline=self._deadline,
            max_bytes=config.max_sitemap_bytes,
            parent=pointer.parent,
            depth=pointer.depth,
            # A page among pages may look like a map by its name: the site has not called it one.
            is_guess=pointer.is_guess or bool(pointer.listed_as_page_at),
        )

    async def _failed(self, failure: Failure) -> None:
        arguments = failure.request.cb_kwargs  # type: ignore[attr-defined]
        await self._hand_on(failed_document(failure), **arguments)

    async def _answered(self, response: Response, pointer: SitemapPointer, number: int) -> None:
        known = response.meta.get("sitecrawl_unchanged")
        await self._hand_on(fetched_document(response), pointer, number, known)

    async def _hand_on(
        self,
        document: Document,
        pointer: SitemapPointer,
        number: int,
        known: KnownDocument | None = None,
    ) -> None:
        """Read this map and those behind it, as far as it is their turn; then fetch more."""
        self._in_flight -= 1
        self._waiting_bytes += len(document.body)
        self._order.add(number, _Answer(document, pointer, known))
        self._fetch_more()
        await self._drain()

    async def _drain(self) -> None:
        async for answer in self._order.drain():
            self._waiting_bytes -= len(answer.document.body)
            await self._conclude(answer)
            self._fetch_more()

    def _fetch_more(self) -> None:
        for request in self._dispatch():
            self.context.crawl(request)

    async def _conclude(self, answer: _Answer) -> None:
        document, pointer, known = answer
        if document.outcome is FetchOutcome.TOO_LARGE:
            self._truncate_bytes()
        self._is_out_of_time()
        await self.context.put(document)
        if document.outcome is FetchOutcome.OK:
            await self._read(document, pointer)
            return
        await self.context.put(_fetch_evidence(document, None))
        if known is not None:
            self._follow_again(pointer, known.children)
        elif pointer.listed_as_page_at:
            await self.context.put(self._page_after_all(pointer))

    async def _read(self, document: Document, pointer: SitemapPointer) -> None:
        put = self.context.put
        reader = SitemapReader(document.body, document.final_url, self._limits)
        entries = 0
        children: list[NamedDocument] = []
        alternates = Alternates(document, self.context.scope, self._cap)
        was_cut, forgotten = False, self._forgotten
        for chunk in reader.steps():
            if chunk is None:
                # A hostile map must not block the event loop; and parsing while the store writes
                # gains nothing, because both need the interpreter's lock.
                await self._caught_up()
                continue
            is_index = reader.kind is SitemapKind.INDEX
            children += self._follow(document, chunk.children, is_index=is_index)
            chosen, positions = self._chosen(chunk.pages)
            pages = self._cap.head(chosen)
            was_cut = len(pages.locs) < len(chosen.locs)
            entries += len(pages.locs)
            if pages.locs:
                source = Source.FEED if reader.kind in _FEEDS else Source.SITEMAP
                await self._put_mentions(document, source, pages, positions)
            if self._choice.has_alternates:
                was_cut |= not alternates.add(pages)
            if len(alternates) >= self._limits.batch_entries:
                await put(alternates.take())
            if was_cut:
                self._truncate_urls()
                break
        if alternates:
            await put(alternates.take())
        if document.is_cut or reader.decompressed_bytes >= self._limits.max_bytes:
            self._truncate_bytes()
        read = DocumentRead(
            document.url,
            format=reader.kind,
            entries=entries,
            decompressed_bytes=reader.decompressed_bytes,
            truncated=reader.truncated or document.is_cut or was_cut or self._forgotten > forgotten,
            findings=reader.findings,
            children=children,
        )
        await put(read)
        await put(_fetch_evidence(document, read))
        if reader.kind is SitemapKind.INVALID and pointer.listed_as_page_at:
            await put(self._page_after_all(pointer))

    def _chosen(self, pages: EntryBatch) -> tuple[EntryBatch, Sequence[int]]:
        if self._choice.filter is None or not pages.locs:
            return pages, range(pages.first, pages.first + len(pages.locs))
        return self._choice.filtered(pages)

    async def _put_mentions(
        self, document: Document, source: Source, pages: EntryBatch, positions: Sequence[int]
    ) -> None:
        batch = self._mentions(document, source, pages, positions[: len(pages.locs)])
        await self.context.put(batch)
        if not self._choice.rules:
            return
        for row, url in enumerate(batch.urls):
            if row not in batch.refused and (callback := self._choice.callback(url)):
                self.context.crawl(Request(url, callback=callback))

    async def _caught_up(self) -> None:
        assert self.context.scan.database is not None
        await self.context.scan.database.caught_up()

    def _follow_again(self, pointer: SitemapPointer, children: Iterable[tuple[str, str]]) -> None:
        """Queue the maps that a document lists that need not be read again."""
        for url, found_by in children:
            child = _child(url, pointer)
            child.is_guess = found_by == _AMONG_PAGES
            self._enqueue(child)

    def _follow(
        self, document: Document, listed: EntryBatch, *, is_index: bool
    ) -> Iterator[NamedDocument]:
        """Queue the maps that a document lists."""
        if is_index and self._choice.filter is not None and listed.locs:
            listed, _ = self._choice.filtered(listed)
        for position, loc in enumerate(listed.locs, listed.first):
            url = resolve(loc, document.final_url)
            if url and (not is_index or self._choice.follows(url)):
                child = _child(url, document)
                if not is_index:
                    child.listed_as_page_at = position
                    child.found_by = _AMONG_PAGES
                self._enqueue(child)
                if url in self._known:
                    yield NamedDocument(url, child.found_by, child.depth)

    def _mentions(
        self, document: Document, source: Source, pages: EntryBatch, positions: Sequence[int]
    ) -> MentionBatch:
        return MentionBatch(
            document=document.url,
            base=document.final_url,
            source=source,
            scope=self.context.scope,
            positions=positions,
            locs=pages.locs,
            lastmods=pages.lastmods,
            changefreqs=pages.changefreqs,
            priorities=pages.priorities,
            languages=own_languages(pages),
            details=pages.details,
            visit=self._as_start(document),
        )

    def _as_start(self, document: Document) -> Visit | None:
        """A visit that makes the pages of a map starting points of the crawl."""
        return Visit(0, document.url, clicks=0) if self.context.config.crawl_listed_pages else None

    def _page_after_all(self, pointer: SitemapPointer) -> MentionBatch:
        """A listed page whose name only looked like that of a map."""
        assert pointer.parent is not None
        return MentionBatch(
            document=pointer.parent,
            base=pointer.parent,
            source=Source.SITEMAP,
            scope=self.context.scope,
            positions=[pointer.listed_as_page_at],
            locs=[pointer.url],
        )


def _child(url: str, parent: Document | SitemapPointer) -> SitemapPointer:
    return SitemapPointer(url, "another sitemap", parent.url, parent.depth + 1)


def _fetch_evidence(document: Document, read: DocumentRead | None) -> Evidence:
    metadata: dict[str, Any] = {
        "success": document.outcome in {FetchOutcome.OK, FetchOutcome.NOT_MODIFIED},
        "outcome": document.outcome,
        "status": document.status,
        "sitemap": document.url,
        "found_by": document.found_by,
        "error": document.error or None,
    }
    if read is not None:
        metadata |= {
            "success": read.format != SitemapKind.INVALID,
            "format": read.format,
            "urls": read.entries,
            "truncated": read.truncated,
            "findings": [finding._asdict() for finding in read.findings],
        }
    content = document.error or f"{metadata.get('urls', 0)} URLs, {metadata['outcome']}"
    return Evidence(
        EvidenceType.SITEMAP_FETCH,
        content,
        metadata,
        document=document.url,
        confidence=confidence(document, is_truncated=read is not None and read.truncated),
    )
