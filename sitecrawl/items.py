"""What flows from the stages through the pipelines into the store and the feeds.

One module, though it is long: its types refer to each other, and Scrapy users look for items here.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitecrawl.html.audit import PageAudit
    from sitecrawl.parsing.findings import Finding
    from sitecrawl.robots.policy import Verdict
    from sitecrawl.sitemaps.entries import EntryDetails
    from sitecrawl.urls.columns import SharedOrigin
    from sitecrawl.urls.refusal import Refusal
    from sitecrawl.urls.scope import Scope


class DocumentKind(StrEnum):
    """What a document was fetched as."""

    ROBOTS_TXT = "robots_txt"
    SITEMAP = "sitemap"
    PAGE = "page"
    PROBE = "probe"
    RESOURCE = "resource"
    """A script, a style sheet, a frame or data of a rendered page."""


COMMON_PLACE = "a common place"
"""``found_by`` of a sitemap that no document names."""

CHECK = "a check"
"""``found_by`` of a page that is visited only to see how it answers."""


class Source(StrEnum):
    """The source of a mention; links of pages have ``sitecrawl.html.links.LinkSource``."""

    START = "start"
    SITEMAP = "sitemap"
    SITEMAP_ALTERNATE = "sitemap-alternate"
    FEED = "feed"


SITEMAP_SOURCES = frozenset({Source.SITEMAP, Source.SITEMAP_ALTERNATE})


class FetchOutcome(StrEnum):
    """How a fetch ended."""

    OK = "ok"
    REDIRECTED = "redirected"
    NOT_MODIFIED = "not_modified"
    FRESH = "fresh"
    NOT_FOUND = "not_found"
    HTTP_ERROR = "http_error"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    TOO_LARGE = "too_large"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    ADDRESS_NOT_ALLOWED = "address_not_allowed"
    BLOCKED_BY_ROBOTS = "blocked_by_robots"
    HOST_PAUSED = "host_paused"
    OVER_BUDGET = "over_budget"
    SLOT_TIMEOUT = "slot_timeout"
    STOPPED = "stopped"
    INCOMPLETE = "incomplete"


class PageFormat(StrEnum):
    """The format that a visited page was read as; a feed has that of its kind."""

    HTML = "html"
    OTHER = "other"
    """A file, whose content is not read."""
    REDIRECT = "redirect"


class RenderOutcome(StrEnum):
    """How the rendering of a page went."""

    RENDERED = "rendered"
    FAILED = "failed"
    NO_BROWSER = "no_browser"


NOT_SENT = frozenset(
    {
        FetchOutcome.HOST_PAUSED,
        FetchOutcome.OVER_BUDGET,
        FetchOutcome.SLOT_TIMEOUT,
        FetchOutcome.STOPPED,
    }
)
"""No request was sent, or its answer was not awaited: a resumed scan sends it again."""


class EvidenceType(StrEnum):
    """The subject of a stored record of evidence."""

    ROBOTS_TXT = "robots_txt"
    ROBOTS_ALLOWED = "robots_allowed"
    BLOCKED_BY_ROBOTS = "blocked_by_robots"
    SITEMAP_FETCH = "sitemap_fetch"
    HTTPS_UNREACHABLE = "https_unreachable"
    ROOT_REDIRECT = "root_redirect"
    CERTIFICATES_NOT_VERIFIED = "certificates_not_verified"
    ADDRESSES_NOT_GUARDED = "addresses_not_guarded"
    POLITENESS_LEDGER = "politeness_ledger"
    CRAWL_STATS = "crawl_stats"
    INDEX_PAGES = "index_pages"
    DISCOVERY_SUMMARY = "discovery_summary"


@dataclass(slots=True)
class SiteResolved:
    """The address that the scan goes on with, after redirects and the fall-back to http."""

    root_url: str


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit of a page: its place in the order, and its distance from the start."""

    number: int
    """Pages are visited, read and stored in this order, whatever the order of the answers."""
    url: str
    clicks: int
    external_hops: int = 0
    """Since the crawl left the site; 0 on the site."""
    redirected_from: tuple[str, ...] = ()
    """The chain of redirects that led here, the first one first."""
    known: KnownPage | None = field(default=None, compare=False, repr=False)
    """The page as an earlier scan has read it, for a conditional request."""
    is_check: bool = False
    """Only the page itself is of interest: its links are no mentions."""


class PackedBody(NamedTuple):
    """The raw bytes of a body as they are stored."""

    encoding: str
    content: bytes
    size: int
    """In bytes, before packing."""


