"""Runs scans in child processes: any number of them, from threads, notebooks and workers.

The child (:mod:`sitecrawl.services.scan_child`) gets the request on its standard input and tells
what happens on its standard output, one JSON object per line. Its standard input stays open: when
this process ends, however it ends, the child reads the end of it and stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sitecrawl import errors
from sitecrawl.config import ConfigError
from sitecrawl.errors import ScanCrashedError, ScanFailedError, SitecrawlError
from sitecrawl.services.permissions import Permission, requires
from sitecrawl.store import errors as store_errors
from sitecrawl.store.vocabulary import ScanStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from sitecrawl.services.scans import ScanRequest

_LOG_TAIL_BYTES: Final = 20_000
_MAX_LINE_BYTES: Final = 10_000_000
_STEP_SECONDS: Final = 0.2


class ScanEventKind(StrEnum):
    """The kinds of events that a child reports."""

    BEGUN = "begun"
    PROGRESS = "progress"
    ENDED = "ended"
    FAILED = "failed"
    """It could not start."""


@dataclass(frozen=True, slots=True)
class ScanEvent:
    """One thing that happened in a scan."""

    kind: ScanEventKind
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """How far a scan has come."""

    scan_id: int
    stage: str
    documents: int
    """Fetched so far: robots.txt, sitemaps, pages."""
    pages: int
    """Found so far."""
    visited: int
    waiting: int
    """Pages that the crawl still has to visit."""
    seconds: float


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The result of a scan."""

    scan_id: int
    site: str
    """Key of the site, as ``open_inventory`` takes it."""
    status: ScanStatus
    reason: str
    pages: int
    """Pages in the list."""
    summary: dict[str, Any] = field(repr=False)
    database: str = field(repr=False)


class ScanHandle:
    """A scan that runs in a child process.

    Leaving it as a context manager cancels the scan if it still runs.
    """

    def __init__(self, request: ScanRequest, progress: Callable[[ScanProgress], None] | None):
        self._progress = progress
        self._database = request.database_url()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the scan
        self._last_words: str | None = None
        self._has_begun = threading.Event()
        self._result: ScanResult | None = None
        self._error: SitecrawlError | None = None
        self._id = 0
        self._listeners: list[queue.SimpleQueue[ScanEvent | None]] = []
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sitecrawl.services.scan_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            # Ctrl+C is for this process, which lets the scan end or cancels it.
            process_group=0,
        )
        self._reader = threading.Thread(target=self._read, name="scan events", daemon=True)
        self._reader.start()
        self._tell(request.to_json())

    @property
    def id(self) -> int:
        """The number of the scan in the database."""
        return self._id

    @property
    def exit_code(self) -> int | None:
        """Of the child; negative: the signal that ended it; None: it still runs."""
        return self._process.poll()

    def status(self) -> ScanStatus:
        if self._result is not None:
            return self._result.status
        return ScanStatus.RUNNING if self._process.poll() is None else ScanStatus.FAILED

    def events(self) -> Iterator[ScanEvent]:
        """What happens from now on, to the end of the scan."""
        listener: queue.SimpleQueue[ScanEvent | None] = queue.SimpleQueue()
        with self._lock:
            if not self._reader.is_alive():
                return
            self._listeners.append(listener)
        while (event := listener.get()) is not None:
            yield event

    def cancel(self) -> None:
        """Ask the scan to stop; what it has found is kept, and it can be resumed."""
        self._tell("cancel")

    def kill(self) -> None:
        """End the child at once; its scan becomes ``interrupted`` when somebody looks."""
        self._process.kill()

    def wait(self, timeout: float | None = None) -> ScanResult:
        """Wait for the end; ``ScanCrashedError`` if there was none in order, ``TimeoutError``."""
        self._reader.join(timeout)
        if self._reader.is_alive():
            raise TimeoutError(f"scan {self._id} has not ended within {timeout:g} seconds")
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def log_tail(self) -> str:
        """The end of what the scan has logged."""
        with self._lock:
            return self._read_log() if self._last_words is None else self._last_words

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        if self._process.poll() is None:
            self.cancel()
            self._reader.join()

    def wait_for_begin(self) -> None:
        """Until the scan has its number; raise what keeps it from starting."""
        self._has_begun.wait()
        if self._error is not None:
            raise self._error

    # --- the child -----------------------------------------------------------------------------

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        # A child that has ended hears nothing: what it had to say is read in any case.
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def _read_log(self) -> str:
        # Seeking would move where the child writes: both have the same open file.
        end = os.fstat(self._log.fileno()).st_size
        tail = os.pread(self._log.fileno(), _LOG_TAIL_BYTES, max(0, end - _LOG_TAIL_BYTES))
        return tail.decode("utf-8", "replace").replace("\0", "")

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stdout:
            while line := stdout.readline(_MAX_LINE_BYTES):
                self._take(json.loads(line))
        code = self._process.wait()
        with self._lock:
            self._last_words = self._read_log()
            self._log.close()
        if self._result is None and self._error is None:
            self._error = ScanCrashedError(_crash_words(self._id, code, self._last_words))
        with self._lock:
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener.put(None)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._has_begun.set()

    def _take(self, data: dict[str, Any]) -> None:
        event = ScanEvent(ScanEventKind(data.pop("event")), data)
        match event.kind:
            case ScanEventKind.BEGUN:
                self._id = data["scan_id"]
                self._has_begun.set()
            case ScanEventKind.PROGRESS:
                if self._progress is not None:
                    self._progress(ScanProgress(**data))
            case ScanEventKind.ENDED:
                self._result = ScanResult(
                    **data | {"status": ScanStatus(data["status"]), "database": self._database}
                )
            case ScanEventKind.FAILED:
                self._error = _error_of(data["error"], data["message"])
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener.put(event)


