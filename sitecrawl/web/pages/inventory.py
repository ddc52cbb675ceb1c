"""The inventory of a site: explorer, pages, tree, sitemaps, robots.txt, coverage, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from difflib import unified_diff
from itertools import islice
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from starlette.responses import HTMLResponse, Response

from sitecrawl.changes.kinds import EventKind
from sitecrawl.changes.sitemap_changes import MapHealth
from sitecrawl.items import DocumentKind
from sitecrawl.report.html import html_report
from sitecrawl.services import (
    change_detection,
    changes,
    inventory,
    inventory_comparison,
    inventory_lists,
    overviews,
    reports,
    sites,
    views,
)
from sitecrawl.services.callers import Caller
from sitecrawl.services.database import AskedScan
from sitecrawl.services.views import ViewKind
from sitecrawl.store.queries.changes import ChangeFilter
from sitecrawl.store.queries.document_lists import RobotsRule
from sitecrawl.store.queries.page_filter import PageOrder, PageSort
from sitecrawl.store.queries.scans import Scan
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.path_tree import listed_by_section, section_of
from sitecrawl.web import charts
from sitecrawl.web.api.page_filters import PageParameters
from sitecrawl.web.api.pages import PageId, page_number
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import Asked
from sitecrawl.web.flash import redirect_after
from sitecrawl.web.pages.forms import NumberText, number_or_none
from sitecrawl.web.state import Web
from sitecrawl.web.templating import render

router = APIRouter(prefix="/sites/{site_id}")

COLUMNS: Final = {
    "title": "Title",
    "status": "Status",
    "source": "Found by",
    "category": "Category",
    "type": "Type",
    "template": "Template",
    "language": "Language",
    "depth": "Depth",
    "priority": "Priority",
    "lastmod": "Last modified",
    "http_status": "HTTP",
    "clicks": "Clicks",
    "reason": "Reason",
}
_FIRST_COLUMNS: Final = ("title", "source", "category", "lastmod")
# The parameter of the address for each facet that is shown.
_FACETS: Final = {
    "status": "status",
    "reason": "reason",
    "source": "source",
    "category": "category",
    "type": "type",
    "template": "template",
    "language": "language",
    "cluster": "cluster",
    "http_status": "httpStatus",
    "robots_allowed": "robotsAllowed",
    "indexable": "indexable",
    "orphan": "orphan",
}
_FACET_VALUES: Final = 8
_PER_PAGE: Final = 50
_MENTIONS: Final = 50
_LINKS: Final = 50
_TREE_DEPTH: Final = 4
_CHANGES: Final = 500
_LATELY: Final = timedelta(days=30)
_TREND_SCANS: Final = 20
_COMPARABLE_SCANS: Final = 50
_MAX_DIFF_LINES: Final = 5_000
_MAX_LISTED_DIFFERENCES: Final = 200


Reader = Annotated[Caller, allowed(sites.get_site)]


@router.get("/pages")
def explorer(
    request: Request, site_id: int, asked: Asked, web: CurrentWeb, caller: Reader
) -> Response:
    """Pages by any filter; the address has the parameters of the API, so both mean the same."""
    known = {field.alias or name for name, field in PageParameters.model_fields.items()}
    given = {name: value for name, value in request.query_params.items() if name in known and value}
    wanted = PageParameters.model_validate(given).filter_without()
    sort = request.query_params.get("sort", "")
    order = PageOrder(
        PageSort(sort) if sort in set(PageSort) else PageSort.FIRST_SEEN,
        request.query_params.get("order") == "desc",
    )
    columns = [each for each in request.query_params.getlist("columns") if each in COLUMNS]
    cursor = request.query_params.get("cursor")
    facets = inventory_lists.page_facets(asked, wanted)
    kept = [(name, value) for name, value in request.query_params.multi_items() if value]
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "scan": asked.scan,
        "page": inventory_lists.list_pages(asked, wanted, order, cursor, _PER_PAGE),
        "total": inventory_lists.count_pages(asked, wanted),
        "facets": [
            (name, _FACETS[name], found[:_FACET_VALUES])
            for name, found in facets.values.items()
            if name in _FACETS and any(each.value is not None for each in found)
        ],
        "given": given,
        "sort": order.sort.value,
        "descending": order.descending,
        "columns": columns or list(_FIRST_COLUMNS),
        "all_columns": COLUMNS,
        "export": urlencode({**given, "scan": str(asked.scan.id)}),
        "views": views.list_views(web.database, caller, ViewKind.PAGES),
        "query": urlencode([each for each in kept if each[0] not in {"cursor", "scan"}]),
        "urlencode": urlencode,
    }
    return render(request, "pages.html", values)


@router.post("/views")
def save_view(
    site_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(views.create_view)],
    name: Annotated[str, Form(max_length=100)] = "",
    query: Annotated[str, Form(max_length=4_000)] = "",
) -> Response:
    def work() -> str:
        made = views.create_view(web.database, caller, ViewKind.PAGES, name, {"query": query})
        return f"The view {made.name} is saved"

    return redirect_after(f"/sites/{site_id}/pages?{query}", work)


@router.post("/views/{view_id}/delete")
def delete_view(
    site_id: int,
    view_id: int,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(views.delete_view)],
) -> Response:
    def work() -> str:
        views.delete_view(web.database, caller, view_id)
        return "The view is deleted"

    return redirect_after(f"/sites/{site_id}/pages", work)


@router.get("/pages/{page_id}")
def page_detail(
    request: Request, site_id: int, page_id: PageId, asked: Asked, web: CurrentWeb, caller: Reader
) -> Response:
    """Why a page is on the list, what happened to it, who links to it, what robots.txt says."""
    number = page_number(page_id)
    found = inventory_lists.page_why(asked, number, _MENTIONS)
    assert found.page is not None
    links = {
        direction: inventory_lists.links_of_page(
            asked, number, is_incoming=direction == "in", cursor=None, limit=_LINKS
        )
        for direction in ("in", "out")
    }
    history = changes.page_history(web.database, asked.site, number)
    files, _ = inventory_lists.robots(asked)
    robots_url = found.verdict.robots_url if found.verdict else None
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "why": found,
        "page": found.page,
        "status": PageStatus.of(found.page.reason),
        "history": history,
        "documents": changes.documents_named_by(web.database, history),
        "links": links,
        "robots": next((each for each in files if each.url == robots_url), None),
    }
    return render(request, "page.html", values)


@router.get("/tree")
def tree(request: Request, site_id: int, asked: Asked, web: CurrentWeb, caller: Reader) -> Response:
    """Sections as large as their pages, those that changed lately, and how they developed."""
    change_detection.catch_up(web.database, asked.site)
    hosts = inventory.path_tree(web.database, asked.scan, _TREE_DEPTH).hosts
    sections = listed_by_section(hosts)
    since = ChangeFilter(since=datetime.now(UTC) - _LATELY)
    newest = changes.list_changes(web.database, asked.site, since, None, _CHANGES)
    changed = Counter(
        section_of(each.url, sections)
        for each in newest.rows
        if each.url and each.page_id is not None
    )
    scans = sites.site_scans(web.database, caller.workspace_id, site_id, _TREND_SCANS)
    trend = overviews.section_trend(asked, sections, scans)
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "hosts": hosts,
        "boxes": charts.treemap(sections.most_common(60)),
        "sections": sections.most_common(),
        "changed": changed,
        "trend": trend,
        "rows": [(f"scan {scan.id}", counts) for scan, counts in trend.rows],
        "series": [(name, f"hue-{number}") for number, name in enumerate(trend.names)],
    }
    return render(request, "tree.html", values)


@router.get("/sitemaps")
def sitemaps(
    request: Request,
    site_id: int,
    asked: Asked,
    web: CurrentWeb,
    caller: Reader,
    before: NumberText = "",
) -> Response:
    """Each sitemap with its counts; *before*: a scan to compare with."""
    change_detection.catch_up(web.database, asked.site)
    found = overviews.site_overview(web.database, caller.workspace_id, site_id)
    wanted = ChangeFilter(kinds=(EventKind.SITEMAP_CHANGED, EventKind.LASTMOD))
    documents = inventory_lists.list_documents(asked, kind=DocumentKind.SITEMAP, limit=200)
    states = []
    listed: dict[int, list[tuple[str, str]]] = {}
    if number := number_or_none(before):
        pairs = inventory_comparison.sitemap_states(web.database, asked.site, number, asked.scan.id)
        # Common places are asked for in each scan; most have never had a sitemap.
        states = [
            pair
            for pair in pairs
            if any(each is not None and each.health is not MapHealth.NOT_FOUND for each in pair)
        ]
        listed = inventory_comparison.sitemap_pages(web.database, asked.site, number, asked.scan.id)
    values = {
        "site": found.site,
        "sitemaps": [each for each in found.sitemaps if each.is_there],
        "documents": {each.id: each for each in documents.rows},
        "events": changes.list_events(web.database, asked.site, wanted, limit=20).rows,
        "older": _older_scans(web, caller, site_id, asked),
        "before": before,
        "states": states,
        "listed": listed,
        "max_listed": _MAX_LISTED_DIFFERENCES,
    }
    return render(request, "sitemaps.html", values)


def _older_scans(web: Web, caller: Caller, site_id: int, asked: AskedScan) -> list[Scan]:
    """The earlier scans that the asked one can be compared with."""
    scans = sites.site_scans(web.database, caller.workspace_id, site_id, _COMPARABLE_SCANS)
    return [each for each in scans if each.id < asked.scan.id and each.site_id == asked.site.id]


@router.get("/robots")
def robots(
    request: Request,
    site_id: int,
    asked: Asked,
    web: CurrentWeb,
    caller: Reader,
    before: NumberText = "",
) -> Response:
    """Each robots.txt with the lines that decide and how many pages each is about.

    *before*: a scan to compare with, line by line and by the pages that rules decide for.
    """
    change_detection.catch_up(web.database, asked.site)
    files, rules = inventory_lists.robots(asked)
    lines: dict[tuple[str | None, int | None], int] = {}
    for rule in rules:
        lines[rule.robots_url, rule.line] = lines.get((rule.robots_url, rule.line), 0) + rule.pages
    wanted = ChangeFilter(kinds=(EventKind.ROBOTS_CHANGED,))
    values: dict[str, Any] = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "files": files,
        "rules": rules,
        "lines": lines,
        "events": changes.list_events(web.database, asked.site, wanted, limit=20).rows,
        "older": _older_scans(web, caller, site_id, asked),
        "before": before,
        "differences": {},
        "pages_before": {},
    }
    if number := number_or_none(before):
        earlier = sites.asked_scan(web.database, caller.workspace_id, site_id, number)
        old_files, old_rules = inventory_lists.robots(earlier)
        old_texts = {each.url: each.text or "" for each in old_files}
        values["differences"] = {
            each.url: _difference(old_texts.get(each.url, ""), each.text or "") for each in files
        }
        values["pages_before"] = _pages_before(old_rules, old_texts.values())
    return render(request, "robots.html", values)


def _pages_before(
    rules: Sequence[RobotsRule], texts: Iterable[str]
) -> Counter[tuple[str | None, bool]]:
    """By rule and verdict, the pages of an earlier scan.

    Of an allowed page only the newest rule is kept: one that the file did not have yet is none.
    """
    known = {line.strip() for text in texts for line in text.splitlines()}
    pages: Counter[tuple[str | None, bool]] = Counter()
    for each in rules:
        is_later = each.allowed and each.rule is not None and each.rule not in known
        pages[None if is_later else each.rule, each.allowed] += each.pages
    return pages


def _difference(before: str, after: str) -> list[tuple[str, str]]:
    """Lines that are gone, new or near one of these, each with its mark; empty: no difference.

    >>> _difference("User-agent: *", "User-agent: *\\nDisallow: /a")
    [(' ', 'User-agent: *'), ('+', 'Disallow: /a')]
    """
    lines = unified_diff(
        before.splitlines()[:_MAX_DIFF_LINES], after.splitlines()[:_MAX_DIFF_LINES], lineterm=""
    )
    return [(line[0], line[1:]) for line in islice(lines, 2, None) if not line.startswith("@@")]


@router.get("/coverage")
def coverage(
    request: Request, site_id: int, asked: Asked, web: CurrentWeb, caller: Reader
) -> Response:
    values = {
        "site": sites.get_site(web.database, caller.workspace_id, site_id),
        "coverage": asked.coverage(),
        "scan": asked.scan,
        "findings": reports.findings_apart(asked, web.config.database_url),
    }
    return render(request, "coverage.html", values)


@router.get("/report")
def report(
    request: Request, site_id: int, asked: Asked, web: CurrentWeb, caller: Reader
) -> Response:
    site = sites.get_site(web.database, caller.workspace_id, site_id)
    return render(request, "report.html", {"site": site, "scan": asked.scan})


@router.get("/report/frame")
def report_frame(asked: Asked, web: CurrentWeb) -> Response:
    """The report itself, in a sandbox: its script can reach nothing of the dashboard."""
    policy = "sandbox allow-scripts allow-downloads allow-popups; frame-ancestors 'self'"
    headers = {"Content-Security-Policy": policy, "X-Frame-Options": "SAMEORIGIN"}
    data = reports.report_data_apart(asked, web.config.database_url)
    return HTMLResponse(html_report(data), headers=headers)
