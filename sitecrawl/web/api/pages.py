"""``/api/sites/{id}/pages``: the pages of a site, one by one."""

from __future__ import annotations

from dataclasses import asdict
from typing import IO, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response

from sitecrawl.services import inventory_lists
from sitecrawl.services.explain import find_page_id
from sitecrawl.services.formats import ExportFormat
from sitecrawl.services.inventory_lists import ListedPage
from sitecrawl.store.queries.explain import Why
from sitecrawl.store.queries.page_filter import PageFilter, PageOrder, PageSort
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.web.api.models import Cursor, Limit, Model, Moment, download_answer
from sitecrawl.web.api.page_filters import PageParameters
from sitecrawl.web.dependencies import Asked, BodyId
from sitecrawl.web.downloads import download

router = APIRouter(prefix="/sites/{site_id}/pages", tags=["pages"])
export_router = APIRouter(tags=["pages"])

# Numbers of 64 bits are more than a JavaScript number can hold, so they are texts.
PageId = Annotated[str, Path(pattern=r"^-?[0-9]{1,19}$", examples=["-3729823742387"])]
_MAX_MENTIONS = 100


class Mention(Model):
    """One document that names the page."""

    document_url: str
    document_kind: str
    found_by: str
    source: str
    lastmod: str | None
    region: str | None
    anchor: str | None
    rel: str | None
    path: str | None
    is_current: bool
    scan_id: int
    last_seen_scan_id: int
    fetched_at: Moment | None
    last_seen_at: Moment | None
    gone_scan_id: int | None
    dropped_scan_id: int | None


class MentionCount(Model):
    is_current: bool
    source: str
    region: str | None
    mentions: int


class Verdict(Model):
    """What robots.txt says, with the line that decides."""

    robots_url: str | None
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawl_delay: float | None
    confidence: float
    decided_at: Moment


class Visit(Model):
    scan_id: int
    clicks: int
    outcome: str | None
    status: int | None
    content_type: str | None
    error: str | None
    title: str | None
    canonical: str | None
    duplicate_of: str | None
    redirects: list[str]
    final_url: str | None
    directives: list[str]
    fetched_at: Moment | None


class ClickStep(Model):
    url: str
    source: str | None
    region: str | None
    anchor: str | None


class PageWhy(Model):
    """A page, and why it is on the list or refused."""

    id: str
    url: str
    status: PageStatus
    reason: str | None
    rule: str | None
    title: str | None
    language: str | None
    category: str | None
    lastmod: str | None
    changefreq: str | None
    sitemap_priority: float | None
    first_seen_at: Moment | None
    first_scan_id: int
    last_seen_scan_id: int | None
    is_mentioned: bool = Field(description="Whether a document still names it.")
    verdict: Verdict | None
    visit: Visit | None
    click_path: list[ClickStep]
    mentions: list[Mention]
    mention_counts: list[MentionCount]


class Page(Model):
    """A row of the inventory."""

    id: str
    url: str
    key: str
    status: PageStatus
    reason: str | None
    rule: str | None
    source: str | None
    sources: list[str]
    region: str | None
    anchor: str | None
    parent: str | None
    title: str | None
    lastmod: str | None
    changefreq: str | None
    sitemap_priority: float | None
    importance: float | None
    inlinks: int | None
    depth: int | None
    clusters: list[str]
    category: str | None
    type: str | None
    template: str | None
    language: str | None
    language_source: str | None
    other_language: bool | None
    priority: float | None
    file_kind: str | None
    discovered_at: str | None
    robots_allowed: bool | None
    robots_rule: str | None
    visited: bool
    clicks: int | None
    http_status: int | None
    content_type: str | None
    canonical: str | None
    duplicate_of: str | None


class PageList(Model):
    pages: list[Page]
    next_cursor: str | None


class PageCount(Model):
    pages: int
    is_more: bool


class FacetValue(Model):
    value: str | bool | float | None
    pages: int


class PageFacets(Model):
    pages: int
    facets: dict[str, list[FacetValue]]


class PageQuery(PageParameters):
    scan: BodyId | None = Field(default=None, description="As of this scan.")

    def page_filter(self) -> PageFilter:
        return self.filter_without("scan")


class PageListQuery(PageQuery):
    sort: PageSort = PageSort.FIRST_SEEN
    order: Literal["asc", "desc"] = "asc"
    cursor: str | None = Field(default=None, max_length=40_000)
    limit: int = Field(default=100, ge=1, le=inventory_lists.MAX_PAGES)

    def page_filter(self) -> PageFilter:
        return self.filter_without("scan", "sort", "order", "cursor", "limit")


def _page(listed: ListedPage) -> Page:
    values = asdict(listed.page)
    del values["text_hash"]
    return Page(id=str(listed.id), **values)


class PageLink(Model):
    url: str
    page_id: str
    kind: str | None
    reason: str | None
    source: str
    region: str | None
    anchor: str | None
    rel: str | None


class PageLinks(Model):
    links: list[PageLink]
    next_cursor: str | None


