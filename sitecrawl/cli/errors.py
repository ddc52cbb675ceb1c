"""Errors that a person can do something about end as one line, never as a traceback."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sitecrawl.console.text import discard_output
from sitecrawl.errors import ExitCode, SitecrawlError, SiteUnreachableError, StoppedError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def expected_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        discard_output(sys.stdout)
        sys.exit(ExitCode.FAILED)
    except SitecrawlError as error:
        sys.stderr.write(f"sitecrawl: {error}\n")
        sys.exit(_exit_code(error))


def _exit_code(error: SitecrawlError) -> ExitCode:
    from sitecrawl.store.errors import StoreError

    if isinstance(error, StoppedError):
        return ExitCode.PARTIAL
    is_failure = isinstance(error, (StoreError, SiteUnreachableError))
    return ExitCode.FAILED if is_failure else ExitCode.USAGE
