"""The description of the API and the client that are committed are those of the code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from sitecrawl.client import ApiError, Client
from sitecrawl.web.app import described_api
from sitecrawl.web.client_code import client_code
from tests.site.project import ROOT

if TYPE_CHECKING:
    from tests.web.world import World


def test_the_committed_description_is_that_of_the_code() -> None:
    committed = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    assert committed == described_api(), "the API has changed; run: make openapi"


def test_the_committed_client_is_made_from_it() -> None:
    committed = (ROOT / "sitecrawl" / "client" / "operations.py").read_text(encoding="utf-8")
    assert committed == client_code(described_api()), "the API has changed; run: make openapi"


def test_webhooks_are_described() -> None:
    [name] = described_api()["webhooks"]
    assert name == "sitemap.change"


@pytest.fixture
def client(shared_world: World) -> Client:
    return Client(shared_world.server.url, shared_world.token)


def test_the_client_does_what_the_api_does(client: Client, shared_world: World) -> None:
    with client:
        assert client.get_session()["tokenId"] is not None
        site = client.create_site(
            {"rootUrl": "https://client.example", "tags": ["by client"]}, idempotency_key="once"
        )
        again = client.create_site(
            {"rootUrl": "https://client.example", "tags": ["by client"]}, idempotency_key="once"
        )
        assert site == again
        found = client.list_sites(tag=["by client"])
        assert [each["id"] for each in found["sites"]] == [site["id"]]
        changed = client.update_site(site["id"], {"enabled": False})
        assert changed["version"] == site["version"] + 1
        every = client.every(client.list_sites, "sites", limit=1)
        assert {each["id"] for each in every} >= {site["id"], shared_world.site_id}
        client.delete_site(site["id"])
        with pytest.raises(ApiError) as caught:
            client.get_site(site["id"])
        assert caught.value.status == 404
        assert caught.value.type == "/problems/not-found"
        with pytest.raises(ApiError) as wrong:
            client.create_site({"rootUrl": "not a url"})
        assert wrong.value.field == "rootUrl"
        assert client.download_links(shared_world.site_id, "csv").startswith(b"from")
        assert client.get_tree(shared_world.site_id, depth=1)["hosts"]


def test_a_key_for_another_request_is_refused(client: Client) -> None:
    with client:
        client.create_group({"name": "one"}, idempotency_key="reused")
        with pytest.raises(ApiError) as caught:
            client.create_group({"name": "two"}, idempotency_key="reused")
        assert caught.value.type == "/problems/key-reused"
        with pytest.raises(ApiError):
            client.create_group({"name": "one"}, idempotency_key="failing")
        # What failed may be sent again under the same key.
        assert client.create_group({"name": "three"}, idempotency_key="failing")["name"] == "three"
