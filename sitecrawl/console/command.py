"""How the user has called sitecrawl, so that commands can be shown as they would be typed."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

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
