"""The REST API: a router per resource; all of them in the order of the documentation."""

from __future__ import annotations

from fastapi import APIRouter

from sitecrawl.web.api import (
    audit,
    changes,
    channels,
    conversations,
    cron,
    dives,
    groups,
    inventory,
    jobs,
    live,
    pages,
    search,
    session,
    site_bulk,
    sites,
    system,
    tokens,
    users,
    views,
)

router = APIRouter(prefix="/api")
for _module in (
    *(site_bulk, sites, pages, inventory, changes, groups, jobs, live, channels, views, cron),
    *(dives, search, conversations),
    *(session, tokens, users, audit, system),
):
    router.include_router(_module.router)
router.include_router(pages.export_router)
