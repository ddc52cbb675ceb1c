"""Two scans of a site that are compared: how many pages each knows, and how pages are named.

Everything is read from what scans have changed (``page_versions``, ``page_absences``, new numbers
of pages, visits of the scan), never by reading all pages of two inventories. All statements are run
on the connection of the comparison, which makes the temporary tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.changes.kinds import PageRef
from sitecrawl.items import NOT_SENT, FetchOutcome
from sitecrawl.store.queries.scans import membership
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
