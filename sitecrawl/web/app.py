"""Makes the application: routes, errors as problems, and what holds for every request."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import compile_path
from starlette.staticfiles import StaticFiles

from sitecrawl import __version__, web
from sitecrawl.errors import SitecrawlError
from sitecrawl.web import api, pages
from sitecrawl.web.idempotency import IdempotencyKeys
from sitecrawl.web.metrics import Metrics, RequestMetrics
from sitecrawl.web.middleware import (
    BodyLimit,
    CrossSiteCheck,
    HostCheck,
    SecurityHeaders,
    host_name,
    is_loopback,
)
from sitecrawl.web.openapi import describe
from sitecrawl.web.problems import (
    PROBLEMS,
    ProblemError,
    problem_of,
    problem_of_status,
    problem_of_validation,
    problem_response,
)
from sitecrawl.web.state import Web
from sitecrawl.web.templating import render

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

_GZIP_MIN_BYTES: Final = 1_000
# Most of what the best level saves, at a third of its time.
_GZIP_LEVEL: Final = 5
_NOT_SIGNED_IN: Final = 401
_NOT_ALLOWED: Final = 405
_TITLE: Final = "sitecrawl"
_DESCRIPTION: Final = "Sites that are watched, their inventories, what changed, and who is told."


def create_app(config: Config, database: Database) -> FastAPI:
    """The API and the dashboard on this database."""
    shared = Web.of(config, database)
    app = FastAPI(
        title=_TITLE,
        version=__version__,
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        # These pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=_middleware(config, shared.metrics),
        exception_handlers=_EXCEPTION_HANDLERS,
    )
    app.state.web = shared
    _add_api(app)
    app.include_router(pages.router)
    app.add_api_route("/problems/{name}", _problem, include_in_schema=False)
    static = resources.files(web) / "static"
    assert isinstance(static, Path)
    app.mount("/static", StaticFiles(directory=static))
    return app


def _add_api(app: FastAPI) -> None:
    app.include_router(api.router)

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = describe(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI documents it


def described_api() -> dict[str, Any]:
    """The description of the API alone, without a server."""
    app = FastAPI(title=_TITLE, version=__version__, description=_DESCRIPTION)
    _add_api(app)
    return app.openapi()


def _middleware(config: Config, metrics: Metrics) -> list[Middleware]:
    """The first of them sees a request first."""
    hosts = {host_name(config.web_public_url.partition("://")[2])} - {""}
    if not hosts and is_loopback(config.web_host):
        hosts = {"localhost"}
    first = []
    if config.web_trusted_proxies:
        from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

        trusted = list(config.web_trusted_proxies)
        first.append(Middleware(ProxyHeadersMiddleware, trusted_hosts=trusted))
    return [
        *first,
        Middleware(RequestMetrics, metrics=metrics),
        Middleware(SecurityHeaders),
        Middleware(GZipMiddleware, minimum_size=_GZIP_MIN_BYTES, compresslevel=_GZIP_LEVEL),
        Middleware(HostCheck, hosts=hosts),
        Middleware(CrossSiteCheck),
        Middleware(BodyLimit, max_bytes=config.web_max_body_bytes),
        Middleware(IdempotencyKeys),
    ]


def _problem(name: str) -> Response:
    """Explain a type of problem."""
    if name not in PROBLEMS:
        return problem_response("not-found")
    kind = PROBLEMS[name]
    return PlainTextResponse(f"{kind.title} ({kind.status}). {kind.meaning}\n")


async def _on_service_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, SitecrawlError)
    return _shown(request, problem_of(error))


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return _shown(request, problem_response(error.kind.name, error.detail, headers=error.headers))


async def _on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = "" if error.status_code in {404, 405} else str(error.detail)
    headers = dict(error.headers or {})
    if error.status_code == _NOT_ALLOWED:
        headers["Allow"] = ", ".join(sorted(_methods_of(request)))
    return _shown(request, problem_of_status(error.status_code, detail, headers))


def _methods_of(request: Request) -> set[str]:
    """The methods of every route with this path; the router knows those of the first one only."""
    return {
        method
        for context in iter_route_contexts(request.app.routes)
        if compile_path(context.path or "")[0].match(request.url.path)
        for method in context.methods or ()
    }


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _shown(request, problem_of_validation(error.errors()))


async def _on_surprise(request: Request, _error: Exception) -> Response:
    return _shown(request, problem_response("internal-error"))  # the server logs it


_EXCEPTION_HANDLERS: Final[dict[int | type[Exception], Any]] = {
    SitecrawlError: _on_service_error,
    ProblemError: _on_problem,
    HTTPException: _on_http_error,
    RequestValidationError: _on_invalid,
    Exception: _on_surprise,
}


def _shown(request: Request, problem: Response) -> Response:
    """Show a problem as a page to browsers; who has to sign in is redirected to that."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if request.url.path.startswith("/api/") or not wants_page:
        return problem
    if problem.status_code == _NOT_SIGNED_IN and request.method == "GET":
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?{urlencode({'next': target})}", 303)
    said = json.loads(bytes(problem.body))
    words = {"title": said["title"], "detail": said["detail"]}
    return render(request, "error.html", words, status=problem.status_code)
