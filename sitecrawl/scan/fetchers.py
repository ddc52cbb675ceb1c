"""The processes on this machine that fetch pages for a scan."""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.config import COMMAND_LINE_PRIORITY

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

# More often a process that ends by itself is not started again: something is wrong with it.
_MAX_RESTARTS: Final = 20


class FetcherProcesses:
    """Starts fetchers as child processes, and further ones in place of those that have died.

    A child gets what it is to do on its standard input, which stays open: it ends when this process
    does, however that comes.
    """

    def __init__(self, settings: BaseSettings, scan_id: int, number: int):
        self._request = json.dumps(
            {
                "spider": "fetch",
                "resume": scan_id,
                "settings": {"LOG_LEVEL": "WARNING", **_command_line(settings)},
                "database": settings["SITECRAWL_DATABASE_URL"],
            }
        )
        self._processes = [self._start() for _ in range(number)]
        self._restarts = 0

    def replace_dead(self) -> list[str]:
        """Start others in place of those that have ended; who these were, as holders of leases."""
        dead = [each for each in self._processes if each.poll() is not None]
        for process in dead:
            self._restarts += 1
            if self._restarts > _MAX_RESTARTS:
                raise RuntimeError("the fetchers end again and again; see the log")
            logger.warning(
                "Fetcher %s has ended with exit code %s: another one is started",
                *(process.pid, process.returncode),
            )
            _close(process)
            self._processes[self._processes.index(process)] = self._start()
        return [lease_holder(process.pid) for process in dead]

    def stop(self) -> None:
        """End them; what they have under way is fetched again if the scan is resumed."""
        for process in self._processes:
            _close(process)
        for process in self._processes:
            process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "sitecrawl.services.scan_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        process.stdin.write(self._request.encode() + b"\n")
        process.stdin.flush()
        return process


def lease_holder(pid: int) -> str:
    """How a process is named where it has leases."""
    return f"{socket.gethostname()}/{pid}"


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


def _command_line(settings: BaseSettings) -> dict[str, Any]:
    """What stands above the record of the scan, which the fetchers read."""
    plain = settings.copy_to_dict()
    return {
        name: plain[name]
        for name in settings
        if (settings.getpriority(name) or 0) >= COMMAND_LINE_PRIORITY and name != "FEEDS"
    }
