from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from sitecrawl.console.terminal import command_name

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script of an environment, and a ``PATH`` with one other folder."""
    script = tmp_path / "tool" / "bin" / "sitecrawl"
    script.parent.mkdir(parents=True)
    script.touch(mode=0o700)
    (tmp_path / "path").mkdir()
    monkeypatch.setattr(sys, "executable", str(script.with_name("python")))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.chdir(tmp_path / "path")
    return script


def test_a_link_to_the_script_is_on_the_path(script: Path, tmp_path: Path) -> None:
    """pipx and uv install so."""
    assert command_name() == str(script)
    (tmp_path / "path" / "sitecrawl").symlink_to(script)
    assert command_name() == "sitecrawl"


def test_another_script_is_on_the_path(script: Path, tmp_path: Path) -> None:
    (tmp_path / "path" / "sitecrawl").touch(mode=0o700)
    assert command_name() == str(script)
