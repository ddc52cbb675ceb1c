"""Where an export goes: a file, or standard output."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def opened_output(output: Path | None) -> Iterator[IO[bytes]]:
    """The file to write to; without one, standard output."""
    if output is None:
        yield sys.stdout.buffer
        return
    try:
        with output.open("wb") as file:
            yield file
    except OSError as error:
        raise ConfigError(f"-o {output}: {error.strerror or error}") from error
