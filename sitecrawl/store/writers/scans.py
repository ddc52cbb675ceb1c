"""Begins scans: one at a time per site, after clearing away those whose process died."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, null, select, update

from sitecrawl.store.errors import (
    KeyRulesChangedError,
    ScanNotResumableError,
    ScanRunningError,
)
from sitecrawl.store.processes import (
    ORPHAN_DEAD_AFTER_SECONDS,
    end_of_dead,
    is_alive,
    own_process,
)
from sitecrawl.store.schema import pages, scans, sites
from sitecrawl.store.vocabulary import ScanStatus
from sitecrawl.store.writers.bulk import upserting_insert
from sitecrawl.store.writers.pages import prepare_page_index
from sitecrawl.store.writers.records import ScanHandle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection, Row


def begin_scan(  # noqa: PLR0913  the columns of a scan and its site
    connection: Connection,
    *,
    asked: str,
    workspace_id: int,
    site_key: str,
    root_url: str,
    profile: str,
    settings: Mapping[str, Any],
    key_rules: Mapping[str, Any],
    feeds: Mapping[str, str],
) -> ScanHandle:
    """Begin a scan within the connection's transaction; *feeds* are to be written at its end."""
    now = datetime.now(UTC)
    mark_dead_scans(connection, now)
    prepare_page_index(connection)
    site = _site(connection, workspace_id, site_key, root_url, key_rules, now)
    _refuse_second(connection, site)
    previous = select(scans.c.id).where(scans.c.site_id == site.id).order_by(scans.c.id.desc())
    previous_scan_id = connection.scalar(previous.limit(1))
    statement = scans.insert().values(
        site_id=site.id,
        asked=asked,
        root_url=root_url,
        status=ScanStatus.RUNNING,
        profile=profile,
        settings=dict(settings),
        started_at=now,
        heartbeat_at=now,
        pending_feeds=_or_null(feeds),
        **own_process(),
    )
    scan_id = connection.execute(statement.returning(scans.c.id)).scalar_one()
    return ScanHandle(
        scan_id=scan_id,
        site_id=site.id,
        seed=site.seed,
        previous_scan_id=previous_scan_id,
        has_pages=_has_pages(connection, site.id),
    )


def reopen_scan(
    connection: Connection, scan_id: int, feeds: Mapping[str, str], job: str
) -> ScanHandle:
    """Go on with a scan that did not end, within the connection's transaction.

    *job* is Scrapyd's name for the process that goes on, if Scrapyd has started it.
    """
    now = datetime.now(UTC)
    mark_dead_scans(connection, now)
    scan = connection.execute(select(scans).where(scans.c.id == scan_id)).first()
    if scan is None:
        raise ScanNotResumableError(f"there is no scan {scan_id}; sitecrawl scans shows them")
    site = connection.execute(select(sites).where(sites.c.id == scan.site_id)).one()
    _refuse_second(connection, site)
    if scan.status == ScanStatus.FINISHED:
        raise ScanNotResumableError(
            f"scan {scan_id} of {site.key} has ended: nothing is left to fetch; its pages can be"
            f" written again with: sitecrawl urls {site.key} --scan {scan_id} -o FILE"
        )
    newest = select(func.max(scans.c.id)).where(scans.c.site_id == site.id)
    if (newest_id := connection.scalar(newest)) != scan_id:
        raise ScanNotResumableError(
            f"scan {scan_id} of {site.key} is not its newest: scan {newest_id} has gone on from it"
        )
    prepare_page_index(connection)
    connection.execute(
        update(scans)
        .where(scans.c.id == scan_id)
        .values(
            status=ScanStatus.RUNNING,
            reason=None,
            finished_at=None,
            heartbeat_at=now,
            stop_requested_at=None,
            pending_feeds=_or_null(feeds),
            settings=_of_job(scan.settings, job),
            **own_process(),
            summary=null(),
        )
    )
    previous = select(func.max(scans.c.id)).where(scans.c.site_id == site.id, scans.c.id < scan_id)
    return ScanHandle(
        scan_id=scan_id,
        site_id=site.id,
        seed=site.seed,
        previous_scan_id=connection.scalar(previous),
        has_pages=_has_pages(connection, site.id),
    )


def request_stop(connection: Connection, scan_id: int) -> None:
    """Ask the process of a running scan to stop it."""
    running = (scans.c.id == scan_id) & (scans.c.status == ScanStatus.RUNNING)
    connection.execute(update(scans).where(running).values(stop_requested_at=datetime.now(UTC)))


def mark_dead_scans(connection: Connection, now: datetime, orphan_id: int | None = None) -> None:
    """Give scans their end whose process is gone or has not been heard of for long.

    *orphan_id*: the worker of this scan is dead. Then its process has ended within ten seconds, or
    it cannot reach the database, so that it is not given the time of one that is busy.
    """
    running = select(scans).where(scans.c.status == ScanStatus.RUNNING)
    for scan in connection.execute(running).all():
        if is_alive(scan, now, ORPHAN_DEAD_AFTER_SECONDS if scan.id == orphan_id else None):
            continue
        status, reason = end_of_dead(scan)
        connection.execute(
            update(scans)
            .where(scans.c.id == scan.id, scans.c.status == ScanStatus.RUNNING)
            .values(status=status, reason=reason, finished_at=scan.heartbeat_at)
        )


def forget_feeds(connection: Connection, scan_id: int) -> None:
    """The feeds of the scan are written."""
    connection.execute(update(scans).where(scans.c.id == scan_id).values(pending_feeds=null()))


def _of_job(settings: Mapping[str, Any], job: str) -> dict[str, Any]:
    others = {name: value for name, value in settings.items() if name != "job"}
    return {**others, "job": job} if job else others


def _or_null(feeds: Mapping[str, str]) -> Any:
    return dict(feeds) if feeds else null()


def _has_pages(connection: Connection, site_id: int) -> bool:
    any_page = select(pages.c.number).where(pages.c.site_id == site_id).limit(1)
    return connection.execute(any_page).first() is not None


def _site(
    connection: Connection,
    workspace_id: int,
    key: str,
    root_url: str,
    key_rules: Mapping[str, Any],
    now: datetime,
) -> Row[Any]:
    statement = upserting_insert(connection.dialect)(sites).values(
        workspace_id=workspace_id,
        key=key,
        root_url=root_url,
        seed=secrets.randbits(63),
        key_rules=dict(key_rules),
        created_at=now,
    )
    # The update locks the row, so that of two scans that begin at once one waits for the other.
    statement = statement.on_conflict_do_update(
        index_elements=[sites.c.workspace_id, sites.c.key],
        set_={"key": statement.excluded.key},
    )
    site: Row[Any] = connection.execute(
        statement.returning(sites.c.id, sites.c.key, sites.c.seed, sites.c.key_rules)
    ).one()
    if site.key_rules != dict(key_rules):
        raise KeyRulesChangedError(
            f"the pages of {key} are identified by the rules {site.key_rules}, this scan asks for "
            f"{dict(key_rules)}; use the recorded rules, or another database"
        )
    return site


def _refuse_second(connection: Connection, site: Row[Any]) -> None:
    running = select(scans).where(scans.c.site_id == site.id, scans.c.status == ScanStatus.RUNNING)
    if scan := connection.execute(running).first():
        raise ScanRunningError(
            f"scan {scan.id} of {site.key} is running (process {scan.pid} on {scan.hostname}, "
            f"since {scan.started_at:%Y-%m-%d %H:%M} UTC); wait for it or end it"
        )
