"""The terminal of this process: how the user has called sitecrawl, and readers that have gone."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import IO

_NAME = "sitecrawl"


def command_name() -> str:
    """What starts ``sitecrawl`` in the user's folder, as a shell takes it.

    ``sitecrawl``, if the shell finds the one of this Python, or a link to it (pipx, uv); else the
    path of the script beside this Python, such as ``.venv/bin/sitecrawl``; else this Python with
    ``-m sitecrawl``.
    """
    # Not resolved: in a virtual environment Python is a link to that of the system.
    script = Path(sys.executable).absolute().with_name(_NAME)
    if os.access(script, os.X_OK):
        found = shutil.which(_NAME)
        is_found = found is not None and script.samefile(found)
        return _NAME if is_found else shlex.quote(_shown(script))
    return f"{shlex.quote(_shown(Path(sys.executable)))} -m {_NAME}"


def _shown(path: Path) -> str:
    """Relative to the working folder, if it is below it."""
    folder = Path.cwd()
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def discard_output(file: IO[str]) -> None:
    """Discard what is written to *file* from now on, as after ``| head`` has ended.

    What is still in its buffer goes, too: Python would try to write it when the process ends, and
    complain.
    """
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, file.fileno())
    os.close(devnull)
