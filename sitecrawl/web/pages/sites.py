"""The list of sites: filters, bulk actions, new sites, imports."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import Response

from sitecrawl.config.profiles import PROFILES
from sitecrawl.errors import ConflictError, InvalidInputError, SitecrawlError
from sitecrawl.services import groups, preview, site_bulk, site_transfer, sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.overviews import recent_scan_statuses
from sitecrawl.services.permissions import permission_of
from sitecrawl.services.site_bulk import BulkAction
from sitecrawl.services.site_transfer import ImportStatus, TransferFormat
from sitecrawl.services.sites import NewSite
from sitecrawl.store.queries.watched_sites import SiteFilter
from sitecrawl.store.vocabulary import SiteState
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.dependencies import BodyId
from sitecrawl.web.events import event, stream
from sitecrawl.web.flash import redirect, redirect_after
from sitecrawl.web.pages.forms import (
    SiteForm,
    SiteListQuery,
    checked_number,
    number_or_none,
    split_tags,
)
from sitecrawl.web.state import Web
from sitecrawl.web.templating import environment, render

router = APIRouter(prefix="/sites")

Text = Annotated[str, Form(max_length=2_000)]
_PER_PAGE = 50
_MAX_SELECTED = 10_000
_MAX_CHECKED_LINES = 200


@router.get("")
def site_list(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.list_sites)],
    query: Annotated[SiteListQuery, Query()],
) -> Response:
    workspace = caller.workspace_id
    wanted, is_descending = query.site_filter(), query.order == "desc"
    page = sites.list_sites(
        web.database,
        workspace,
        wanted,
        sort=query.sort,
        is_descending=is_descending,
        cursor=query.cursor,
        limit=_PER_PAGE,
    )
    values = {
        "page": page,
        "statuses_of": recent_scan_statuses(web.database, page.rows),
        "total": sites.count_sites(web.database, workspace, wanted),
        "tags": sites.site_tags(web.database, workspace),
        "groups": groups.list_groups(web.database, workspace),
        "states": list(SiteState),
        "sort": query.sort.value,
        "descending": is_descending,
        "chosen": query,
        "export": query.export_query(),
        "is_filtered": wanted != SiteFilter(),
    }
    return render(request, "sites.html", values)


@router.post("/bulk")
def change_many(
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(site_bulk.change_sites)],
    action: Annotated[str, Form(max_length=20)],
    site: Annotated[list[BodyId], Form(max_length=_MAX_SELECTED)] = [],  # noqa: B006
    group_id: Text = "",
    tags: Text = "",
    back: Text = "/sites",
) -> Response:
    if not site:
        return redirect(back, "Select at least one site first", is_error=True)

    def work() -> str:
        wanted = SiteFilter(ids=tuple(site))
        if action == "scan":
            caller.check(permission_of(site_bulk.scan_sites))
            result = site_bulk.scan_sites(web.database, caller.workspace_id, wanted)
        elif action in set(BulkAction):
            result = site_bulk.change_sites(
                web.database,
                caller.workspace_id,
                wanted,
                BulkAction(action),
                group_id=number_or_none(group_id),
                tags=split_tags(tags),
            )
        else:
            raise InvalidInputError("action", f"{action!r} is none; choose one")
        failed = "; ".join(list(result.failed.values())[:3])
        done = f"{action}: done for {len(result.done):,} of {len(site):,} sites"
        return f"{done}. {failed}" if failed else done

    return redirect_after(back, work)


@router.get("/new")
def new_site_page(
    request: Request, web: CurrentWeb, caller: Annotated[Caller, allowed(sites.add_site)]
) -> Response:
    return _new_site_page(request, web, caller, SiteForm())


@router.post("/new")
def add_site(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.add_site)],
    given: Annotated[SiteForm, Form()],
) -> Response:
    """Watch a site, and show its first scan as it happens."""
    try:
        new = NewSite(
            root_url=given.root_url,
            name=given.name,
            tags=split_tags(given.tags),
            group_id=number_or_none(given.group_id),
            profile=given.profile,
            interval_minutes=checked_number("interval_minutes", given.interval_minutes),
        )
        site = sites.add_site(web.database, caller.workspace_id, new, web.config.address_allow)
    except InvalidInputError as error:
        words = str(error).removeprefix(f"{error.field}: ")
        return _new_site_page(request, web, caller, given, {error.field: words}, status=422)
    except ConflictError as error:
        return _new_site_page(request, web, caller, given, {"root_url": str(error)}, status=409)
    target = f"/tasks/{site.active_job_id}" if site.active_job_id else f"/sites/{site.id}"
    return redirect(target, f"{site.name} is watched now")


@router.post("/new/preview")
async def stream_preview(
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(preview.preview_site)],
    given: Annotated[SiteForm, Form()],
) -> Response:
    """What is found on a site, piece by piece as it is read; nothing is stored."""

    async def events() -> AsyncGenerator[bytes]:
        async with aclosing(_found(web, given)) as found:
            async for name, html in found:
                yield event(name, html)

    return stream(events())


@router.post("/new/look")
async def show_preview(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(preview.preview_site)],
    given: Annotated[SiteForm, Form()],
) -> Response:
    """The same as one page, for browsers without JavaScript."""
    shown: dict[str, str] = {}
    async with aclosing(_found(web, given)) as found:
        async for name, html in found:
            shown[name] = shown.get(name, "") + html
    page = partial(_new_site_page, *(request, web, caller, given), shown=shown)
    return await run_in_threadpool(page)


async def _found(web: Web, given: SiteForm) -> AsyncGenerator[tuple[str, str]]:
    """The parts of the preview: the name of the event, and its HTML."""
    template = environment().get_template("preview.html")
    has_pages = False
    try:
        with web.previews.taken():
            async for each in preview.preview_site(given.root_url, given.profile, web.config):
                is_first = not has_pages and bool(each.get("first_pages"))
                has_pages = has_pages or is_first
                yield each["event"], template.render(each, is_first=is_first)
    except SitecrawlError as error:
        yield "failed", template.render(event="failed", message=str(error))


@router.get("/import")
def import_page(
    request: Request, _caller: Annotated[Caller, allowed(site_transfer.import_sites)]
) -> Response:
    return render(request, "import.html", {"result": None, "text": "", "error": ""})


@router.post("/import")
async def import_sites(
    request: Request,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(site_transfer.import_sites)],
) -> Response:
    async with request.form(max_files=1, max_fields=5, max_part_size=10_000_000) as form:
        file, text = form.get("file"), str(form.get("csv") or "")
        data: str | bytes = text
        format_ = TransferFormat.CSV
        if isinstance(file, UploadFile) and file.filename:
            data = await file.read()
            if file.filename.lower().endswith(".json"):
                format_ = TransferFormat.JSON
        elif text.lstrip().startswith(("[", "{")):
            # The script of the page puts a chosen file into the text.
            format_ = TransferFormat.JSON
    try:
        result = await run_in_threadpool(
            partial(site_transfer.import_sites, address_allow=web.config.address_allow),
            *(web.database, caller.workspace_id, data, format_),
        )
    except InvalidInputError as error:
        wrong = {"result": None, "text": text, "error": str(error)}
        return render(request, "import.html", wrong, status=422)
    values = {
        "result": result,
        "counts": {str(each): result.count(each) for each in ImportStatus},
        "text": "",
        "error": "",
    }
    return render(request, "import.html", values)


@router.post("/import/check")
def check_import(
    request: Request,
    web: CurrentWeb,
    _caller: Annotated[Caller, allowed(site_transfer.import_sites)],
    csv: Annotated[str, Form(max_length=10_000_000)] = "",
) -> Response:
    """What is wrong with the lines, while they are typed; nothing is stored."""
    found = []
    lines = [each for each in enumerate(csv.splitlines(), 1) if each[1].strip()]
    has_header = bool(lines) and ("root_url" in lines[0][1] or lines[0][1][0] in "[{")
    if not has_header:
        for number, line in lines[:_MAX_CHECKED_LINES]:
            try:
                target, _ = sites.checked_site(NewSite(line.partition(",")[0].strip().strip('"')))
                allow = web.config.address_allow
                sites.check_address(target.url, allow, allow_private=False)
            except InvalidInputError as error:
                found.append((number, str(error).removeprefix(f"{error.field}: ")))
    values = {"lines": len(lines), "complaints": found, "has_header": has_header}
    return render(request, "import_check.html", values)


def _new_site_page(
    request: Request,
    web: Web,
    caller: Caller,
    given: SiteForm,
    errors: dict[str, str] | None = None,
    *,
    shown: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    values = {
        # A template has made it, and escaped what the site wrote.
        "shown": {name: Markup(html) for name, html in (shown or {}).items()},  # noqa: S704
        "given": given,
        "errors": errors or {},
        "groups": groups.list_groups(web.database, caller.workspace_id),
        "profiles": sorted(PROFILES),
    }
    return render(request, "new_site.html", values, status=status)
