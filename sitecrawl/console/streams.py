"""Streams whose reader has gone."""

from __future__ import annotations

import os
from typing import IO


def discard_output(file: IO[str]) -> None:
    """Discard what is written to *file* from now on, as after ``| head`` has ended.

    What is still in its buffer goes, too: Python would try to write it when the process ends, and
    complain.
    """
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, file.fileno())
    os.close(devnull)
