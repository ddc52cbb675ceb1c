"""The dashboard: pages made by the server, a module per topic."""

from __future__ import annotations

from fastapi import APIRouter

from sitecrawl.web.pages import (
    changes,
    compare,
    find,
    groups,
    home,
    inventory,
    login,
    provider,
    search,
    site,
    sites,
    tasks,
    unsubscribe,
)

router = APIRouter(include_in_schema=False)
for _module in (
    *(login, provider, unsubscribe, home, sites, groups, tasks, find, compare),
    *(changes, inventory, search, site),
):
    router.include_router(_module.router)
