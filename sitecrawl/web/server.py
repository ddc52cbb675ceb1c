"""Runs the application in this process until it is told to stop."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import h11
import uvicorn
from anyio.to_thread import current_default_thread_limiter
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.h11_impl import H11Protocol

from sitecrawl.config import ConfigError
from sitecrawl.web.app import create_app

if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Callable, Iterator

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

_KEEP_ALIVE_SECONDS: Final = 15
_SHUTDOWN_SECONDS: Final = 5
_HEAD_SECONDS: Final = 15
_MAX_CONNECTIONS: Final = 2_000
# A thread answers a request; more of them only wait for each other, with a connection each.
_REQUEST_THREADS: Final = 12
# Threads of requests, of downloads and of passwords, and some to spare: none waits for another's.
DATABASE_CONNECTIONS: Final = _REQUEST_THREADS + 12
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class HeadTimeoutProtocol(H11Protocol):
    """Closes a connection on which the head of a request does not come in time.

    uvicorn itself limits only the time between two requests, so that a client could hold a
    connection for ever by sending its headers byte by byte, or nothing at all.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait_for_head()
        else:
            self._end_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(_HEAD_SECONDS, self.transport.close)

    def _end_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class Server(uvicorn.Server):
    """Reports when it listens and at which port: port 0 is any free one."""

    def __init__(self, config: Config, database: Database, on_ready: Callable[[int], None]) -> None:
        super().__init__(
            uvicorn.Config(
                create_app(config, database),
                host=config.web_host,
                port=config.web_port,
                http=HeadTimeoutProtocol,
                ws="none",
                log_level="warning",
                # Without a configuration of its own its lines go where all others go.
                log_config=None if config.log_format == "json" else LOGGING_CONFIG,
                access_log=False,
                server_header=False,
                # Our own middleware believes only the proxies of the settings.
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
                limit_concurrency=_MAX_CONNECTIONS,
            )
        )
        self._on_ready = on_ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Shut down on signals without exiting: the caller has more to end than the server."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in _SIGNALS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        current_default_thread_limiter().total_tokens = _REQUEST_THREADS
        try:
            await super().startup(sockets)
        except SystemExit as error:  # uvicorn has logged the reason
            raise ConfigError(
                f"cannot listen at {self.config.host}, port {self.config.port};"
                " choose others with --host and --port, or end what listens there"
            ) from error
        if self.started:
            [first, *_] = self.servers[0].sockets
            self._on_ready(first.getsockname()[1])
