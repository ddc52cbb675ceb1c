"""The log as one JSON object per line, for those who collect logs (``SITECRAWL_LOG_FORMAT``).

Each line has ``time``, ``level``, ``logger`` and ``message``, ``exception`` where there is one, and
the ids that are known: ``worker``, ``job``, ``scan``. Text logs stay as Scrapy and Python write
them.
"""

from __future__ import annotations

import json
import logging
import re
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sitecrawl.config import Config, setting_specs
from sitecrawl.config.environment import apply_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.settings import BaseSettings

_HIDDEN: Final = "***"
_PASSWORD_IN_URL: Final = re.compile(r"(://[^\s/:@]*:)[^\s/@]+@")
# Shorter ones would hide parts of ordinary words.
_MIN_SECRET_LENGTH: Final = 6
_IDS: Final = ("worker", "job", "scan")

_process_ids: dict[str, object] = {}
_ids: ContextVar[dict[str, object] | None] = ContextVar("sitecrawl_log_ids", default=None)


def identify(**ids: object) -> None:
    """Add these ids to every further line of this process."""
    _process_ids.update(ids)


@contextmanager
def identified(**ids: object) -> Iterator[None]:
    """Add these ids to the lines of this thread or task, until the end of the block."""
    token = _ids.set((_ids.get() or {}) | ids)
    try:
        yield
    finally:
        _ids.reset(token)


class JsonFormatter(logging.Formatter):
    """One JSON object per record; hides the *secrets*, and passwords in URLs."""

    def __init__(self, secrets: Iterable[str] = ()):
        super().__init__()
        words = {each for each in secrets if len(each) >= _MIN_SECRET_LENGTH}
        self._secrets = sorted(words, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC)
        entry: dict[str, object] = {
            "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._clean(record.getMessage()),
        }
        ids = _process_ids | (_ids.get() or {})
        entry |= {name: ids[name] for name in _IDS if ids.get(name) is not None}
        if record.exc_info and record.exc_info[0] is not None:
            entry["exception"] = self._clean(self.formatException(record.exc_info))
        return json.dumps(entry)

    def _clean(self, words: str) -> str:
        for secret in self._secrets:
            words = words.replace(secret, _HIDDEN)
        return _PASSWORD_IN_URL.sub(rf"\g<1>{_HIDDEN}@", words)


def start_service_log(config: Config, **ids: object) -> None:
    """Set up the log of a process that runs no scan itself: monitor, worker, server."""
    identify(**ids)
    if config.log_format != "json":
        logging.basicConfig(
            level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S"
        )
        return
    handler = _as_json(logging.StreamHandler(), config)
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    # The engine of jobs keeps its lines to itself, and adds no handler if there is one.
    logging.getLogger("dbos").addHandler(handler)


def use_log_format(settings: BaseSettings) -> None:
    """Set up the log of a Scrapy process; text logs are left to Scrapy.

    Call it before Scrapy sets up its own log, which it then does not. Raises ``ConfigError`` for a
    wrong setting.
    """
    effective = settings.copy()
    apply_environment(effective)
    config = Config.from_settings(effective)
    if config.log_format != "json":
        return
    handler: logging.Handler
    if name := effective.get("LOG_FILE"):
        mode = "a" if effective.getbool("LOG_FILE_APPEND") else "w"
        handler = logging.FileHandler(name, mode=mode, encoding=effective.get("LOG_ENCODING"))
    elif effective.getbool("LOG_ENABLED"):
        handler = logging.StreamHandler()
    else:
        handler = logging.NullHandler()
    handler.setLevel(effective.get("LOG_LEVEL"))
    logging.root.setLevel(logging.NOTSET)
    logging.root.addHandler(_as_json(handler, config))
    settings.set("LOG_INSTALL_ROOT_HANDLER", False, "cmdline")


def _as_json(handler: logging.Handler, config: Config) -> logging.Handler:
    handler.setFormatter(JsonFormatter(_secrets(config)))
    return handler


def _secrets(config: Config) -> Iterator[str]:
    for spec in setting_specs():
        if spec.is_secret:
            value = getattr(config, spec.field)
            yield from (value,) if isinstance(value, str) else value
