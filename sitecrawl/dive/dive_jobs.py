"""Dives of watched sites: a person queues one, the monitor runs it in a child process.

``python -m sitecrawl.dive.dive_jobs`` is the child. The first line on its standard input is the
request; the line ``cancel`` stops it, and so does the end of the input: the worker is gone.
"""

from __future__ import annotations

import _thread
import json
import os
import sys
import threading
import time
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Final

from sitecrawl.dive.dives import filter_facts, filter_of, run_dive
from sitecrawl.errors import ConflictError, ExitCode, NotFoundError, SitecrawlError
from sitecrawl.services.jobs import PERSON_PRIORITY
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.services.scans import ScanRequest
from sitecrawl.services.sites import scanned_site
from sitecrawl.store.engine import open_database
from sitecrawl.store.queries import dives as queries
from sitecrawl.store.queries.page_filter import LISTED_PAGES
from sitecrawl.store.queries.scans import site_by_id
from sitecrawl.store.vocabulary import JobKind, JobTrigger
from sitecrawl.store.writers.dives import add_dive
from sitecrawl.store.writers.jobs import queue_job

if TYPE_CHECKING:
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.cursors import ListPage
    from sitecrawl.store.queries.dives import Dive, Searchable
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.queries.scans import Site

# A stopped dive may take so long to store what it has.
_STOP_SECONDS: Final = 20.0


@requires(Permission.SCAN)
def start_dive(
    database: Database, workspace_id: int, number: int, wanted: PageFilter = LISTED_PAGES
) -> Dive:
    """Queue a dive into pages of a watched site; ``ConflictError`` if it has a job already."""
    site = scanned_site(database, workspace_id, number)
    now = datetime.now(UTC)
    with database.writing() as connection:
        job_id = queue_job(
            connection, number, JobKind.DIVE, JobTrigger.PERSON, PERSON_PRIORITY, now
        )
        if job_id is None:
            raise ConflictError(f"{site.root_url} has a job that is queued or running already")
        dive_id = add_dive(connection, site.id, filter_facts(wanted), job_id)
        return _found(queries.find_dive(connection, site.id, dive_id), dive_id)


@requires(Permission.READ)
def list_dives(
    database: Database, site: Site, *, cursor: str | None = None, limit: int = 50
) -> ListPage[Dive]:
    """The newest first."""
    return queries.dives_page(database, site.id, cursor, limit)


@requires(Permission.READ)
def get_dive(database: Database, site: Site, dive_id: int) -> Dive:
    with database.reading() as connection:
        return _found(queries.find_dive(connection, site.id, dive_id), dive_id)


@requires(Permission.READ)
def searchable(database: Database, site: Site) -> Searchable:
    """How much of the site can be searched."""
    with database.reading() as connection:
        return queries.searchable(connection, site.id)


def _found(dive: Dive | None, dive_id: int) -> Dive:
    if dive is None:
        raise NotFoundError(f"there is no dive {dive_id}")
    return dive


# --- The child -------------------------------------------------------------------------------
def _run_job(job_id: int, request: ScanRequest) -> ExitCode:
    config = request.config()
    with open_database(config.database_url, create=False) as database:
        with database.reading() as connection:
            dive = queries.dive_of_job(connection, job_id)
        site = site_by_id(database, dive.site_id) if dive is not None else None
        if dive is None or site is None:
            raise NotFoundError(f"job {job_id} has no dive")
        result = run_dive(
            database, site, config, filter_of(dive.wanted), fetch=request, dive_id=dive.id
        )
    return ExitCode.PARTIAL if result.notice else ExitCode.DONE


def _stop_when_asked(commands: IO[bytes]) -> None:
    """In a thread: interrupt the main thread at the next line, or the end, of the input."""
    commands.readline()
    _thread.interrupt_main()
    time.sleep(_STOP_SECONDS)
    # The main thread hangs; the next dive goes on where this one stopped.
    os._exit(ExitCode.FAILED)


def main() -> None:
    # Without a buffer: its lock, held by the thread that reads, would abort Python at its end.
    commands = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    asked = json.loads(commands.readline())
    threading.Thread(target=_stop_when_asked, args=(commands,), daemon=True).start()
    try:
        code = _run_job(asked["job"], ScanRequest(**asked["request"]))
    except KeyboardInterrupt:
        code = ExitCode.FAILED
    except SitecrawlError as error:
        sys.stderr.write(f"{error}\n")
        code = ExitCode.FAILED
    sys.exit(code)


if __name__ == "__main__":
    main()
