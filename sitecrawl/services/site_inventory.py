"""The inventory of a watched site: what its scans have read and found, as of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitecrawl.errors import InvalidInputError, NotFoundError
from sitecrawl.services.database import AskedScan
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.sites import get_site
from sitecrawl.store.queries import document_lists, page_links
from sitecrawl.store.queries.explain import page_fact, why
from sitecrawl.store.queries.page_links import LinkPosition
from sitecrawl.store.queries.scans import latest_scan, scan_by_id, site_by_id

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.document_lists import (
        EvidenceRecord,
        FetchedDocument,
        RobotsFile,
        RobotsRule,
    )
    from sitecrawl.store.queries.explain import Why
    from sitecrawl.store.queries.page_links import PageLink
    from sitecrawl.store.queries.paging import ListPage
    from sitecrawl.store.queries.scans import Site

_MAX_ROBOTS_RULES: Final = 500
_MAX_CURSOR: Final = 38


@requires(Permission.READ)
def asked_scan(
    database: Database, workspace_id: int, number: int, scan_id: int | None = None
) -> AskedScan:
    """The scan with this number, or the newest with a result, of a watched site.

    ``NotFoundError`` if there is no such site or scan, or if the site was not scanned yet.
    """
    site = scanned_site(database, workspace_id, number)
    scan = latest_scan(database, site.id) if scan_id is None else scan_by_id(database, scan_id)
    if scan is None or scan.site_id != site.id:
        raise NotFoundError(f"site {number} ({site.root_url}) has no scan {scan_id}")
    return AskedScan(database, site, scan)


@requires(Permission.READ)
def scanned_site(database: Database, workspace_id: int, number: int) -> Site:
    """The inventory of a watched site; ``NotFoundError`` if there is none, or none yet."""
    watched = get_site(database, workspace_id, number)
    site = site_by_id(database, watched.site_id) if watched.site_id else None
    if site is None:
        raise NotFoundError(f"site {number} ({watched.root_url}) has not been scanned yet")
    return site


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
    """The robots.txt files, and the rules that decide for pages with how many these are."""
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
    read = page_links.links_to if is_incoming else page_links.links_from
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
