"""A real HTTP server on loopback that answers, and misbehaves, as a test tells it."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import TYPE_CHECKING, Any

from tests.site.arrival import note_arrivals, wait_for_arrival
from tests.site.exchange import DRIPS_PER_SECOND, wire_pieces
from tests.site.log import LoggedRequest, RequestLog, gaps, max_in_flight
from tests.site.reply import Reply, Request, Route
from tests.site.tls import self_signed_certificate

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_POLL_SECONDS = 0.01
_STOP_SECONDS = 5.0
# Clients of a busy machine may need long for their part of it.
_HANDSHAKE_SECONDS = 60.0
_CONTENT_TYPES = {
    ".xml": "application/xml",
    ".gz": "application/gzip",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
}
_NOT_FOUND = Reply(b"<h1>Not found</h1>", status=404, content_type="text/html; charset=utf-8")
# l_onoff and l_linger of SO_LINGER: closing then sends RST and not FIN.
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class SiteServer:
    """Serves ``routes`` from the moment it is made until ``stop()``.

    - A route is found by path with query, then by path, then by the longest ``/prefix*``; anything
      else is a 404. Bytes and text get a content type by their path. Routes may change at any time.
    - ``requests()``, ``paths()``, ``max_in_flight()``, ``gaps()`` tell what was asked;
      ``wait_for()`` blocks until it was.
    - With ``tls`` successive connections take ``handshake_seconds`` before they carry anything;
      the last of them holds for all further ones.
    - ``stop()`` raises what a route's callable raised.
    """

    def __init__(
        self,
        routes: Mapping[str, Route] | None = None,
        *,
        address: str = "127.0.0.1",
        port: int = 0,
        tls: bool = False,
        handshake_seconds: Sequence[float] = (0.0,),
    ) -> None:
        self.routes: dict[str, Route] = dict(routes or {})
        self.log = RequestLog()
        self._turns: Counter[str] = Counter()
        self._turns_lock = threading.Lock()
        self._listener = _Listener(self, (address, port), tls, handshake_seconds)
        self.address, self.port = self._listener.socket.getsockname()[:2]
        host = f"[{self.address}]" if ":" in self.address else self.address
        self.url = f"{'https' if tls else 'http'}://{host}:{self.port}"
        self._thread = threading.Thread(
            target=self._listener.serve_forever, args=(_POLL_SECONDS,), name=self.url, daemon=True
        )
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends every open answer at once; calling it again does nothing."""
        self._listener.stopping.set()
        self._listener.shutdown()
        self._thread.join(_STOP_SECONDS)
        self._listener.server_close()
        if self._listener.errors:
            raise self._listener.errors.pop()

    def at(self, path: str) -> str:
        """The absolute URL of a path."""
        return self.url + path

    def requests(self, path: str | None = None) -> list[LoggedRequest]:
        return self.log.requests(path)

    def paths(self) -> list[str]:
        """Path and query of every request, in order of arrival."""
        return [entry.target for entry in self.log.requests()]

    def max_in_flight(self) -> int:
        return max_in_flight(self.log.requests())

    def gaps(self) -> list[float]:
        return gaps(self.log.requests())

    def wait_for(self, path: str, count: int = 1, timeout_seconds: float = 120.0) -> None:
        """Blocks until ``path`` was requested ``count`` times; fails the test when it never is."""
        self.log.wait_for(
            lambda entries: sum(entry.path == path for entry in entries) >= count, timeout_seconds
        )

    def reply_to(self, request: Request) -> Reply:
        pattern = self._pattern_for(request)
        if pattern is None:
            return _NOT_FOUND
        route = self.routes[pattern]
        if isinstance(route, Sequence) and not isinstance(route, bytes | str):
            with self._turns_lock:
                turn = self._turns[pattern]
                self._turns[pattern] += 1
            route = route[min(turn, len(route) - 1)]
        answer = route(request) if callable(route) else route
        if isinstance(answer, Reply):
            return answer
        return Reply(answer, content_type=_content_type(request.path))

    def _pattern_for(self, request: Request) -> str | None:
        for exact in (request.target, request.path):
            if exact in self.routes:
                return exact
        prefixes = [key for key in self.routes if key.endswith("*")]
        matching = [key for key in prefixes if request.target.startswith(key[:-1])]
        return max(matching, key=len, default=None)


