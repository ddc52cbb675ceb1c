"""``/api/sites/{id}/...``: what the scans of a site have read and found.

Reports and exports need packages that take long to import: they are imported when asked for.
"""

from __future__ import annotations

from enum import StrEnum
from typing import IO, Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from sitecrawl.items import DocumentKind
from sitecrawl.services import inventory, inventory_lists
from sitecrawl.services.database import AskedScan
from sitecrawl.services.formats import GraphFormat, ListFormat, ReportFormat
from sitecrawl.store.vocabulary import PageStatus
from sitecrawl.urls.path_tree import Folder
from sitecrawl.web.api.models import Cursor, Limit, Model, Moment, download_answer, problems
from sitecrawl.web.auth import CurrentWeb
from sitecrawl.web.dependencies import Asked
from sitecrawl.web.downloads import download

router = APIRouter(prefix="/sites/{site_id}", tags=["inventory"])
MAX_TREE_DEPTH = 10
_CSV = "text/csv; charset=utf-8"


class Document(Model):
    """One thing that was fetched and mentions URLs."""

    id: int
    url: str
    kind: str
    format: str | None
    depth: int
    found_by: str
    first_scan_id: int
    gone_scan_id: int | None
    entries: int | None
    etag: str | None
    last_modified: str | None
    outcome: str | None
    status: int | None
    error: str | None
    content_type: str | None
    received_bytes: int | None
    elapsed_ms: int | None
    fetched_at: Moment | None
    final_url: str | None
    truncated: bool | None


class DocumentList(Model):
    documents: list[Document]
    next_cursor: str | None


class Evidence(Model):
    id: int
    type: str
    content: str
    metadata: dict[str, Any]
    confidence: float
    created_at: Moment
    document_url: str | None


class EvidenceList(Model):
    evidence: list[Evidence]
    next_cursor: str | None


class RobotsRule(Model):
    robots_url: str | None
    allowed: bool
    reason: str
    rule: str | None
    line: int | None
    agents: str | None
    crawl_delay: float | None
    pages: int = Field(description="How many pages the rule decides for.")


class RobotsFile(Model):
    document_id: int
    url: str
    outcome: str | None
    status: int | None
    fetched_at: Moment | None
    text: str | None


class Robots(Model):
    files: list[RobotsFile]
    rules: list[RobotsRule]


class FolderAnswer(Model):
    name: str
    listed: int
    refused: int
    folders: list[FolderAnswer]


class Tree(Model):
    hosts: list[FolderAnswer]


class MenuEntry(Model):
    level: int = Field(description="0 is the highest.")
    title: str
    url: str
    region: str
    status: PageStatus


class Menu(Model):
    entries: list[MenuEntry]


class Coverage(Model):
    """How complete the crawl of the scan was."""

    scan_id: int
    scan_status: str
    known: int
    visited: int
    failed: int
    held: int
    waiting: int
    sitemaps: int
    has_crawled: bool
    is_whole: bool
    ended: str
    limits: list[dict[str, Any]]


class FindingList(Model):
    findings: list[dict[str, Any]]


class ReportAnswer(Model):
    report: dict[str, Any]


@router.get("/documents", operation_id="listDocuments")
def list_documents(
    asked: Asked, kind: DocumentKind | None = None, cursor: Cursor = None, limit: Limit = 100
) -> DocumentList:
    """robots.txt, sitemaps, feeds and pages, with what came of their fetch."""
    page = inventory_lists.list_documents(asked, kind=kind or "", cursor=cursor, limit=limit)
    return DocumentList(
        documents=[Document.model_validate(each) for each in page.rows],
        next_cursor=page.next_cursor,
    )


@router.get("/evidence", operation_id="listEvidence")
def list_evidence(
    asked: Asked,
    kind: Annotated[str, Query(alias="type", max_length=40)] = "",
    cursor: Cursor = None,
    limit: Limit = 100,
) -> EvidenceList:
    """What the scan has recorded, such as `robots_txt` and `discovery_summary`."""
    page = inventory_lists.list_evidence(asked, kind=kind, cursor=cursor, limit=limit)
    return EvidenceList(
        evidence=[Evidence.model_validate(each) for each in page.rows],
        next_cursor=page.next_cursor,
    )


@router.get("/robots", operation_id="getRobots")
def get_robots(asked: Asked) -> Robots:
    """Every robots.txt, and the rules that decide, with how many pages each is about."""
    files, rules = inventory_lists.robots(asked)
    return Robots(
        files=[RobotsFile.model_validate(each) for each in files],
        rules=[RobotsRule.model_validate(each) for each in rules],
    )


@router.get("/tree", operation_id="getTree")
def get_tree(asked: Asked, depth: Annotated[int, Query(ge=1, le=MAX_TREE_DEPTH)] = 3) -> Tree:
    """The folders of the site, by host, with how many pages are in and below each."""
    found = inventory.path_tree(asked.database, asked.scan, depth)
    return Tree(hosts=[_folder(name, each) for name, each in found.hosts.items()])


def _folder(name: str, folder: Folder) -> FolderAnswer:
    inner = [_folder(each, below) for each, below in folder.inner.items()]
    return FolderAnswer(name=name, listed=folder.listed, refused=folder.refused, folders=inner)


@router.get("/menu", operation_id="getMenu")
def get_menu(asked: Asked) -> Menu:
    """The entries of the site's menu, in the order of the page."""
    return Menu(entries=[MenuEntry.model_validate(each) for each in inventory.menu(asked)])


@router.get("/coverage", operation_id="getCoverage")
def get_coverage(asked: Asked) -> Coverage:
    return Coverage(**asked.coverage().as_dict())


