"""A client of the API: ``Client("http://127.0.0.1:8400", token="sc_...")``.

Every operation of the API is a method with typed arguments and answers. What goes wrong is an
:class:`ApiError` with what the server says. It needs the extra ``client``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Self

from sitecrawl.client.operations import Operations
from sitecrawl.errors import ExtraMissingError, SitecrawlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    import httpx

_TIMEOUT_SECONDS = 60.0


class ApiError(SitecrawlError):
    """The server refused a request."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: int | None) -> None:
        super().__init__(str(problem.get("detail") or problem.get("title") or f"HTTP {status}"))
        self.status = status
        self.type = str(problem.get("type", ""))
        self.field: str | None = problem.get("field")
        self.problem = problem
        self.retry_after = retry_after
        """Seconds to wait, if the server says so."""


class Client(Operations):
    """A connection to one server; close it, or use it as a context."""

    def __init__(self, url: str, token: str = "", *, timeout: float = _TIMEOUT_SECONDS) -> None:
        try:
            import httpx
        except ImportError as error:
            raise ExtraMissingError(
                "the client needs the httpx package: pip install 'sitecrawl[client]'"
            ) from error
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=timeout)

    def every(
        self, operation: Callable[..., Mapping[str, Any]], name: str, **arguments: Any
    ) -> Iterator[Any]:
        """Each element of a list, page after page: ``every(client.list_jobs, "jobs")``."""
        while True:
            page = operation(**arguments)
            yield from page[name]
            if page["nextCursor"] is None:
                return
            arguments["cursor"] = page["nextCursor"]

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        headers: Mapping[str, str | None],
        body: Any = None,
    ) -> httpx.Response:
        answer = self._http.request(
            method,
            path,
            params={name: _text(value) for name, value in query.items() if value is not None},
            headers={name: value for name, value in headers.items() if value is not None},
            json=body,
        )
        if answer.is_error:
            raise _error_of(answer)
        return answer

    def _json(self, *arguments: Any, **options: Any) -> Any:
        return self._send(*arguments, **options).json()

    def _bytes(self, *arguments: Any, **options: Any) -> bytes:
        return self._send(*arguments, **options).content

    def _nothing(self, *arguments: Any, **options: Any) -> None:
        self._send(*arguments, **options)

    def _events(
        self, method: str, path: str, query: Mapping[str, Any], headers: Mapping[str, str | None]
    ) -> Iterator[tuple[str, str, Any]]:
        """Server-sent events as they come: id, name and data of each."""
        given = {name: value for name, value in headers.items() if value is not None}
        asked = {name: _text(value) for name, value in query.items() if value is not None}
        with self._http.stream(method, path, params=asked, headers=given) as answer:
            if answer.is_error:
                answer.read()
                raise _error_of(answer)
            fields: dict[str, str] = {}
            for line in answer.iter_lines():
                if line:
                    name, _, value = line.partition(":")
                    fields[name] = value.removeprefix(" ")
                elif "data" in fields:
                    yield fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"])
                    fields = {}


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [*map(_text, value)] if isinstance(value, (list, tuple)) else value


def _error_of(answer: httpx.Response) -> ApiError:
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    after = answer.headers.get("retry-after", "")
    known = problem if isinstance(problem, dict) else {}
    return ApiError(answer.status_code, known, int(after) if after.isdecimal() else None)
