"""Watched sites: what is scanned on a schedule, by whom, how often, and what its scans found."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sitecrawl.config.site_settings import (
    always_renders,
    checked_profile,
    checked_site_settings,
)
from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.safety.policy import AddressPolicy
from sitecrawl.scheduling.schedule import DEFAULT_INTERVAL_MINUTES, Schedule, checked_schedule
from sitecrawl.scheduling.worker_tags import BROWSER, checked_worker_tags, joined
from sitecrawl.services.database import AskedScan
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.text_input import checked_line
from sitecrawl.store.queries.scans import (
    latest_scan,
    running_scan,
    scan_by_id,
    scans_of_sites,
    site_by_id,
)
from sitecrawl.store.queries.watched_sites import (
    SiteFilter,
    SiteSort,
    WatchedSite,
    count_watched_sites,
    find_site_group,
    find_watched_site,
    inventories_of,
    known_keys,
    tag_counts,
    watched_site_by_key,
    watched_site_ids,
    watched_sites_page,
)
from sitecrawl.store.vocabulary import JobKind, JobStatus, JobTrigger
from sitecrawl.store.writers.jobs import queue_job
from sitecrawl.store.writers.watched_sites import (
    insert_watched_site,
    point_to_inventory,
    remove_watched_site,
    update_watched_site,
)
from sitecrawl.urls.target import Target, TargetError, parse_target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy.engine import Connection

    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.cursors import ListPage
    from sitecrawl.store.queries.scans import Scan, Site

DEFAULT_PROFILE: Final = "monitor"
DEFAULT_PRIORITY: Final = 3
MIN_PRIORITY: Final = 1
MAX_PRIORITY: Final = 5
_MAX_NAME: Final = 200
_MAX_OWNER: Final = 200
_MAX_TAG: Final = 50
_MAX_TAGS: Final = 50


class Unset(Enum):
    """A field that an edit leaves as it is."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True)
class NewSite:
    """A site to watch; only the root URL is needed."""

    root_url: str
    name: str = ""
    """Empty: host and path of the root URL."""
    tags: tuple[str, ...] = ()
    group_id: int | None = None
    enabled: bool = True
    profile: str = DEFAULT_PROFILE
    settings: Mapping[str, Any] = field(default_factory=dict)
    priority: int = DEFAULT_PRIORITY
    interval_minutes: int = DEFAULT_INTERVAL_MINUTES
    cron: str | None = None
    timezone: str = "UTC"
    owner: str | None = None
    worker_tags: tuple[str, ...] = ()
    """What a worker must have to scan it."""
    allow_private: bool = False
    """Its scans may connect to its root at a private address. For whoever owns the machine only:
    a person in the web or a file must not be able to set it."""


@dataclass(frozen=True, slots=True)
class SiteEdit:
    """What to change of a site; the rest stays."""

    root_url: str | Unset = UNSET
    name: str | Unset = UNSET
    tags: tuple[str, ...] | Unset = UNSET
    group_id: int | Unset | None = UNSET
    enabled: bool | Unset = UNSET
    profile: str | Unset = UNSET
    settings: Mapping[str, Any] | Unset = UNSET
    priority: int | Unset = UNSET
    interval_minutes: int | Unset = UNSET
    cron: str | Unset | None = UNSET
    timezone: str | Unset = UNSET
    owner: str | Unset | None = UNSET
    worker_tags: tuple[str, ...] | Unset = UNSET
    allow_private: bool | Unset = UNSET
    """Without it a new root URL takes the permission away."""

    def values(self) -> dict[str, Any]:
        """The fields that are set."""
        every = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in every.items() if value is not UNSET}


