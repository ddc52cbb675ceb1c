"""``/api/sites/import``, ``export`` and ``bulk``: many sites at once."""

from __future__ import annotations

import io
from functools import partial
from typing import IO, Annotated, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from sitecrawl.errors import InvalidInputError
from sitecrawl.services import site_bulk, site_transfer
from sitecrawl.services.callers import Caller
from sitecrawl.services.permissions import permission_of
from sitecrawl.services.site_bulk import BulkAction
from sitecrawl.services.site_transfer import ImportStatus, TransferFormat
from sitecrawl.store.queries.watched_sites import SiteFilter
from sitecrawl.web.api.models import Body, Model, download_answer
from sitecrawl.web.api.sites import Tags, Wanted
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import BodyId
from sitecrawl.web.downloads import download
from sitecrawl.web.problems import ProblemError
from sitecrawl.web.state import Web

router = APIRouter(prefix="/sites", tags=["sites"])


class ImportedSite(Model):
    line: int
    root_url: str
    status: Literal["success", "skipped"]
    outcome: ImportStatus
    site_id: int | None
    message: str


class ImportAnswer(Model):
    ok: bool = True
    imported: int
    results: list[ImportedSite]


class ImportRequest(Body):
    csv: str = Field(
        default="",
        max_length=10_000_000,
        description="One URL per line, or with a header that names columns.",
        examples=["https://one.example\nhttps://two.example"],
    )


class BulkRequest(Body):
    action: BulkAction | Literal["scan"]
    ids: list[BodyId] = Field(min_length=1, max_length=10_000)
    group_id: BodyId | None = Field(default=None, description="For `group`.")
    tags: Tags = Field(default_factory=list, description="For `tag` and `untag`.")


class BulkAnswer(Model):
    done: list[int]
    failed: dict[int, str]


@router.get("/export.csv", operation_id="exportSites", **download_answer("text/csv"))
def export_csv(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(site_transfer.export_sites)],
    wanted: Wanted,
    full: Annotated[bool, Query(description="All columns, as an import takes them.")] = False,
) -> Response:
    """The sites as a table."""
    return _export(web, caller, wanted, TransferFormat.CSV, is_short=not full)


@router.get("/export.json", operation_id="exportSitesJson", **download_answer("application/json"))
def export_json(
    web: CurrentWeb, caller: Annotated[Caller, allowed(site_transfer.export_sites)], wanted: Wanted
) -> Response:
    """The sites with all that an import takes."""
    return _export(web, caller, wanted, TransferFormat.JSON, is_short=False)


def _export(
    web: Web, caller: Caller, wanted: SiteFilter, format_: TransferFormat, *, is_short: bool
) -> Response:
    def write(file: IO[bytes]) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        site_transfer.export_sites(
            web.database, caller.workspace_id, text, format_, wanted, is_short=is_short
        )
        text.detach()

    media_type = "text/csv; charset=utf-8" if format_ is TransferFormat.CSV else "application/json"
    return download(write, name=f"sites-export.{format_}", media_type=media_type)


_IMPORT_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/ImportRequest"}},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {
                            "type": "string",
                            "format": "binary",
                            "description": "CSV, or JSON if its name ends so.",
                        }
                    },
                }
            },
        },
    }
}


@router.post("/import", operation_id="importSites", openapi_extra=_IMPORT_BODY)
async def import_sites(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(site_transfer.import_sites)],
) -> ImportAnswer:
    """Watch many sites: a file in a form, or JSON with the text of one."""
    data, format_ = await _imported(request)
    result = await run_in_threadpool(
        partial(site_transfer.import_sites, address_allow=web.config.address_allow),
        *(web.database, caller.workspace_id, data, format_),
    )
    return ImportAnswer(
        imported=result.count(ImportStatus.IMPORTED),
        results=[
            ImportedSite(
                line=row.line,
                root_url=row.root_url,
                status="success" if row.status is ImportStatus.IMPORTED else "skipped",
                outcome=row.status,
                site_id=row.site_id,
                message=row.message,
            )
            for row in result.rows
        ],
    )


async def _imported(request: Request) -> tuple[str | bytes, TransferFormat]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with request.form(max_files=1, max_fields=5) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise InvalidInputError("file", "expected a file")
            is_json = (file.filename or "").lower().endswith(".json")
            return await file.read(), TransferFormat.JSON if is_json else TransferFormat.CSV
    if kind != "application/json":
        raise ProblemError("unsupported-media-type", "send a form with a file, or JSON")
    try:
        return ImportRequest.model_validate_json(await request.body()).csv, TransferFormat.CSV
    except ValidationError as error:
        raise RequestValidationError(
            [{**each, "loc": ("body", *each["loc"])} for each in error.errors(include_url=False)]
        ) from error


@router.post("/bulk", operation_id="changeSites")
def change_sites(
    given: BulkRequest,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(site_bulk.change_sites)],
) -> BulkAnswer:
    """Enable, disable, delete, group, tag, untag or scan many sites, one after another."""
    wanted = SiteFilter(ids=tuple(given.ids))
    if given.action == "scan":
        caller.check(permission_of(site_bulk.scan_sites))
        result = site_bulk.scan_sites(web.database, caller.workspace_id, wanted)
    else:
        result = site_bulk.change_sites(
            web.database,
            caller.workspace_id,
            wanted,
            given.action,
            group_id=given.group_id,
            tags=given.tags,
        )
    return BulkAnswer(done=list(result.done), failed=result.failed)
