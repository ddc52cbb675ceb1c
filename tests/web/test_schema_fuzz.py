"""Requests made up from the description of the API: no failure, and no answer it does not name."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from sitecrawl.web.app import described_api
from tests.web.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.web.serving import Serving
    from tests.web.world import World

_CHECKS: Any = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# They wait for other servers, or for what happens.
_SENDING = "^(testChannel|testSiteNotifications|streamJob|streamLive)$"
# Systematic cases are thousands, which take half an hour.
_CONFIG = schemathesis.Config.from_dict({"phases": {"coverage": {"enabled": False}}})
schema = schemathesis.openapi.from_dict(described_api(), config=_CONFIG).exclude(
    operation_id_regex=_SENDING
)


@pytest.fixture(scope="module")
def fuzzed(shared_world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A copy of the world, as much of it will be changed."""
    copy = tmp_path_factory.mktemp("fuzz") / "copy.db"
    source = shared_world.server.config.database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
    with serving(f"sqlite:///{copy}", web_requests_per_minute=0) as server:
        yield server


@schema.parametrize()
@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_described(
    case: schemathesis.Case[Any], fuzzed: Serving, shared_world: World
) -> None:
    headers = {"Authorization": f"Bearer {shared_world.token}"}
    case.call_and_validate(base_url=fuzzed.url, headers=headers, checks=_CHECKS)