@router.get("", operation_id="listPages")
def list_pages(asked: Asked, query: Annotated[PageListQuery, Query()]) -> PageList:
    """The pages of the site, in any order; `nextCursor` belongs to the order."""
    order = PageOrder(query.sort, query.order == "desc")
    found = inventory_lists.list_pages(asked, query.page_filter(), order, query.cursor, query.limit)
    return PageList(pages=[_page(each) for each in found.pages], next_cursor=found.next_cursor)


@router.get("/count", operation_id="countPages")
def count_pages(asked: Asked, query: Annotated[PageQuery, Query()]) -> PageCount:
    """How many there are; beyond 100,000 only that there are more."""
    counted = inventory_lists.count_pages(asked, query.page_filter())
    return PageCount(pages=counted.pages, is_more=counted.is_more)


@router.get("/facets", operation_id="getPageFacets")
def get_facets(asked: Asked, query: Annotated[PageQuery, Query()]) -> PageFacets:
    """How many of the pages have each status, source, category, template, ..."""
    found = inventory_lists.page_facets(asked, query.page_filter())
    facets = {
        to_camel(name): [FacetValue.model_validate(each) for each in values]
        for name, values in found.values.items()
    }
    return PageFacets(pages=found.pages, facets=facets)


_EXPORT_TYPES = {
    ExportFormat.TEXT: "text/plain; charset=utf-8",
    ExportFormat.JSONL: "application/x-ndjson",
    ExportFormat.JSON: "application/json",
    ExportFormat.CSV: "text/csv; charset=utf-8",
    ExportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ExportFormat.PARQUET: "application/vnd.apache.parquet",
}


@export_router.get(
    "/sites/{site_id}/pages.{format}",
    operation_id="downloadPages",
    **download_answer(*_EXPORT_TYPES.values()),
)
def download_pages(
    asked: Asked,
    format_: Annotated[ExportFormat, Path(alias="format")],
    query: Annotated[PageQuery, Query()],
) -> Response:
    """The pages as a file, with the fields of a feed."""
    wanted = query.page_filter()

    def write(file: IO[bytes]) -> None:
        inventory_lists.write_page_list(asked, wanted, format_, file)

    ending = "txt" if format_ is ExportFormat.TEXT else format_.value
    return download(
        write,
        name=f"{asked.site.key}-pages.{ending}",
        media_type=_EXPORT_TYPES[format_],
        needs_seeking=format_ in {ExportFormat.XLSX, ExportFormat.PARQUET},
    )


@router.get("/why", operation_id="explainUrl")
def explain_url(
    asked: Asked, url: Annotated[str, Query(min_length=1, max_length=2_000)]
) -> PageWhy:
    """As `getPage`, by the URL as anybody would write it."""
    return _why(inventory_lists.page_why(asked, find_page_id(asked, url), _MAX_MENTIONS))


@router.get("/{page_id}", operation_id="getPage")
def get_page(asked: Asked, page_id: PageId) -> PageWhy:
    """A page: what names it, what robots.txt says, what its visit found, the way to it."""
    return _why(inventory_lists.page_why(asked, page_number(page_id), _MAX_MENTIONS))


@router.get("/{page_id}/links-in", operation_id="listLinksIn")
def list_links_in(
    asked: Asked, page_id: PageId, cursor: Cursor = None, limit: Limit = 100
) -> PageLinks:
    """What names the page: links, sitemaps, feeds."""
    return _links(asked, page_id, is_incoming=True, cursor=cursor, limit=limit)


@router.get("/{page_id}/links-out", operation_id="listLinksOut")
def list_links_out(
    asked: Asked, page_id: PageId, cursor: Cursor = None, limit: Limit = 100
) -> PageLinks:
    """What the page links to, if it was visited."""
    return _links(asked, page_id, is_incoming=False, cursor=cursor, limit=limit)


def _links(asked: Asked, page_id: str, **options: Any) -> PageLinks:
    found, cursor = inventory_lists.links_of_page(asked, page_number(page_id), **options)
    links = [
        PageLink(
            url=each.url,
            page_id=str(each.page_id),
            kind=each.kind,
            reason=each.reason,
            source=each.source,
            region=each.region,
            anchor=each.anchor,
            rel=each.rel,
        )
        for each in found
    ]
    return PageLinks(links=links, next_cursor=cursor)


def page_number(page_id: str) -> int:
    """What no database can hold is no page's."""
    number = int(page_id)
    return number if -(2**63) <= number < 2**63 else 0


def _why(found: Why) -> PageWhy:
    page = found.page
    assert page is not None
    return PageWhy(
        id=str(page.id),
        url=page.url,
        status=PageStatus.of(page.reason),
        reason=page.reason,
        rule=page.rule,
        title=page.title,
        language=page.language,
        category=page.category,
        lastmod=page.lastmod,
        changefreq=page.changefreq,
        sitemap_priority=page.sitemap_priority,
        first_seen_at=found.first_seen_at,
        first_scan_id=page.first_scan_id,
        last_seen_scan_id=found.last_seen_scan_id,
        is_mentioned=found.is_mentioned,
        verdict=Verdict.model_validate(found.verdict) if found.verdict else None,
        visit=Visit.model_validate(found.visit) if found.visit else None,
        click_path=[ClickStep.model_validate(each) for each in found.click_path],
        mentions=[Mention.model_validate(each) for each in found.mentions],
        mention_counts=[MentionCount.model_validate(each) for each in found.mention_counts],
    )
