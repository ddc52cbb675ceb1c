"""Which pages belong in a sitemap, and what speaks against the others.

The reasons are those of a refusal (``sitecrawl.urls.refusal.Reason``) and those of ``Unfit``. A
page that was not visited has nothing against it but its address.
"""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.html.links import LinkSource
from sitecrawl.items import FetchOutcome
from sitecrawl.sitemaps.entries import SitemapKind
from sitecrawl.store.queries.visits import visit_answers
from sitecrawl.urls.canonical import KeyRules, canonicalize, page_id, page_key, strict_url
from sitecrawl.urls.refusal import Reason
from sitecrawl.urls.skip import file_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan, Site
    from sitecrawl.store.queries.sitemap_comparison import SitemapPage
    from sitecrawl.store.queries.visits import VisitAnswer

# What sitemaps.org allows an address to have.
MAX_LOC_CHARACTERS: Final = 2_047
# However much has to be escaped.
_SURELY_SHORT: Final = MAX_LOC_CHARACTERS // 3
_NOT_TO_BE_FOUND: Final = frozenset({"noindex", "none"})
_FAILURES: Final = frozenset(
    {FetchOutcome.HTTP_ERROR, FetchOutcome.TIMEOUT, FetchOutcome.UNREACHABLE}
)
_PAGE_FORMAT: Final = "html"
_FEED_FORMATS: Final = frozenset(SitemapKind) - {SitemapKind.INVALID}
# Search engines read these as they read pages.
_DOCUMENT: Final = "document"
_NO_PAGE_SOURCES: Final = frozenset({LinkSource.FEED_LINK, LinkSource.ALTERNATE})


class Unfit(StrEnum):
    """What speaks against a page that is not refused; the values are what users see."""

    NOINDEX = "noindex"
    FAILED = "failed"
    NO_PAGE = "no_page"
    OTHER_HOST = "other_host"


class Objection(NamedTuple):
    """Why a page does not belong in a sitemap, and what shows it."""

    reason: str
    detail: str


class Fitness:
    """Judges pages for a sitemap on *origin*, such as ``https://example.com``."""

    def __init__(
        self,
        origin: str,
        objections: Mapping[int, Objection],
        addresses: Mapping[int, str],
        page_id_of: Callable[[str], int],
    ) -> None:
        self._prefix = f"{origin}/"
        self._page_id_of = page_id_of
        self._objections = objections
        self._addresses = addresses

    def address(self, page: SitemapPage) -> str:
        """Where the page is: a redirect may have added a slash, or https."""
        return self._addresses.get(page.id, page.url)

    def is_known_unfit(self, url: str) -> bool:
        """Whether a visit has shown that the page at this address does not belong."""
        return bool(self._objections) and self._page_id_of(url) in self._objections

    def objection(self, page: SitemapPage) -> Objection | None:
        """What speaks against the page; None: it belongs in the sitemap."""
        if page.reason:
            return Objection(page.reason, page.rule or "")
        if shown := self._objections.get(page.id):
            return shown
        if page.source in _NO_PAGE_SOURCES and not page.is_visited:
            return Objection(Unfit.NO_PAGE, page.source)
        return self._objection_to_address(self.address(page))

    def _objection_to_address(self, url: str) -> Objection | None:
        if not url.startswith(self._prefix):
            return Objection(Unfit.OTHER_HOST, "")
        if len(url) > _SURELY_SHORT and (length := len(strict_url(url))) > MAX_LOC_CHARACTERS:
            return Objection(Reason.TOO_LONG, f"{length:,} characters")
        return None


def read_fitness(database: Database, site: Site, scan: Scan, origin: str) -> Fitness:
    """Judge by the visits of the scan; only what is wrong with pages is kept in memory."""
    key_rules = KeyRules(**site.key_rules)
    objections: dict[int, Objection] = {}
    addresses: dict[int, str] = {}
    for visit in visit_answers(database, scan):
        # What was fetched last counts.
        objections.pop(visit.page_id, None)
        addresses.pop(visit.page_id, None)
        if objection := _shown_by(visit, key_rules):
            objections[visit.page_id] = objection
        elif final := _moved_to(visit, key_rules):
            addresses[visit.page_id] = final
    return Fitness(origin, objections, addresses, partial(page_id, seed=site.seed, rules=key_rules))


def _shown_by(visit: VisitAnswer, key_rules: KeyRules) -> Objection | None:
    if visit.reason:
        return Objection(visit.reason, visit.rule or "")
    if visit.outcome in _FAILURES:
        return Objection(Unfit.FAILED, f"HTTP {visit.status}" if visit.status else visit.outcome)
    if not _NOT_TO_BE_FOUND.isdisjoint(visit.directives or ()):
        return Objection(Unfit.NOINDEX, ", ".join(visit.directives or ()))
    # Some servers send pages as plain text.
    kind = "" if visit.format == _PAGE_FORMAT else file_kind(visit.content_type or "")
    if visit.format in _FEED_FORMATS or kind not in {"", _DOCUMENT}:
        return Objection(Unfit.NO_PAGE, visit.content_type or "")
    if visit.canonical and visit.canonical != visit.url:
        canonical = canonicalize(visit.canonical, visit.final_url or visit.url)
        if canonical and page_key(canonical, key_rules) != page_key(visit.url, key_rules):
            return Objection(Reason.OTHER_CANONICAL, canonical)
    return None


def _moved_to(visit: VisitAnswer, key_rules: KeyRules) -> str | None:
    """The other spelling of its address that the page redirects to."""
    if not visit.final_url or visit.final_url == visit.url:
        return None
    final = canonicalize(visit.final_url)
    if final is None or final == visit.url:
        return None
    return final if page_key(final, key_rules) == page_key(visit.url, key_rules) else None
