"""The dashboard: pages made by the server, a module per topic."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request

from sitecrawl.web.dependencies import MAX_ID
from sitecrawl.web.pages import (
    account,
    changes,
    channels,
    groups,
    home,
    inventory,
    login,
    search,
    site,
    sites,
    tasks,
    users,
)
from sitecrawl.web.problems import ProblemError

# The longest number that both databases take, with its sign.
_MAX_DIGITS = len(str(-MAX_ID))


def _check_numbers(request: Request) -> None:
    """404 for a number in an address that no row can have."""
    for value in request.path_params.values():
        text = str(value)
        if text.lstrip("-").isdecimal() and (len(text) > _MAX_DIGITS or abs(int(text)) > MAX_ID):
            raise ProblemError("not-found")


router = APIRouter(include_in_schema=False, dependencies=[Depends(_check_numbers)])
for _module in (
    *(login, account, users, home, sites, groups, tasks),
    *(changes, channels, inventory, search, site),
):
    router.include_router(_module.router)
router.include_router(channels.unsubscribe_router)
