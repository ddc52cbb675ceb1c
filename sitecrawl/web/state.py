"""What all requests share: the configuration, the database, the limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import anyio
from anyio import to_thread
from starlette.requests import HTTPConnection

from sitecrawl.errors import ThrottledError
from sitecrawl.services.callers import SessionRules
from sitecrawl.web.events import Slots
from sitecrawl.web.live import LiveFeeds
from sitecrawl.web.metrics import Metrics
from sitecrawl.web.rate_limits import RateLimits

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

# Argon2 takes 19 MiB and a core for some 20 ms.
_PASSWORDS_AT_ONCE: Final = 2
_MAX_WAITING: Final = 50
# Each is a process that fetches.
_PREVIEWS_AT_ONCE: Final = 3
_BUSY_SECONDS: Final = 5

_Answer = TypeVar("_Answer")


class PasswordWork:
    """Hashes passwords in threads of its own, few at once, so that nothing else waits for them."""

    def __init__(self) -> None:
        self._limiter: anyio.CapacityLimiter | None = None

    async def run(self, work: Callable[[], _Answer]) -> _Answer:
        """``ThrottledError`` if too many wait already."""
        if self._limiter is None:  # it belongs to the event loop that serves
            self._limiter = anyio.CapacityLimiter(_PASSWORDS_AT_ONCE)
        if self._limiter.statistics().tasks_waiting >= _MAX_WAITING:
            raise ThrottledError("too many people sign in at the moment", _BUSY_SECONDS)
        return await to_thread.run_sync(work, limiter=self._limiter)


@dataclass(frozen=True, slots=True)
class Web:
    """Made once per server."""

    config: Config
    database: Database
    session_rules: SessionRules
    rate_limits: RateLimits
    passwords: PasswordWork = field(default_factory=PasswordWork)
    live: LiveFeeds = field(default_factory=LiveFeeds)
    metrics: Metrics = field(default_factory=Metrics)
    previews: Slots = field(default_factory=lambda: Slots(_PREVIEWS_AT_ONCE, "previews"))

    @classmethod
    def of(cls, config: Config, database: Database) -> Web:
        rules = SessionRules.of(config)
        return cls(config, database, rules, RateLimits(config.web_requests_per_minute))


def web_of(connection: HTTPConnection) -> Web:
    app: Any = connection.app
    return cast("Web", app.state.web)
