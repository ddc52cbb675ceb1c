"""Requests for documents, and their responses or failures as a :class:`Document`."""

from __future__ import annotations

import errno
import http.client
import os
import ssl
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from OpenSSL.SSL import Error as OpenSslError
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from twisted.internet.error import ConnectionDone, ConnectionLost

from sitecrawl.items import Document, DocumentKind, FetchOutcome
from sitecrawl.safety.text import printable
from sitecrawl.scan.errors import (
    AddressNotAllowedError,
    BlockedByRobotsError,
    ConnectionDroppedError,
    HeadersTooLargeError,
    NotSentError,
    ScanStoppedError,
)
from sitecrawl.urls.address import resolve_location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure

_ACCEPT = {
    DocumentKind.ROBOTS_TXT: "text/plain, */*;q=0.5",
    DocumentKind.SITEMAP: "application/xml, text/xml, */*;q=0.5",
    DocumentKind.PAGE: "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
    DocumentKind.PROBE: "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8",
    DocumentKind.RESOURCE: "*/*",
}

_CERTAIN = {
    FetchOutcome.OK,
    FetchOutcome.NOT_MODIFIED,
    FetchOutcome.FRESH,
    FetchOutcome.NOT_FOUND,
}
_REDIRECTS = {301, 302, 303, 307, 308}
_MAX_SHOWN_LOCATION = 200
_STATUS_ERRORS = {FetchOutcome.NOT_FOUND, FetchOutcome.HTTP_ERROR}
_RESET = "the connection was reset"
_NO_CERTIFICATE = "the certificate could not be verified (SITECRAWL_VERIFY_CERTIFICATES)"
_NO_TLS = "there is no TLS that both sides understand"
_LARGE_HEADERS = "the headers are too large (SITECRAWL_MAX_HEADER_BYTES)"
_REFUSED = "the server refused the connection"
_NO_HTTP = "the answer is no valid HTTP"
# Causes of a failed download; the first match decides.
_CAUSES: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
    (aiohttp.ClientConnectorCertificateError, _NO_CERTIFICATE),
    ((aiohttp.ClientConnectorSSLError, ssl.SSLError), _NO_TLS),
    ((LineTooLong, http.client.LineTooLong, HeadersTooLargeError), _LARGE_HEADERS),
    ((HttpProcessingError, http.client.HTTPException), _NO_HTTP),
    ((ConnectionDroppedError, ConnectionResetError, ConnectionLost, ConnectionDone), _RESET),
)
_NO_WAY = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL}
# What aiohttp and http.client say; neither has an exception of its own for it.
_TOO_MANY_HEADERS = ("Too many headers received", "got more than 100 headers")
_FAILURES = (
    (ScanStoppedError, FetchOutcome.STOPPED, "{}"),
    (AddressNotAllowedError, FetchOutcome.ADDRESS_NOT_ALLOWED, "{}"),
    (BlockedByRobotsError, FetchOutcome.BLOCKED_BY_ROBOTS, "{}"),
    (DownloadTimeoutError, FetchOutcome.TIMEOUT, "no complete answer in time ({})"),
    (CannotResolveHostError, FetchOutcome.UNREACHABLE, "the host name cannot be resolved ({})"),
    (DownloadConnectionRefusedError, FetchOutcome.UNREACHABLE, _REFUSED),
    ((DownloadCancelledError, IgnoreRequest), FetchOutcome.TOO_LARGE, "{}"),
    (ResponseDataLossError, FetchOutcome.INCOMPLETE, "the answer was cut off"),
)


def document_request(  # noqa: PLR0913  the facts of a document
    url: str,
    kind: DocumentKind,
    found_by: str,
    *,
    callback: Callable[..., Any] | None,
    errback: Callable[..., Any] | None,
    timeout_seconds: float,
    max_bytes: int,
    callback_arguments: dict[str, Any] | None = None,
    deadline: float = float("inf"),
    is_guess: bool = False,
    parent: str | None = None,
    depth: int = 0,
) -> Request:
    """A request for a document; its facts travel in ``meta`` for :func:`fetched_document`.

    *is_guess*: no document names it, so the rules of robots.txt hold for it as for a page.
    """
    meta: dict[str, Any] = {
        "sitecrawl_document": {
            "kind": kind,
            "found_by": found_by,
            "parent": parent,
            "depth": depth,
        },
        "sitecrawl_max_bytes": max_bytes,
        "download_timeout": timeout_seconds,
        "sitecrawl_deadline": deadline,
        "sitecrawl_is_guess": is_guess,
        # Pages were judged when they were listed; feeds are read although no page is listed so.
        "sitecrawl_dont_skip": True,
    }
    return Request(
        url,
        headers={"Accept": _ACCEPT[kind]},
        callback=callback,
        errback=errback,
        cb_kwargs=callback_arguments,
        meta=meta,
        # Stages fetch each document once; a retry or a redirect must not be filtered out.
        dont_filter=True,
    )


