"""Receivers of messages on loopback: an HTTP server that does what it is told, a mail server."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from aiosmtpd.smtp import SMTP, AuthResult

from tests.site.tls import self_signed_certificate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import EmailMessage
    from types import TracebackType


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class HttpReceiver:
    """Answers every POST with ``status``; ``release`` holds answers back, ``resets`` drops them."""

    status: int = 200
    answer: bytes = b"ok"
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    resets: bool = False
    release: threading.Event | None = None
    address: str = "127.0.0.1"

    def __enter__(self) -> HttpReceiver:
        self.received: list[Received] = []
        self.has_received = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver._handle(self)

            def log_message(self, *args: object) -> None: ...

        self._server = ThreadingHTTPServer((self.address, 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.release:
            self.release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_port)

    @property
    def url(self) -> str:
        return f"http://{self.address}:{self.port}/hook/s3cret-path"

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.received.append(Received(handler.path, dict(handler.headers.items()), body))
        self.has_received.set()
        if self.release:
            self.release.wait(30)
        if self.resets:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            handler.connection.close()
            return
        handler.send_response(self.status)
        for name, value in self.answer_headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(self.answer)))
        handler.end_headers()
        handler.wfile.write(self.answer)


@dataclass
class Mail:
    sender: str
    recipients: list[str]
    raw: bytes

    @property
    def message(self) -> EmailMessage:
        return message_from_bytes(self.raw, policy=policy.default)


class MailServer:
    """Takes mail of whoever logs in as anna over TLS (STARTTLS)."""

    refused = frozenset({"nobody@example.com"})

    def __init__(self) -> None:
        self.mails: list[Mail] = []
        self.logins: list[tuple[str, bool]] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)

    def __enter__(self) -> MailServer:
        self._thread.start()
        started = self._loop.create_server(self._protocol, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(started, self._loop).result()
        return self

    def __exit__(self, *_exc_info: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stop(self) -> None:
        self._server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)

    def _protocol(self) -> SMTP:
        return SMTP(
            self,
            hostname="localhost",
            loop=self._loop,
            tls_context=self_signed_certificate().context,
            require_starttls=True,
            auth_required=True,
            authenticator=self._authenticate,
        )

    @property
    def port(self) -> int:
        return int(self._server.sockets[0].getsockname()[1])

    def _authenticate(
        self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any
    ) -> AuthResult:
        is_right = (data.login, data.password) == (b"anna", b"hush-hush")
        self.logins.append((data.login.decode(), session.ssl is not None))
        return AuthResult(success=is_right, handled=False)

    async def handle_RCPT(  # noqa: N802  aiosmtpd looks for this name
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        if address in self.refused:
            return "550 5.1.1 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802  aiosmtpd looks for this name
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        self.mails.append(Mail(envelope.mail_from, envelope.rcpt_tos, envelope.content))
        return "250 taken"
