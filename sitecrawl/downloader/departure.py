"""Who is told that a request leaves: the downloader asks for it, the handler tells it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def _pass() -> None:
    """Nobody watches."""


watch_departure: ContextVar[Callable[[], None]] = ContextVar("watch_departure", default=_pass)
"""Called when the request that the current task sends is about to leave; may raise to stop it."""
