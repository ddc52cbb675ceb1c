"""What all requests share: the configuration, the database, the limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from starlette.requests import HTTPConnection

from sitecrawl.services.callers import SessionRules
from sitecrawl.web.events import LiveFeeds
from sitecrawl.web.limits import PasswordWork, RateLimits, Slots
from sitecrawl.web.metrics import Metrics

if TYPE_CHECKING:
    from sitecrawl.config import Config
    from sitecrawl.store.engine import Database

# Each is a process that fetches.
_PREVIEWS_AT_ONCE: Final = 3


@dataclass(frozen=True, slots=True)
class Web:
    """What all requests share; made once per server."""

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
