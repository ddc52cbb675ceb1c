"""Reads sites and scans, and tells which mentions belong to the inventory as of a scan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Select, and_, case, func, select, type_coerce

from sitecrawl.store import schema as t
from sitecrawl.store.processes import end_of_dead, is_alive
from sitecrawl.store.schema.history import VERSIONED_COLUMNS
from sitecrawl.store.vocabulary import ENDED_WELL, FIRST_WORKSPACE, ScanStatus
from sitecrawl.urls.canonical import page_key
from sitecrawl.urls.target import TargetError, parse_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database

_later = t.scans.alias("later")
_NEXT_SCAN = (
    select(func.min(_later.c.id))
    .where(
        _later.c.site_id == t.scans.c.site_id,
        _later.c.id > t.scans.c.id,
        _later.c.status.in_(ENDED_WELL),
    )
    .scalar_subquery()
)
_SCANS = (
    select(
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
        t.scans.c.hostname,
        t.scans.c.pid,
        t.scans.c.process_token,
        t.scans.c.pending_feeds,
        _NEXT_SCAN.label("next_scan_id"),
    )
    .join_from(t.scans, t.sites)
    .where(t.scans.c.pruned_at.is_(None))
)


# A dive visits pages that are known already: what it does not see says nothing of the site.
_SPIDER = func.coalesce(type_coerce(t.scans.c.settings, JSON)["spider"].as_string(), "")
HAS_LOOKED = and_(t.scans.c.status.in_(ENDED_WELL), _SPIDER != "dive")


def sites(database: Database, workspace_id: int = FIRST_WORKSPACE) -> list[Site]:
    wanted = select(t.sites).where(t.sites.c.workspace_id == workspace_id)
    with database.reading() as connection:
        rows = connection.execute(wanted.order_by(t.sites.c.key)).all()
    return [Site(**row._asdict()) for row in rows]


def site_by_id(database: Database, site_id: int) -> Site | None:
    with database.reading() as connection:
        row = connection.execute(select(t.sites).where(t.sites.c.id == site_id)).first()
    return Site(**row._asdict()) if row else None


def site_for(database: Database, text: str) -> Site | None:
    """The site with this key, or the one that this URL or host most closely belongs to.

    For commands, which work in the first workspace.
    """
    return next(iter(sites_for(database, text)), None)


def sites_for(database: Database, text: str) -> list[Site]:
    """Those that this URL or host belongs to, closest first: a site can be a part of another."""
    try:
        wanted = parse_target(text).site_key
    except TargetError:
        return []
    matching = [
        site
        for site in sites(database)
        if _holds(site.key, wanted) or _holds(page_key(site.root_url), wanted)
    ]
    return sorted(matching, key=lambda site: -len(site.key))


def _holds(own: str, wanted: str) -> bool:
    return wanted == own or wanted.startswith(own + "/")


def scans(database: Database, limit: int = 20, site_id: int | None = None) -> list[Scan]:
    """The newest first: of a site, or of the first workspace, which commands work in."""
    statement = _SCANS.order_by(t.scans.c.id.desc()).limit(limit)
    if site_id is None:
        return _scans(database, statement.where(t.sites.c.workspace_id == FIRST_WORKSPACE))
    return _scans(database, _of_site(statement, site_id))


def scans_of_sites(database: Database, site_ids: Sequence[int], limit: int = 20) -> list[Scan]:
    """The newest first, of several inventories."""
    of_sites = _SCANS.where(t.scans.c.site_id.in_(site_ids))
    return _scans(database, of_sites.order_by(t.scans.c.id.desc()).limit(limit))


def running_scan(connection: Connection, site_ids: Sequence[int]) -> int | None:
    """A scan of these inventories whose process is alive."""
    is_running = t.scans.c.status == ScanStatus.RUNNING
    rows = connection.execute(select(t.scans).where(t.scans.c.site_id.in_(site_ids), is_running))
    now = datetime.now(UTC)
    return next((row.id for row in rows.all() if is_alive(row, now)), None)


def is_pruned(database: Database, scan_id: int) -> bool:
    """Whether there was such a scan, and it was removed."""
    wanted = select(t.scans.c.id).where(t.scans.c.id == scan_id, t.scans.c.pruned_at.is_not(None))
    with database.reading() as connection:
        return connection.execute(wanted).first() is not None


def scan_by_id(database: Database, scan_id: int) -> Scan | None:
    return next(iter(_scans(database, _SCANS.where(t.scans.c.id == scan_id))), None)


def scan_since(
    database: Database, workspace_id: int, site_key: str, moment: datetime
) -> Scan | None:
    """The newest scan of the workspace's site that began then or later."""
    is_site = (t.sites.c.workspace_id == workspace_id) & (t.sites.c.key == site_key)
    newest = (
        _SCANS.where(is_site, t.scans.c.started_at >= moment).order_by(t.scans.c.id.desc()).limit(1)
    )
    return next(iter(_scans(database, newest)), None)


