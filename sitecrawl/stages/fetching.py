"""From a response or a failure to the facts of a fetch."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from OpenSSL.SSL import Error as SslError
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

from sitecrawl.downloader.refusals import (
    AddressNotAllowedError,
    BlockedByRobotsError,
    NotSentError,
)
from sitecrawl.downloader.stopping import ScanStoppedError
from sitecrawl.items import Document, DocumentKind, FetchOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

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
_STATUS_ERRORS = {FetchOutcome.NOT_FOUND, FetchOutcome.HTTP_ERROR}
_RESET = "the connection was reset"
_FAILURES = (
    (ScanStoppedError, FetchOutcome.STOPPED, "{}"),
    (AddressNotAllowedError, FetchOutcome.ADDRESS_NOT_ALLOWED, "{}"),
    (BlockedByRobotsError, FetchOutcome.BLOCKED_BY_ROBOTS, "{}"),
    (DownloadTimeoutError, FetchOutcome.TIMEOUT, "no complete answer in time ({})"),
    (CannotResolveHostError, FetchOutcome.UNREACHABLE, "the host name cannot be resolved ({})"),
    (DownloadConnectionRefusedError, FetchOutcome.UNREACHABLE, "the server refused the connection"),
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

    *is_guess*: nobody has named it, so the rules of robots.txt hold for it as for a page.
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
        error=f"HTTP {response.status}" if outcome in _STATUS_ERRORS else "",
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
    """How far the evidence of this fetch can be trusted to be all there is."""
    if document.outcome not in _CERTAIN:
        return 0.2
    return 0.5 if is_truncated else 1.0


def _header(value: bytes | None) -> str:
    return value.decode("latin-1").strip() if value else ""


def _outcome_of_status(response: Response) -> FetchOutcome:
    if "sitecrawl_unchanged" in response.meta:
        return FetchOutcome.NOT_MODIFIED
    if HTTPStatus.OK <= response.status < HTTPStatus.MULTIPLE_CHOICES:
        return FetchOutcome.OK
    if response.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
        return FetchOutcome.NOT_FOUND
    return FetchOutcome.HTTP_ERROR


def _detail(error: BaseException | None) -> str:
    """The cause, which Twisted hides in a list of failures."""
    cause = error
    while cause is not None and cause.__cause__ is not None:
        cause = cause.__cause__
    reasons = getattr(cause, "reasons", None)
    inner = reasons[-1].value if reasons else cause
    if isinstance(inner, SslError):
        return _tls_detail(inner)
    if isinstance(inner, (ConnectionLost, ConnectionDone)):
        return _RESET
    words = str(inner).strip() or type(inner).__name__
    return "the connection failed" if "twisted." in words else words


def _tls_detail(error: SslError) -> str:
    if "certificate verify failed" in str(error):
        return "the certificate could not be verified (SITECRAWL_VERIFY_CERTIFICATES)"
    return "there is no TLS that both sides understand"


def _outcome_of_error(error: BaseException | None) -> tuple[FetchOutcome, str]:
    """What a person reads instead of the name of an exception."""
    detail = _detail(error)
    if isinstance(error, NotSentError):
        return FetchOutcome(error.reason), detail
    if isinstance(error, IgnoreRequest) and "redirections" in detail:
        return FetchOutcome.TOO_MANY_REDIRECTS, detail
    for kind, outcome, words in _FAILURES:
        if isinstance(error, kind):
            return outcome, words.format(detail)
    # Who resets a connection can be reached.
    return FetchOutcome.INCOMPLETE if detail == _RESET else FetchOutcome.UNREACHABLE, detail
