"""Runs ``sitecrawl`` inside the test's process: starting Python a hundred times takes minutes."""

from __future__ import annotations

import io
import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING
from unittest import mock

from sitecrawl.cli import main
from tests.site.project import ProcessResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.site.project import Project


def run_inside(
    project: Project, *args: str, environment: Mapping[str, str] | None = None
) -> ProcessResult:
    """As ``project.run(python, "-m", "sitecrawl", ...)``; not for ``discover``: one loop each."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    variables = {**project.environment, **(environment or {})}
    code: object = 0
    with (
        chdir(project.folder),
        mock.patch.dict(os.environ, variables, clear=True),
        mock.patch.object(sys, "argv", ["sitecrawl", *args]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as exit_:
            code = exit_.code
    assert isinstance(code, int | None)
    return ProcessResult(args, code or 0, _text(out), _text(err), project.database)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode("utf-8", "replace")
