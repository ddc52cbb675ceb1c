"""Errors as ``application/problem+json`` (RFC 9457): every one has a stable type and a cause."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from starlette.responses import JSONResponse

from sitecrawl.config import ConfigError
from sitecrawl.errors import (
    ConflictError,
    CrawlNeededError,
    ExtraMissingError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    SignInRefusedError,
    SiteUnreachableError,
    ThrottledError,
)
from sitecrawl.store.errors import ScanNotResumableError, ScanRunningError, StoreError
from sitecrawl.urls.target import TargetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitecrawl.errors import SitecrawlError

logger = logging.getLogger(__name__)

MEDIA_TYPE: Final = "application/problem+json"


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """A kind of error that callers can tell by its type, ``/problems/<name>``."""

    name: str
    status: int
    title: str
    meaning: str

    @property
    def type(self) -> str:
        return f"/problems/{self.name}"


_KINDS: Final = (
    ProblemKind("bad-request", 400, "Bad request", "The request cannot be read."),
    ProblemKind(
        "not-signed-in", 401, "Not signed in", "No session or token was given, or it is over."
    ),
    ProblemKind("sign-in-refused", 401, "Sign-in refused", "Nobody can sign in by what was given."),
    ProblemKind("forbidden", 403, "Forbidden", "The caller lacks the permission or scope."),
    ProblemKind("cross-site", 403, "Cross-site request", "Another site has sent this request."),
    ProblemKind(
        "not-found", 404, "Not found", "There is no such thing, or it is in another workspace."
    ),
    ProblemKind("method-not-allowed", 405, "Method not allowed", "See the header Allow."),
    ProblemKind("too-slow", 408, "Too slow", "The body did not come in time."),
    ProblemKind("conflict", 409, "Conflict", "It is there already, or is under way."),
    ProblemKind(
        "crawl-needed", 409, "Crawl needed", "The question is about links: scan with a crawl first."
    ),
    ProblemKind(
        "key-in-use", 409, "Idempotency key in use", "The first request with this key is running."
    ),
    ProblemKind(
        "changed-meanwhile",
        412,
        "Changed meanwhile",
        "If-Match names an older version: read again.",
    ),
    ProblemKind("too-large", 413, "Too large", "The body is larger than the server takes."),
    ProblemKind(
        "unsupported-media-type", 415, "Unsupported media type", "Send JSON, or what the API says."
    ),
    ProblemKind("wrong-host", 421, "Wrong host", "The server does not answer for this name."),
    ProblemKind(
        "invalid-input", 422, "Invalid input", "A value cannot be used; field and errors say which."
    ),
    ProblemKind("key-reused", 422, "Idempotency key reused", "The key belongs to another request."),
    ProblemKind("throttled", 429, "Too many requests", "Wait as long as Retry-After says."),
    ProblemKind("internal-error", 500, "Internal error", "It has been logged."),
    ProblemKind(
        "not-installed", 501, "Not installed", "The server lacks a package that this needs."
    ),
    ProblemKind("site-unreachable", 502, "Site unreachable", "The site does not answer."),
    ProblemKind("unavailable", 503, "Unavailable", "The database cannot be used now."),
)
PROBLEMS: Final = {kind.name: kind for kind in _KINDS}

# The first that fits counts.
_BY_ERROR: Final[tuple[tuple[type[Exception], str], ...]] = (
    (NotFoundError, "not-found"),
    (InvalidInputError, "invalid-input"),
    (ScanRunningError, "conflict"),
    (ScanNotResumableError, "conflict"),
    (ConflictError, "conflict"),
    (ForbiddenError, "forbidden"),
    (SignInRefusedError, "sign-in-refused"),
    (ThrottledError, "throttled"),
    (CrawlNeededError, "crawl-needed"),
    (ExtraMissingError, "not-installed"),
    (SiteUnreachableError, "site-unreachable"),
    (ConfigError, "invalid-input"),
    (TargetError, "invalid-input"),
    (StoreError, "unavailable"),
)
_BY_STATUS: Final = {
    400: "bad-request",
    401: "not-signed-in",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    413: "too-large",
    415: "unsupported-media-type",
    422: "invalid-input",
    429: "throttled",
}
_RETRY_SECONDS: Final = 5
# What the API calls otherwise than the services do.
_API_NAMES: Final = {
    "priority": "scanPriority",
    "interval_minutes": "scanIntervalMinutes",
    "colour": "color",
}


class FieldError(BaseModel):
    """What is wrong with one value."""

    field: str
    message: str


class Problem(BaseModel):
    """What went wrong."""

    type: str
    title: str
    status: int
    detail: str
    field: str | None = None
    errors: list[FieldError] | None = None


class ProblemError(Exception):
    """Raised where no error of the services fits."""

    def __init__(
        self, name: str, detail: str = "", *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.kind = PROBLEMS[name]
        self.detail = detail or self.kind.meaning
        self.headers = dict(headers or {})


def problem_response(
    name: str,
    detail: str = "",
    *,
    field: str | None = None,
    errors: Sequence[FieldError] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    kind = PROBLEMS[name]
    problem = Problem(
        type=kind.type,
        title=kind.title,
        status=kind.status,
        detail=detail or kind.meaning,
        field=field or (errors[0].field if errors else None),
        errors=list(errors) or None,
    )
    return JSONResponse(
        problem.model_dump(exclude_none=True), kind.status, dict(headers or {}), MEDIA_TYPE
    )


def problem_of(error: SitecrawlError) -> JSONResponse:
    """The answer to an error of a service."""
    name = next((name for kind, name in _BY_ERROR if isinstance(error, kind)), "internal-error")
    headers = {}
    if isinstance(error, ThrottledError):
        headers["Retry-After"] = str(error.retry_after_seconds)
    elif name == "unavailable":
        logger.error("The database cannot be used: %s", error)
        # The message names the database, which is nobody's business.
        return problem_response(name, headers={"Retry-After": str(_RETRY_SECONDS)})
    elif name == "internal-error":
        logger.error("A service failed", exc_info=error)
        return problem_response(name)
    if isinstance(error, InvalidInputError):
        field = _API_NAMES.get(error.field) or to_camel(error.field)
        message = str(error).removeprefix(f"{error.field}: ")
        wrong = [FieldError(field=field, message=message)]
        return problem_response(name, f"{field}: {message}", errors=wrong)
    return problem_response(name, str(error), headers=headers)


def problem_of_status(
    status: int, detail: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """The answer to an error of the framework."""
    name = _BY_STATUS.get(status)
    if name is None:
        name = "internal-error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "bad-request"
    return problem_response(name, detail, headers=headers)


def problem_of_validation(errors: Sequence[Mapping[str, Any]]) -> JSONResponse:
    """The answer to a request whose values do not fit the schema of the API."""
    fields = [FieldError(field=_field(error["loc"]), message=str(error["msg"])) for error in errors]
    detail = "; ".join(f"{each.field}: {each.message}" for each in fields[:5])
    return problem_response("invalid-input", detail, errors=fields[:50])


def _field(location: Sequence[object]) -> str:
    """``("body", "tags", 0)`` -> ``tags.0``."""
    return ".".join(str(part) for part in location[1:]) or str(location[0])
