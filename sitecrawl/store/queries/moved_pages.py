"""Pages that came, and what pages are known by wherever they move to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sitecrawl.changes.moves import MovingPage
from sitecrawl.store.queries.scan_pairs import in_lists, page_ref
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.changes.kinds import PageRef
    from sitecrawl.store.queries.scan_pairs import Pair

_ADDED: Final = """
SELECT {ref}, p.document_id, p.number, p.title FROM {pages} AS p {class}
WHERE p.site_id = {site} AND p.number > {earlier} AND p.first_scan_id <= {scan}
AND NOT EXISTS (
    SELECT 1 FROM page_absences AS absent
    WHERE absent.page_id = p.id AND absent.from_scan_id <= {scan}
    AND (absent.until_scan_id IS NULL OR absent.until_scan_id > {scan}))
AND ({is_of_site} OR p.reason = '{offsite}')
ORDER BY p.number
"""


class AddedPage(NamedTuple):
    page: PageRef
    document_id: int
    is_new: bool
    """Otherwise the comparison before has told of it."""
    title: str


def added_pages(connection: Connection, pair: Pair) -> list[AddedPage]:
    """Pages that the scan knows and the one before did not, and those of the comparison before.

    Pages of other hosts are among them.
    """
    names = pair.names() | {
        "earlier": str(int(pair.earlier_page_number)),
        "offsite": Reason.OFFSITE.value,
    }
    rows = connection.exec_driver_sql(_ADDED.format_map(names))
    return [
        AddedPage(page_ref(row), row[7], row[8] > pair.last_page_number, row[9] or "")
        for row in rows
    ]


_LAST_VISITS: Final = """
SELECT v.page_id, v.text_hash, v.fingerprint, v.title FROM visits AS v
WHERE v.page_id IN ({ids}) AND v.scan_id <= {scan} AND v.outcome IN ('ok', 'not_modified')
AND v.reason IS NULL
ORDER BY v.page_id, v.scan_id
"""
_BY_URL: Final = "SELECT id, url FROM pages WHERE site_id = {site} AND url IN ({marks})"


def visited_texts(
    connection: Connection, pair: Pair, ids: Iterable[int]
) -> dict[int, tuple[str, int | None, str]]:
    """By page, the hash of its text, its fingerprint and its title when it last answered."""
    found: dict[int, tuple[str, int | None, str]] = {}
    for some in in_lists(ids):
        statement = _LAST_VISITS.format(ids=some, scan=int(pair.scan.id))
        for page_id, text_hash, fingerprint, title in connection.exec_driver_sql(statement):
            found[page_id] = text_hash or "", fingerprint, title or ""
    return found


def pages_of_urls(connection: Connection, site_id: int, urls: Iterable[str]) -> dict[str, int]:
    """The ids of pages by the exact URLs that are asked for."""
    wanted = sorted(set(urls))
    mark = "?" if connection.dialect.name == "sqlite" else "%s"
    found: dict[str, int] = {}
    for first in range(0, len(wanted), 500):
        some = wanted[first : first + 500]
        statement = _BY_URL.format(site=int(site_id), marks=", ".join([mark] * len(some)))
        rows = connection.exec_driver_sql(statement, tuple(some))
        found |= {url: page_id for page_id, url in rows}
    return found


def moving_page(
    page: PageRef,
    title: str,
    texts: Mapping[int, tuple[str, int | None, str]],
    redirects_to: int | None = None,
    canonical_id: int | None = None,
) -> MovingPage:
    text_hash, fingerprint, own_title = texts.get(page.id, ("", None, ""))
    return MovingPage(
        page.id,
        page.url,
        page.template,
        page.type,
        title or own_title,
        text_hash,
        fingerprint,
        redirects_to,
        canonical_id,
    )
