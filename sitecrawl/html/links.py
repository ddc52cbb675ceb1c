"""The result of reading a page: its links, its menu and its facts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from sitecrawl.html.audit import PageAudit
from sitecrawl.parsing.findings import FindingKind, Findings

if TYPE_CHECKING:
    from sitecrawl.parsing.findings import Finding


class LinkSource(StrEnum):
    """The construct that names an address; users see the values."""

    LINK = "link"
    AREA = "area"
    DATA_ATTRIBUTE = "data-attribute"
    BUTTON = "button"
    ROLE_LINK = "role-link"
    ROUTER_LINK = "router-link"
    ONCLICK = "onclick"
    LINK_NEXT = "link-next"
    LINK_PREV = "link-prev"
    CANONICAL = "canonical"
    HREFLANG = "hreflang"
    AMP = "amphtml"
    ALTERNATE = "alternate"
    FEED_LINK = "feed-link"
    IFRAME = "iframe"
    FORM = "form"
    META_REFRESH = "meta-refresh"
    HTTP_LINK = "http-link"
    HTTP_REFRESH = "http-refresh"
    REDIRECT = "redirect"
    JSON_LD = "json-ld"
    OPENGRAPH = "opengraph"
    INLINE_LOC = "inline-loc"
    JSON_ISLAND = "json-island"
    MANIFEST = "manifest"
    # Found by rendering only.
    RENDERED_LINK = "rendered-link"
    SPA_ROUTER_TABLE = "spa-router-table"
    SPA_CLICK = "spa-click"
    SPA_SCRIPT = "spa-script"


RENDERED_SOURCES = frozenset(
    {
        *(LinkSource.RENDERED_LINK, LinkSource.SPA_ROUTER_TABLE),
        *(LinkSource.SPA_CLICK, LinkSource.SPA_SCRIPT),
    }
)


class Region(StrEnum):
    """The part of the page that a link is in; links outside of the body have `NO_REGION`."""

    NAVIGATION = "navigation"
    HEADER = "header"
    FOOTER = "footer"
    ASIDE = "aside"
    CONTENT = "content-link"
    BREADCRUMB = "breadcrumb"
    PAGINATION = "pagination"


NO_REGION = ""


@dataclass(frozen=True, slots=True)
class PageLimits:
    """Limits on the reading of one page; a finding tells when one was reached."""

    max_bytes: int = 10 * 1024 * 1024
    max_links: int = 50_000
    max_tags: int = 400_000
    max_depth: int = 512
    max_address_characters: int = 8_192
    max_anchor_characters: int = 200
    max_path_characters: int = 200
    max_title_characters: int = 500
    max_json_characters: int = 4_000_000
    max_sample_characters: int = 2_000
    max_declared_types: int = 50


@dataclass(slots=True)
class Links:
    """Columns with a row for each mention: of headers, then of elements, then of embedded data."""

    locs: list[str] = field(default_factory=list)
    sources: list[LinkSource] = field(default_factory=list)
    regions: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    rels: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    languages: dict[int, str] = field(default_factory=dict)
    media_types: dict[int, str] = field(default_factory=dict)
    """Of alternates that are no pages."""

    def __len__(self) -> int:
        return len(self.locs)


class MenuEntry(NamedTuple):
    """A link of the site's menus: its row, and how deep its list is nested in others."""

    title: str
    row: int
    level: int


@dataclass(slots=True)
class PageReading:
    """What was read from one page; the addresses of its links are relative to `base`."""

    base: str
    title: str = ""
    language: str = ""
    canonical: str = ""
    text: str = ""
    """The main text: without menus, headers, footers and side bars."""
    text_hash: str = ""
    """Of the main text."""
    fingerprint: int = 0
    """Of the words of the whole page, without digits."""
    text_characters: int = 0
    """Of the whole page, without white space."""
    text_sample: str = ""
    """A part of the text after the menu, to detect its language."""
    declared_types: tuple[str, ...] = ()
    """What JSON-LD, Open Graph (with the prefix ``og:``) and the program that made the page (with
    ``generator:``) declare of it."""
    links: Links = field(default_factory=Links)
    own_links: int = 0
    """Links to a fragment of the page itself: they name no other address."""
    menu: list[MenuEntry] = field(default_factory=list)
    audit: PageAudit = field(default_factory=PageAudit)
    is_html: bool = True
    findings: list[Finding] = field(default_factory=list)
    truncated: bool = False


# Addresses that contain their content; only their start is kept.
_HOLDING_CONTENT = ("data:", "javascript:")
_CONTENT_CHARACTERS = 120
_NO_ROW = -1


class LinkRows:
    """Collects the mentions of a page, each once, up to a limit; then `is_full` is set."""

    def __init__(self, limits: PageLimits, findings: Findings):
        self.is_full = False
        self._max_links = limits.max_links
        self._max_address_characters = limits.max_address_characters
        self._findings = findings
        self._rows: dict[tuple[str, LinkSource, str, str], tuple[str, str]] = {}
        self._languages: dict[int, str] = {}
        self._media_types: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self,
        source: LinkSource,
        loc: str,
        region: str,
        anchor: str,
        rel: str,
        path: str,
        language: str = "",
        media_type: str = "",
    ) -> int:
        """Add a mention and return its row; -1 if it is a duplicate or over a limit."""
        if len(loc) > _CONTENT_CHARACTERS:
            loc = self._shortened(loc)
        key = (loc, source, region, anchor)
        rows = self._rows
        if key in rows or not loc:
            return _NO_ROW
        row = len(rows)
        if row >= self._max_links:
            self._refuse()
            return _NO_ROW
        rows[key] = (rel, path)
        if language:
            self._languages[row] = language
        if media_type:
            self._media_types[row] = media_type
        return row

    def columns(self) -> Links:
        """The collected mentions as columns."""
        if not self._rows:
            return Links()
        locs, sources, regions, anchors = map(list, zip(*self._rows, strict=True))
        rels, paths = map(list, zip(*self._rows.values(), strict=True))
        return Links(
            locs, sources, regions, anchors, rels, paths, self._languages, self._media_types
        )

    def _refuse(self) -> None:
        if not self.is_full:
            self.is_full = True
            self._findings.note(FindingKind.OVER_LIMIT, f"more than {self._max_links:,} links")

    def _shortened(self, loc: str) -> str:
        if loc[:11].lower().startswith(_HOLDING_CONTENT):
            return loc[:_CONTENT_CHARACTERS]
        if len(loc) > self._max_address_characters and not self.is_full:
            self._findings.note(FindingKind.OVERSIZED_TEXT, loc)
            return ""
        return loc
