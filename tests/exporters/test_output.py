"""Files that are whole or not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sitecrawl.config import ConfigError
from sitecrawl.exporters.output import PartialFile, opened_output


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_there_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "urls.csv"
    target.write_text("old")
    target.chmod(0o640)
    with opened_output(target) as file:
        file.write(b"new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert names_in(tmp_path) == ["urls.csv"]


@pytest.mark.parametrize("old", ["old", None])
def test_a_failure_leaves_what_was_there(tmp_path: Path, old: str | None) -> None:
    target = tmp_path / "urls.csv"
    if old is not None:
        target.write_text(old)
    with pytest.raises(TypeError), opened_output(target) as file:
        file.writelines([b"new", None])  # type: ignore[list-item]
    assert names_in(tmp_path) == (["urls.csv"] if old else [])
    if old:
        assert target.read_text() == old


def test_a_killed_process_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "urls [1].csv"
    target.write_text("old")
    program = f"""
import os, signal
from pathlib import Path
from sitecrawl.exporters.output import opened_output
with opened_output(Path({str(target)!r})) as file:
    file.write(b"x" * 100_000)
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    assert target.read_text() == "old"
    assert len(names_in(tmp_path)) == 2
    # The next export removes what was left, and nothing that another process writes.
    other = tmp_path / f".urls [1].csv.{os.getppid()}.partial"
    other.touch()
    with opened_output(target) as file:
        file.write(b"new")
    assert names_in(tmp_path) == [other.name, target.name]
    assert target.read_text() == "new"


def test_appending_begins_with_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "urls.jsonl"
    for text in (b"one\n", b"two\n"):
        partial = PartialFile(target, append=True)
        partial.file.write(text)
        partial.complete()
    assert target.read_bytes() == b"one\ntwo\n"


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    link = tmp_path / "urls.csv"
    link.symlink_to(tmp_path / "data" / "real.csv")
    with opened_output(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert (tmp_path / "data" / "real.csv").read_bytes() == b"new"


def test_devices_are_written_as_they_are() -> None:
    with opened_output(Path("/dev/null")) as file:
        file.write(b"x")
    assert Path("/dev/null").is_char_device()


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match="No such file or directory"),
        opened_output(tmp_path / "no" / "urls.csv"),
    ):
        pass
