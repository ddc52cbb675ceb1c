"""``Idempotency-Key``: a POST that is sent again is not done again, and gets the first answer.

Keys belong to a user or token and count for a day. Only answers of success are kept: what failed
may be tried again under the same key.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final, NamedTuple

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
    from collections.abc import Awaitable, Callable

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

        async def settle(answer: _Answer | None) -> None:
            if answer is None:
                await run_in_threadpool(idempotency.release, database, caller.key, key)
                return
            await run_in_threadpool(
                idempotency.keep,
                database,
                caller.key,
                key,
                status=answer.status,
                headers=answer.headers,
                body=answer.body,
            )

        recorder = _Recorder(send, settle)
        try:
            await self.app(scope, _receiving(body, receive), recorder.send)
        finally:
            await recorder.close()


class _Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class _Recorder:
    """Passes an answer on, and stores it before its end is sent.

    Whoever has the answer may send the next request at once.
    """

    def __init__(self, send: Send, settle: Callable[[_Answer | None], Awaitable[None]]) -> None:
        self._send = send
        self._settle = settle
        self._is_settled = False
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = Headers(scope=message)
            self._headers = {name: headers[name] for name in _KEPT_HEADERS if name in headers}
        elif message["type"] == "http.response.body":
            if len(self._body) <= _MAX_KEPT_BYTES:
                self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._settle_once(is_complete=True)
        await self._send(message)

    async def close(self) -> None:
        """An answer that has not come to its end is not kept."""
        await self._settle_once(is_complete=False)

    async def _settle_once(self, *, is_complete: bool) -> None:
        if self._is_settled:
            return
        self._is_settled = True
        is_success = 0 < self._status < _FIRST_FAILURE
        is_kept = is_complete and is_success and len(self._body) <= _MAX_KEPT_BYTES
        answer = _Answer(self._status, self._headers, bytes(self._body)) if is_kept else None
        await self._settle(answer)


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
    """Receive the body that was read already, then what follows it."""
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