class _Listener(ThreadingMixIn, TCPServer):
    allow_reuse_address = True
    request_queue_size = 256
    daemon_threads = True
    block_on_close = False

    def __init__(
        self,
        site: SiteServer,
        address: tuple[str, int],
        tls: bool,
        handshake_seconds: Sequence[float],
    ) -> None:
        self.site = site
        self.stopping = threading.Event()
        self.errors: list[Exception] = []
        self._tls = self_signed_certificate().context if tls else None
        self._handshake_seconds = list(handshake_seconds)
        self._lock = threading.Lock()
        self._connections: dict[socket.socket, threading.Thread] = {}
        self._accepted = 0
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, BaseHTTPRequestHandler)  # process_request_thread makes our own
        note_arrivals(self.socket)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serves one connection; a client that leaves or refuses our certificate is no error."""
        connection: socket.socket = request
        try:
            connection.settimeout(_HANDSHAKE_SECONDS if self._tls else None)
            if self._tls is not None:
                self.stopping.wait(self._next_handshake_seconds())
                connection = self._tls.wrap_socket(connection, server_side=True)
                connection.settimeout(None)
            with self._lock:
                self._connections[connection] = threading.current_thread()
                self._accepted += 1
                number = self._accepted
            if not self.stopping.is_set():
                _Connection(connection, client_address, self, number)
        except OSError:
            pass
        except Exception as error:  # noqa: BLE001 (the thread's edge; stop() raises it)
            self.errors.append(error)
        finally:
            with self._lock:
                self._connections.pop(connection, None)
            connection.close()

    def _next_handshake_seconds(self) -> float:
        with self._lock:
            seconds = self._handshake_seconds
            return seconds.pop(0) if len(seconds) > 1 else seconds[0]

    def server_close(self) -> None:
        super().server_close()
        with self._lock:
            threads = list(self._connections.values())
            for connection in self._connections:
                _shut_down(connection)
        for thread in threads:
            thread.join(_STOP_SECONDS)


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def __init__(
        self, connection: socket.socket, client: Any, listener: _Listener, number: int
    ) -> None:
        self._number = number
        self._started = 0.0
        super().__init__(connection, client, listener)

    def handle_one_request(self) -> None:
        self._started = wait_for_arrival(self.connection)
        super().handle_one_request()

    def answer(self) -> None:
        site = self.server.site
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        # self.path has lost what the standard library finds odd, such as a second leading slash.
        target = self.requestline.split()[1]
        request = Request(self.command, target, self.headers, body)
        entry = site.log.begin(request, self._number, self._started)
        try:
            reply = site.reply_to(request)
            self._send(reply, request, entry)
        except BaseException:
            site.log.end(entry, is_aborted=True)
            raise

    # The standard library looks these names up.
    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Silent: the log is for the tests."""

    def _send(self, reply: Reply, request: Request, entry: LoggedRequest) -> None:
        self._keep_silence(reply)
        is_broken_off = reply.reset or reply.cut_after_bytes is not None
        self.close_connection = self.close_connection or reply.close or is_broken_off
        if reply.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            if reply.cut_after_bytes is None:
                self.server.site.log.end(entry, is_aborted=True)
                return
        pieces = wire_pieces(reply, request, entry)
        pending = next(pieces)
        for piece in pieces:
            self._write(pending)
            pending = piece
            if reply.drip_bytes_per_second:
                self._pause(1 / DRIPS_PER_SECOND)
        self.server.site.log.end(entry, is_aborted=is_broken_off)
        self._write(pending)

    def _write(self, piece: bytes) -> None:
        self.connection.sendall(piece)

    def _keep_silence(self, reply: Reply) -> None:
        if reply.delay_seconds:
            self._pause(reply.delay_seconds)
        while reply.hold is not None and not reply.hold.wait(_POLL_SECONDS):
            self._pause(0)

    def _pause(self, seconds: float) -> None:
        if self.server.stopping.wait(seconds):
            raise ConnectionAbortedError("the server stops")


def _content_type(path: str) -> str:
    suffix = path[path.rfind(".") :] if "." in path else ""
    return _CONTENT_TYPES.get(suffix, "text/html; charset=utf-8")


def _shut_down(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):  # the client was faster
        connection.shutdown(socket.SHUT_RDWR)