@requires(Permission.SCAN)
def start_scan(
    request: ScanRequest, progress: Callable[[ScanProgress], None] | None = None
) -> ScanHandle:
    """Start a scan in a child process, and return when it has its number.

    Raises what keeps it from starting: ``ConfigError``, ``StoreError``, ``ScanRunningError``.
    *progress* is called about once a second, on a thread of its own.
    """
    handle = ScanHandle(request, progress)
    handle.wait_for_begin()
    return handle


@requires(Permission.SCAN)
def run_in_child(
    request: ScanRequest,
    progress: Callable[[ScanProgress], None] | None = None,
    is_over: threading.Event | None = None,
) -> ScanResult:
    """Run a scan to its end; ``ScanFailedError`` if nothing of the site could be read.

    Once *is_over* is set the scan is killed (``ScanCrashedError``).
    """
    with start_scan(request, progress) as handle:
        while True:
            if is_over is not None and is_over.is_set():
                handle.kill()
            with contextlib.suppress(TimeoutError):
                return _checked(handle.wait(_STEP_SECONDS if is_over else None))


@requires(Permission.SCAN)
async def run_in_child_async(
    request: ScanRequest, progress: Callable[[ScanProgress], None] | None = None
) -> ScanResult:
    """The same without blocking the event loop, which *progress* is called on.

    A cancelled task cancels its scan.
    """
    loop = asyncio.get_running_loop()

    def on_loop(reached: ScanProgress) -> None:
        if progress is not None:
            loop.call_soon_threadsafe(progress, reached)

    handle = await asyncio.to_thread(start_scan, request, on_loop)
    try:
        return _checked(await asyncio.to_thread(handle.wait))
    except asyncio.CancelledError:
        handle.cancel()
        raise


def _checked(result: ScanResult) -> ScanResult:
    if result.status is ScanStatus.FAILED:
        raise ScanFailedError(f"scan {result.scan_id} of {result.site}: {result.reason}")
    return result


def _error_of(name: str, message: str) -> SitecrawlError:
    """The error that a child has reported, as the same type."""
    known = {"ConfigError": ConfigError, **vars(errors), **vars(store_errors)}
    kind = known.get(name)
    if isinstance(kind, type) and issubclass(kind, SitecrawlError):
        return kind(message)
    return SitecrawlError(message)


def _crash_words(scan_id: int, code: int, log: str) -> str:
    ended = f"exit code {code}"
    if code < 0:
        with contextlib.suppress(ValueError):
            ended = f"signal {signal.Signals(-code).name}"
    last = [line for line in log.splitlines() if line.strip()][-3:]
    said = f"; its last words: {' | '.join(last)}" if last else ""
    return f"the process of scan {scan_id or '(not begun)'} ended with {ended}{said}"