@dataclass(slots=True)
class Document:
    """One fetched document and how it was answered; its mentions follow in batches."""

    url: str
    kind: DocumentKind
    found_by: str
    outcome: FetchOutcome
    parent: str | None = None
    depth: int = 0
    status: int | None = None
    error: str = ""
    content_type: str = ""
    body: bytes = b""
    received_bytes: int = 0  # of the body, once it is forgotten
    sha256: str = ""  # likewise
    packed_body: PackedBody | None = None  # to be kept, once the body is forgotten
    is_cut: bool = False  # at its limit: there was more
    etag: str = ""
    last_modified: str = ""
    final_url: str = ""
    redirects: Sequence[str] = ()
    elapsed_seconds: float = 0.0
    fetched_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    fresh_until: datetime | None = None  # until then it need not be asked for again
    robots_header: Sequence[str] = ()  # directives of X-Robots-Tag, for us
    robots_meta: Sequence[str] = ()  # directives of meta robots, for us
    directives: Sequence[str] = ()  # both

    def __repr__(self) -> str:
        return f"<Document {self.kind} {self.url}: {self.outcome}>"

    def forget_body(self) -> None:
        """Drop the body; its size and hash stay."""
        if self.body:
            self.received_bytes = len(self.body)
            self.sha256 = hashlib.sha256(self.body).hexdigest()
            self.body = b""

    @property
    def is_probe(self) -> bool:
        """Whether this was a guess of ours: nothing of the site names the address."""
        if self.kind is DocumentKind.PROBE:
            return self.outcome in {FetchOutcome.OK, FetchOutcome.NOT_FOUND}
        is_guess = self.kind is DocumentKind.ROBOTS_TXT or self.found_by == COMMON_PLACE
        return is_guess and self.outcome is FetchOutcome.NOT_FOUND

    @property
    def is_to_be_read(self) -> bool:
        """Whether a ``DocumentRead`` follows; what pages say comes with the visit."""
        if self.kind in {DocumentKind.PAGE, DocumentKind.PROBE}:
            return False
        return self.outcome is FetchOutcome.OK or (
            self.outcome is FetchOutcome.FRESH and bool(self.body)
        )


class NamedDocument(NamedTuple):
    """A document that another one names."""

    url: str
    found_by: str
    depth: int


@dataclass(slots=True)
class SitemapPointer:
    """A sitemap to read: what names it, and its depth below the first one."""

    url: str
    found_by: str
    parent: str | None
    depth: int = 0
    listed_as_page_at: int = 0  # its position among the pages of a map; 0: it is named as a map
    is_guess: bool = False  # no document names it


class FrontierEntry(NamedTuple):
    """A page that the crawl is to visit."""

    row: int
    """Of the batch that names it."""
    number: int | None
    """Its place in the order of visits; None: held, as the budget of its pattern is used up."""
    family: str | None
    """The pattern that it is held under."""
    clicks: int
    external_hops: int


class VisitOutcome(NamedTuple):
    """What a visit means for the pages of the same pattern that are held."""

    is_productive: bool
    family: str
    released: int
    """How many of those held may be visited now."""
    first_number: int
    """The place of the first of them in the order of visits."""


class MenuItem(NamedTuple):
    """An entry of the site's menu, in its order and nesting."""

    title: str
    row: int
    """Of the batch that the page's links are in."""
    level: int


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a visited page says of itself, and how the crawl judges it."""

    title: str = ""
    language: str = ""
    canonical: str = ""
    category: str = ""
    """What kind of file it is, if it is no page."""
    declared_type: str = ""
    """What its structured data says it is."""
    text_language: str = ""
    """The language that was detected in its text."""
    text: str = ""
    """Its main text: without menus, headers, footers and side bars."""
    text_hash: str = ""
    """Of the main text."""
    fingerprint: int | None = None
    """Similarity hash of the words of the whole page, without digits: for traps and error pages."""
    audit: PageAudit | None = None
    """Facts for findings; None: it was not read as HTML."""
    redirect_target: str = ""
    """The other page that it redirects to."""
    refusal: Refusal | None = None
    """Why it is rejected."""


@dataclass(slots=True)
class DocumentRead:
    """The end of a document: all of its mentions have been handed on."""

    url: str
    format: str
    entries: int
    decompressed_bytes: int
    truncated: bool
    findings: Sequence[Finding] = ()
    children: Sequence[NamedDocument] = ()
    own_links: int = 0
    """Links of a page to its own fragments, which are no entries."""

    def __repr__(self) -> str:
        return f"<DocumentRead {self.url}: {self.entries} entries>"


@dataclass(frozen=True, slots=True)
class Validators:
    """What is known of the content that was last read completely from a document."""

    document_id: int
    kind: str
    format: str | None
    etag: str | None
    last_modified: str | None
    sha256: str | None
    listed: int
    policies: dict[str, str]
    """By authority, the fingerprint of the robots rules that its pages were judged by."""


class StoredLink(NamedTuple):
    """A page that another one links to in one way, once or several times."""

    document_id: int
    page_id: int
    source: str
    rel: str | None
    position: int
    """Of the first of these links."""
    url: str


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as an earlier scan has read it."""

    validators: Validators
    status: int
    content_type: str
    directives: Sequence[str]
    read: DocumentRead
    facts: PageFacts
    links: Sequence[StoredLink]
    """To pages of the site that are not in the frontier yet, in the order of the page."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What the robots.txt at an address says of some pages; the same object for all of them."""

    robots_url: str
    verdict: Verdict


