"""A message for the next page: what a form has done, or why not, in a cookie that is read once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote

from starlette.responses import RedirectResponse

from sitecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from sitecrawl.web.links import safe_next

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

_COOKIE: Final = "sitecrawl-flash"
_SECONDS: Final = 60
_MAX_LENGTH: Final = 500


@dataclass(frozen=True, slots=True)
class Flash:
    text: str
    is_error: bool


def read_flash(request: Request) -> Flash | None:
    value = request.cookies.get(_COOKIE, "")
    kind, _, text = value.partition(":")
    return Flash(unquote(text)[:_MAX_LENGTH], kind == "error") if text else None


def forget_flash(response: Response) -> None:
    response.delete_cookie(_COOKIE, path="/", httponly=True, samesite="lax")


def redirect(target: str, text: str = "", *, is_error: bool = False) -> RedirectResponse:
    """Redirect to another page of the dashboard, with a message."""
    response = RedirectResponse(safe_next(target), 303)
    if text:
        value = f"{'error' if is_error else 'done'}:{quote(text[:_MAX_LENGTH], safe='')}"
        response.set_cookie(
            _COOKIE, value, max_age=_SECONDS, path="/", httponly=True, samesite="lax"
        )
    return response


def redirect_after(target: str, work: Callable[[], str]) -> RedirectResponse:
    """Do what a form asks for, and redirect with its message, or with the error."""
    try:
        return redirect(target, work())
    except (ConflictError, InvalidInputError, NotFoundError) as error:
        return redirect(target, str(error), is_error=True)