@requires(Permission.READ)
def list_sites(
    database: Database,
    workspace_id: int,
    wanted: SiteFilter | None = None,
    *,
    sort: SiteSort = SiteSort.ADDED,
    is_descending: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> ListPage[WatchedSite]:
    return watched_sites_page(
        database,
        workspace_id,
        wanted or SiteFilter(),
        sort,
        is_descending=is_descending,
        cursor=cursor,
        limit=limit,
    )


@requires(Permission.READ)
def count_sites(database: Database, workspace_id: int, wanted: SiteFilter | None = None) -> int:
    return count_watched_sites(database, workspace_id, wanted or SiteFilter())


@requires(Permission.READ)
def site_tags(database: Database, workspace_id: int) -> dict[str, int]:
    """Every tag that is in use, with the number of its sites."""
    return tag_counts(database, workspace_id)


@requires(Permission.READ)
def get_site(database: Database, workspace_id: int, number: int) -> WatchedSite:
    with database.reading() as connection:
        return _found(connection, workspace_id, number)


@requires(Permission.READ)
def site_named(database: Database, workspace_id: int, text: str) -> WatchedSite:
    """The site with this number, domain, URL or name, as a person types it."""
    if text.isdecimal():
        return get_site(database, workspace_id, int(text))
    try:
        key = parse_target(text).site_key
    except TargetError:
        key = ""
    site = watched_site_by_key(database, workspace_id, key) if key else None
    if site is not None:
        return site
    found = list_sites(database, workspace_id, SiteFilter(text=text), limit=3).rows
    exact = [each for each in found if each.name.lower() == text.lower()]
    if len(exact) == 1:
        return exact[0]
    near = ", ".join(f"{each.id} ({each.name})" for each in found)
    hint = f"did you mean {near}?" if near else "see: sitecrawl site list"
    raise NotFoundError(f"{text!r} is not watched; {hint}")


@requires(Permission.READ)
def site_scans(database: Database, workspace_id: int, number: int, limit: int = 20) -> list[Scan]:
    """The newest scans of the site first, also those of a root URL that it had before."""
    with database.reading() as connection:
        _found(connection, workspace_id, number)
        inventories = inventories_of(connection, number)
    return scans_of_sites(database, inventories, limit)


@requires(Permission.READ)
def asked_scan(
    database: Database, workspace_id: int, number: int, scan_id: int | None = None
) -> AskedScan:
    """The scan with this number, or the newest with a result, of a watched site.

    ``NotFoundError`` if there is no such site or scan, or if the site was not scanned yet.
    """
    site = scanned_site(database, workspace_id, number)
    scan = latest_scan(database, site.id) if scan_id is None else scan_by_id(database, scan_id)
    if scan is None or scan.site_id != site.id:
        raise NotFoundError(f"site {number} ({site.root_url}) has no scan {scan_id}")
    return AskedScan(database, site, scan)


@requires(Permission.READ)
def scanned_site(database: Database, workspace_id: int, number: int) -> Site:
    """The inventory of a watched site; ``NotFoundError`` if there is none, or none yet."""
    watched = get_site(database, workspace_id, number)
    site = site_by_id(database, watched.site_id) if watched.site_id else None
    if site is None:
        raise NotFoundError(f"site {number} ({watched.root_url}) has not been scanned yet")
    return site


@requires(Permission.EDIT)
def add_site(
    database: Database, workspace_id: int, new: NewSite, address_allow: Iterable[str] = ()
) -> WatchedSite:
    """Watch a site; a job that discovers its sitemaps is queued at once.

    *address_allow*: what the machine's ``SITECRAWL_ADDRESS_ALLOW`` opens.
    """
    target, values = checked_site(new)
    check_address(target.url, address_allow, allow_private=new.allow_private)
    now = datetime.now(UTC)
    with database.writing() as connection:
        number = store_site(connection, workspace_id, values, now)
        if number is None:
            known = known_keys(connection, workspace_id, [target.site_key])
            raise ConflictError(f"{target.url} is watched already: site {known[target.site_key]}")
        return _found(connection, workspace_id, number)


@requires(Permission.EDIT)
def edit_site(
    database: Database,
    workspace_id: int,
    number: int,
    edit: SiteEdit,
    expected_version: int | None = None,
    address_allow: Iterable[str] = (),
) -> WatchedSite:
    """Change what is given; a new root URL is discovered at once, and the history is kept.

    *expected_version* is that of the site as the caller saw it: if somebody else has changed it
    since, nothing is changed, and ``ConflictError`` says so. *address_allow* is as for
    :func:`add_site`.
    """
    now = datetime.now(UTC)
    with database.writing() as connection:
        site = _found(connection, workspace_id, number)
        _, values = checked_site(_edited(site, edit))
        check_group(connection, workspace_id, values["group_id"])
        is_new_root = values["root_url"] != site.root_url
        if is_new_root:
            values["allow_private"] = edit.allow_private is True
            check_address(values["root_url"], address_allow, allow_private=values["allow_private"])
        if is_new_root and site.active_job_status == JobStatus.RUNNING:
            raise ConflictError(
                f"{site.root_url} is being scanned; change the root URL when job"
                f" {site.active_job_id} has ended, or cancel it"
            )
        if values["key"] != site.key:
            _refuse_watched(connection, workspace_id, values["key"], values["root_url"])
        schedule = Schedule(values["interval_minutes"], values["cron"], values["timezone"])
        values["next_due_at"] = next_due(site, schedule, now) if values["enabled"] else None
        if not update_watched_site(connection, number, values, now, expected_version):
            raise ConflictError(
                f"site {number} was changed by somebody else in the meantime; look at it again"
            )
        if values["key"] != site.key:
            point_to_inventory(connection, workspace_id, number, values["key"], now)
        if is_new_root and values["enabled"]:
            priority = values["priority"]
            kind, trigger = JobKind.DISCOVER, JobTrigger.ROOT_CHANGED
            queue_job(connection, number, kind, trigger, priority, now)
        return _found(connection, workspace_id, number)


@requires(Permission.EDIT)
def remove_site(database: Database, workspace_id: int, number: int) -> WatchedSite:
    """Remove the site and everything of it, its inventory included, in one transaction."""
    with database.writing() as connection:
        site = _found(connection, workspace_id, number)
        if scan_id := running_scan(connection, inventories_of(connection, number)):
            raise ConflictError(
                f"{site.root_url} is being scanned (scan {scan_id}); cancel the scan first"
            )
        remove_watched_site(connection, number)
        return site


@requires(Permission.READ)
def picked_site_ids(database: Database, workspace_id: int, wanted: SiteFilter) -> list[int]:
    """The numbers of the sites that a bulk action is for."""
    with database.reading() as connection:
        return watched_site_ids(connection, workspace_id, wanted)


def checked_site(new: NewSite) -> tuple[Target, dict[str, Any]]:
    """What is stored of the site, or ``InvalidInputError`` for the first wrong field."""
    try:
        target = parse_target(new.root_url)
    except TargetError as error:
        raise InvalidInputError("root_url", str(error)) from error
    schedule = checked_schedule(new.interval_minutes, new.cron, new.timezone)
    if not MIN_PRIORITY <= new.priority <= MAX_PRIORITY:
        raise InvalidInputError(
            "priority", f"{new.priority} is not from {MIN_PRIORITY} to {MAX_PRIORITY}"
        )
    profile = checked_profile(new.profile)
    settings = checked_site_settings(profile, new.settings)
    worker_tags = checked_worker_tags(new.worker_tags)
    implied = (BROWSER,) if always_renders(profile, settings) else ()
    return target, {
        "key": target.site_key,
        "root_url": target.url,
        "name": checked_line("name", new.name, _MAX_NAME) or _default_name(target.url),
        "tags": list(checked_tags(new.tags)),
        "group_id": new.group_id,
        "enabled": new.enabled,
        "profile": profile,
        "settings": settings,
        "worker_tags": list(worker_tags),
        "needed_tags": joined({*worker_tags, *implied}),
        "priority": new.priority,
        "interval_minutes": schedule.interval_minutes,
        "cron": schedule.cron,
        "timezone": schedule.timezone,
        "owner": checked_line("owner", new.owner or "", _MAX_OWNER) or None,
        "allow_private": new.allow_private,
    }


def check_address(root_url: str, address_allow: Iterable[str], *, allow_private: bool) -> None:
    """``InvalidInputError`` if the host is private and neither the site nor the machine allows it.

    A name that leads to a private address without saying so is refused when it is scanned.
    """
    if allow_private:
        return
    if refusal := AddressPolicy(allow=address_allow).refusal_of_site(root_url):
        raise InvalidInputError("root_url", refusal)


def checked_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags without repetitions, in their order."""
    found = tuple(dict.fromkeys(checked_line("tags", tag, _MAX_TAG) for tag in tags))
    if len(found) > _MAX_TAGS:
        raise InvalidInputError("tags", f"a site has at most {_MAX_TAGS}")
    for tag in found:
        if not tag or "," in tag:
            raise InvalidInputError("tags", f"{tag!r} is not a tag: it is empty or has a comma")
    return found


def store_site(
    connection: Connection, workspace_id: int, values: Mapping[str, Any], now: datetime
) -> int | None:
    """Store a checked site and queue its discovery; None: it is watched already."""
    check_group(connection, workspace_id, values["group_id"])
    schedule = Schedule(values["interval_minutes"], values["cron"], values["timezone"])
    due = schedule.next_after(now) if values["enabled"] else None
    number = insert_watched_site(
        connection, {**values, "workspace_id": workspace_id, "next_due_at": due}, now
    )
    if number is not None and values["enabled"]:
        queue_job(connection, number, JobKind.DISCOVER, JobTrigger.ADDED, values["priority"], now)
    return number


def next_due(site: WatchedSite, schedule: Schedule, now: datetime) -> datetime:
    """When an enabled site is due under this schedule."""
    if site.next_due_at is not None and schedule == site.schedule:
        return site.next_due_at
    # As if the schedule had been this one since the last scan: a site that is late is due now.
    return max(schedule.next_after(site.last_scan_at or now), now)


def check_group(connection: Connection, workspace_id: int, group_id: int | None) -> None:
    """``InvalidInputError`` if the workspace has no such group."""
    if group_id is not None and not find_site_group(connection, workspace_id, number=group_id):
        raise InvalidInputError("group_id", f"there is no group {group_id}")


def _found(connection: Connection, workspace_id: int, number: int) -> WatchedSite:
    site = find_watched_site(connection, workspace_id, number)
    if site is None:
        raise NotFoundError(f"there is no site {number}; see: sitecrawl site list")
    return site


def _edited(site: WatchedSite, edit: SiteEdit) -> NewSite:
    values = {name: getattr(site, name) for name in NewSite.__slots__} | edit.values()
    is_default_name = site.name == _default_name(site.root_url)
    if is_default_name and "name" not in edit.values():
        values["name"] = ""  # it follows the root URL
    return NewSite(**values)


def _refuse_watched(connection: Connection, workspace_id: int, key: str, url: str) -> None:
    if known := known_keys(connection, workspace_id, [key]):
        raise ConflictError(f"{url} is watched already: site {known[key]}")


def _default_name(root_url: str) -> str:
    """
    >>> _default_name("https://www.example.com/"), _default_name("https://example.com/docs/")
    ('www.example.com', 'example.com/docs')
    """
    parts = urlsplit(root_url)
    return (parts.netloc + parts.path).rstrip("/")[:_MAX_NAME]
