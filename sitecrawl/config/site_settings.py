"""The settings that a watched site may have of its own.

A person who may edit sites need not be the one who runs the machine: settings that name files,
programs or components, or that open private networks, cannot be set for a site.
"""

from __future__ import annotations

import difflib
import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sitecrawl.config import Config, ConfigError, setting_specs
from sitecrawl.config.profiles import load_settings
from sitecrawl.config.values import (
    ValueKind,
    count,
    flag,
    positive,
    positive_seconds,
    seconds,
    text,
)
from sitecrawl.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

# All others are those of the machine, also settings that are added later.
_OF_SITES: Final = frozenset(
    f"SITECRAWL_{name}"
    for name in (
        *("STRICT_PATHS", "SUBDOMAINS", "FEED_REFUSED"),
        *("MAX_SITEMAP_URLS", "MAX_SITEMAP_DEPTH", "MAX_SITEMAPS", "MIN_SITEMAP_URLS"),
        *("MAX_SITEMAP_BYTES", "SITEMAP_PLACES", "CONDITIONAL_REQUESTS"),
        *("KEEP_BODIES", "KEEP_TEXTS"),
        *("CRAWL", "CRAWL_LISTED_PAGES", "MAX_CRAWL_DEPTH", "MAX_CRAWL_PAGES"),
        *("MAX_EXTERNAL_HOPS", "MAX_PAGE_BYTES", "MAX_PAGE_LINKS", "OBEY_NOFOLLOW"),
        *("SOFT_404", "CANONICAL_IS_IDENTITY"),
        *("ROBOTS_FAIL_OPEN", "ROBOTS_AGENT", "ROBOTS_AGENT_MATCHING"),
        *("RENDER", "RENDER_SECONDS", "RENDER_DATA", "RENDER_MAX_CLICKS", "RENDER_MAX_SCROLLS"),
        *("PAGE_TIMEOUT_SECONDS", "ROBOTS_TIMEOUT_SECONDS", "SITEMAP_TIMEOUT_SECONDS"),
        *("NESTED_SITEMAP_TIMEOUT_SECONDS", "SITEMAP_STAGE_TIMEOUT_SECONDS"),
        *("MAX_PAGES", "MAX_SCAN_MINUTES"),
        *("QUERY_STRINGS", "TRACKING_PARAMETERS", "KEEP_HASH_ROUTES", "MAX_URL_LENGTH"),
        *("SKIP_PATHS", "SKIP_EXTENSIONS"),
        *("LANGUAGES", "SKIP_OTHER_LANGUAGES", "LANGUAGE_DETECTION"),
        *("MAX_CRAWL_DELAY_SECONDS", "MAX_RETRY_AFTER_SECONDS", "RETRY_BACKOFF_SECONDS"),
    )
)
_PREFIXES_OF_SITES: Final = ("SITECRAWL_TRAP_", "SITECRAWL_CHECK", "SITECRAWL_CHANGE")
_OF_SCRAPY: Final[dict[str, ValueKind]] = {
    "USER_AGENT": text,
    "RETRY_TIMES": count,
    "DOWNLOAD_DELAY": seconds,
    "DOWNLOAD_TIMEOUT": positive_seconds,
    "DEPTH_LIMIT": count,
    "URLLENGTH_LIMIT": count,
    "CONCURRENT_REQUESTS_PER_DOMAIN": positive,
    "COOKIES_ENABLED": flag,
    "AUTOTHROTTLE_ENABLED": flag,
    "AUTOTHROTTLE_START_DELAY": seconds,
    "AUTOTHROTTLE_MAX_DELAY": seconds,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": positive_seconds,
}
_MAX_SETTINGS_BYTES: Final = 20_000


def site_settings() -> frozenset[str]:
    """The names that a watched site may set."""
    every = {spec.name for spec in setting_specs()}
    by_prefix = {name for name in every if name.startswith(_PREFIXES_OF_SITES)}
    return frozenset((every & _OF_SITES) | by_prefix | _OF_SCRAPY.keys())


def checked_site_settings(profile: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as they are stored, or ``InvalidInputError`` that names the wrong one."""
    if not values:
        return {}
    allowed = site_settings()
    for name in values:
        if name in allowed:
            continue
        known = {spec.name for spec in setting_specs()}
        if name in known:
            raise InvalidInputError(
                "settings", f"{name} is a setting of the machine; a site cannot change it"
            )
        near = difflib.get_close_matches(str(name)[:80].upper(), allowed, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InvalidInputError("settings", f"{str(name)[:80]!r} is not a setting of a site{hint}")
    try:
        stored: dict[str, Any] = json.loads(json.dumps(dict(values)))
    except TypeError as error:
        raise InvalidInputError("settings", f"{error}") from error
    if len(json.dumps(stored)) > _MAX_SETTINGS_BYTES:
        raise InvalidInputError("settings", f"they have more than {_MAX_SETTINGS_BYTES:,} bytes")
    _check_values(profile, stored)
    return stored


def always_renders(profile: str, values: Mapping[str, Any]) -> bool:
    """Whether scans with these settings need a browser."""
    mode = values.get("SITECRAWL_RENDER") or _render_mode(profile)
    return str(mode).strip().lower() == "always"


@cache
def _render_mode(profile: str) -> str:
    return str(load_settings(profile).get("SITECRAWL_RENDER"))


def checked_profile(profile: str) -> str:
    """The name of a profile that exists, or several as ``docs,fast``."""
    from sitecrawl.config.profiles import profile_names

    try:
        return ",".join(profile_names(profile))
    except ConfigError as error:
        raise InvalidInputError("profile", str(error)) from error


def _check_values(profile: str, values: Mapping[str, Any]) -> None:
    for name in values.keys() & _OF_SCRAPY.keys():
        kind = _OF_SCRAPY[name]
        try:
            kind.parse(values[name])
        except ValueError as error:
            raise InvalidInputError(
                "settings", f"{name}={values[name]!r}: expected {kind.expects}"
            ) from error
    settings = load_settings(profile)
    for name, value in values.items():
        settings.set(name, value, "cmdline")
    try:
        Config.from_settings(settings)
    except ConfigError as error:
        raise InvalidInputError("settings", str(error)) from error
