"""A second reader for answers that aiohttp's parser refuses: that of the standard library.

It reads what browsers, curl and Scrapy's Twisted handler read: bytes behind the end of an answer,
a length beside chunks, a body where none may be. It blocks, so it runs in a thread, and only when
an answer has been refused before.
"""

from __future__ import annotations

import asyncio
import http.client
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.http import Response

_PIECE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class LenientExchange:
    """One request over a connection of its own.

    ``is_sending`` is called in the event loop before the request is written, and may raise.
    """

    request: Request
    max_bytes: int
    timeout_seconds: float
    is_sending: Callable[[], None]

    async def run(self, connection: socket.socket, tls: ssl.SSLContext | None) -> Response:
        """Use the connection, and close it."""
        connection.settimeout(self.timeout_seconds)
        try:
            async with asyncio.timeout(self.timeout_seconds):
                if tls is not None:
                    host = urlsplit(self.request.url).hostname
                    connection = await asyncio.to_thread(
                        tls.wrap_socket, connection, server_hostname=host
                    )
                self.is_sending()
                return await asyncio.to_thread(self._exchange, connection)
        except TimeoutError as error:
            words = f"Getting {self.request.url} took longer than {self.timeout_seconds} seconds."
            raise DownloadTimeoutError(words) from error
        except http.client.IncompleteRead as error:
            raise ResponseDataLossError(str(error)) from error
        except ssl.SSLError as error:
            raise DownloadConnectionRefusedError(str(error)) from error
        except (http.client.HTTPException, OSError) as error:
            raise DownloadFailedError(str(error)) from error
        finally:
            connection.close()  # also ends a thread that still reads from it

    def _exchange(self, connection: socket.socket) -> Response:
        request, parts = self.request, urlsplit(self.request.url)
        client = http.client.HTTPConnection(parts.hostname or "")
        client.sock = connection
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        has_host = b"Host" in request.headers
        client.putrequest(request.method, target, skip_host=True, skip_accept_encoding=True)
        if not has_host:
            client.putheader("Host", parts.netloc.rpartition("@")[2])
        for name, values in request.headers.items():
            for value in values:
                client.putheader(name, value)
        client.putheader("Connection", "close")
        client.endheaders(request.body or None)
        answer = client.getresponse()
        body = bytearray()
        while len(body) <= self.max_bytes and (piece := answer.read(_PIECE_BYTES)):
            body += piece
        return self._response(answer, bytes(body))

    def _response(self, answer: http.client.HTTPResponse, body: bytes) -> Response:
        headers = Headers(
            [(name, value.encode("latin-1", "replace")) for name, value in answer.getheaders()]
        )
        cls = responsetypes.from_args(headers=headers, url=self.request.url, body=body)
        return cls(
            url=self.request.url,
            status=answer.status,
            headers=headers,
            body=body,
            flags=["download_stopped"] if len(body) > self.max_bytes else [],
        )
