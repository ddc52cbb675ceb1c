"""``python -m sitecrawl.services.scan_child``: runs one scan for the process that started it.

The first line on standard input is a :class:`~sitecrawl.services.scans.ScanRequest`, the line
``cancel`` stops the scan, and so does the end of the input: the parent is gone. What happens is
told on standard output, one JSON object per line; everything else that is printed is log.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from typing import IO, TYPE_CHECKING, Any, Final

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from sitecrawl.errors import ExitCode, SitecrawlError
from sitecrawl.scan.lifecycle import ScanLifecycle
from sitecrawl.services.scan_process import ScanEventKind
from sitecrawl.services.scans import ScanRequest, run_scan

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

_PROGRESS_SECONDS: Final = 1.0
# So long an orphan may take to write down what it has.
_ORPHAN_SECONDS: Final = 10.0


class ParentChannel:
    """Tells the parent what the scan does, and does what the parent asks for."""

    def __init__(self, commands: IO[bytes], events: IO[bytes]):
        self._commands = commands
        self._events = events
        self._started = time.monotonic()
        self._crawler: Crawler
        self._loop: asyncio.AbstractEventLoop
        self._tasks: set[asyncio.Future[None]] = set()
        self._is_opened = threading.Event()
        self._scan_id = 0
        self._progress: AsyncioLoopingCall | LoopingCall | None = None

    def connect(self, crawler: Crawler) -> None:
        self._crawler = crawler
        crawler.signals.connect(self._spider_opened, signals.spider_opened)
        crawler.signals.connect(self._spider_closed, signals.spider_closed)
        crawler.signals.connect(self._engine_stopped, signals.engine_stopped)
        threading.Thread(target=self._read_commands, daemon=True).start()

    def tell(self, kind: ScanEventKind, **data: Any) -> None:
        line = json.dumps({"event": kind, **data}, default=str)
        try:
            self._events.write(line.encode() + b"\n")
            self._events.flush()
        except BrokenPipeError:
            pass  # the thread that reads the commands notices that the parent is gone

    def _spider_opened(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_opened.set()
        self._do(self._tell_begin())

    async def _tell_begin(self) -> None:
        lifecycle = self._lifecycle()
        await lifecycle.ready()
        database = lifecycle.scan.database
        if database is not None and database.record is not None:
            self._scan_id = database.record.scan_id
            self.tell(ScanEventKind.BEGUN, scan_id=self._scan_id)
            self._progress = create_looping_call(self._tell_progress)
            self._progress.start(_PROGRESS_SECONDS, now=False)

    def _tell_progress(self) -> None:
        counters = self._lifecycle().scan.counters
        self.tell(
            ScanEventKind.PROGRESS,
            scan_id=self._scan_id,
            stage=counters.stage,
            documents=counters.documents.total(),
            pages=counters.pages_listed + counters.pages_unchanged,
            visited=counters.visited,
            waiting=max(counters.visits_found - counters.visited, 0),
            seconds=round(time.monotonic() - self._started, 3),
        )

    def _spider_closed(self) -> None:
        if self._progress is not None and self._progress.running:
            self._progress.stop()

    def _engine_stopped(self) -> None:
        lifecycle = self._lifecycle()
        summary, database = lifecycle.summary, lifecycle.scan.database
        if not self._scan_id:
            if database is not None and database.error is not None:
                self.tell_error(database.error)
            return
        assert summary is not None
        self.tell(
            ScanEventKind.ENDED,
            scan_id=self._scan_id,
            site=summary.root_url,
            status=summary.status,
            reason=summary.reason,
            pages=summary.pages,
            summary=summary.as_dict(),
        )

    def tell_error(self, error: SitecrawlError) -> None:
        self.tell(ScanEventKind.FAILED, error=type(error).__name__, message=str(error))

    def _read_commands(self) -> None:
        for command in self._commands:
            if command.strip() == b"cancel":
                self._is_opened.wait()
                self._stop("cancelled")
        # An orphan that has not begun leaves no scan behind: another process starts it anew.
        if self._is_opened.is_set():
            self._stop("orphaned")
            time.sleep(_ORPHAN_SECONDS)
        # Whatever hangs is of no use to anybody; the database says how far the scan has come.
        os._exit(ExitCode.FAILED)

    def _stop(self, reason: str) -> None:
        def close() -> None:
            engine = self._crawler.engine
            if engine.spider is not None:
                self._do(engine.close_spider_async(reason=reason))

        self._loop.call_soon_threadsafe(close)

    def _do(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _lifecycle(self) -> ScanLifecycle:
        lifecycle = self._crawler.get_extension(ScanLifecycle)
        assert lifecycle is not None
        return lifecycle


def main() -> None:
    events = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever is printed from now on must not stand between the events.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Without a buffer: its lock, held by the thread that reads, would abort Python at its end.
    commands = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    channel = ParentChannel(commands, events)
    try:
        code = run_scan(ScanRequest.from_json(commands.readline()), channel.connect)
    except SitecrawlError as error:
        channel.tell_error(error)
        code = ExitCode.USAGE
    sys.exit(code)


if __name__ == "__main__":
    main()
