"""Plays whole scans: what each document lists, in the order in which they are read."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.items import DocumentKind, FetchOutcome
from sitecrawl.store.queries.explain import why
from sitecrawl.store.queries.page_filter import ALL_PAGES
from sitecrawl.store.queries.page_sql import COLUMNS
from sitecrawl.store.queries.pages import page_rows
from sitecrawl.store.queries.scans import latest_scan, site_for
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.records import DocumentRecord, FetchRecord, PageRows, Repeats
from sitecrawl.store.writers.scan_writer import ScanWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.explain import Why
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.writers.records import ScanHandle

SITE: Final = "example.com"
UNCHANGED: Final = FetchOutcome.NOT_MODIFIED
FAILED: Final = FetchOutcome.HTTP_ERROR
FINGERPRINT: Final = "settings 1"


def page_id(url: str) -> int:
    return int.from_bytes(hashlib.blake2b(url.encode(), digest_size=8).digest(), signed=True)


class Scanning:
    """A scan under way; leaves out doubles as the pipeline does."""

    def __init__(self, database: Database, site: str = SITE, **options: Any) -> None:
        self.writer = ScanWriter(database)
        options = {"asked": site, "root_url": f"https://{site}/", **options}
        self._root_url = options["root_url"]
        self.handle: ScanHandle = self.writer.begin(site_key=site, **options)
        self._seen: set[int] = set()

    def page_id(self, url: str) -> int:
        return page_id(url)

    def document(self, url: str, **facts: Any) -> int:
        record = {"kind": "sitemap", "found_by": "robots.txt line 1", **facts}
        return self.writer.document(DocumentRecord(url, **record))

    def name(self, sitemaps: Iterable[str]) -> None:
        """Read a robots.txt that names these sitemaps and no others."""
        robots_id = self.document(f"{self._root_url}robots.txt", kind=DocumentKind.ROBOTS_TXT)
        for url in sitemaps:
            self.document(url, parent_id=robots_id)
        self.fetched(robots_id, fingerprint="")

    def list_pages(self, url: str, pages: Sequence[str], **columns: Any) -> int:
        """Store the pages as entries 1, 2, ... of the document."""
        document_id = self.document(url)
        new: list[tuple[int, str]] = []
        repeated: list[tuple[int, str]] = []
        for position, page in enumerate(pages, 1):
            (repeated if self.page_id(page) in self._seen else new).append((position, page))
            self._seen.add(self.page_id(page))
        rows = PageRows(
            document_id,
            columns.pop("source", "sitemap"),
            ids=[self.page_id(page) for _, page in new],
            urls=[page for _, page in new],
            positions=[position for position, _ in new],
            repeats=Repeats(
                ids=[self.page_id(page) for _, page in repeated],
                positions=[position for position, _ in repeated],
            ),
            **columns,
        )
        self.writer.add_pages(rows)
        return document_id

    def fetched(
        self, document_id: int, outcome: FetchOutcome = FetchOutcome.OK, **facts: Any
    ) -> None:
        is_ok = outcome is FetchOutcome.OK
        record = {"complete": is_ok, "fingerprint": FINGERPRINT, **facts}
        self.writer.record_fetch(
            FetchRecord(document_id, outcome, datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC), **record)
        )

    def finish(self, status: ScanStatus = ScanStatus.FINISHED) -> None:
        self.writer.finish(status)


def scan(
    database: Database,
    documents: Mapping[str, Sequence[str] | FetchOutcome],
    status: ScanStatus = ScanStatus.FINISHED,
    site: str = SITE,
    named: Sequence[str] | None = None,
) -> int:
    """One scan that finds these pages in these documents; gives its id.

    *named* are the documents that robots.txt names: those that are read, unless others are.
    """
    scanning = Scanning(database, site)
    scanning.name(documents if named is None else named)
    for url, content in documents.items():
        if isinstance(content, FetchOutcome):
            scanning.fetched(scanning.document(url), content)
        else:
            scanning.fetched(scanning.list_pages(url, content), entries=len(content))
    scanning.finish(status)
    return scanning.handle.scan_id


def current_scan(database: Database, site: str = SITE) -> Scan:
    found = site_for(database, site)
    assert found is not None
    current = latest_scan(database, found.id)
    assert current is not None
    return current


def exported(
    database: Database, wanted: PageFilter = ALL_PAGES, site: str = SITE
) -> list[dict[str, Any]]:
    return list(_exported(database, wanted, site))


def _exported(database: Database, wanted: PageFilter, site: str) -> Iterator[dict[str, Any]]:
    for rows in page_rows(database, current_scan(database, site), wanted, list(COLUMNS)):
        for row in rows:
            yield dict(zip(COLUMNS, row, strict=True))


def inventory(database: Database, site: str = SITE) -> list[str]:
    """The URLs of the latest scan, in the order they were first seen."""
    return [row["url"] for row in exported(database, site=site)]


def explained(database: Database, url: str, site: str = SITE) -> Why:
    found = site_for(database, site)
    assert found is not None
    return why(database, found.id, page_id(url), max_mentions=None)


def current_mentions(database: Database, url: str) -> set[tuple[str, int]]:
    """Document and position of every mention that still holds."""
    mentions = explained(database, url).mentions
    return {(each.document_url, each.position) for each in mentions if each.is_current}
