"""A fake model server that speaks OpenAI's protocol."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Vectors = Sequence[object] | Callable[[list[str]], Sequence[object]]


BODIES = {
    "nonsense": b"data: {]\n\ndata: {}\n\ndata: [1]\n\n<html>\n",
    "nested": b"data: " + b"[" * 100_000 + b"\n\n",
    "nested vectors": b"[" * 100_000,
    "a long line": b"data: " + b"x" * 10_000_000,
    "many lines": (b"data: " + b"x" * 1_000 + b"\n\n") * 10_000,
}
"""What is answered instead, by the name of the fault."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class ModelServer:
    """Answers with these pieces, or with a fault; ``/v1/embeddings`` with these vectors.

    *vectors*: or what makes them of the texts that are sent.
    """

    def __init__(self, *pieces: str, fault: str = "", vectors: Vectors = ()):
        self.requests: list[ModelRequest] = []
        self.fault = fault
        self._released = threading.Event()
        handler = _handler(self.requests, pieces, fault, vectors, self._released)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.endpoint = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self.endpoint}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._released.set()
        self._server.shutdown()
        self._server.server_close()


def _handler(
    requests: list[ModelRequest],
    pieces: Sequence[str],
    fault: str,
    vectors: Vectors,
    released: threading.Event,
) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests.append(ModelRequest(self.path, headers, body))
            if fault == "hang":
                released.wait()
                return
            if fault in {"error", "redirect"}:
                self.send_response(500 if fault == "error" else 307)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.end_headers()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            if fault in BODIES:
                with suppress(ConnectionError):
                    self.wfile.write(BODIES[fault])
                return
            if self.path.endswith("/embeddings"):
                given = vectors(body["input"]) if callable(vectors) else vectors
                rows = [{"index": n, "embedding": row} for n, row in enumerate(given)]
                self.wfile.write(json.dumps({"data": rows}).encode())
                return
            for piece in pieces:
                event = {"choices": [{"delta": {"content": piece}}]}
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: Any) -> None:
            """Tests read what was asked, not a log."""

    return Handler
