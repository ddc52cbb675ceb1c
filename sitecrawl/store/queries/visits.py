"""Reads the visits of a crawl: what they have shown, and how a page is reached."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from sqlalchemy import Select, and_, func, select

from sitecrawl.store.schema import fetches, mentions, pages, visits

if TYPE_CHECKING:
    from collections.abc import Iterator, Set
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan

# A way from the root is as long as the crawl is deep; this ends what could not be one.
_MAX_STEPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class VisitFact:
    """A page as the crawl of a scan knows it; ``outcome`` is None as long as it was not visited."""

    scan_id: int
    number: int | None
    """Its turn; None: it is held, because its pattern has had its share."""
    family: str | None
    """The pattern that it is held under."""
    url: str
    clicks: int | None
    redirected_from: list[str]
    outcome: str | None
    reason: str | None
    rule: str | None
    title: str | None
    canonical: str | None
    redirect_target: str | None
    """The other page that it redirects to."""
    checked_for: str | None
    """Why it was checked (``CheckCause``); None: the crawl visited it, or is to."""
    duplicate_of: str | None
    """The URL of the first page with the same text."""
    status: int | None
    content_type: str | None
    error: str | None
    redirects: list[str]
    final_url: str | None
    directives: list[str]
    fetched_at: datetime | None


class ClickStep(NamedTuple):
    """A page on the way from the root, and the link that leads to it; the first has none."""

    url: str
    source: str | None = None
    region: str | None = None
    anchor: str | None = None


def count_listed_visits(database: Database, scan_id: int) -> int:
    """How many pages on the list the scan has visited."""
    visited = (
        select(func.count(func.distinct(visits.c.page_id)))
        .join_from(visits, pages, pages.c.id == visits.c.page_id)
        .where(visits.c.scan_id == scan_id, visits.c.outcome.is_not(None), pages.c.reason.is_(None))
    )
    with database.reading() as connection:
        return connection.scalar(visited) or 0


def last_visit(connection: Connection, page_id: int) -> VisitFact | None:
    """What the newest scan that was to visit the page knows of it."""
    original = visits.alias("original")
    own = (
        *("scan_id", "number", "family", "url", "clicks", "redirected_from", "outcome"),
        *("reason", "rule", "title", "canonical", "redirect_target", "checked_for"),
    )
    fetched = ("status", "content_type", "error", "redirects", "final_url", "directives")
    statement = (
        select(
            *(visits.c[name] for name in own),
            original.c.url.label("duplicate_of"),
            *(fetches.c[name] for name in fetched),
            fetches.c.fetched_at,
        )
        .join_from(
            visits,
            original,
            and_(
                original.c.scan_id == visits.c.scan_id,
                original.c.page_id == visits.c.duplicate_of,
            ),
            isouter=True,
        )
        .join(
            fetches,
            and_(
                fetches.c.scan_id == visits.c.scan_id,
                fetches.c.document_id == visits.c.document_id,
            ),
            isouter=True,
        )
        .where(visits.c.page_id == page_id)
        .order_by(
            *(visits.c.scan_id.desc(), visits.c.outcome.is_(None), visits.c.id.desc()),
            fetches.c.id.desc(),
        )
        .limit(1)
    )
    row = connection.execute(statement).first()
    if row is None:
        return None
    facts = row._asdict()
    facts["redirected_from"] = json.loads(row.redirected_from or "[]")
    return VisitFact(**facts | {name: facts[name] or [] for name in ("redirects", "directives")})


def click_path(connection: Connection, scan_id: int, page_id: int, url: str) -> list[ClickStep]:
    """A shortest way to the page from where the crawl started; empty: no page led to it."""
    is_own = (visits.c.page_id == page_id) & visits.c.checked_for.is_(None)
    own = connection.execute(_visits(scan_id).where(is_own).order_by(visits.c.id).limit(1)).first()
    if own is not None:
        finder = _visit(connection, scan_id, own.found_by)
    else:
        finder = connection.execute(_first_finder(scan_id, page_id)).first()
        if finder is None:
            return []
    steps = [_step(connection, page_id, url, finder)]
    steps += _steps_back(connection, scan_id, finder)
    return steps[::-1]


def _steps_back(
    connection: Connection, scan_id: int, visit: Row[Any] | None
) -> Iterator[ClickStep]:
    for _ in range(_MAX_STEPS):
        if visit is None:
            return
        finder = _visit(connection, scan_id, visit.found_by)
        yield _step(connection, visit.page_id, visit.url, finder)
        visit = finder


def _visits(scan_id: int) -> Select[Any]:
    own = ("page_id", "url", "document_id", "found_by")
    return select(*(visits.c[name] for name in own)).where(visits.c.scan_id == scan_id)


def _visit(connection: Connection, scan_id: int, number: int | None) -> Row[Any] | None:
    if number is None:
        return None
    return connection.execute(_visits(scan_id).where(visits.c.number == number)).first()


def _first_finder(scan_id: int, page_id: int) -> Select[Any]:
    """The first visited page that mentions one which is not in the frontier."""
    mentioning = select(mentions.c.document_id).where(mentions.c.page_id == page_id)
    return (
        _visits(scan_id)
        .where(visits.c.document_id.in_(mentioning))
        .order_by(visits.c.number)
        .limit(1)
    )


def _step(connection: Connection, page_id: int, url: str, finder: Row[Any] | None) -> ClickStep:
    """The page with the first link to it on the page that found it."""
    if finder is None:
        return ClickStep(url)
    link = connection.execute(
        select(mentions.c.source, mentions.c.region, mentions.c.anchor)
        .where(mentions.c.page_id == page_id, mentions.c.document_id == finder.document_id)
        .order_by(mentions.c.position)
        .limit(1)
    ).first()
    return ClickStep(url, *link) if link else ClickStep(url)


_ROWS_AT_ONCE: Final = 500


class VisitAnswer(NamedTuple):
    """How a page answered."""

    page_id: int
    url: str
    reason: str | None
    """Why it does not count as a page of the site after all."""
    rule: str | None
    canonical: str | None
    """What the page names, which may be relative."""
    outcome: str
    status: int | None
    final_url: str | None
    content_type: str | None
    format: str | None
    directives: list[str] | None
    """What the page says to robots."""


def visit_answers(database: Database, scan: Scan) -> Iterator[VisitAnswer]:
    """In the order of the visits; a page that was fetched twice is there twice."""
    own_fetch = and_(
        fetches.c.document_id == visits.c.document_id, fetches.c.scan_id == visits.c.scan_id
    )
    own = ("page_id", "url", "reason", "rule", "canonical", "outcome")
    fetched = ("status", "final_url", "content_type", "format", "directives")
    statement = (
        select(*(visits.c[name] for name in own), *(fetches.c[name] for name in fetched))
        .join_from(visits, fetches, own_fetch, isouter=True)
        .where(visits.c.scan_id == scan.id, visits.c.outcome.is_not(None))
        .order_by(visits.c.id, fetches.c.id)
    )
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.execute(statement) as result:
            for rows in result.partitions(_ROWS_AT_ONCE):
                yield from (VisitAnswer(*row) for row in rows)


ClicksAndStatus: TypeAlias = tuple[int, int | None]
"""Clicks from where the crawl started, and the HTTP status if the page was visited."""

_CLICKS_AT_ONCE: Final = 5_000
_VISITS: Final = """
SELECT v.page_id, v.clicks, f.status
FROM visits AS v
LEFT JOIN fetches AS f ON f.document_id = v.document_id AND f.scan_id = v.scan_id
WHERE v.scan_id = {scan} ORDER BY v.id, f.id
"""


def clicks_and_status(
    database: Database, scan: Scan, wanted: Set[int]
) -> dict[int, ClicksAndStatus]:
    """Those of the wanted pages that the crawl knows."""
    found: dict[int, ClicksAndStatus] = {}
    with database.reading() as connection:
        streamed = connection.execution_options(stream_results=True)
        with streamed.exec_driver_sql(_VISITS.format(scan=int(scan.id))) as result:
            for rows in result.partitions(_CLICKS_AT_ONCE):
                found.update((row[0], (row[1], row[2])) for row in rows if row[0] in wanted)
    return found


def pages_by_clicks(database: Database, scan: Scan) -> list[tuple[int, int]]:
    """How many pages of the site are so many clicks away; what a visit refused does not count."""
    statement = (
        select(visits.c.clicks, func.count())
        .where(
            *(visits.c.scan_id == scan.id, visits.c.external_hops == 0, visits.c.reason.is_(None)),
            visits.c.checked_for.is_(None),
        )
        .group_by(visits.c.clicks)
        .order_by(visits.c.clicks)
    )
    with database.reading() as connection:
        return [(clicks, pages) for clicks, pages in connection.execute(statement)]


def visited_pages(database: Database, scan: Scan) -> int:
    """How many pages of the site were visited, without those that a visit refused."""
    statement = select(func.count()).where(
        visits.c.scan_id == scan.id,
        visits.c.external_hops == 0,
        visits.c.outcome.is_not(None),
        visits.c.reason.is_(None),
    )
    with database.reading() as connection:
        return connection.scalar(statement) or 0


def external_pages(database: Database, scan: Scan) -> set[int]:
    """Pages of other sites, where the crawl was allowed to go there."""
    statement = select(visits.c.page_id).where(
        visits.c.scan_id == scan.id, visits.c.external_hops > 0
    )
    with database.reading() as connection:
        return set(connection.scalars(statement))
