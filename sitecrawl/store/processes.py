"""Whether the process that runs a scan is still there."""

from __future__ import annotations

import os
import secrets
import socket
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

DEAD_AFTER_SECONDS = 300
# A process that runs a scan for a worker ends ten seconds after it at the latest.
ORPHAN_DEAD_AFTER_SECONDS = 15


class RunOfProcess(Protocol):
    """What the record of a scan, or of a worker, says of its process."""

    @property
    def heartbeat_at(self) -> datetime: ...
    @property
    def hostname(self) -> str: ...
    @property
    def pid(self) -> int: ...
    @property
    def process_token(self) -> str: ...


class RunOfScan(RunOfProcess, Protocol):
    """What the record of a scan says of its process."""

    @property
    def id(self) -> int: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...


def process_token() -> str:
    """Tells this process from every other one, also from one that it was forked from."""
    return _token(os.getpid())


def own_process() -> dict[str, Any]:
    """What a row says of the process that runs it: columns of ``scans`` and ``workers``."""
    return {"hostname": socket.gethostname(), "pid": os.getpid(), "process_token": process_token()}


@cache
def _token(_pid: int) -> str:
    return secrets.token_hex(8)


def is_alive(run: RunOfProcess, now: datetime, dead_after_seconds: float | None = None) -> bool:
    """Whether the process may still be there.

    On another host only its heartbeat tells: *dead_after_seconds* is for that. Here the process
    does, and is given the time of one that waits for a locked database.
    """
    is_here = run.hostname == socket.gethostname()
    limit = DEAD_AFTER_SECONDS if is_here or dead_after_seconds is None else dead_after_seconds
    if now - run.heartbeat_at > timedelta(seconds=limit):
        return False
    if not is_here or run.process_token == process_token():
        return True
    # Another token under our own number is a process that is gone.
    return run.pid != os.getpid() and _process_exists(run.pid)


def end_of_dead(scan: RunOfScan) -> tuple[ScanStatus, str]:
    """The status and reason of a scan whose process is gone.

    A job of Scrapyd has failed: Scrapyd calls it finished, and nothing takes it up again by itself.
    """
    process = f"process {scan.pid} on {scan.hostname}"
    if job := scan.settings.get("job"):
        remedy = f"sitecrawl resume {scan.id} goes on"
        return ScanStatus.FAILED, f"its process died: Scrapyd job {job}, {process}; {remedy}"
    return ScanStatus.INTERRUPTED, f"{process} ended without a word"


def _process_exists(pid: int) -> bool:
    if os.name == "nt":
        # On Windows signal 0 ends the process; there the heartbeat alone has to tell.
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
