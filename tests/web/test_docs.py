"""docs/api.md: every request is on it, and its examples work as they are written."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from sitecrawl.web.app import described_api
from tests.site.project import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.world import World

_TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
_EXAMPLES = re.findall(r"^```sh\n(.*?)^```", _TEXT, re.MULTILINE | re.DOTALL)


def test_every_request_is_documented() -> None:
    requests = [
        f"`{method.upper()} {path}` | {operation.get('x-permission', '-')} |"
        for path, methods in described_api()["paths"].items()
        for method, operation in methods.items()
    ]
    assert [each for each in requests if each not in _TEXT] == []
    assert len(re.findall(r"^\| `[A-Z]+ /api/", _TEXT, re.MULTILINE)) == len(requests)


@pytest.mark.parametrize("example", _EXAMPLES)
def test_examples_work(example: str, shared_world: World, tmp_path: Path) -> None:
    variables = {
        "URL": shared_world.server.url,
        "TOKEN": shared_world.token,
        "SITE": str(shared_world.site_id),
    }
    done = subprocess.run(
        ["bash", "-euc", example],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **variables, "no_proxy": "*"},
    )
    assert done.returncode == 0, f"{example}\n{done.stdout}\n{done.stderr}"