@dataclass(slots=True)
class MentionBatch:
    """Some of the URLs that one document mentions, in columns: one row is one mention.

    The parser fills the columns down to ``details``; each pipeline adds the next ones. Absent
    text is ``""``, an absent priority ``-1.0``, and a column without any value is ``None``. Stored
    mentions come with their ``urls`` and ``ids``, and are not written again.
    """

    document: str
    base: str  # what relative addresses are relative to: the document, after its redirects
    source: str  # of all rows, unless they have their own
    scope: Scope
    positions: Sequence[int]
    locs: list[str]
    sources: list[str] | None = None
    regions: list[str] | None = None
    anchors: list[str] | None = None
    rels: list[str] | None = None
    paths: list[str] | None = None
    lastmods: list[str] | None = None
    changefreqs: list[str] | None = None
    priorities: list[float] | None = None
    languages: list[str] | None = None
    media_types: dict[int, str] = field(default_factory=dict)  # of alternates that are no pages
    details: dict[int, EntryDetails] = field(default_factory=dict)
    menu: Sequence[MenuItem] = ()
    visit: Visit | None = None  # of the page that these are the links of
    is_nofollow: bool = False  # the page says that none of its links is to be followed
    is_rendered: bool = False  # only a browser saw these
    is_stored: bool = False  # an earlier scan has stored these, which hold as they are
    followed: set[int] | None = None  # rows that a spider's rules follow; None: all

    urls: list[str] = field(default_factory=list)
    origin: SharedOrigin | None = None  # of all urls, if they have the same
    segments: list[str] = field(default_factory=list)  # the first of each path, for the frontier
    refused: dict[int, Refusal] = field(default_factory=dict)
    ids: list[int] = field(default_factory=list)
    is_new: list[bool] = field(default_factory=list)
    judged: Judged | None = None  # most rows; None: robots.txt was not asked
    judged_otherwise: dict[int, Judged | None] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=dict)  # fingerprints of those who judged
    listed: int = 0  # how many are new and not refused
    categories: dict[int, str] = field(default_factory=dict)
    to_visit: list[FrontierEntry] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<MentionBatch {self.document}: {len(self.locs)} mentions>"

    def source_of(self, row: int) -> str:
        return self.sources[row] if self.sources is not None else self.source

    def judged_of(self, row: int) -> Judged | None:
        return self.judged_otherwise.get(row, self.judged)


@dataclass(slots=True)
class Evidence:
    """A record of what was seen, kept with the scan."""

    type: EvidenceType
    content: str
    metadata: dict[str, Any]
    document: str | None = None
    confidence: float = 1.0


@dataclass(slots=True)
class VisitedPage:
    """Everything that a visit gave, so that it is stored completely or not at all."""

    visit: Visit
    document: Document
    read: DocumentRead | None = None  # None: there was nothing to read
    batches: list[MentionBatch] = field(default_factory=list)
    facts: PageFacts = field(default_factory=PageFacts)
    rendered: RenderOutcome | None = None  # None: it was not to be rendered

    outcome: VisitOutcome | None = None  # added by the frontier pipeline

    def __repr__(self) -> str:
        mentions = sum(len(batch.locs) for batch in self.batches)
        return f"<VisitedPage {self.visit.url}: {self.document.outcome}, {mentions} mentions>"

    @property
    def only_rendered(self) -> int:
        """How many pages of the site are known only because this one was rendered."""
        return sum(batch.listed for batch in self.batches if batch.is_rendered)


def mention_batches(item: Any) -> Sequence[MentionBatch]:
    """What the item mentions; nothing, if it is a check or an item of another kind."""
    if isinstance(item, MentionBatch):
        return (item,)
    return item.batches if isinstance(item, VisitedPage) and not item.visit.is_check else ()


INTERNAL_ITEMS = (Document, DocumentRead, Evidence, MentionBatch, SiteResolved, VisitedPage)
"""What stages hand to the inventory pipelines; users' pipelines and feeds never see these."""


@dataclass(slots=True)
class PageItem:
    """One page of the inventory, with the fields of a feed row (docs/cli.md#feeds).

    Emitted at the end of a scan with ``SITECRAWL_PAGE_ITEMS``, for item pipelines and add-ons.
    """

    url: str
    key: str
    lastmod: str | None = None
    source: str | None = None
    sources: list[str] = field(default_factory=list)
    status: str | None = None
    reason: str | None = None
    rule: str | None = None
    title: str | None = None
    file_kind: str | None = None
    changefreq: str | None = None
    sitemap_priority: float | None = None
    importance: float | None = None
    region: str | None = None
    anchor: str | None = None
    inlinks: int | None = None
    other_language: bool | None = None
    depth: int | None = None
    clusters: list[str] = field(default_factory=list)
    category: str | None = None
    type: str | None = None
    language: str | None = None
    language_source: str | None = None
    template: str | None = None
    priority: float | None = None
    parent: str | None = None
    discovered_at: str | None = None
    robots_allowed: bool | None = None
    robots_rule: str | None = None
    visited: bool = False
    clicks: int | None = None
    http_status: int | None = None
    content_type: str | None = None
    text_hash: str | None = None
    canonical: str | None = None
    duplicate_of: str | None = None
