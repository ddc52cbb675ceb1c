"""The profiles by name, and the settings that each gives."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sitecrawl.config import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings, Settings

# The same names as in scrapy.cfg, which a test compares.
_DEFAULT = "default"
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
    """Scrapy's settings under *profile*, without environment and command line.

    Profiles combine: of ``docs,fast`` the later one wins where both change a setting.
    """
    from scrapy.settings import Settings

    settings = Settings()
    apply_profile(profile, settings)
    return settings


def apply_profile(profile: str, settings: BaseSettings) -> None:
    """Replace the project's settings by those of *profile*."""
    changed = differences(profile)
    settings.setmodule(PROFILES[_DEFAULT], priority="project")
    settings.update(changed, priority="project")


def profile_names(profile: str) -> list[str]:
    """The profiles that are combined; ConfigError for one that there is not."""
    names = [name.strip() for name in profile.split(",")]
    for name in names:
        if name not in PROFILES:
            known = ", ".join(PROFILES)
            raise ConfigError(f"profile {name!r}: there is no such profile; there are {known}")
    return names


def describe(profile: str) -> str:
    """The first line of the profile's own docstring."""
    if profile == _DEFAULT:
        return "Everything the sitemaps list, and a bounded crawl where they say little."
    return (import_module(PROFILES[profile]).__doc__ or "").strip().splitlines()[0]


def differences(profile: str) -> dict[str, object]:
    """The settings that *profile* changes."""
    names = profile_names(profile)
    changed: dict[str, object] = {}
    for name in names:
        changed |= _own_differences(name)
    if names != [_DEFAULT]:
        changed["SITECRAWL_PROFILE"] = ",".join(names)
    return changed


def contradictions(profile: str) -> Iterator[str]:
    """What combined profiles disagree about, in words: the last one that is named counts."""
    said: dict[str, list[tuple[str, object]]] = {}
    for name in dict.fromkeys(profile_names(profile)):
        for setting, value in _own_differences(name).items():
            said.setdefault(setting, []).append((name, value))
    for setting, values in said.items():
        if len({repr(value) for _, value in values}) > 1 and setting != "SITECRAWL_PROFILE":
            others = ", ".join(f"{value!r} by {name}" for name, value in values[:-1])
            name, value = values[-1]
            yield f"{setting} is {value!r} by {name}, not {others}"


def _own_differences(name: str) -> dict[str, object]:
    default, own = import_module(PROFILES[_DEFAULT]), import_module(PROFILES[name])
    return {
        setting: getattr(own, setting)
        for setting in dir(own)
        if setting.isupper() and getattr(own, setting) != getattr(default, setting, None)
    }
