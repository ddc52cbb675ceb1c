"""Lists of what an inventory has as of a scan: pages, links, documents, evidence, robots.txt.

Pages can be filtered, sorted, paged, counted by facets, and written to files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Final

from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.items import PageItem
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries import document_lists, links
from sitecrawl.store.queries.classification import classifier_of
from sitecrawl.store.queries.cursors import decode_cursor, encode_cursor
from sitecrawl.store.queries.explain import page_fact, why
from sitecrawl.store.queries.facets import count_facets
from sitecrawl.store.queries.feed import FEED_FIELDS, feed_columns
from sitecrawl.store.queries.links import LinkPosition
from sitecrawl.store.queries.page_filter import PageFilter, PageOrder, checked_order
from sitecrawl.store.queries.page_index import is_indexed
from sitecrawl.store.queries.pages import count_wanted, page_positions, page_rows, reading_pages
from sitecrawl.store.writers.page_index import index_pages

if TYPE_CHECKING:
    from pathlib import Path

    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.cursors import ListPage
    from sitecrawl.store.queries.document_lists import (
        EvidenceRecord,
        FetchedDocument,
        RobotsFile,
        RobotsRule,
    )
    from sitecrawl.store.queries.explain import Why
    from sitecrawl.store.queries.facets import Facets
    from sitecrawl.store.queries.links import PageLink
    from sitecrawl.store.queries.page_index import BoundedCount
    from sitecrawl.store.queries.scans import Site

MAX_PAGES: Final = 500
# A list of fewer pages takes a tenth of a second without an index.
INDEX_FROM: Final = 200_000
# Counting further takes long, and nobody reads the difference.
COUNT_BOUND: Final = 100_000
_MAX_ROBOTS_RULES: Final = 500
_MAX_CURSOR: Final = 38


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page with its id, which is unique in the database."""

    id: int
    page: PageItem


@dataclass(frozen=True, slots=True)
class PageList:
    pages: list[ListedPage]
    next_cursor: str | None
    """None: these are the last."""


@requires(Permission.READ)
def list_pages(
    asked: AskedScan,
    wanted: PageFilter,
    order: PageOrder,
    cursor: str | None = None,
    limit: int = 100,
) -> PageList:
    """Some of the wanted pages in this order, behind those of the cursor."""
    if not 1 <= limit <= MAX_PAGES:
        raise InvalidInputError("limit", f"{limit} is not from 1 to {MAX_PAGES}")
    after = decode_cursor(order, cursor) if cursor else None
    behind = replace(wanted, order=order, after=after, limit=limit + 1)
    with reading_pages(asked.database, asked.scan, behind, ()) as connection:
        positions = page_positions(connection, asked.scan, behind)
    shown = positions[:limit]
    if not shown:
        return PageList([], None)
    numbers = tuple(position.number for position in shown)
    named = PageFilter(include_refused=True, numbers=numbers, order=order)
    ids = [
        page_id
        for rows in page_rows(asked.database, asked.scan, named, ("id",))
        for (page_id,) in rows
    ]
    items = [
        PageItem(**dict(zip(FEED_FIELDS, values, strict=True)))
        for columns in feed_columns(asked.database, asked.scan, named)
        for values in zip(*columns, strict=True)
    ]
    pages = [ListedPage(*each) for each in zip(ids, items, strict=True)]
    is_last = len(positions) <= limit
    return PageList(pages, None if is_last else encode_cursor(order, shown[-1]))


@requires(Permission.READ)
def in_order(wanted: PageFilter, sort: str, cursor: str = "") -> PageFilter:
    """The same pages sorted by this (``-priority``: descending), behind those of the cursor."""
    by = sort.removeprefix("-")
    order = checked_order(by, descending=by != sort)
    after = decode_cursor(order, cursor) if cursor else None
    return replace(wanted, order=order, after=after)


@requires(Permission.READ)
def cluster_keys(asked: AskedScan) -> list[str]:
    """The keys of the clusters that the site has."""
    return sorted(classifier_of(asked.database, asked.scan).model.cluster_keys)


@requires(Permission.READ)
def count_pages(asked: AskedScan, wanted: PageFilter) -> BoundedCount:
    """How many pages are wanted, or that there are more than ``COUNT_BOUND``."""
    return count_wanted(asked.database, asked.scan, wanted, COUNT_BOUND)


@requires(Permission.READ)
def page_facets(asked: AskedScan, wanted: PageFilter) -> Facets:
    """Count the wanted pages by category, template, status, source and other facets."""
    return count_facets(asked.database, asked.scan, wanted)


