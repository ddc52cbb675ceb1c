"""Plays whole crawls: which pages are visited in turn, and what each links to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.scans import scan_by_id
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.records import (
    LinkColumns,
    MenuRow,
    NewVisits,
    PageRows,
    Repeats,
    VisitRecord,
)
from sitecrawl.urls.canonical import KeyRules
from sitecrawl.urls.columns import page_ids
from tests.store.scanning import Scanning

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

ROOT = "https://example.com/"


class Link(NamedTuple):
    """A link of a page; *refused* has reason and rule, *held_under* the pattern."""

    path: str
    anchor: str = ""
    region: str = "content-link"
    source: str = "link"
    rel: str = ""
    element: str = "main > a"
    refused: tuple[str, str] | None = None
    held_under: str = ""
    is_followed: bool = True

    @property
    def url(self) -> str:
        return address(self.path)


class _Found(NamedTuple):
    number: int | None
    clicks: int
    redirected_from: tuple[str, ...] = ()


def address(path: str) -> str:
    return path if ":" in path else ROOT + path.lstrip("/")


class Crawling(Scanning):
    """A scan that crawls from its root; page ids are the real ones, so that commands find them."""

    def __init__(self, database: Database, **options: Any) -> None:
        super().__init__(database, **options)
        self._database = database
        self._frontier: dict[str, _Found] = {}
        self._numbers = 0

    def page_id(self, url: str) -> int:
        return page_ids([url], self.handle.seed, KeyRules())[0]

    def start(self, path: str = "/") -> None:
        """Put a start into the frontier; it is mentioned when it is visited."""
        self._put([Link(path)])

    def visit(self, path: str, *links: Link | str, status: int | None = 200, **facts: Any) -> int:
        """Fetch a page of the frontier and give its document's id; *facts* of ``VisitRecord``."""
        url = address(path)
        fetch = facts.pop("fetch", {})
        outcome = facts.pop("outcome", FetchOutcome.OK)
        document_id = self.document(url, kind=DocumentKind.PAGE, found_by="a link")
        number, clicks, _ = self._frontier[url]
        assert number is not None, f"{path} is held"
        if clicks == 0:
            self._mention(document_id, [Link(path, source="start", region="")], first_position=0)
        rows = [Link(link) if isinstance(link, str) else link for link in links]
        self._mention(document_id, rows)
        self._put(rows, url)
        self.fetched(
            document_id,
            outcome,
            **{"status": status, "content_type": "text/html", "complete": True, **fetch},
        )
        self.writer.finish_visit(VisitRecord(number, outcome, document_id, True, **facts))
        return document_id

    def visit_unchanged(self, path: str, *links: str, **facts: Any) -> int:
        """Visit a page that an earlier scan has read, with these links."""
        url = address(path)
        document_id = self.document(url, kind=DocumentKind.PAGE, found_by="a link")
        self._put([Link(link) for link in links], url)
        number = self._frontier[url].number
        assert number is not None, f"{path} is held"
        outcome = FetchOutcome.NOT_MODIFIED
        self.fetched(document_id, outcome, status=200, content_type="text/html")
        self.writer.finish_visit(VisitRecord(number, outcome, document_id, True, **facts))
        return document_id

    def redirect(self, path: str, target: str, status: int = 301) -> None:
        """Visit a page that says no more than where to go."""
        link = Link(target, source="redirect", region="", element="")
        outcome, rule = FetchOutcome.REDIRECTED, address(target)
        self.visit(path, link, status=status, outcome=outcome, reason="redirected", rule=rule)

    def menu(self, *entries: tuple[int, str, str]) -> None:
        """Store level, title and path of each entry."""
        self.writer.add_menu(
            [
                MenuRow(position, level, self.page_id(address(path)), title, "navigation")
                for position, (level, title, path) in enumerate(entries, 1)
            ]
        )

    def list_in_sitemap(self, *paths: str, sitemap: str = f"{ROOT}sitemap.xml") -> None:
        """Read a sitemap with these pages."""
        self.fetched(self.list_pages(sitemap, [address(path) for path in paths]))

    def end(
        self,
        status: ScanStatus = ScanStatus.FINISHED,
        *,
        reason: str = "",
        is_exhaustive: bool = False,
        cut: Mapping[str, str] | None = None,
        copies: Mapping[str, str] | None = None,
        **summary: Any,
    ) -> Scan:
        """Finish the scan; *cut* are patterns that were given up, *copies* visited URLs that are
        other pages, *summary* what else it says.

        *is_exhaustive*: every page that the crawl could come to was visited.
        """
        stages = [{"stage": "crawl", "ended": "nothing left to fetch", "visited": 1}]
        self.writer.finalize(is_exhaustive=is_exhaustive, cut_families=cut, copies=copies)
        self.writer.finish(status, reason, {"stages": stages, "truncated": [], **summary})
        scan = scan_by_id(self._database, self.handle.scan_id)
        assert scan is not None
        return scan

    def _put(self, links: Sequence[Link], found_on: str = "") -> None:
        """Put what is new into the frontier, one after the other."""
        finder = self._frontier[found_on] if found_on else _Found(None, -1)
        for link in links:
            if link.url in self._frontier or link.refused or not link.is_followed:
                continue
            is_redirect = link.source == "redirect"
            chain = (*finder.redirected_from, found_on) if is_redirect else ()
            self._numbers += not link.held_under
            number = None if link.held_under else self._numbers
            found = _Found(number, finder.clicks + (not is_redirect), chain)
            self._frontier[link.url] = found
            self.writer.add_visits(
                NewVisits(
                    found_by=finder.number,
                    page_ids=[self.page_id(link.url)],
                    urls=[link.url],
                    numbers=[found.number],
                    families=[link.held_under],
                    clicks=[found.clicks],
                    external_hops=[0 if link.url.startswith(ROOT) else 1],
                    redirected_from=json.dumps(chain) if chain else "",
                )
            )

    def _mention(self, document_id: int, links: Sequence[Link], first_position: int = 1) -> None:
        placed = list(enumerate(links, first_position))
        new: list[tuple[int, Link]] = []
        repeated: list[tuple[int, Link]] = []
        for position, link in placed:
            is_known = self.page_id(link.url) in self._seen
            (repeated if is_known else new).append((position, link))
            self._seen.add(self.page_id(link.url))
        self.writer.add_pages(
            PageRows(
                document_id,
                "link",
                ids=[self.page_id(link.url) for _, link in new],
                urls=[link.url for _, link in new],
                positions=[position for position, _ in new],
                refused={row: link.refused for row, (_, link) in enumerate(new) if link.refused},
                links=_columns(new),
                repeats=Repeats(
                    ids=[self.page_id(link.url) for _, link in repeated],
                    positions=[position for position, _ in repeated],
                    links=_columns(repeated),
                ),
            )
        )


def _columns(placed: Sequence[tuple[int, Link]]) -> LinkColumns:
    return LinkColumns(
        sources=[link.source for _, link in placed],
        regions=[link.region for _, link in placed],
        anchors=[link.anchor for _, link in placed],
        rels=[link.rel for _, link in placed],
        paths=[link.element for _, link in placed],
    )
