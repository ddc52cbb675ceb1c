"""Scans that another clock starts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from sitecrawl.store.schema import watched_sites

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.serving import Serving

TOKEN = "the token of cron"


def _due(server: Serving) -> int:
    """A site that is due, and has no job."""
    client = server.signed_in(server.add_user())
    made = client.post("/api/sites", json={"rootUrl": "https://example.com", "enabled": False})
    number: int = made.json()["id"]
    client.patch(f"/api/sites/{number}", json={"enabled": True})
    with server.database.writing() as connection:
        long_ago = datetime(2020, 1, 1, tzinfo=UTC)
        connection.execute(update(watched_sites).values(next_due_at=long_ago))
    return number


@pytest.mark.parametrize("headers", [{"Authorization": f"Bearer {TOKEN}"}, {"X-Cron-Token": TOKEN}])
def test_what_is_due_is_queued(serve: Callable[..., Serving], headers: dict[str, str]) -> None:
    server = serve(web_cron_token=TOKEN)
    number = _due(server)
    answer = server.anonymous().post("/api/cron/scan", headers=headers)
    assert answer.status_code == 200, answer.text
    [result] = answer.json()["results"]
    assert (result["siteId"], result["status"]) == (number, "queued")
    again = server.anonymous().post("/api/cron/scan", headers=headers).json()
    assert (again["sitesChecked"], again["queued"]) == (1, 0)


def test_the_token_in_the_address_has_to_be_allowed(serve: Callable[..., Serving]) -> None:
    strict = serve(web_cron_token=TOKEN).anonymous()
    assert strict.post("/api/cron/scan", params={"token": TOKEN}).status_code == 401
    lax = serve(web_cron_token=TOKEN, web_cron_token_in_query=True).anonymous()
    assert lax.post("/api/cron/scan", params={"token": TOKEN}).status_code == 200


def test_without_a_token_it_is_off(serve: Callable[..., Serving]) -> None:
    off = serve().anonymous()
    assert off.post("/api/cron/scan", headers={"X-Cron-Token": ""}).status_code == 404
    wrong = serve(web_cron_token=TOKEN).anonymous()
    for headers in ({}, {"X-Cron-Token": "wrong"}, {"Authorization": f"Basic {TOKEN}"}):
        assert wrong.post("/api/cron/scan", headers=headers).status_code == 401
