"""Environment variables as settings, and Scrapy's own limits as limits of a scan."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from sitecrawl.config import (
    COMMAND_LINE_PRIORITY,
    PREFIX,
    ConfigError,
    near_setting,
    setting_specs,
)
from sitecrawl.config.profiles import apply_profile, differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import BaseSettings

ENVIRONMENT_PRIORITY: Final = 35
"""Between "spider" (30), below which profiles and defaults are, and "cmdline" (40)."""


def apply_environment(settings: BaseSettings, environ: Mapping[str, str] | None = None) -> None:
    """Put environment variables into *settings*, above profiles and below the command line.

    Scrapy's own components then see the same values.
    """
    environ = os.environ if environ is None else environ
    known = {name for spec in setting_specs() for name in spec.environment}
    for name in environ:
        if name.startswith(PREFIX) and name not in known:
            raise ConfigError(
                f"environment variable {name}: there is no such setting{near_setting(name)}"
            )
    _choose_profile(settings, environ.get("SITECRAWL_PROFILE", ""))
    for spec in setting_specs():
        for variable, kind in spec.environment.items():
            if variable in environ and variable != "SITECRAWL_PROFILE":
                value = environ[variable]
                try:
                    parsed = kind.parse(value)
                except ValueError as error:
                    raise ConfigError(
                        f"environment variable {variable}={value!r}: expected {kind.expects}"
                    ) from error
                settings.set(spec.name, parsed, ENVIRONMENT_PRIORITY)
                break
    if user_agent := environ.get("USER_AGENT", "").strip():
        settings.set("USER_AGENT", user_agent, ENVIRONMENT_PRIORITY)


def _choose_profile(settings: BaseSettings, variable: str) -> None:
    """Apply the profile of ``-s SITECRAWL_PROFILE``, or of a variable if none is chosen yet."""
    chosen = settings.get("SITECRAWL_PROFILE")
    if (settings.getpriority("SITECRAWL_PROFILE") or 0) >= COMMAND_LINE_PRIORITY:
        apply_profile(str(chosen), settings)
    elif chosen == "default" and variable.strip():
        settings.update(differences(variable), priority="project")


# Scrapy's limits that hold for scans as well.
_SCRAPY_LIMITS = {
    "DEPTH_LIMIT": ("SITECRAWL_MAX_CRAWL_DEPTH",),
    "URLLENGTH_LIMIT": ("SITECRAWL_MAX_URL_LENGTH",),
    "DOWNLOAD_TIMEOUT": (
        "SITECRAWL_PAGE_TIMEOUT_SECONDS",
        "SITECRAWL_ROBOTS_TIMEOUT_SECONDS",
        "SITECRAWL_SITEMAP_TIMEOUT_SECONDS",
        "SITECRAWL_NESTED_SITEMAP_TIMEOUT_SECONDS",
    ),
}


def apply_scrapy_limits(settings: BaseSettings) -> None:
    """Let Scrapy's own limits keep their meaning: the lower one counts; 0 is no limit in both."""
    for theirs, ours in _SCRAPY_LIMITS.items():
        limit = settings.getfloat(theirs)
        for name in ours:
            own = settings.getfloat(name)
            if limit and (not own or limit < own):
                value = limit if name.endswith("_SECONDS") else int(limit)
                settings.set(name, value, COMMAND_LINE_PRIORITY)


def colours_may_be_forced() -> bool:
    """Whether the environment may make Rich use colours where there is no terminal."""
    return not os.environ.keys().isdisjoint(("FORCE_COLOR", "TTY_COMPATIBLE"))
