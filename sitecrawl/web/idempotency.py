"""``Idempotency-Key``: a POST that is sent again is not done again, and gets the first answer.

Keys belong to a user or token and count for a day. Only answers of success are kept: what failed
may be tried again under the same key.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from sitecrawl.errors import SitecrawlError
from sitecrawl.services import idempotency
from sitecrawl.web.auth import authenticate
from sitecrawl.web.problems import problem_of, problem_response
from sitecrawl.web.state import web_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sitecrawl.store.queries.users import KeptAnswer

_HEADER: Final = "idempotency-key"
_MAX_KEY: Final = 255
_MAX_KEPT_BYTES: Final = 1024 * 1024
_KEPT_HEADERS: Final = ("content-type", "location", "etag")
# Their answers have secrets, which are shown once and kept nowhere.
_NOT_KEPT: Final = re.compile(
    r"/api/(session|tokens|users(/.*)?|channels(/[0-9]+/secret)?|sites/[0-9]+/notifications)"
)
_FIRST_FAILURE: Final = 300


class IdempotencyKeys:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get(_HEADER) if _may_repeat(scope) else None
        if key is None:
            await self.app(scope, receive, send)
            return
        if not key.strip() or len(key) > _MAX_KEY:
            answer = problem_response("invalid-input", f"Idempotency-Key: at most {_MAX_KEY} bytes")
            await answer(scope, receive, send)
            return
        try:
            await self._answer(scope, receive, send, key)
        except SitecrawlError as error:
            await problem_of(error)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, key: str) -> None:
        request = Request(scope, receive)
        body = await request.body()
        caller = await run_in_threadpool(authenticate, request)
        if caller is None:
            await self.app(scope, _receiving(body, receive), send)
            return
        database = web_of(request).database
        fingerprint = _fingerprint(scope, body)
        kept = await run_in_threadpool(idempotency.claim, database, caller.key, key, fingerprint)
        if kept is not None:
            await _replay(kept, fingerprint)(scope, receive, send)
            return
        recorder = _Recorder(send)
        try:
            await self.app(scope, _receiving(body, receive), recorder.send)
        finally:
            if recorder.can_be_kept:
                await run_in_threadpool(
                    idempotency.keep,
                    database,
                    caller.key,
                    key,
                    status=recorder.status,
                    headers=recorder.headers,
                    body=bytes(recorder.body),
                )
            else:
                await run_in_threadpool(idempotency.release, database, caller.key, key)


class _Recorder:
    """Passes an answer on, and remembers it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self._is_complete = False

    @property
    def can_be_kept(self) -> bool:
        is_success = 0 < self.status < _FIRST_FAILURE
        return is_success and self._is_complete and len(self.body) <= _MAX_KEPT_BYTES

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = Headers(scope=message)
            self.headers = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
        elif message["type"] == "http.response.body":
            if len(self.body) <= _MAX_KEPT_BYTES:
                self.body += message.get("body", b"")
            self._is_complete = not message.get("more_body", False)
        await self._send(message)


def _may_repeat(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "POST"
        and scope["path"].startswith("/api/")
        and not _NOT_KEPT.fullmatch(scope["path"])
    )


def _fingerprint(scope: Scope, body: bytes) -> str:
    parts = (scope["path"].encode(), scope.get("query_string", b""), body)
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _receiving(body: bytes, receive: Receive) -> Receive:
    """Gives the body that has been read already, then what comes after it."""
    is_given = False

    async def receive_again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


def _replay(kept: KeptAnswer, fingerprint: str) -> Response:
    if kept.request_hash != fingerprint:
        return problem_response("key-reused")
    if kept.status is None:
        return problem_response("key-in-use", headers={"Retry-After": "1"})
    headers = {**(kept.headers or {}), "Idempotency-Replayed": "true"}
    return Response(kept.body, kept.status, headers)