def asked_url(request: Request) -> str:
    """The URL that was asked for, before redirects."""
    urls: list[str] = request.meta.get("redirect_urls", [])
    return urls[0] if urls else request.url


def fetched_document(response: Response) -> Document:
    request = response.request
    assert request is not None
    headers = response.headers
    outcome = _outcome_of_status(response)
    return Document(
        url=asked_url(request),
        **request.meta["sitecrawl_document"],
        outcome=outcome,
        status=response.status,
        error=_status_words(response) if outcome in _STATUS_ERRORS else "",
        content_type=_header(headers.get("Content-Type")),
        body=response.body,
        is_cut="download_stopped" in response.flags,
        etag=_header(headers.get("ETag")),
        last_modified=_header(headers.get("Last-Modified")),
        final_url=response.url,
        redirects=[*request.meta.get("redirect_urls", [])][1:],
        elapsed_seconds=request.meta.get("download_latency", 0.0),
    )


def failed_document(failure: Failure) -> Document:
    assert failure.value is not None
    return failed_document_of(failure.value, failure.request)  # type: ignore[attr-defined]


def failed_document_of(cause: BaseException, request: Request) -> Document:
    outcome, error = _outcome_of_error(cause)
    return Document(
        url=asked_url(request),
        **request.meta["sitecrawl_document"],
        outcome=outcome,
        error=error,
        final_url=request.url,
    )


def confidence(document: Document, *, is_truncated: bool = False) -> float:
    """How far the evidence of this fetch can be trusted to be complete."""
    if document.outcome not in _CERTAIN:
        return 0.2
    return 0.5 if is_truncated else 1.0


def _header(value: bytes | None) -> str:
    return value.decode("latin-1").strip() if value else ""


def _status_words(response: Response) -> str:
    words = f"HTTP {response.status}"
    if response.status not in _REDIRECTS:
        return words
    location = response.headers.get("Location")
    if location is None:
        return f"{words} without a Location"
    if resolve_location(location, response.url) is None:
        target = location[:_MAX_SHOWN_LOCATION].decode("utf-8", "replace")
        return f"{words} to {printable(target)}, which is no http address"
    return words


def _outcome_of_status(response: Response) -> FetchOutcome:
    if "sitecrawl_unchanged" in response.meta:
        return FetchOutcome.NOT_MODIFIED
    if HTTPStatus.OK <= response.status < HTTPStatus.MULTIPLE_CHOICES:
        return FetchOutcome.OK
    if response.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
        return FetchOutcome.NOT_FOUND
    return FetchOutcome.HTTP_ERROR


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it was raised from; Twisted hides that in a list of failures."""
    while error is not None:
        yield error
        for reason in getattr(error, "reasons", ()):
            yield reason.value
        error = error.__cause__


def _cause_words(error: BaseException | None) -> str:
    """Words for a known cause, or nothing."""
    causes = list(_causes(error))
    for cause in causes:
        if any(sign in str(cause) for sign in _TOO_MANY_HEADERS):
            return _LARGE_HEADERS
        if isinstance(cause, OpenSslError):
            return _NO_CERTIFICATE if "certificate verify failed" in str(cause) else _NO_TLS
        if isinstance(cause, OSError) and cause.errno in _NO_WAY:
            return f"no connection could be made ({os.strerror(cause.errno)})"
    for kind, words in _CAUSES:
        if any(isinstance(cause, kind) for cause in causes):
            return words
    return ""


def _detail(error: BaseException | None) -> str:
    *_, innermost = _causes(error)
    if isinstance(error, DownloadTimeoutError):
        innermost = error  # aiohttp's own has no text
    if isinstance(innermost, OSError) and innermost.strerror:
        return innermost.strerror
    return str(innermost).strip() or type(innermost).__name__


def _outcome_of_error(error: BaseException | None) -> tuple[FetchOutcome, str]:
    """The outcome, and the error in words instead of the name of an exception."""
    detail = _detail(error)
    if isinstance(error, NotSentError):
        return FetchOutcome(error.reason), detail
    if isinstance(error, IgnoreRequest) and "redirections" in detail:
        return FetchOutcome.TOO_MANY_REDIRECTS, detail
    if words := _cause_words(error):
        # A server that sends something, or resets a connection, can be reached.
        is_reached = words in {_RESET, _LARGE_HEADERS, _NO_HTTP}
        is_cut = isinstance(error, ResponseDataLossError)
        words = "the answer was cut off" if is_cut else words
        return FetchOutcome.INCOMPLETE if is_reached else FetchOutcome.UNREACHABLE, words
    for kind, outcome, words in _FAILURES:
        if isinstance(error, kind):
            return outcome, words.format(detail)
    return FetchOutcome.UNREACHABLE, "the connection failed" if "twisted." in detail else detail
