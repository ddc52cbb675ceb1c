"""Two scans of a site that are compared: how many pages each knows, and which differ.

Everything is read from what scans have changed (``page_versions``, ``page_absences``, new numbers
of pages, visits of the scan), never by reading all pages of two inventories. All statements are run
on the connection of the comparison, which makes the temporary tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from sitecrawl.changes.kinds import ChangeKind, PageRef
from sitecrawl.items import NOT_SENT, FetchOutcome
from sitecrawl.store import schema as t
from sitecrawl.store.queries.scans import membership, pages_as_of
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.urls.refusal import FOUND_BY_VISIT, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.queries.scans import Scan


# Where neither menu nor links are known, that is the root and the pages right below it.
IMPORTANT_PRIORITY: Final = 0.9
_IDS_AT_ONCE: Final = 5_000
_NOT_SENT: Final = ", ".join(f"'{outcome}'" for outcome in sorted(NOT_SENT))
# After these it is not known what the page would have answered.
_NOT_ANSWERED: Final = ", ".join(
    f"'{outcome}'"
    for outcome in sorted(
        {
            *NOT_SENT,
            *(FetchOutcome.TIMEOUT, FetchOutcome.UNREACHABLE),
            *(FetchOutcome.ADDRESS_NOT_ALLOWED, FetchOutcome.BLOCKED_BY_ROBOTS),
        }
    )
)
# Refused for what the site says, and not for what we leave out.
_OWN_REASONS: Final = ", ".join(
    f"'{reason}'" for reason in sorted((*FOUND_BY_VISIT, Reason.BLOCKED_BY_ROBOTS))
)
IS_OF_SITE: Final = f"(p.reason IS NULL OR p.reason IN ({_OWN_REASONS}))"

_REF: Final = """
p.id, p.url, coalesce(k.template, ''), coalesce(k.type, ''), p.importance, k.priority, p.reason
"""
_CLASS: Final = """
LEFT JOIN page_classes AS pc ON pc.page_number = p.number
LEFT JOIN classes AS k ON k.id = pc.class_id
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A scan and the one that it is compared with."""

    scan: Scan
    before: Scan
    last_page_number: int
    """Of the comparison before: pages with higher numbers are new."""
    earlier_page_number: int
    """Of the one before that: pages with higher numbers may be where others moved to."""

    def names(self) -> dict[str, str]:
        """What stands for names in statements; ``pages`` is as of the scan."""
        return membership(self.scan) | {
            "before": str(int(self.before.id)),
            "class": _CLASS,
            "ref": _REF,
            "not_sent": _NOT_SENT,
            "not_answered": _NOT_ANSWERED,
            "is_of_site": IS_OF_SITE,
        }


def page_ref(row: Sequence[Any]) -> PageRef:
    number, url, template, page_type, importance, priority, reason = row[:7]
    is_important = importance is not None or (priority or 0) >= IMPORTANT_PRIORITY
    return PageRef(number, url, template, page_type, is_important, reason)


def in_lists(numbers: Iterable[int]) -> Iterator[str]:
    wanted = sorted(numbers)
    for first in range(0, len(wanted), _IDS_AT_ONCE):
        yield ", ".join(str(int(number)) for number in wanted[first : first + _IDS_AT_ONCE])


_KNOWN: Final = """
SELECT p.url, p.importance IS NOT NULL OR coalesce(k.priority, 0) >= {important}
FROM pages AS p {class} WHERE p.site_id = {site} AND {is_of_site} AND {own_counts}
"""
_COUNT: Final = """
SELECT (SELECT count(*) FROM pages WHERE site_id = {site} AND first_scan_id <= {scan})
    - (SELECT count(*) FROM page_absences WHERE site_id = {site} AND from_scan_id <= {scan}
       AND (until_scan_id IS NULL OR until_scan_id > {scan}))
"""
_DELTA: Final = """
SELECT (SELECT count(*) FROM pages
        WHERE site_id = {site} AND number > {last} AND first_scan_id <= {scan})
    - (SELECT count(*) FROM page_absences
       WHERE site_id = {site} AND from_scan_id > {before} AND from_scan_id <= {scan}
       AND (until_scan_id IS NULL OR until_scan_id > {scan}))
    + (SELECT count(*) FROM page_absences
       WHERE site_id = {site} AND until_scan_id > {before} AND until_scan_id <= {scan}
       AND from_scan_id <= {before})
"""
# From the end, which is near.
_LAST_NUMBER: Final = """
SELECT number FROM pages WHERE site_id = {site} AND first_scan_id <= {scan}
ORDER BY number DESC LIMIT 1
"""


def known_urls(connection: Connection, scan: Scan) -> Iterator[tuple[list[str], list[bool]]]:
    """The addresses of all pages in lists, and which are important."""
    names = membership(scan) | {
        "class": _CLASS,
        "is_of_site": IS_OF_SITE,
        "important": str(IMPORTANT_PRIORITY),
    }
    result = connection.exec_driver_sql(_KNOWN.format_map(names))
    for rows in result.partitions(_IDS_AT_ONCE):
        yield [row[0] for row in rows], [bool(row[1]) for row in rows]


def count_known(connection: Connection, scan: Scan) -> int:
    """How many pages there were as of the scan, the refused ones included."""
    names = {"site": str(int(scan.site_id)), "scan": str(int(scan.id))}
    return int(connection.exec_driver_sql(_COUNT.format_map(names)).scalar_one())


def count_more(connection: Connection, pair: Pair) -> int:
    """How many pages more there are than before; negative: fewer."""
    names = pair.names() | {"last": str(int(pair.last_page_number))}
    return int(connection.exec_driver_sql(_DELTA.format_map(names)).scalar_one())


def last_page_number(connection: Connection, scan: Scan) -> int:
    """The highest number of a page as of the scan."""
    names = {"site": str(int(scan.site_id)), "scan": str(int(scan.id))}
    return int(connection.exec_driver_sql(_LAST_NUMBER.format_map(names)).scalar() or 0)


_REFS: Final = "SELECT {ref} FROM pages AS p {class} WHERE p.id IN ({ids})"


def page_refs(connection: Connection, ids: Iterable[int]) -> dict[int, PageRef]:
    found: dict[int, PageRef] = {}
    for some in in_lists(ids):
        statement = _REFS.format_map({"ref": _REF, "class": _CLASS, "ids": some})
        for row in connection.exec_driver_sql(statement):
            page = page_ref(row)
            found[page.id] = page
    return found


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
    newest = select(func.max(t.scans.c.id)).where(
        t.scans.c.site_id == scan.site_id,
        t.scans.c.id < scan.id,
        t.scans.c.status.in_(ENDED_WELL),
    )
    number = connection.scalar(newest)
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
