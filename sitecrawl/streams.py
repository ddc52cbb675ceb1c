"""Streams whose reader has gone, as with ``| head``."""

from __future__ import annotations

import os
from typing import IO


def write_nowhere(file: IO[str]) -> None:
    """Lose what is written to *file* from now on, and what is still in its buffer.

    Python would try to write that when the process ends, and complain.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, file.fileno())
    os.close(nowhere)
