"""Reads what is wrong with the pages that the crawl of a scan visited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select

from sitecrawl.store.findings_entries import Found, found_rows
from sitecrawl.store.membership import membership
from sitecrawl.store.tables import pages, visits
from sitecrawl.urls.refusal import Reason

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from sitecrawl.store.facts import Scan

# More than these are not compared with each other.
MAX_FINGERPRINTS: Final = 200_000
_LOOPS: Final = (Reason.REDIRECT_LOOP, Reason.TOO_MANY_REDIRECTS)
_TRAPS: Final = tuple(reason for reason in Reason if reason.startswith("trap_"))
_TRAPPED: Final = """
SELECT p.reason, coalesce(p.rule, ''), min(p.url), count(*)
FROM pages AS p
WHERE p.site_id = {site} AND p.reason IN ({traps}) AND {own_counts}
GROUP BY p.reason, coalesce(p.rule, '') ORDER BY 4 DESC, 1, 2
"""


class Trapped(NamedTuple):
    """Addresses without an end that share what they were refused by."""

    reason: str
    rule: str
    example: str
    pages: int


class Fingerprint(NamedTuple):
    url: str
    fingerprint: int


class Canonical(NamedTuple):
    """A page and what it names as its canonical address, which may be relative."""

    page_id: int
    url: str
    canonical: str


def start_pages(connection: Connection, scan: Scan) -> set[int]:
    """Where the crawl started: these need no link."""
    is_start = (visits.c.scan_id == scan.id) & visits.c.found_by.is_(None)
    return set(connection.scalars(select(visits.c.page_id).where(is_start)))


def redirect_targets(connection: Connection, scan: Scan) -> dict[str, str]:
    """By address, where it redirects to."""
    statement = (
        select(visits.c.url, visits.c.rule)
        .where(visits.c.scan_id == scan.id, visits.c.reason == Reason.REDIRECTED)
        .order_by(visits.c.id)
    )
    return {row.url: row.rule or "" for row in connection.execute(statement)}


def redirect_loops(connection: Connection, scan: Scan, max_examples: int) -> Found:
    statement = (
        select(visits.c.url, func.coalesce(visits.c.rule, ""), func.count().over())
        .where(visits.c.scan_id == scan.id, visits.c.reason.in_(_LOOPS))
        .order_by(visits.c.id)
        .limit(max_examples)
    )
    return found_rows(connection.execute(statement).all())


def broken_links(connection: Connection, scan: Scan, max_examples: int) -> Found:
    """Pages that do not exist, with the first page that links to each."""
    finder = visits.alias("finder")
    is_finder = (finder.c.scan_id == visits.c.scan_id) & (finder.c.number == visits.c.found_by)
    statement = (
        select(visits.c.url, finder.c.url, func.count().over())
        .join_from(visits, finder, is_finder)
        .where(
            visits.c.scan_id == scan.id,
            visits.c.reason.in_([Reason.NOT_FOUND, Reason.SOFT_404]),
        )
        .order_by(visits.c.id)
        .limit(max_examples)
    )
    return found_rows(connection.execute(statement).all())


def duplicate_texts(connection: Connection, scan: Scan, max_examples: int) -> Found:
    """Pages with the same text as an earlier one, with that one."""
    original = pages.alias("original")
    statement = (
        select(visits.c.url, original.c.url, func.count().over())
        .join_from(visits, original, original.c.id == visits.c.duplicate_of)
        .where(visits.c.scan_id == scan.id, visits.c.reason.is_(None))
        .order_by(visits.c.id)
        .limit(max_examples)
    )
    return found_rows(connection.execute(statement).all())


def text_fingerprints(connection: Connection, scan: Scan) -> list[Fingerprint]:
    """Of the first pages with a text that no other one has."""
    statement = (
        select(visits.c.url, visits.c.fingerprint)
        .where(
            visits.c.scan_id == scan.id,
            visits.c.fingerprint.is_not(None),
            visits.c.reason.is_(None),
            visits.c.duplicate_of.is_(None),
        )
        .order_by(visits.c.id)
        .limit(MAX_FINGERPRINTS)
    )
    return [Fingerprint(*row) for row in connection.execute(statement)]


def named_canonicals(connection: Connection, scan: Scan) -> list[Canonical]:
    """Listed pages that name a canonical address."""
    statement = (
        select(visits.c.page_id, visits.c.url, visits.c.canonical)
        .where(
            visits.c.scan_id == scan.id,
            visits.c.canonical.is_not(None),
            visits.c.canonical != "",
            visits.c.reason.is_(None),
        )
        .order_by(visits.c.id)
    )
    return [Canonical(*row) for row in connection.execute(statement)]


def trapped_pages(connection: Connection, scan: Scan) -> list[Trapped]:
    """By what they were refused by, the most first."""
    names = membership(scan) | {"traps": ", ".join(f"'{reason.value}'" for reason in _TRAPS)}
    rows = connection.exec_driver_sql(_TRAPPED.format_map(names)).all()
    return [Trapped._make(row) for row in rows]
