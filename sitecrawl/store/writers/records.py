"""What the writer takes: small records for documents, columns for pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sitecrawl.items import FetchOutcome
    from sitecrawl.store.vocabulary import RenderingStep


@dataclass(frozen=True, slots=True)
class ScanHandle:
    """A scan that has begun."""

    scan_id: int
    site_id: int
    seed: int
    """Of the hash that gives the site's page ids."""
    previous_scan_id: int | None
    """The newest earlier scan of the site, however it ended."""
    has_pages: bool
    """Whether earlier scans have left pages of the site."""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document, and how this scan came to know it."""

    url: str
    kind: str
    found_by: str
    parent_id: int | None = None
    position: int = 0
    """Line or entry of the parent that names it."""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """One fetch of a document; to be recorded after the pages that were read from it.

    ``complete`` says that everything it lists has been read and stored. Only then do its older
    mentions become stale, and only then are its validators used by the next scan.
    """

    document_id: int
    outcome: FetchOutcome
    fetched_at: datetime
    status: int | None = None
    error: str = ""
    content_type: str = ""
    received_bytes: int = 0
    decompressed_bytes: int = 0
    elapsed_ms: int = 0
    final_url: str = ""
    redirects: Sequence[str] = ()
    sha256: str = ""
    etag: str = ""
    last_modified: str = ""
    fingerprint: str = ""
    policies: Mapping[str, str] = field(default_factory=dict)
    """By authority, the fingerprint of the robots rules that its pages were judged by."""
    fresh_until: datetime | None = None
    directives: Sequence[str] = ()
    format: str = ""
    entries: int = 0
    listed: int = 0
    """Pages of the site that it was the first to list."""
    findings: Sequence[Any] = ()
    """JSON values."""
    truncated: bool = False
    complete: bool = False
    is_check: bool = False
    """Its links were not stored: those of an earlier reading stay."""


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """What a robots.txt says of some pages."""

    document_id: int | None
    allowed: bool
    reason: str
    rule: str | None = None
    line: int | None = None
    agents: str | None = None
    crawl_delay: float | None = None
    confidence: float = 1.0


@dataclass(slots=True)
class LinkColumns:
    """How links look, one row per mention; absent text is ``""``."""

    sources: Sequence[str]
    regions: Sequence[str]
    anchors: Sequence[str]
    rels: Sequence[str]
    paths: Sequence[str]

    def by_name(self) -> dict[str, Sequence[str]]:
        return {
            "source": self.sources,
            "region": self.regions,
            "anchor": self.anchors,
            "rel": self.rels,
            "path": self.paths,
        }


@dataclass(slots=True)
class Repeats:
    """Mentions of pages that this scan has stored before, in columns."""

    ids: Sequence[int]
    positions: Sequence[int]
    lastmods: Sequence[str] | None = None
    links: LinkColumns | None = None


@dataclass(slots=True)
class PageRows:
    """Pages that one document lists and this scan has not stored before, in columns.

    Absent text is ``""``, an absent sitemap priority ``-1.0``; a column that no row has is
    ``None``; sparse columns are mappings from the row's index.
    """

    document_id: int
    source: str
    """Of every row, unless these are links, which have their own."""
    ids: Sequence[int] = ()
    urls: Sequence[str] = ()
    positions: Sequence[int] = ()
    lastmods: Sequence[str] | None = None
    changefreqs: Sequence[str] | None = None
    priorities: Sequence[float] | None = None
    languages: Sequence[str] | None = None
    verdict_id: int | None = None
    """Of every row, unless the rows have their own."""
    verdict_ids: Sequence[int | None] | None = None
    titles: Mapping[int, str] = field(default_factory=dict)
    details: Mapping[int, str] = field(default_factory=dict)
    """JSON text."""
    categories: Mapping[int, str] = field(default_factory=dict)
    refused: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    """Reason and rule."""
    links: LinkColumns | None = None
    repeats: Repeats | None = None


@dataclass(slots=True)
class NewVisits:
    """Pages that a crawl is to visit, in columns."""

    found_by: int | None
    """The visit that found them."""
    page_ids: Sequence[int]
    urls: Sequence[str]
    numbers: Sequence[int | None]
    families: Sequence[str]
    clicks: Sequence[int]
    external_hops: Sequence[int]
    redirected_from: str = ""
    """JSON text; of a redirect's target, which comes alone."""
    queues: Sequence[str] = ()
    """Of each; none, if the scan has no fetchers."""


WAITING_COLUMNS = ("number", "url", "coalesce(clicks, 0)", "external_hops", "redirected_from")


class WaitingVisit(NamedTuple):
    """A page that is to be visited."""

    number: int
    url: str
    clicks: int
    external_hops: int
    redirected_from: str | None
    """JSON text."""


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """How a visit ended, and what the page says of itself; absent text is ``""``."""

    number: int
    outcome: FetchOutcome
    document_id: int
    is_productive: bool | None = None
    reason: str = ""
    rule: str = ""
    title: str = ""
    language: str = ""
    canonical: str = ""
    category: str = ""
    declared_type: str = ""
    """What its structured data says it is."""
    text_language: str = ""
    """What its text was found to be."""
    text: str = ""
    """The main text, if it is to be kept."""
    text_hash: str = ""
    fingerprint: int | None = None
    rendered: str = ""
    only_rendered: int | None = None
    redirect_target: str = ""
    facts: PageFactsRecord | None = None
    """Of a page that was read as HTML."""


@dataclass(frozen=True, slots=True)
class PageFactsRecord:
    """What an audit asks of a page that was read; absent text is ``""``."""

    elapsed_ms: int = 0
    bytes: int = 0
    """Of its HTML, decompressed."""
    is_noindex: bool = False
    is_nofollow: bool = False
    canonical_id: int | None = None
    description: str = ""
    h1: str = ""
    h1_count: int = 0
    images: int = 0
    images_without_alt: int = 0
    insecure_resources: int = 0
    insecure_example: str = ""
    bad_hreflang: str = ""
    robots_meta: str = ""
    robots_header: str = ""
    alternates_hash: str = ""
    alternates: Mapping[int, str] = field(default_factory=dict)
    """By the id of each page that it names as a version of itself, the language."""


@dataclass(frozen=True, slots=True)
class MenuRow:
    """An entry of the site's menu."""

    position: int
    level: int
    page_id: int
    title: str
    region: str


class Lease(NamedTuple):
    """The right to fetch the pages of a queue."""

    queue: str
    token: int


class Answer(NamedTuple):
    """What was read from the page of a visit under a lease."""

    lease: Lease
    number: int
    content: bytes
    ends_crawl: bool = False
    """It was not sent, and nothing behind it would be."""
    rendering: RenderingStep | None = None
    """What is still to be done."""


class PageToRender(NamedTuple):
    """A page that was read by whatever fetcher, for one with a browser."""

    queue: str
    number: int
    content: bytes


class NextAnswer(NamedTuple):
    """A visit whose turn comes, with what a fetcher has read from its page."""

    number: int
    url: str
    rendering: str | None
    """A RenderingStep that is still to be done."""
    content: bytes | None
    """None: nothing yet, or a page before it has none."""