@requires(Permission.READ)
def following_cursor(asked: AskedScan, wanted: PageFilter) -> str | None:
    """Where the list goes on after the ``limit`` of the filter; None: it ends there."""
    limit, order = wanted.limit or 0, wanted.order or PageOrder()
    one_more = replace(wanted, limit=limit + 1)
    with reading_pages(asked.database, asked.scan, one_more, ()) as connection:
        positions = page_positions(connection, asked.scan, one_more)
    return encode_cursor(order, positions[limit - 1]) if len(positions) > limit else None


@requires(Permission.READ)
def wants_index(asked: AskedScan) -> bool:
    """Whether lists of the site's pages would be much faster with an index."""
    scan = asked.scan
    if scan.known_pages < INDEX_FROM or scan.next_scan_id is not None:
        return False
    with asked.database.reading() as connection:
        return not is_indexed(connection, scan)


@requires(Permission.SCAN)
def refresh_page_index(asked: AskedScan, *, with_texts: bool = True) -> bool:
    """Index what the newest scan of the site has found; False: it is indexed already.

    To be called after each scan of a site whose pages are to be listed and searched fast.
    """
    scan = asked.scan
    if scan.finished_at is None or scan.next_scan_id is not None:
        raise InvalidInputError("scan", f"{scan.id}: only the newest scan, once it has ended")
    return index_pages(asked.database, scan, with_texts=with_texts)


@requires(Permission.READ)
def write_page_list(asked: AskedScan, wanted: PageFilter, format_: str, file: IO[bytes]) -> int:
    """The wanted pages as a file of this format; return their number."""
    from sitecrawl.exporters.pages import write_pages  # imports Scrapy

    return write_pages(asked.database, asked.scan, wanted, format_, file)


@requires(Permission.READ)
def export_page_list(
    asked: AskedScan, wanted: PageFilter, format_: str, output: Path | None
) -> int:
    """The same to a file, or to standard output; return their number."""
    from sitecrawl.exporters.pages import export_pages  # imports Scrapy

    return export_pages(asked.database, asked.scan, wanted, format_, output)


# --- documents, evidence, links -------------------------------------------------------------------


@requires(Permission.READ)
def list_documents(
    asked: AskedScan, *, kind: str = "", cursor: str | None = None, limit: int = 100
) -> ListPage[FetchedDocument]:
    return document_lists.fetched_documents(asked.database, asked.scan, kind, cursor, limit)


@requires(Permission.READ)
def list_evidence(
    asked: AskedScan, *, kind: str = "", cursor: str | None = None, limit: int = 100
) -> ListPage[EvidenceRecord]:
    return document_lists.evidence_records(asked.database, asked.scan, kind, cursor, limit)


@requires(Permission.READ)
def robots(asked: AskedScan) -> tuple[list[RobotsFile], list[RobotsRule]]:
    """The robots.txt files, and the deciding rules with the number of their pages."""
    files = document_lists.robots_files(asked.database, asked.scan)
    return files, document_lists.robots_rules(asked.database, asked.scan, _MAX_ROBOTS_RULES)


@requires(Permission.READ)
def page_why(asked: AskedScan, page_id: int, max_mentions: int) -> Why:
    """All that is known of a page of the site."""
    check_page(asked.database, asked.site, page_id)
    return why(asked.database, asked.site.id, page_id, max_mentions)


@requires(Permission.READ)
def links_of_page(
    asked: AskedScan, page_id: int, *, is_incoming: bool, cursor: str | None, limit: int
) -> tuple[list[PageLink], str | None]:
    """Some links to a page, or of it, and where the next ones begin."""
    check_page(asked.database, asked.site, page_id)
    read = links.links_to if is_incoming else links.links_from
    after = _position(cursor) if cursor else LinkPosition()
    found = read(asked.database, asked.scan, page_id, after, limit + 1)
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    return found[:limit], f"{last.document_id}-{last.position}"


@requires(Permission.READ)
def check_page(database: Database, site: Site, page_id: int) -> None:
    """``NotFoundError`` if the site has no such page."""
    page = page_fact(database, page_id)
    if page is None or page.site_id != site.id:
        raise NotFoundError(f"there is no page {page_id}")


def _position(cursor: str) -> LinkPosition:
    document_id, dash, position = cursor.partition("-")
    if not (
        dash and document_id.isdecimal() and position.isdecimal() and len(cursor) <= _MAX_CURSOR
    ):
        raise InvalidInputError("cursor", "it is not a cursor of this list")
    return LinkPosition(int(document_id), int(position))