def latest_scan(database: Database, site_id: int) -> Scan | None:
    """The newest scan that ended in order; if there is none, the newest at all."""
    ended_well = t.scans.c.status.in_(ENDED_WELL)
    best_first = _SCANS.order_by(case((ended_well, 0), else_=1), t.scans.c.id.desc()).limit(1)
    return next(iter(_scans(database, _of_site(best_first, site_id))), None)


def last_look(database: Database, scan: Scan) -> Scan:
    """The scan, or the newest before it that looked at the site, if it fetched pages for a dive."""
    looked = _of_site(_SCANS, scan.site_id).where(HAS_LOOKED, t.scans.c.id < scan.id)
    if not scan.is_dive:
        return scan
    found = _scans(database, looked.order_by(t.scans.c.id.desc()).limit(1))
    return found[0] if found else scan


def _of_site(statement: Select[Any], site_id: int) -> Select[Any]:
    return statement.where(t.scans.c.site_id == site_id)


def _scans(database: Database, statement: Select[Any]) -> list[Scan]:
    with database.reading() as connection:
        found = [Scan(**row._asdict()) for row in connection.execute(statement).all()]
    now = datetime.now(UTC)
    return [_as_of_now(scan, now) for scan in found]


def _as_of_now(scan: Scan, now: datetime) -> Scan:
    """A scan whose process is gone has ended, also before a writer has marked it."""
    if scan.status != ScanStatus.RUNNING or is_alive(scan, now):
        return scan
    status, reason = end_of_dead(scan)
    return replace(scan, status=status, reason=reason, finished_at=scan.heartbeat_at)


@dataclass(frozen=True, slots=True)
class Site:
    id: int
    workspace_id: int
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
    hostname: str
    pid: int
    process_token: str
    pending_feeds: dict[str, str] | None
    """Files that are still to be written, each with its format."""
    next_scan_id: int | None
    """The next scan of the site that ended in order; None: this is the newest that did, or what
    came after it did not."""

    @property
    def is_dive(self) -> bool:
        """Whether it fetched pages that were known for a dive, and so looked for none."""
        return bool(self.settings.get("spider") == "dive")

    @property
    def known_pages(self) -> int:
        """How many pages the inventory listed when the scan had ended; 0 before that."""
        return int((self.summary or {}).get("known", 0))


_COUNTS = """
EXISTS (
    SELECT 1 FROM documents AS d
    WHERE d.id = {m}.document_id AND d.gone_scan_id IS NULL
    AND {m}.{seen} >= coalesce(d.content_scan_id, 0))
"""
# Nearly all mentions were seen after the last change of any document; the others are checked.
_OWN_COUNTS = """
((p.seen_scan_id >= (
    SELECT coalesce(max(content_scan_id), 0) FROM documents WHERE site_id = {site})
AND p.document_id NOT IN (
    SELECT id FROM documents WHERE site_id = {site} AND gone_scan_id IS NOT NULL))
OR p.document_id NOT IN (
    SELECT id FROM documents WHERE site_id = {site}
    AND (gone_scan_id IS NOT NULL OR content_scan_id > first_scan_id))
OR {counts})
"""

