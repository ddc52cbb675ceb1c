"""Parameters and dependencies of routes that the API and the dashboard share."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Path, Query
from pydantic import Field

from sitecrawl.services import sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.database import AskedScan
from sitecrawl.store.queries.scans import Site
from sitecrawl.web.auth import CurrentWeb, allowed

# What both databases take as a number of a row.
MAX_ID: Final = 2**63 - 1
Id = Annotated[int, Path(ge=1, le=MAX_ID)]
BodyId = Annotated[int, Field(ge=1, le=MAX_ID)]
QueryId = Annotated[int | None, Query(ge=1, le=MAX_ID)]
ScanId = Annotated[
    int | None,
    Query(alias="scan", ge=1, le=MAX_ID, description="As of this scan; default: the newest."),
]


def _asked_scan(
    site_id: Id,
    web: CurrentWeb,
    caller: Annotated[Caller, allowed(sites.asked_scan)],
    scan: ScanId = None,
) -> AskedScan:
    return sites.asked_scan(web.database, caller.workspace_id, site_id, scan)


Asked = Annotated[AskedScan, Depends(_asked_scan)]
"""The scan of the parameter ``scan``, or the newest with a result."""


def _scanned_site(
    site_id: Id, web: CurrentWeb, caller: Annotated[Caller, allowed(sites.scanned_site)]
) -> Site:
    return sites.scanned_site(web.database, caller.workspace_id, site_id)


ScannedSite = Annotated[Site, Depends(_scanned_site)]