@router.get("/findings", operation_id="listFindings")
def list_findings(asked: Asked, web: CurrentWeb) -> FindingList:
    """What is wrong with the site, by kind, with severity, pages and advice."""
    from sitecrawl.services import reports

    found = reports.findings_apart(asked, web.config.database_url)
    return FindingList(findings=[dict(each) for each in found])


@router.get("/report", operation_id="getReport")
def get_report(asked: Asked, web: CurrentWeb) -> ReportAnswer:
    """What a report says, as data; the fields are those of its JSON file."""
    from sitecrawl.services import reports

    return ReportAnswer(report=dict(reports.report_data_apart(asked, web.config.database_url)))


_REPORT_TYPES = {
    ReportFormat.HTML: "text/html; charset=utf-8",
    ReportFormat.JSON: "application/json",
    ReportFormat.MD: "text/markdown; charset=utf-8",
    ReportFormat.CSV: "application/zip",
    ReportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@router.get(
    "/report.{format}", operation_id="downloadReport", **download_answer(*_REPORT_TYPES.values())
)
def download_report(
    asked: Asked, web: CurrentWeb, format_: Annotated[ReportFormat, Path(alias="format")]
) -> Response:
    """The report as a file; `csv` is a zip file of tables."""
    ending = "zip" if format_ is ReportFormat.CSV else format_.value

    def write(file: IO[bytes]) -> None:
        from sitecrawl.services import reports

        reports.write_report_apart(asked, web.config.database_url, format_, file)

    return download(
        write,
        name=f"{asked.site.key}-report.{ending}",
        media_type=_REPORT_TYPES[format_],
        needs_seeking=format_ in {ReportFormat.CSV, ReportFormat.XLSX},
    )


class GraphType(StrEnum):
    """The media type of each format of the graph."""

    GRAPHML = "application/graphml+xml"
    CSV = "text/csv"


@router.get("/links.{format}", operation_id="downloadLinks", **download_answer(*GraphType))
def download_links(
    asked: Asked,
    format_: Annotated[GraphFormat, Path(alias="format")],
    region: Annotated[str, Query(max_length=100, description="Of the page.")] = "",
    refused: bool = False,
    external: bool = False,
) -> Response:
    """Who links to whom, as far as pages were visited."""

    def write(file: IO[bytes]) -> None:
        from sitecrawl.services import exports

        exports.write_graph(
            asked,
            format_,
            file,
            region=region,
            include_refused=refused,
            include_external=external,
        )

    media_type = _CSV if format_ is GraphFormat.CSV else GraphType.GRAPHML.value
    return download(write, name=f"{asked.site.key}-links.{format}", media_type=media_type)


_LIST_TYPES = {
    ListFormat.TEXT: "text/plain; charset=utf-8",
    ListFormat.CSV: _CSV,
    ListFormat.JSON: "application/json",
}
_LIST = download_answer(*_LIST_TYPES.values())
_LIST_OF_CRAWL = {**_LIST, "responses": {**_LIST["responses"], **problems("crawl-needed")}}


def _list_download(asked: AskedScan, what: str, format_: ListFormat) -> Response:
    from sitecrawl.services import exports

    writers = {
        "orphans": exports.write_orphans,
        "unlisted": exports.write_unlisted,
        "sitemap-diff": exports.write_sitemap_diff,
    }
    write = writers[what]
    ending = "txt" if format_ is ListFormat.TEXT else format_.value
    return download(
        lambda file: write(asked, format_, file),
        name=f"{asked.site.key}-{what}.{ending}",
        media_type=_LIST_TYPES[format_],
    )


@router.get("/orphans.{format}", operation_id="downloadOrphans", **_LIST_OF_CRAWL)
def download_orphans(
    asked: Asked, format_: Annotated[ListFormat, Path(alias="format")]
) -> Response:
    """Pages that are in a sitemap, but not linked."""
    return _list_download(asked, "orphans", format_)


@router.get("/unlisted.{format}", operation_id="downloadUnlisted", **_LIST)
def download_unlisted(
    asked: Asked, format_: Annotated[ListFormat, Path(alias="format")]
) -> Response:
    """Pages that are linked, but in no sitemap."""
    return _list_download(asked, "unlisted", format_)


@router.get("/sitemap-diff.{format}", operation_id="downloadSitemapDiff", **_LIST)
def download_sitemap_diff(
    asked: Asked, format_: Annotated[ListFormat, Path(alias="format")]
) -> Response:
    """What the site's own sitemaps should add and drop, each URL with its reason."""
    return _list_download(asked, "sitemap-diff", format_)


@router.get("/sitemaps.zip", operation_id="downloadSitemaps", **download_answer("application/zip"))
def download_sitemaps(
    asked: Asked,
    base_url: Annotated[
        str,
        Query(
            alias="baseUrl",
            max_length=2_000,
            description="The address that the files will have; default: the root of the site.",
        ),
    ] = "",
) -> Response:
    """XML sitemaps of the pages that belong there, ready to be served."""
    from sitecrawl.services import exports

    return download(
        lambda file: exports.zip_sitemaps(asked, file, base_url),
        name=f"{asked.site.key}-sitemaps.zip",
        media_type="application/zip",
        needs_seeking=True,
    )


@router.get("/llms.txt", operation_id="downloadLlms", **download_answer("text/plain"))
def download_llms(
    asked: Asked,
    title: Annotated[str, Query(max_length=200)] = "",
    summary: Annotated[str, Query(max_length=2_000)] = "",
    links_per_section: Annotated[int, Query(alias="linksPerSection", ge=1, le=1_000)] = 20,
) -> Response:
    """The main pages by section, for language models."""
    from sitecrawl.services import exports

    made = exports.export_llms(
        asked, title=title, summary=summary, links_per_section=links_per_section
    )
    return Response(made.text, media_type="text/plain; charset=utf-8")
