"""From the answer to a visit to items: the document, what it links to, what it says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.classify.language import text_detector
from sitecrawl.classify.page_types import declared_type
from sitecrawl.html.links import LinkSource, PageLimits
from sitecrawl.html.page import read_page
from sitecrawl.html.text import storable
from sitecrawl.items import (
    DocumentRead,
    FetchOutcome,
    MentionBatch,
    MenuItem,
    PageFacts,
    PageFormat,
    Source,
    VisitedPage,
)
from sitecrawl.robots.directives import header_directives, meta_directives
from sitecrawl.scan.documents import fetched_document
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.sitemaps.reader import SitemapReader
from sitecrawl.store.compression import pack_body
from sitecrawl.urls.skip import file_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.http import Response

    from sitecrawl.config import Config
    from sitecrawl.html.audit import PageAudit
    from sitecrawl.html.links import Links, MenuEntry, PageReading
    from sitecrawl.items import Document, KnownPage, StoredLink, Visit
    from sitecrawl.stages.base import Stage
    from sitecrawl.urls.scope import Scope

# More links than these are handed on in several batches.
_BATCH_LINKS = 5_000
_LINK_HEADERS = ("link", "refresh", "location")
_FEED_TYPES = ("xml", "rss", "atom")
_NOFOLLOW = {"nofollow", "none"}


class ReadPage(NamedTuple):
    """A visited page, with what was read from it as HTML; None: it was not read as such."""

    page: VisitedPage
    reading: PageReading | None = None


class PageReader:
    """Reads the pages of one scan.

    Settings: ``SITECRAWL_ROBOTS_AGENT``, ``SITECRAWL_KEEP_BODIES``, ``SITECRAWL_MAX_PAGE_BYTES``,
    ``SITECRAWL_MAX_PAGE_LINKS``.
    """

    def __init__(self, config: Config):
        self._config = config
        self._limits = page_limits(config)
        self._facts = PageFactsReader(config)

    def fetched(self, response: Response) -> Document:
        """The document of an answer, with what it says to robots."""
        document = fetched_document(response)
        token = self._config.robots_agent
        headers = [value.decode("latin-1") for value in response.headers.getlist("X-Robots-Tag")]
        document.robots_header = header_directives(headers, token) if headers else []
        document.robots_meta = meta_directives(response.body, token)
        document.directives = list(dict.fromkeys([*document.robots_header, *document.robots_meta]))
        return document

    def read(self, response: Response, document: Document, visit: Visit, scope: Scope) -> ReadPage:
        """Read a page, or a feed that a page has named."""
        if not document.is_cut and self._config.keeps_body(len(document.body), of_page=True):
            document.packed_body = pack_body(document.body)
        if _looks_like_feed(document) and (feed := self._read_feed(document, visit, scope)):
            return ReadPage(feed)
        reading = read_page(
            document.body,
            response.url,
            content_type=document.content_type,
            headers=_link_headers(response),
            limits=self._limits,
            has_menu=visit.number == 1,
        )
        batches = [
            _link_batch(document, visit, scope, reading, first)
            for first in range(0, len(reading.links.locs), _BATCH_LINKS)
        ]
        read = DocumentRead(
            document.url,
            format=PageFormat.HTML if reading.is_html else PageFormat.OTHER,
            entries=len(reading.links.locs),
            decompressed_bytes=len(document.body),
            # A file has no content to read.
            truncated=reading.truncated or (document.is_cut and reading.is_html),
            findings=reading.findings,
            own_links=reading.own_links,
        )
        category = "" if reading.is_html else file_kind(document.content_type)
        facts = self._facts.of(reading, category)
        page = VisitedPage(visit, document, read, batches, facts)
        return ReadPage(page, reading if reading.is_html else None)

    def unchanged(
        self, document: Document, visit: Visit, scope: Scope, known: KnownPage
    ) -> VisitedPage:
        """A page that an earlier scan has read: what it says comes from the store."""
        # "As if it were the content of a 200 response" (RFC 9110, 15.4.5).
        document.status = known.status
        document.content_type = known.content_type
        document.directives = known.directives
        document.sha256 = known.validators.sha256 or ""
        batches = [
            _stored_batch(document, visit, scope, known.links[first : first + _BATCH_LINKS])
            for first in range(0, len(known.links), _BATCH_LINKS)
        ]
        return VisitedPage(visit, document, known.read, batches, known.facts)

    def redirected(
        self, document: Document, visit: Visit, scope: Scope, target: str
    ) -> VisitedPage:
        """A page that redirects to another page."""
        document.outcome = FetchOutcome.REDIRECTED
        document.error = ""
        batch = MentionBatch(
            document=document.url,
            base=document.final_url,
            source=LinkSource.REDIRECT,
            scope=scope,
            positions=[1],
            locs=[target],
            visit=visit,
        )
        read = DocumentRead(
            document.url,
            format=PageFormat.REDIRECT,
            entries=1,
            decompressed_bytes=len(document.body),
            truncated=False,
        )
        return VisitedPage(visit, document, read, [batch])

    def _read_feed(self, document: Document, visit: Visit, scope: Scope) -> VisitedPage | None:
        reader = SitemapReader(document.body, document.final_url, self._config.sitemap_limits())
        batches = [
            MentionBatch(
                document=document.url,
                base=document.final_url,
                source=Source.FEED,
                scope=scope,
                positions=range(chunk.pages.first, chunk.pages.first + len(chunk.pages.locs)),
                locs=chunk.pages.locs,
                lastmods=chunk.pages.lastmods,
                details=chunk.pages.details,
                visit=visit,
            )
            for chunk in reader.steps()
            if chunk is not None and chunk.pages.locs
        ]
        if reader.kind is SitemapKind.INVALID:
            return None
        read = DocumentRead(
            document.url,
            format=reader.kind,
            entries=sum(len(batch.locs) for batch in batches),
            decompressed_bytes=reader.decompressed_bytes,
            truncated=reader.truncated or document.is_cut,
            findings=reader.findings,
        )
        return VisitedPage(visit, document, read, batches)


def page_limits(config: Config) -> PageLimits:
    return PageLimits(max_bytes=config.max_page_bytes, max_links=config.max_page_links)


def is_nofollow(document: Document) -> bool:
    """Whether the page says that none of its links is to be followed."""
    return not _NOFOLLOW.isdisjoint(document.directives)


def note_limits(stage: Stage, page: VisitedPage) -> None:
    """Record the limits that have cut a page."""
    config = stage.context.config
    if page.read is None or not page.read.truncated:
        return
    if page.read.entries >= config.max_page_links:
        limit = config.max_page_links
        stage.truncate("the last links of a page", "SITECRAWL_MAX_PAGE_LINKS", limit)
    size = max(len(page.document.body), page.document.received_bytes)
    if page.document.is_cut or size >= config.max_page_bytes:
        limit = config.max_page_bytes
        stage.truncate("the end of a long page", "SITECRAWL_MAX_PAGE_BYTES", limit)


def start_batch(document: Document, visit: Visit, scope: Scope, urls: list[str]) -> MentionBatch:
    """The addresses that a crawl starts from, which no other document has to mention."""
    return MentionBatch(
        document=document.url,
        base=document.final_url,
        source=Source.START,
        scope=scope,
        positions=[0] * len(urls),
        locs=urls,
        visit=visit,
    )


def _link_batch(
    document: Document,
    visit: Visit,
    scope: Scope,
    reading: PageReading,
    first: int,
) -> MentionBatch:
    links: Links = reading.links
    end = min(first + _BATCH_LINKS, len(links.locs))
    part = slice(first, end)
    languages = None
    if links.languages:
        languages = [links.languages.get(row, "") for row in range(first, end)]
    return MentionBatch(
        document=document.url,
        base=reading.base,
        source=LinkSource.LINK,
        scope=scope,
        positions=range(first + 1, end + 1),
        locs=storable(links.locs[part]),
        sources=list(links.sources[part]),
        regions=links.regions[part],
        anchors=storable(links.anchors[part]),
        rels=storable(links.rels[part]),
        paths=storable(links.paths[part]),
        languages=languages,
        media_types={
            row - first: name for row, name in links.media_types.items() if first <= row < end
        },
        menu=_menu(reading.menu, first, end),
        visit=visit,
        is_nofollow=is_nofollow(document),
    )


def _stored_batch(
    document: Document, visit: Visit, scope: Scope, links: Sequence[StoredLink]
) -> MentionBatch:
    urls = [link.url for link in links]
    return MentionBatch(
        document=document.url,
        base=document.final_url,
        source=LinkSource.LINK,
        scope=scope,
        positions=[link.position for link in links],
        locs=urls,
        sources=[link.source for link in links],
        rels=[link.rel or "" for link in links],
        visit=visit,
        is_nofollow=is_nofollow(document),
        is_stored=True,
        urls=urls,
        ids=[link.page_id for link in links],
    )


def _menu(entries: list[MenuEntry], first: int, end: int) -> list[MenuItem]:
    return [
        MenuItem(storable([entry.title])[0], entry.row - first, entry.level)
        for entry in entries
        if first <= entry.row < end
    ]


def _looks_like_feed(document: Document) -> bool:
    kind = document.content_type.partition(";")[0].lower()
    return any(name in kind for name in _FEED_TYPES) and "xhtml" not in kind


def _link_headers(response: Response) -> dict[str, list[str]]:
    return {
        name: [value.decode("latin-1") for value in values]
        for name in _LINK_HEADERS
        if (values := response.headers.getlist(name))
    }


# --- facts -------------------------------------------------------------------------------------


class PageFactsReader:
    """Makes the facts of a page from its reading, as sent or as a browser shows it.

    Settings: ``SITECRAWL_LANGUAGE_DETECTION``.
    """

    def __init__(self, config: Config):
        self._config = config
        self._detector = text_detector() if config.language_detection != "never" else None

    def of(self, reading: PageReading, category: str = "") -> PageFacts:
        title, language, canonical = storable([reading.title, reading.language, reading.canonical])
        if reading.is_html:
            _make_storable(reading.audit)
        has_text = bool(reading.text_characters)
        return PageFacts(
            title=title,
            language=language,
            canonical=canonical,
            category=category,
            declared_type=declared_type(reading.declared_types) or "",
            text_language=self._text_language(reading),
            text_hash=reading.text_hash if has_text else "",
            text=reading.text if has_text else "",
            fingerprint=reading.fingerprint if has_text else None,
            audit=reading.audit if reading.is_html else None,
        )

    def _text_language(self, reading: PageReading) -> str:
        is_wanted = self._config.language_detection == "always" or not reading.language
        if self._detector is None or not is_wanted:
            return ""
        return self._detector(f"{reading.title} {reading.text_sample}")


def _make_storable(audit: PageAudit) -> None:
    audit.description, audit.h1, audit.insecure_example, audit.bad_hreflang = storable(
        [audit.description, audit.h1, audit.insecure_example, audit.bad_hreflang]
    )
