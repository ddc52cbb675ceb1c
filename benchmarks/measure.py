"""Run a process against the served site and measure what it used."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchmarks.built_sites import PROJECT_DIR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from resource import struct_rusage
    from types import TracebackType

# ru_maxrss counts bytes on macOS and KiB elsewhere (getrusage(2)).
_MAXRSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024
_SERVER_TIMEOUT_SECONDS = 60.0


class BenchmarkError(Exception):
    """The benchmark itself cannot go on; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process and the children it waited for used."""

    cpu_seconds: float
    wall_seconds: float
    peak_mb: float
    exit_code: int


class SiteServer:
    """The site's server as a process of its own, for the length of a `with` block."""

    def __init__(self, folder: Path, port: int) -> None:
        self._command = [sys.executable, "-m", "benchmarks.server", str(folder)]
        self._command += ["--port", str(port)]
        self._port = port
        self._events: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        # Its own session: Ctrl-C reaches the benchmark alone, which then stops the server itself.
        self._process = subprocess.Popen(
            self._command,
            cwd=PROJECT_DIR,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read_events, daemon=True)
        self._reader.start()
        try:
            self.wait_for("listening")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def wait_for(
        self, event: str, timeout_seconds: float = _SERVER_TIMEOUT_SECONDS
    ) -> dict[str, Any]:
        """Return the next event of this name; earlier ones of other names are dropped."""
        while True:
            try:
                told = self._events.get(timeout=timeout_seconds)
            except queue.Empty:
                raise BenchmarkError(f"the server did not say {event!r} in time") from None
            if told["event"] == event:
                return told
            if told["event"] == "ended":
                raise BenchmarkError(
                    f"the server ended before {event!r}; is port {self._port} in use? "
                    "Another one can be chosen with --port (the site is built again for it)."
                )

    def stop(self) -> dict[str, int]:
        """Stop the server and return its counts."""
        self._process.terminate()
        counts = self.wait_for("stopped")
        self._process.wait(timeout=_SERVER_TIMEOUT_SECONDS)
        return {name: value for name, value in counts.items() if name != "event"}

    def _read_events(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._events.put(json.loads(line))
        self._events.put({"event": "ended"})

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=10)
        if self._process.stdout is not None:
            self._process.stdout.close()


class MeasuredProcess:
    """A process that was started and is to be measured; `wait` ends the measurement."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        with log.open("wb") as output:
            self.started = time.time()
            self._process = subprocess.Popen(
                command,
                cwd=PROJECT_DIR,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def cpu_seconds_so_far(self) -> float | None:
        """Return the CPU time of the running process; None where /proc does not tell."""
        try:
            stat = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return None
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def wait(self, timeout_seconds: float) -> Usage:
        """Wait for the end; past the time-out the process is killed with all it started."""
        timer = threading.Timer(timeout_seconds, self._kill)
        timer.start()
        try:
            _, status, used = os.wait4(self._process.pid, 0)
        except BaseException:
            self._kill()
            self._process.wait()
            raise
        finally:
            timer.cancel()
        wall_seconds = time.time() - self.started
        # Popen must not wait for the process again: wait4 has taken its status.
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return _usage(used, wall_seconds, self._process.returncode)

    def _kill(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return  # it has just ended by itself


def _usage(used: struct_rusage, wall_seconds: float, exit_code: int) -> Usage:
    return Usage(
        cpu_seconds=used.ru_utime + used.ru_stime,
        wall_seconds=wall_seconds,
        peak_mb=used.ru_maxrss * _MAXRSS_UNIT_BYTES / 1e6,
        exit_code=exit_code,
    )


def clean_environment() -> dict[str, str]:
    """Return the environment for contestants: no proxy, and no setting of whoever calls.

    Python's own variables go too: one of them keeps it from storing byte code, and then every
    start would compile everything.
    """
    unwanted = ("SITECRAWL_", "SCRAPY_", "URL_DISCOVERY_", "PYTHON")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(unwanted) and not name.lower().endswith("_proxy")
    }
    return kept | {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


def count_lines(path: Path) -> int:
    """Count the lines of a file; 0 when there is none."""
    try:
        return sum(block.count(b"\n") for block in _blocks(path))
    except FileNotFoundError:
        return 0


def last_line(path: Path, *, of_lines: int = 1) -> str:
    """Return the end of a log, without reading all of it."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 65_536))
        lines = file.read().decode(errors="replace").splitlines()
    return "\n".join(lines[-of_lines:])


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            yield block
