"""``/api/cron/scan``: lets another clock start the scans that are due."""

from __future__ import annotations

import hmac
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request

from sitecrawl.errors import NotFoundError
from sitecrawl.monitor.scheduler import queue_due_now
from sitecrawl.services import audit
from sitecrawl.store.vocabulary import JobStatus
from sitecrawl.web.api.models import Model, problems
from sitecrawl.web.auth import CurrentWeb, client_of
from sitecrawl.web.problems import ProblemError

router = APIRouter(tags=["cron"])

Token = Annotated[str | None, Header(max_length=500)]


class CronResult(Model):
    site_id: int
    job_id: int
    scan_id: int | None
    status: JobStatus


class CronAnswer(Model):
    sites_checked: int
    queued: int
    results: list[CronResult]


@router.post(
    "/cron/scan",
    operation_id="cronScan",
    responses=problems("not-signed-in", "not-found"),
    openapi_extra={"security": []},
)
def cron_scan(
    request: Request,
    web: CurrentWeb,
    authorization: Token = None,
    x_cron_token: Token = None,
    token: Annotated[str | None, Query(max_length=500)] = None,
) -> CronAnswer:
    """Queue a scan of every site that is due, in all workspaces.

    The token of the settings comes as `Authorization: Bearer ...` or as `X-Cron-Token`; as
    `?token=` only if the settings allow it, because addresses end in logs.
    """
    config = web.config
    web.rate_limits.take(f"address:{client_of(request).address}")
    if not config.web_cron_token:
        raise NotFoundError("SITECRAWL_WEB_CRON_TOKEN is not set, so this is switched off")
    scheme, _, bearer = (authorization or "").partition(" ")
    given = [x_cron_token, bearer if scheme.lower() == "bearer" else None]
    if config.web_cron_token_in_query:
        given.append(token)
    wanted = config.web_cron_token.encode()
    if not any(hmac.compare_digest(each.strip().encode(), wanted) for each in given if each):
        raise ProblemError("not-signed-in", "the token of cron is missing or wrong")
    queued = queue_due_now(web.database)
    address = client_of(request).address
    audit.record(
        web.database,
        "cronScan",
        actor="cron",
        address=address,
        detail={"queued": len(queued.jobs)},
    )
    return CronAnswer(
        sites_checked=queued.sites,
        queued=sum(job.status == JobStatus.QUEUED for job in queued.jobs),
        results=[
            CronResult(
                site_id=job.watched_site_id,
                job_id=job.id,
                scan_id=job.scan_id,
                status=JobStatus(job.status),
            )
            for job in queued.jobs
        ],
    )
