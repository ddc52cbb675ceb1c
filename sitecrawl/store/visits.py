"""Reads the frontier of a crawl: what a visit has shown, and how a page is reached."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import Select, and_, select

from sitecrawl.store.tables import fetches, visits
from sitecrawl.store.views import mentions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

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
    clicks: int
    redirected_from: list[str]
    outcome: str | None
    reason: str | None
    rule: str | None
    title: str | None
    canonical: str | None
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


def last_visit(connection: Connection, page_id: int) -> VisitFact | None:
    """What the newest crawl that knows the page knows of it."""
    original = visits.alias("original")
    own = (
        *("scan_id", "number", "family", "url", "clicks", "redirected_from", "outcome"),
        *("reason", "rule", "title", "canonical"),
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
        .order_by(visits.c.scan_id.desc(), fetches.c.id.desc())
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
    own = connection.execute(
        _visits(scan_id).where(visits.c.page_id == page_id).order_by(visits.c.id).limit(1)
    ).first()
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
