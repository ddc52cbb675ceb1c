"""Serves the demo site on loopback."""

from __future__ import annotations

import socketserver
import threading
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from sitecrawl.demo.site import NOT_FOUND, Page, build_site

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message
    from types import TracebackType
    from typing import Self

_ADDRESS = "127.0.0.1"
_USUAL_PORT = 8737
_POLL_SECONDS = 0.05


class DemoServer:
    """The demo site on a free port (or ``port``) while the context is entered."""

    @classmethod
    def on_usual_port(cls) -> Self:
        """Always the same address if it is free, so that a second scan is of the same site."""
        try:
            return cls(_USUAL_PORT)
        except OSError:
            return cls()

    def __init__(self, port: int = 0, *, is_earlier: bool = False) -> None:
        self._listener = _Listener((_ADDRESS, port), _Handler)
        self.url = f"http://{_ADDRESS}:{self._listener.server_port}"
        self._listener.site = build_site(self.url, is_earlier=is_earlier)
        self._thread = threading.Thread(
            target=self._listener.serve_forever,
            args=(_POLL_SECONDS,),
            name="demo site",
            daemon=True,
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()


class _Listener(ThreadingHTTPServer):
    site: Mapping[str, Page]

    def server_bind(self) -> None:
        # Not HTTPServer's: it asks the resolver for its own name, which takes seconds offline.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def do_GET(self) -> None:
        site = self.server.site
        page = site.get(self.path.partition("?")[0], site[NOT_FOUND])
        is_current = _is_current(page, self.headers)
        self.send_response(HTTPStatus.NOT_MODIFIED if is_current else page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        if not is_current:
            self.send_header("Content-Type", page.content_type)
            self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        if self.command != "HEAD" and not is_current:
            self.wfile.write(page.body)

    do_HEAD = do_GET  # noqa: N815 (the standard library looks this name up)

    def log_message(self, *_: Any) -> None:
        """Silent: what the crawler says about the site is what counts."""


def _is_current(page: Page, headers: Message) -> bool:
    """Whether the client already holds this page (RFC 9110, 13.2.2: the ETag goes first)."""
    if "ETag" not in page.headers:
        return False
    tags = headers.get("If-None-Match")
    if tags is not None:
        return page.headers["ETag"] in [tag.strip() for tag in tags.split(",")]
    since = headers.get("If-Modified-Since")
    if since is None:
        return False
    try:
        held = parsedate_to_datetime(since)
        return parsedate_to_datetime(page.headers["Last-Modified"]) <= held
    except (TypeError, ValueError):
        return False  # not a date: RFC 9110 has it ignored
