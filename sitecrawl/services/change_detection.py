"""Finds what changed on a site: compares each scan with the one before it that ended in order.

Whoever asks for changes gets the comparisons made that are still due: a scan from the command line
counts like one of the schedule, and a scan that is killed at its end leaves nothing half done.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sitecrawl.changes.events import Event
from sitecrawl.changes.kinds import ChangeKind, EventKind, Severity
from sitecrawl.changes.lastmod import LastmodTrust
from sitecrawl.errors import NotFoundError
from sitecrawl.services.page_comparison import PageComparison
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store.queries import changes as queries
from sitecrawl.store.queries import (
    scan_pairs,
)
from sitecrawl.store.queries.scan_pairs import Pair
from sitecrawl.store.queries.scans import last_look, latest_scan, scan_by_id
from sitecrawl.store.vocabulary import ENDED_WELL
from sitecrawl.store.writers import changes as writer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from sitecrawl.services.page_comparison import Found
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import ComparisonFact
    from sitecrawl.store.queries.scans import Scan, Site


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing a scan with the one before has found."""

    scan_id: int
    before_scan_id: int | None
    """None: there was nothing to compare with."""
    baseline: str
    """Why what came and went is no change of the site: ``first_scan``, other settings, ``""``."""
    is_holding: bool
    """Removals wait until the next scan or a person confirms them."""
    counts: dict[str, int]
    """Changes by kind, and ``pages``: how many the inventory has."""
    lastmod_is_trusted: bool
    is_new: bool
    """Whether this call made it."""


@requires(Permission.READ)
def detect_changes(database: Database, scan_id: int) -> Comparison | None:
    """Compare every scan of the site up to this one that was not compared yet, each with the one
    before it, and give the comparison of this one; None for a scan without a result.

    It can be called any number of times, by any number of processes. The first scan of a site is a
    silent baseline.
    """
    scan = scan_by_id(database, scan_id)
    if scan is None:
        raise NotFoundError(f"there is no scan {scan_id}; see: sitecrawl scans")
    with database.reading() as connection:
        due = queries.uncompared_scans(connection, scan.site_id, scan_id)
        known = queries.comparison_of(connection, scan_id)
    if not due:
        return None if known is None else _comparison(known, is_new=False)
    made: set[int] = set()
    with database.writing() as connection:
        writer.lock_site(connection, scan.site_id)
        for number in queries.uncompared_scans(connection, scan.site_id, scan_id):
            each = scan_by_id(database, number)
            if each is not None:
                _compare(connection, database, each)
                made.add(number)
        known = queries.comparison_of(connection, scan_id)
    return None if known is None else _comparison(known, is_new=scan_id in made)


@requires(Permission.READ)
def catch_up(database: Database, site: Site) -> Comparison | None:
    """Make the comparisons of the site that are still due; give the newest one."""
    scan = latest_scan(database, site.id)
    if scan is None or scan.status not in ENDED_WELL:
        return None
    return detect_changes(database, last_look(database, scan).id)


def _comparison(known: ComparisonFact, *, is_new: bool) -> Comparison:
    return Comparison(
        known.scan_id,
        known.before_scan_id,
        known.baseline or "",
        known.is_holding,
        known.counts,
        LastmodTrust.of_dict(known.lastmod_trust).is_trusted,
        is_new,
    )


def _compare(connection: Connection, database: Database, scan: Scan) -> None:
    now = datetime.now(UTC)
    known = queries.comparison_list(connection, scan.site_id, 2)
    values = {
        "scan_id": scan.id,
        "site_id": scan.site_id,
        "last_page_number": scan_pairs.last_page_number(connection, scan),
        "compared_at": now,
    }
    before = scan_by_id(database, known[0].scan_id) if known else None
    if before is None:
        counts = {"pages": scan_pairs.count_known(connection, scan)}
        first = {"baseline": "first_scan", "is_holding": False, "counts": counts}
        writer.add_comparison(connection, {**values, **first})
        return
    last = known[0]
    pair = Pair(scan, before, last.last_page_number, known[-1].last_page_number)
    trust = LastmodTrust.of_dict(last.lastmod_trust)
    known_pages = int(last.counts.get("pages", 0))
    found = PageComparison(connection, pair, known_pages, trust).run()
    _write(connection, pair, found, now)
    _close_incidents(connection, pair, found.closed, now)
    counts = {str(kind): number for kind, number in found.counts.items()}
    counts["pages"] = known_pages + scan_pairs.count_more(connection, pair)
    writer.add_comparison(
        connection,
        {
            **values,
            "before_scan_id": before.id,
            "baseline": found.baseline or None,
            "is_holding": found.is_holding,
            "lastmod_trust": found.trust.as_dict(),
            "counts": counts,
        },
    )


def _write(connection: Connection, pair: Pair, found: Found, now: datetime) -> None:
    site_id, scan_id = pair.scan.site_id, pair.scan.id
    writer.save_presence(connection, site_id, found.presences)
    for event in found.events:
        incident_id = None
        if event.incident:
            incident_id, is_news = writer.open_incident(connection, site_id, scan_id, event, now)
            # People were told when it was opened.
            event = event if is_news else replace(event, is_silent=True)  # noqa: PLW2901
        event_id = writer.add_event(connection, site_id, scan_id, event, now, incident_id)
        if kind := event.detail.get("restated"):
            kind = ChangeKind(kind)
            writer.add_sitemap_updates(connection, site_id, scan_id, event_id, kind, now)


def _close_incidents(
    connection: Connection, pair: Pair, closed: dict[str, str], now: datetime
) -> None:
    still_open = []
    for incident in queries.open_incidents(connection, pair.scan.site_id):
        words = closed.get(incident.key, "")
        if not words and incident.kind in {EventKind.BROKEN, EventKind.NOINDEX}:
            words = _recovery_words(queries.incident_changes(connection, incident.id))
        if not words:
            still_open.append(incident.id)
            continue
        writer.end_incident(connection, incident.id, pair.scan.id, now)
        event = Event(
            EventKind.INCIDENT_CLOSED,
            Severity.INFO,
            words,
            detail={"incident": incident.title, "kind": incident.kind.value},
        )
        writer.add_event(connection, pair.scan.site_id, pair.scan.id, event, now, incident.id)
    writer.touch_incidents(connection, still_open, pair.scan.id)


def _recovery_words(history: Iterable[tuple[int, str, Any, Any]]) -> str:
    """The message if no page of an incident is broken or hidden any more; else empty."""
    is_broken: dict[int, bool] = {}
    for page_id, kind, _before, after in history:
        if kind in {ChangeKind.REMOVED, ChangeKind.MOVED}:
            is_broken[page_id] = False
        elif kind == ChangeKind.UPDATED and after and "status" in after:
            is_broken[page_id] = (after["status"] or 0) >= 400  # noqa: PLR2004
        elif kind == ChangeKind.UPDATED and after and "indexable" in after:
            is_broken[page_id] = not after["indexable"]
    if not is_broken or any(is_broken.values()):
        return ""
    noun = "page is" if len(is_broken) == 1 else "pages are"
    return f"{len(is_broken):,} {noun} in order again, or gone"
