"""``sitecrawl profiles``, ``settings`` and ``doctor``: what is configured and installed."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sitecrawl.cli.options import DatabaseOption, ProfileOption, SettingOption, load_profile
from sitecrawl.cli.tables import JsonOption, print_json
from sitecrawl.config import COMMAND_LINE_PRIORITY, Config, ConfigError, setting_specs
from sitecrawl.config.environment import ENVIRONMENT_PRIORITY, apply_environment
from sitecrawl.config.known_settings import misspelling
from sitecrawl.config.meanings import MEANINGS
from sitecrawl.config.profiles import PROFILES, describe, differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.settings import BaseSettings, Settings

# Scrapy's settings that profiles and the environment change.
_SCRAPY_SETTINGS = (
    "USER_AGENT",
    "RETRY_TIMES",
    "CONCURRENT_REQUESTS_PER_DOMAIN",
    "DOWNLOAD_DELAY",
    "AUTOTHROTTLE_ENABLED",
)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")


def profiles() -> None:
    """List the profiles and what each changes.

    \b
    sitecrawl profiles
    """
    for name in PROFILES:
        typer.echo(f"{name:<11} {describe(name)}")
        for setting, value in differences(name).items():
            if setting != "SITECRAWL_PROFILE":  # names the profile itself
                typer.echo(f"{'':<11}   {setting} = {value!r}")


def settings(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Only settings with this text in their name; a whole name explains it."
        ),
    ] = None,
    profile: ProfileOption = "default",
    setting: SettingOption = None,
) -> None:
    """Show every effective setting and its origin, or explain one.

    \b
    sitecrawl settings
    sitecrawl settings sitemap --profile audit
    sitecrawl settings SITECRAWL_CRAWL
    """
    values = _effective_settings(profile, setting)
    config = Config.from_settings(values)
    effective = {spec.name: getattr(config, spec.field) for spec in setting_specs()}
    effective |= {name: values.get(name) for name in _SCRAPY_SETTINGS}
    effective |= {name: values.get(name) for name in _wanted_of_scrapy(names or ())}
    wanted = {
        name: value
        for name, value in effective.items()
        if not names or any(part.lower() in name.lower() for part in names)
    }
    if not wanted:
        hint = "".join(f"; {words}" for name in names or () if (words := misspelling(name)))
        raise ConfigError(f"no setting has {' or '.join(names or ())} in its name{hint}")
    whole_names = {name.upper() for name in names or ()}
    for name, value in wanted.items():
        typer.echo(f"{name} = {_shown(name, value)}  ({_origin(name, values, profile)})")
        if name in whole_names or (names and len(wanted) == 1):
            for line in _explanation(name):
                typer.echo(f"  {line}")


def _wanted_of_scrapy(names: Iterable[str]) -> list[str]:
    """Those of Scrapy's settings whose whole name is given."""
    from scrapy.settings import default_settings

    return [name.upper() for name in names if hasattr(default_settings, name.upper())]


def _explanation(name: str) -> Iterator[str]:
    spec = next((each for each in setting_specs() if each.name == name), None)
    if spec is None:
        yield "a setting of Scrapy, whose documentation explains it"
        return
    default = getattr(import_module(PROFILES["default"]), name)
    # A link is of no use here, but its target is.
    yield _LINK.sub(r"\1: docs/\2", MEANINGS[name])
    yield f"expects {spec.kind.expects}; the default is {_shown(name, default)}"
    yield f"in the environment: {', '.join(spec.environment)}"
    for profile in PROFILES:
        changed = differences(profile)
        if name in changed and name != "SITECRAWL_PROFILE":
            yield f"by the profile {profile}: {_shown(name, changed[name])}"


def _effective_settings(profile: str, assignments: list[str] | None = None) -> Settings:
    values = load_profile(profile, assignments or [])
    apply_environment(values)
    return values


def _origin(name: str, values: BaseSettings, profile: str) -> str:
    priority = values.getpriority(name) or 0
    if priority >= COMMAND_LINE_PRIORITY:
        return "command line"
    if priority == ENVIRONMENT_PRIORITY:
        return "environment"
    return f"profile {profile}" if name in differences(profile) else "default"


def _shown(name: str, value: Any) -> str:
    from sitecrawl.store.engine import without_password

    if any(spec.is_secret for spec in setting_specs() if spec.name == name):
        return "(set)" if value else "(none)"
    if isinstance(value, (tuple, list)):
        return ", ".join(value) or "(none)"
    is_url = name.endswith("DATABASE_URL") and value
    return without_password(value) if is_url else str(value)


def doctor(
    profile: ProfileOption = "default",
    install_browser: Annotated[
        bool, typer.Option("--install-browser", help="Install a browser first if there is none.")
    ] = False,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Check the installation: what is missing, what is wrong.

    Packages, the database, the disk, scans, workers and deliveries are checked.

    \b
    sitecrawl doctor
    sitecrawl doctor --install-browser
    """
    from sitecrawl.services.diagnosis import run_checks

    is_well = _has_browser(profile) if install_browser else True
    values = _effective_settings(profile)
    if database:
        values.set("SITECRAWL_DATABASE_URL", database, "cmdline")
    checks = list(run_checks(Config.from_settings(values), values["USER_AGENT"]))
    for check in checks:
        is_well &= check.is_fine or check.is_optional
        if not as_json:
            mark = "ok" if check.is_fine else ("-" if check.is_optional else "!!")
            typer.echo(f"{mark:<3} {check.name:<12} {check.words}")
    if as_json:
        print_json([check._asdict() for check in checks])
    raise typer.Exit(0 if is_well else 1)


def _has_browser(profile: str) -> bool:
    from sitecrawl.render.browser import install_browser

    setting = Config.from_settings(_effective_settings(profile)).browser
    # To stderr, so that a program can read the checks.
    return install_browser(setting, lambda words: typer.echo(words, err=True)) is not None
