"""A server that sends exactly the given bytes, for answers that no HTTP library would send."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
# l_onoff and l_linger of SO_LINGER: closing then sends RST and not FIN.
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
# What follows is the end of the connection: a client gets both at once, however busy this machine
# is. Linux only.
_WITH_WHAT_FOLLOWS = getattr(socket, "MSG_MORE", 0)
RESET = object()
"""As the last piece of an answer: the connection is reset."""
KEEP = object()
"""As the last piece of an answer: the connection is kept for the next request."""


class RawServer:
    """Answers a path with the pieces of its route, one after another, then closes.

    A route that is a callable is called for its pieces, so that an answer may be endless.
    """

    def __init__(self, routes: Mapping[str, object]) -> None:
        self.routes = routes
        self.paths: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            while head := _read_head(connection):
                path = head.split(b" ")[1].decode()
                self.paths.append(path)
                if not self._answer(connection, path):
                    return

    def _answer(self, connection: socket.socket, path: str) -> bool:
        """Whether the connection is kept."""
        route: Any = self.routes.get(path, _NOT_FOUND)
        if isinstance(route, bytes):
            connection.sendall(route, _WITH_WHAT_FOLLOWS)
            return False
        pieces = route() if callable(route) else route
        for piece in pieces:
            if piece is KEEP:
                return True
            if piece is RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
                return False
            connection.sendall(piece)
        return False


def _read_head(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        data = connection.recv(65536)
        if not data:
            return b""
        head += data
    return head
