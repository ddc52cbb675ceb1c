"""How the inventories as of any two kept scans differ, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sitecrawl.changes.kinds import ChangeKind
from sitecrawl.store.queries.scan_pairs import IS_OF_SITE
from sitecrawl.store.queries.scans import pages_as_of
from sitecrawl.store.vocabulary import ENDED_WELL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scans import Scan

_SCAN_BEFORE: Final = """
SELECT max(id) FROM scans WHERE site_id = {site} AND id < {scan} AND status IN ({ended_well})
"""
_THERE: Final = """
({p}.first_scan_id <= {scan} AND NOT EXISTS (
    SELECT 1 FROM page_absences AS absent
    WHERE absent.page_id = {p}.id AND absent.from_scan_id <= {scan}
    AND (absent.until_scan_id IS NULL OR absent.until_scan_id > {scan})))
"""
_CAME: Final = """
SELECT p.url, p.lastmod, p.document_id FROM {pages_after} AS p
WHERE p.site_id = {site} AND {is_of_site} AND {there_after} AND NOT {there_before}
AND (p.first_scan_id > {before} OR p.id IN (
    SELECT page_id FROM page_absences
    WHERE site_id = {site} AND from_scan_id <= {before} AND until_scan_id > {before}))
ORDER BY p.number
"""
_WENT: Final = """
SELECT p.url, p.lastmod, p.document_id FROM {pages_before} AS p
WHERE p.id IN (
    SELECT page_id FROM page_absences
    WHERE site_id = {site} AND from_scan_id > {before} AND from_scan_id <= {after})
AND {is_of_site} AND {there_before} AND NOT {there_after}
ORDER BY p.number
"""
_DIFFERENT: Final = """
SELECT {columns}
FROM (
    SELECT DISTINCT page_id FROM page_versions
    WHERE site_id = {site} AND until_scan_id > {before} AND until_scan_id <= {after}
) AS changed CROSS JOIN {pages_before} AS b CROSS JOIN {pages_after} AS p
WHERE b.id = changed.page_id AND p.id = changed.page_id AND {is_of_site}
AND {there_before} AND {there_after}
ORDER BY p.number
"""
_DIFFERENCE_FIELDS: Final = (
    *("url", "lastmod", "changefreq", "sitemap_priority", "title", "reason", "document_id"),
)


def scan_before(connection: Connection, scan: Scan) -> int | None:
    """The scan before this one that ended in order."""
    ended_well = ", ".join(f"'{status}'" for status in ENDED_WELL)
    statement = _SCAN_BEFORE.format(site=scan.site_id, scan=scan.id, ended_well=ended_well)
    number = connection.exec_driver_sql(statement).scalar()
    return None if number is None else int(number)


def listed_differently(
    connection: Connection, before: Scan, after: Scan
) -> Iterator[tuple[int, str, str]]:
    """Document, kind and URL of every page that came or went; its document listed it first."""
    names = _names(before, after)
    for kind, statement in ((ChangeKind.ADDED, _CAME), (ChangeKind.REMOVED, _WENT)):
        for url, _, document_id in connection.exec_driver_sql(statement.format_map(names)):
            yield document_id, kind.value, url


def _names(before: Scan, after: Scan) -> dict[str, str]:
    """What stands for names in the statements."""
    return {
        "site": str(int(before.site_id)),
        "before": str(int(before.id)),
        "after": str(int(after.id)),
        "pages_before": pages_as_of(before.id),
        "pages_after": pages_as_of(after.id),
        "there_before": _THERE.format(p="p", scan=int(before.id)),
        "there_after": _THERE.format(p="p", scan=int(after.id)),
        "is_of_site": IS_OF_SITE,
        "columns": ", ".join(f"b.{name}, p.{name}" for name in _DIFFERENCE_FIELDS),
    }


def difference(
    connection: Connection, before: Scan, after: Scan
) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Kind, URL and the fields that differ, of every page that is not the same as of both scans."""
    names = _names(before, after)
    for kind, statement in ((ChangeKind.ADDED, _CAME), (ChangeKind.REMOVED, _WENT)):
        for url, lastmod, _ in connection.exec_driver_sql(statement.format_map(names)):
            said = {"lastmod": lastmod} if lastmod else {}
            is_new = kind is ChangeKind.ADDED
            yield kind.value, url, {} if is_new else said, said if is_new else {}
    for row in connection.exec_driver_sql(_DIFFERENT.format_map(names)):
        old = dict(zip(_DIFFERENCE_FIELDS, row[::2], strict=True))
        new = dict(zip(_DIFFERENCE_FIELDS, row[1::2], strict=True))
        if old["title"] is None:
            old["title"] = new["title"]  # read for the first time
        fields = [name for name in _DIFFERENCE_FIELDS if old[name] != new[name]]
        kind = ChangeKind.SOURCE_CHANGED if fields == ["document_id"] else ChangeKind.UPDATED
        shown = [name for name in fields if name != "document_id"]
        if fields:
            before_values = {name: old[name] for name in shown}
            yield kind.value, new["url"], before_values, {name: new[name] for name in shown}
