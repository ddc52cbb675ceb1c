"""``/api/sites``: what is watched."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Response
from pydantic import Field

from sitecrawl.scheduling.schedule import DEFAULT_INTERVAL_MINUTES
from sitecrawl.services import changes, jobs, overviews, sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.sites import (
    DEFAULT_PRIORITY,
    DEFAULT_PROFILE,
    NewSite,
    SiteEdit,
)
from sitecrawl.store.queries.watched_sites import SiteFilter, SiteSort, WatchedSite
from sitecrawl.store.vocabulary import SiteState
from sitecrawl.urls.address import origin_of
from sitecrawl.web.api.changes import Change, change_answer
from sitecrawl.web.api.models import (
    Body,
    Cursor,
    Limit,
    Model,
    Moment,
    Order,
    ScanList,
    ScanSummary,
    etag_of,
    problems,
)
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import BodyId, Id, QueryId
from sitecrawl.web.problems import ProblemError

router = APIRouter(prefix="/sites", tags=["sites"])

Tags = Annotated[list[str], Field(max_length=50, examples=[["production", "blog"]])]

WorkerTags = Annotated[list[str], Field(max_length=10, examples=[["eu"]])]


class SiteRequest(Body):
    root_url: str = Field(min_length=1, max_length=2_000, examples=["https://example.com"])
    name: str = Field(default="", max_length=200, description="Empty: host and path.")
    tags: Tags = Field(default_factory=list)
    group_id: BodyId | None = None
    enabled: bool = True
    profile: str = Field(default=DEFAULT_PROFILE, max_length=100)
    settings: dict[str, Any] = Field(default_factory=dict, description="Of its scans, by name.")
    scan_priority: int = Field(default=DEFAULT_PRIORITY, description="1 to 5; 5 goes first.")
    scan_interval_minutes: int = DEFAULT_INTERVAL_MINUTES
    cron: str | None = Field(default=None, max_length=200, description="Instead of the interval.")
    timezone: str = Field(default="UTC", max_length=100, description="Of the cron expression.")
    owner: str | None = Field(default=None, max_length=200, description="Who is responsible.")
    worker_tags: WorkerTags = Field(
        default_factory=list, description="What a worker must have to scan it."
    )


class SiteChange(Body):
    """What is not given stays as it is."""

    root_url: str = Field(default="", min_length=1, max_length=2_000)
    name: str = Field(default="", max_length=200)
    tags: Tags = Field(default_factory=list)
    group_id: BodyId | None = None
    enabled: bool = True
    profile: str = Field(default="", max_length=100)
    settings: dict[str, Any] = Field(default_factory=dict)
    scan_priority: int = DEFAULT_PRIORITY
    scan_interval_minutes: int = DEFAULT_INTERVAL_MINUTES
    cron: str | None = Field(default=None, max_length=200)
    timezone: str = Field(default="UTC", max_length=100)
    owner: str | None = Field(default=None, max_length=200)
    worker_tags: WorkerTags = Field(default_factory=list)


class Site(Model):
    id: int
    root_url: str
    robots_url: str
    name: str
    tags: list[str]
    group_id: int | None
    group_name: str | None
    enabled: bool
    profile: str
    settings: dict[str, Any]
    scan_priority: int
    scan_interval_minutes: int
    cron: str | None
    timezone: str
    owner: str | None
    worker_tags: list[str]
    needed_tags: list[str] = Field(description="The same with what its settings need.")
    next_due_at: Moment | None
    last_scan_id: int | None
    last_scan_at: Moment | None
    last_scan_status: str | None
    pages: int | None
    active_job_id: int | None
    active_job_status: str | None
    created_at: Moment
    updated_at: Moment
    version: int


class SiteList(Model):
    sites: list[Site]
    total: int
    next_cursor: str | None


class UrlCounts(Model):
    total: int
    active: int
    inactive: int


class SiteSummary(Model):
    total_urls: int
    active_urls: int
    inactive_urls: int


class SitemapAnswer(Model):
    id: int
    url: str
    is_index: bool
    url_counts: UrlCounts
    last_status: int | None
    last_outcome: str | None
    etag: str | None
    last_modified: str | None


class SiteDetail(Model):
    site: Site
    summary: SiteSummary
    sitemaps: list[SitemapAnswer]
    recent_scans: list[ScanSummary]
    recent_changes: list[Change]


class TagCounts(Model):
    tags: dict[str, int]


class QueuedScan(Model):
    ok: bool = True
    status: str = Field(examples=["queued"])
    job_id: int
    scan_id: int | None = Field(description="Not known before the scan has begun.")


def site_answer(site: WatchedSite) -> Site:
    values = {name: getattr(site, name) for name in WatchedSite.__slots__}
    return Site(
        **values,
        robots_url=f"{origin_of(site.root_url)}/robots.txt",
        scan_priority=site.priority,
        scan_interval_minutes=site.interval_minutes,
    )


def _etag(site: WatchedSite) -> str:
    return etag_of("site", site.id, site.version)


def _filter(
    search: Annotated[str, Query(max_length=500, description="In name, URL or owner.")] = "",
    tag: Annotated[list[str], Query(max_length=20, description="All of them.")] = [],  # noqa: B006
    group: QueryId = None,
    state: SiteState | None = None,
    without_group: Annotated[
        bool, Query(alias="withoutGroup", description="Only those of no group.")
    ] = False,
) -> SiteFilter:
    return SiteFilter(
        text=search, tags=tuple(tag), group_id=group, state=state, without_group=without_group
    )


Wanted = Annotated[SiteFilter, Depends(_filter)]


@router.get("", operation_id="listSites")
def list_sites(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.list_sites)],
    wanted: Wanted,
    sort: SiteSort = SiteSort.ADDED,
    order: Order = "desc",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> SiteList:
    """The sites of the workspace, the newest first unless told otherwise."""
    page = sites.list_sites(
        web.database,
        caller.workspace_id,
        wanted,
        sort=sort,
        is_descending=order == "desc",
        cursor=cursor,
        limit=limit,
    )
    total = sites.count_sites(web.database, caller.workspace_id, wanted)
    return SiteList(
        sites=[site_answer(each) for each in page.rows],
        total=total,
        next_cursor=page.next_cursor,
    )


@router.post(
    "",
    operation_id="createSite",
    status_code=201,
    responses=problems("conflict"),
)
def create_site(
    response: Response,
    given: SiteRequest,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.add_site)],
) -> Site:
    """Watch a site; its first scan is queued at once."""
    values = given.model_dump(
        exclude={"scan_priority", "scan_interval_minutes", "tags", "worker_tags"}
    )
    new = NewSite(
        **values,
        tags=tuple(given.tags),
        worker_tags=tuple(given.worker_tags),
        priority=given.scan_priority,
        interval_minutes=given.scan_interval_minutes,
    )
    site = sites.add_site(web.database, caller.workspace_id, new, web.config.address_allow)
    response.headers["Location"] = f"/api/sites/{site.id}"
    response.headers["ETag"] = _etag(site)
    return site_answer(site)


@router.get("/tags", operation_id="listTags")
def list_tags(web: CurrentWeb, caller: Annotated[Caller, allowed(sites.site_tags)]) -> TagCounts:
    """Every tag that is in use, with the number of its sites."""
    return TagCounts(tags=sites.site_tags(web.database, caller.workspace_id))


@router.get("/{site_id}", operation_id="getSite")
def get_site(
    site_id: Id,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(overviews.site_overview)],
) -> SiteDetail:
    """A site with its sitemaps and its newest scans."""
    found = overviews.site_overview(web.database, caller.workspace_id, site_id)
    response.headers["ETag"] = _etag(found.site)
    return SiteDetail(
        site=site_answer(found.site),
        summary=SiteSummary(
            total_urls=found.urls.total,
            active_urls=found.urls.active,
            inactive_urls=found.urls.inactive,
        ),
        sitemaps=[SitemapAnswer.model_validate(each) for each in found.sitemaps],
        recent_scans=[
            ScanSummary.of(each, found.scan_counts.get(each.id, {})) for each in found.recent_scans
        ],
        recent_changes=[change_answer(each) for each in found.recent_changes],
    )


@router.patch(
    "/{site_id}",
    operation_id="updateSite",
    responses=problems("conflict", "changed-meanwhile"),
)
def update_site(
    site_id: Id,
    given: SiteChange,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.edit_site)],
    if_match: Annotated[str | None, Header(max_length=200)] = None,
) -> Site:
    """Change what is given; with `If-Match` only if nobody else has changed it since."""
    values = given.model_dump(exclude_unset=True)
    for ours, theirs in (
        ("scan_priority", "priority"),
        ("scan_interval_minutes", "interval_minutes"),
    ):
        if ours in values:
            values[theirs] = values.pop(ours)
    for name in values.keys() & {"tags", "worker_tags"}:
        values[name] = tuple(values[name])
    expected = None
    if if_match is not None and if_match != "*":
        before = sites.get_site(web.database, caller.workspace_id, site_id)
        expected = before.version
        if _etag(before) not in {each.strip() for each in if_match.split(",")}:
            raise ProblemError("changed-meanwhile")
    site = sites.edit_site(
        *(web.database, caller.workspace_id, site_id, SiteEdit(**values), expected),
        address_allow=web.config.address_allow,
    )
    response.headers["ETag"] = _etag(site)
    return site_answer(site)


@router.delete(
    "/{site_id}", operation_id="deleteSite", status_code=204, responses=problems("conflict")
)
def delete_site(
    site_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(sites.remove_site)]
) -> None:
    """Remove the site with its inventory, scans, changes and channels."""
    sites.remove_site(web.database, caller.workspace_id, site_id)


@router.post(
    "/{site_id}/scan",
    operation_id="scanSite",
    status_code=202,
    responses=problems("conflict"),
)
def scan_site(
    site_id: Id,
    response: Response,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(jobs.scan_site)],
) -> QueuedScan:
    """Queue a scan ahead of what waits; `Location` is its job."""
    job = jobs.scan_site(web.database, caller.workspace_id, site_id)
    response.headers["Location"] = f"/api/jobs/{job.id}"
    return QueuedScan(status=job.status, job_id=job.id, scan_id=job.scan_id)


@router.get("/{site_id}/scans", operation_id="listSiteScans")
def list_site_scans(
    site_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.site_scans)],
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> ScanList:
    """The newest first."""
    found = sites.site_scans(web.database, caller.workspace_id, site_id, limit)
    return ScanList(
        scans=[ScanSummary.of(each, changes.scan_counts(web.database, each)) for each in found]
    )
