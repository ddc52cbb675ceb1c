"""Reads sites and scans, and tells which mentions belong to the inventory of a scan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, case, select

from sitecrawl.store import schema as t
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.urls.canonical import page_key
from sitecrawl.urls.target import TargetError, parse_target

if TYPE_CHECKING:
    from datetime import datetime

    from sitecrawl.store.engine import Database

_SCANS = select(
    t.scans.c.id,
    t.scans.c.site_id,
    t.sites.c.key.label("site_key"),
    t.scans.c.asked,
    t.scans.c.root_url,
    t.scans.c.status,
    t.scans.c.reason,
    t.scans.c.profile,
    t.scans.c.settings,
    t.scans.c.summary,
    t.scans.c.started_at,
    t.scans.c.finished_at,
    t.scans.c.heartbeat_at,
).join_from(t.scans, t.sites)


def sites(database: Database) -> list[Site]:
    with database.reading() as connection:
        rows = connection.execute(select(t.sites).order_by(t.sites.c.key)).all()
    return [Site(**row._asdict()) for row in rows]


def site_for(database: Database, text: str) -> Site | None:
    """The site with this key, or the one that this URL or host most closely belongs to."""
    try:
        wanted = parse_target(text).site_key
    except TargetError:
        return None
    matching = [
        site
        for site in sites(database)
        if _holds(site.key, wanted) or _holds(page_key(site.root_url), wanted)
    ]
    return max(matching, key=lambda site: len(site.key), default=None)


def _holds(own: str, wanted: str) -> bool:
    return wanted == own or wanted.startswith(own + "/")


def scans(database: Database, limit: int = 20, site_id: int | None = None) -> list[Scan]:
    """The newest first."""
    statement = _SCANS.order_by(t.scans.c.id.desc()).limit(limit)
    return _scans(database, statement if site_id is None else _of_site(statement, site_id))


def scan_by_id(database: Database, scan_id: int) -> Scan | None:
    return next(iter(_scans(database, _SCANS.where(t.scans.c.id == scan_id))), None)


def latest_scan(database: Database, site_id: int) -> Scan | None:
    """The newest scan that ended in order; if there is none, the newest at all."""
    ended_well = t.scans.c.status.in_([ScanStatus.FINISHED, ScanStatus.PARTIAL])
    best_first = _SCANS.order_by(case((ended_well, 0), else_=1), t.scans.c.id.desc()).limit(1)
    return next(iter(_scans(database, _of_site(best_first, site_id))), None)


def _of_site(statement: Select[Any], site_id: int) -> Select[Any]:
    return statement.where(t.scans.c.site_id == site_id)


def _scans(database: Database, statement: Select[Any]) -> list[Scan]:
    with database.reading() as connection:
        return [Scan(**row._asdict()) for row in connection.execute(statement).all()]


@dataclass(frozen=True, slots=True)
class Site:
    id: int
    key: str
    root_url: str
    seed: int
    key_rules: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Scan:
    id: int
    site_id: int
    site_key: str
    asked: str
    root_url: str
    status: str
    reason: str | None
    profile: str | None
    settings: dict[str, Any]
    summary: dict[str, Any] | None
    started_at: datetime
    finished_at: datetime | None
    heartbeat_at: datetime


_COUNTS = """
({m}.{seen} >= {scan} OR EXISTS (
    SELECT 1 FROM documents AS d
    WHERE d.id = {m}.document_id AND d.last_scan_id >= {scan}
    AND {m}.{seen} >= coalesce(d.content_scan_id, 0)))
"""

_OWN_COUNTS = """
(p.document_id NOT IN (
    SELECT id FROM documents WHERE site_id = {site}
    AND (last_scan_id IS NULL OR last_scan_id < {scan} OR content_scan_id > first_scan_id))
OR {asked})
"""


def counts_in_scan(scan: Scan, mentions: str) -> str:
    """SQL: whether a row of ``mentions``, under this alias, is in the inventory of the scan."""
    return _COUNTS.format(m=mentions, seen="scan_id", scan=int(scan.id))


def membership(scan: Scan) -> dict[str, str]:
    """What stands for names in statements about ``pages AS p`` and ``further_mentions AS other``.

    ``{own_counts}``: the mention in the page's row belongs to the inventory; ``{other_counts}``:
    the further one does; ``{site}`` and ``{scan}``: their numbers.
    """
    site_id, scan_id = int(scan.site_id), int(scan.id)
    asked = _COUNTS.format(m="p", seen="seen_scan_id", scan=scan_id)
    return {
        "site": str(site_id),
        "scan": str(scan_id),
        "own_counts": _OWN_COUNTS.format(site=site_id, scan=scan_id, asked=asked),
        "other_counts": counts_in_scan(scan, "other"),
    }
