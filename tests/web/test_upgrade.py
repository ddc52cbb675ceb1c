"""The next version migrates a database of this one, by command or by the server, and serves it."""

from __future__ import annotations

import re
import signal
import sqlite3
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import httpx
import pytest

from sitecrawl.store.engine import open_database, schema_revision
from sitecrawl.store.errors import SchemaTooNewError
from sitecrawl.store.migrations.upgrade import HEAD_REVISION
from tests.site.project import Project
from tests.store.migrations.next_version import NEXT_REVISION, next_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.web.world import World

_SITECRAWL = (sys.executable, "-m", "sitecrawl")
_STEP = f"{HEAD_REVISION} -> {NEXT_REVISION}"
_END_SECONDS = 60


@contextmanager
def _serving(project: Project, environment: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """The address of a server, and what it has said before it was ready."""
    options = ("--port", "0", "--no-workers", "-s", "SITECRAWL_WEB_REQUESTS_PER_MINUTE=0")
    process = project.start(*_SITECRAWL, "serve", *options, environment=environment)
    assert process.stdout is not None
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line.strip())
            if ready := re.search(r"ready at (http://\S+)", line):
                yield ready[1], said
                break
        else:
            pytest.fail("\n".join(said))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_END_SECONDS)
        process.stdout.close()


@pytest.mark.parametrize("is_by_command", [True, False])
def test_the_next_version_goes_on_with_a_database(
    shared_world: World, tmp_path: Path, is_by_command: bool
) -> None:
    file, copy = tmp_path / "sitecrawl.db", tmp_path / f"sitecrawl-{HEAD_REVISION}.db"
    url = f"sqlite:///{file}"
    source = shared_world.server.config.database_url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(source)) as world, closing(sqlite3.connect(file)) as before:
        world.backup(before)
    project = Project.in_folder(tmp_path, url)
    environment = {"PYTHONPATH": str(next_version(tmp_path)), "PYTHONUNBUFFERED": "1"}
    if is_by_command:
        check = project.run(*_SITECRAWL, "migrate", "--check", environment=environment)
        assert (check.returncode, _STEP in check.stdout) == (1, True), check.output
        done = project.run(*_SITECRAWL, "migrate", environment=environment).succeeded()
        assert done.stdout == f"migrated {url}: {_STEP}\n"
    with _serving(project, environment) as (address, said):
        if is_by_command:
            assert not copy.exists()
        else:
            assert said[0] == f"Migrated {url}: {_STEP}; as it was before: {copy}"
            assert schema_revision(f"sqlite:///{copy}") == HEAD_REVISION
        headers = {"Authorization": f"Bearer {shared_world.token}"}
        with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
            for path in ("", "/pages?sort=url", "/pages/facets", "/changes", "/events", "/tree"):
                answer = client.get(f"/api/sites/{shared_world.site_id}{path}")
                assert answer.status_code == 200, answer.text
                is_now = answer.json()
                was = shared_world.owner.get(f"/api/sites/{shared_world.site_id}{path}").json()
                assert is_now == was, path
    with pytest.raises(SchemaTooNewError, match=NEXT_REVISION):
        open_database(url)
