"""``/api/health``, ``/api/ready`` and ``/api/metrics``: for whatever watches the server."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from sitecrawl import __version__
from sitecrawl.services import jobs, overviews, sites
from sitecrawl.services.callers import Caller
from sitecrawl.services.database import check_database
from sitecrawl.web.api.models import Model, problems
from sitecrawl.web.auth import CurrentWeb, allowed
from sitecrawl.web.metrics import METRICS_PERIOD

router = APIRouter(tags=["system"])
_PUBLIC: Final[dict[str, Any]] = {"security": []}


class Health(Model):
    status: str = Field(examples=["ok"])
    version: str


# Some who watch servers ask by HEAD.
@router.head("/health", operation_id="getHealth", include_in_schema=False)
@router.get("/health", operation_id="getHealth", openapi_extra=_PUBLIC)
async def health() -> Health:
    """The process runs."""
    return Health(status="ok", version=__version__)


@router.head("/ready", operation_id="getReadiness", include_in_schema=False)
@router.get(
    "/ready", operation_id="getReadiness", openapi_extra=_PUBLIC, responses=problems("unavailable")
)
def ready(web: CurrentWeb) -> Health:
    """The database answers."""
    check_database(web.database)
    return Health(status="ok", version=__version__)


_METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@router.get(
    "/metrics",
    operation_id="getMetrics",
    response_class=Response,
    responses={
        200: {
            "description": "The text format of Prometheus.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
            "x-download": True,
        }
    },
)
def metrics(web: CurrentWeb, caller: Annotated[Caller, allowed(jobs.monitor_status)]) -> Response:
    """Requests of this server; sites, jobs, workers and scans of the workspace."""
    status = jobs.monitor_status(web.database, caller.workspace_id)
    watched = sites.count_sites(web.database, caller.workspace_id)
    scans = overviews.scan_totals(web.database, caller.workspace_id, METRICS_PERIOD)
    return Response(web.metrics.text(watched, status, scans), media_type=_METRICS_TYPE)
