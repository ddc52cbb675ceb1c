"""The profiles by name, and the settings that each gives."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from scrapy.settings import Settings

# The same names as in scrapy.cfg, which a test compares.
PROFILES = {
    "default": "sitecrawl.settings",
    "audit": "settings_profiles.audit",
    "docs": "settings_profiles.docs",
    "waterfall": "settings_profiles.waterfall",
    "monitor": "settings_profiles.monitor",
    "fast": "settings_profiles.fast",
    "browserlike": "settings_profiles.browserlike",
}


def load_settings(profile: str) -> Settings:
    """Scrapy's settings under *profile*, without environment and command line."""
    from scrapy.settings import Settings

    settings = Settings()
    settings.setmodule(profile_module(profile), priority="project")
    return settings


def profile_module(profile: str) -> str:
    try:
        return PROFILES[profile]
    except KeyError:
        known = ", ".join(PROFILES)
        raise ConfigError(
            f"profile {profile!r}: there is no such profile; there are {known}"
        ) from None


def describe(profile: str) -> str:
    """The first line of the profile's own docstring."""
    if profile == "default":
        return "Everything the sitemaps list, and a bounded crawl where they say little."
    return (import_module(profile_module(profile)).__doc__ or "").strip().splitlines()[0]


def differences(profile: str) -> dict[str, object]:
    """The settings that *profile* changes."""
    default, own = import_module(PROFILES["default"]), import_module(profile_module(profile))
    return {
        name: getattr(own, name)
        for name in dir(own)
        if name.isupper() and getattr(own, name) != getattr(default, name, None)
    }
