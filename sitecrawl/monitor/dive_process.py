"""Runs a dive for a worker in a child process (:mod:`sitecrawl.dive.dive_jobs`).

Its standard input stays open: when the worker ends, in whatever way, the child reads the end of it
and stops.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import Self

    from sitecrawl.services.scans import ScanRequest

_LOG_TAIL_BYTES: Final = 20_000


class DiveProcess:
    """A running dive; leaving the context ends it."""

    def __init__(self, job_id: int, request: ScanRequest):
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sitecrawl.dive.dive_jobs"],
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            process_group=0,  # Ctrl+C is for the worker, which lets it end
        )
        self._tell(json.dumps({"job": job_id, "request": asdict(request)}))
        self._is_cancelled = False

    def cancel(self) -> None:
        """Ask the dive to stop; what it has read is kept."""
        if not self._is_cancelled:
            self._is_cancelled = True
            self._tell("cancel")

    def wait(self, seconds: float) -> int | None:
        """The exit code; None: it still runs."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def log_tail(self) -> str:
        """The end of what it has logged."""
        end = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), _LOG_TAIL_BYTES, max(0, end - _LOG_TAIL_BYTES))
        return tail.decode("utf-8", "replace").replace("\0", "")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # its log says why it has ended
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._log.close()
