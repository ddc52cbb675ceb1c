"""Addresses of our own pages, as people can open them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.requests import Request

    from sitecrawl.config import Config

_ANY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104  compared with, not listened on


def server_url(config: Config) -> str:
    """Where the server is reached, without a slash at the end."""
    if config.web_public_url:
        return config.web_public_url.rstrip("/")
    host = "127.0.0.1" if config.web_host in _ANY_ADDRESS else config.web_host
    return (
        f"http://[{host}]:{config.web_port}" if ":" in host else f"http://{host}:{config.web_port}"
    )


def setup_path(secret: str) -> str:
    return f"/setup/{secret}"


def password_path(secret: str) -> str:
    return f"/password/{secret}"


def password_url(config: Config, request: Request, secret: str) -> str:
    """The link under the public URL, or under the host name of the request."""
    own = config.web_public_url.rstrip("/")
    return f"{own or str(request.base_url).rstrip('/')}{password_path(secret)}"


def safe_next(path: str | None) -> str:
    """A path of the dashboard to go to after signing in; ``/`` for any other address.

    >>> safe_next("/sites/1?tab=scans"), safe_next("//evil.example"), safe_next("/\\\\evil.example")
    ('/sites/1?tab=scans', '/', '/')
    """
    is_own = path and path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if path and is_own and path.isprintable() else "/"