# As of an earlier scan: ``page_absences`` has the intervals without a page.
_WAS_THERE = """
(p.first_scan_id <= {scan} AND NOT EXISTS (
    SELECT 1 FROM page_absences AS absent
    WHERE absent.page_id = p.id AND absent.from_scan_id <= {scan}
    AND (absent.until_scan_id IS NULL OR absent.until_scan_id > {scan})))
"""
# The document was not gone, and was not read without the mention since that was read last.
_COUNTED = """
EXISTS (
    SELECT 1 FROM documents AS d
    WHERE d.id = {m}.document_id
    AND coalesce(d.gone_scan_id, {scan} + 1) > {scan}
    AND ({m}.{seen} >= coalesce(d.content_scan_id, 0) OR NOT EXISTS (
        SELECT 1 FROM fetches AS later
        WHERE later.document_id = d.id AND later.complete
        AND later.scan_id > {m}.{seen} AND later.scan_id <= {scan})))
"""
_OTHER_COUNTED = """
({counts} AND EXISTS (SELECT 1 FROM pages AS p WHERE p.id = other.page_id AND {was_there}))
"""

# What the row of a page said as of a scan: its oldest version after that, or what it says now.
_PAGES_AS_OF = """
(SELECT now.number, now.id, now.site_id, now.seen_scan_id, now.first_scan_id, now.position,
    now.language, now.category, now.importance, now.details, now.region, now.anchor, now.rel,
    now.path, now.checked_scan_id, {versioned},
    coalesce(CASE WHEN was.page_id IS NOT NULL THEN (
        SELECT named.url FROM page_versions AS named
        WHERE named.page_id = now.id AND named.until_scan_id > {scan} AND named.url IS NOT NULL
        ORDER BY named.until_scan_id LIMIT 1) END, now.url) AS url,
    nullif(coalesce(CASE WHEN was.page_id IS NOT NULL THEN (
        SELECT named.title FROM page_versions AS named
        WHERE named.page_id = now.id AND named.until_scan_id > {scan} AND named.title IS NOT NULL
        ORDER BY named.until_scan_id LIMIT 1) END, now.title), '') AS title
FROM pages AS now LEFT JOIN page_versions AS was ON was.page_id = now.id AND was.until_scan_id = (
    SELECT min(after.until_scan_id) FROM page_versions AS after
    WHERE after.page_id = now.id AND after.until_scan_id > {scan}))
"""


def counts_in_scan(scan: Scan, mentions: str) -> str:
    """SQL: whether a row of ``mentions``, under this alias, is in the inventory as of the scan."""
    if scan.next_scan_id is None:
        return _COUNTS.format(m=mentions, seen="scan_id")
    return _COUNTED.format(m=mentions, seen="scan_id", scan=int(scan.id))


def pages_as_of(scan_id: int) -> str:
    """SQL: a table with the columns of ``pages``, as its rows were when the scan had ended."""
    versioned = ", ".join(
        f"CASE WHEN was.page_id IS NULL THEN now.{name} ELSE was.{name} END AS {name}"
        for name in VERSIONED_COLUMNS
    )
    return _PAGES_AS_OF.format(scan=int(scan_id), versioned=versioned)


def membership(scan: Scan, *, of_few: bool = False) -> dict[str, str]:
    """What stands for names in statements about ``{pages} AS p`` and ``further_mentions AS other``.

    ``{pages}``: the pages with what was known of them as of the scan; ``{own_counts}``: the page,
    or for the newest scan the mention in its row, belongs to the inventory as of the scan;
    ``{other_counts}``: the further mention does; ``{site}`` and ``{scan}``: their numbers.
    """
    names = {"site": str(int(scan.site_id)), "scan": str(int(scan.id))}
    other = counts_in_scan(scan, "other")
    if scan.next_scan_id is None:
        counts = _COUNTS.format(m="p", seen="seen_scan_id")
        # To look at all documents first pays only for many pages.
        own = counts if of_few else _OWN_COUNTS.format(counts=counts, **names)
        return names | {"pages": "pages", "own_counts": own, "other_counts": other}
    was_there = _WAS_THERE.format_map(names)
    return names | {
        "pages": pages_as_of(scan.id),
        "own_counts": was_there,
        "other_counts": _OTHER_COUNTED.format(counts=other, was_there=was_there),
    }
