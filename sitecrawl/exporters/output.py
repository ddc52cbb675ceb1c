"""Where exports go: files that are whole or not there, or standard output.

A file is written beside its target and renamed when it is complete, so a failure or a killed
process leaves the old file, or none, and never a part of the new one.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Final

from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PARTIAL: Final = re.compile(r"\.(?P<name>.+)\.(?P<pid>[0-9]+)\.partial")


class PartialFile:
    """A file that takes the place of *path* when it is complete."""

    def __init__(self, path: Path, *, append: bool = False) -> None:
        # The target of a link is replaced, not the link.
        self._path = path.resolve()
        self._is_special = self._path.exists() and not self._path.is_file()
        if self._is_special:  # a pipe or a device
            self.file: IO[bytes] = self._path.open("wb")
            return
        _remove_abandoned(self._path)
        self._partial = self._path.with_name(f".{self._path.name}.{os.getpid()}.partial")
        self.file = self._partial.open("wb")
        if self._path.exists():
            shutil.copymode(self._path, self._partial)
            if append:
                with self._path.open("rb") as old:
                    shutil.copyfileobj(old, self.file)

    def complete(self) -> None:
        """Put the file in its place."""
        if self._is_special:
            self.file.close()
            return
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self._partial.replace(self._path)

    def discard(self) -> None:
        """Leave what was there before."""
        with suppress(OSError):
            self.file.close()
        if not self._is_special:
            self._partial.unlink(missing_ok=True)


@contextmanager
def opened_output(output: Path | None) -> Iterator[IO[bytes]]:
    """The file to write to; without one, standard output."""
    if output is None:
        yield sys.stdout.buffer
        return
    try:
        partial = PartialFile(output)
        try:
            yield partial.file
        except BaseException:
            partial.discard()
            raise
        partial.complete()
    except OSError as error:
        raise ConfigError(f"-o {output}: {error.strerror or error}") from error


def _remove_abandoned(path: Path) -> None:
    """Remove what processes left beside *path* that were killed."""
    for entry in path.parent.glob(f".{_globbed(path.name)}.*.partial"):
        found = _PARTIAL.fullmatch(entry.name)
        if found and found["name"] == path.name and not _is_running(int(found["pid"])):
            entry.unlink(missing_ok=True)


def _globbed(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def _is_running(pid: int) -> bool:
    if pid == os.getpid() or os.name == "nt":
        return True  # on Windows signal 0 ends the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
