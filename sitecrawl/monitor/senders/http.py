"""Posts to the URL of a channel: 8 seconds, no redirects, no cookies, no proxies."""

from __future__ import annotations

import asyncio
import email.utils
import time
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING

import aiohttp
from yarl import URL

from sitecrawl import __version__
from sitecrawl.monitor.senders import MAX_ANSWER_BYTES, Answer
from sitecrawl.safety.connector import AddressRefusedError, guarded_connector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sitecrawl.safety.policy import AddressPolicy

TIMEOUT_SECONDS = 8.0
_HEADERS = {
    "Content-Type": "application/json",
    "User-Agent": f"sitecrawl/{__version__}",
    "Accept-Encoding": "identity",
}


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A POST request; its URL and headers may hold secrets."""

    url: str = field(repr=False)
    body: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    gone_codes: frozenset[int] = frozenset({HTTPStatus.GONE})
    """Status codes by which the receiver says that it is gone for good."""


async def post(
    request: HttpRequest, policy: AddressPolicy, *, verify_certificates: bool = True
) -> Answer:
    """Make one attempt; errors are in the answer, without secrets."""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            return await _post(request, policy, verify_certificates)
    except TimeoutError:
        return Answer(error=f"no answer within {TIMEOUT_SECONDS:g} seconds")
    except AddressRefusedError as error:
        return Answer(error=str(error))
    except (aiohttp.ClientError, OSError) as error:
        return Answer(error=_words(error))


async def _post(request: HttpRequest, policy: AddressPolicy, verify_certificates: bool) -> Answer:
    connector = guarded_connector(request.url, policy, verify_certificates=verify_certificates)
    async with (
        aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
        ) as session,
        session.post(
            URL(request.url, encoded=True),
            data=request.body.encode(),
            headers={**_HEADERS, **request.headers},
            allow_redirects=False,
        ) as response,
    ):
        start = await response.content.read(MAX_ANSWER_BYTES)
        return _answer(request, response.status, response.headers, start)


def _answer(request: HttpRequest, code: int, headers: Mapping[str, str], start: bytes) -> Answer:
    text = start.decode("utf-8", "replace")
    if HTTPStatus.OK <= code < HTTPStatus.MULTIPLE_CHOICES:
        return Answer(code, text)
    if HTTPStatus.MULTIPLE_CHOICES <= code < HTTPStatus.BAD_REQUEST:
        return Answer(code, text, f"it answered {code}; redirects are not followed")
    return Answer(
        code,
        text,
        f"it answered {_status_words(code)}",
        is_gone=code in request.gone_codes,
        retry_after_seconds=_seconds(headers.get("Retry-After", "")),
    )


def _status_words(code: int) -> str:
    known = {each.value for each in HTTPStatus}
    return f"{code} {HTTPStatus(code).phrase}" if code in known else str(code)


def _seconds(text: str) -> float:
    """Of a ``Retry-After``: seconds or a date."""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        parsed = email.utils.parsedate_tz(text)
        return max(0.0, email.utils.mktime_tz(parsed) - time.time()) if parsed else 0.0
    except (ValueError, OverflowError):  # a date that does not exist
        return 0.0


def _words(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its host name cannot be resolved"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not trusted: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"no connection: {error.os_error.strerror or error.os_error}"
    if isinstance(error, (aiohttp.ServerDisconnectedError, ConnectionError)):
        return "it closed the connection before it had answered"
    if isinstance(error, aiohttp.ClientOSError):
        return "the connection was reset before it had answered"
    return f"its answer cannot be read ({type(error).__name__})"
