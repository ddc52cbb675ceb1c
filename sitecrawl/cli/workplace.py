"""``sitecrawl profiles``, ``settings`` and ``doctor``: what is set up, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

# Settings of Scrapy that profiles and the environment change.
_OF_SCRAPY = (
    "USER_AGENT",
    "RETRY_TIMES",
    "CONCURRENT_REQUESTS_PER_DOMAIN",
    "DOWNLOAD_DELAY",
    "AUTOTHROTTLE_ENABLED",
)


def complete_profile(beginning: str) -> list[str]:
    from sitecrawl.config.profiles import PROFILES

    return [name for name in PROFILES if name.startswith(beginning)]


PROFILE_OPTION = typer.Option(
    "--profile", help="See: sitecrawl profiles.", autocompletion=complete_profile
)
SETTING_OPTION = typer.Option(
    "--setting", "-s", help="NAME=VALUE; may be repeated; see: sitecrawl settings."
)


def profiles() -> None:
    """List the profiles and what each changes.

    \b
    sitecrawl profiles
    """
    from sitecrawl.config.profiles import PROFILES, describe, differences

    for name in PROFILES:
        typer.echo(f"{name:<10} {describe(name)}")
        for setting, value in differences(name).items():
            typer.echo(f"{'':<10}   {setting} = {value!r}")


def settings(
    names: Annotated[
        list[str] | None, typer.Argument(help="Only settings that contain this.")
    ] = None,
    profile: Annotated[str, PROFILE_OPTION] = "default",
    setting: Annotated[list[str] | None, SETTING_OPTION] = None,
) -> None:
    """Show every effective setting and where its value comes from.

    \b
    sitecrawl settings
    sitecrawl settings sitemap --profile audit
    """
    from sitecrawl.config import Config, ConfigError, apply_environment, setting_specs
    from sitecrawl.config.profiles import load_settings

    values = load_settings(profile)
    apply_assignments(setting or [], values)
    apply_environment(values)
    config = Config.from_settings(values)
    effective = {spec.name: getattr(config, spec.field) for spec in setting_specs()}
    effective |= {name: values.get(name) for name in _OF_SCRAPY}
    wanted = {
        name: value
        for name, value in effective.items()
        if not names or any(part.lower() in name.lower() for part in names)
    }
    if not wanted:
        raise ConfigError(f"no setting has {' or '.join(names or ())} in its name")
    for name, value in wanted.items():
        typer.echo(f"{name} = {_shown(name, value)}  ({_origin(name, values, profile)})")


def _origin(name: str, values: BaseSettings, profile: str) -> str:
    from sitecrawl.config import COMMAND_LINE_PRIORITY, ENVIRONMENT_PRIORITY
    from sitecrawl.config.profiles import differences

    priority = values.getpriority(name) or 0
    if priority >= COMMAND_LINE_PRIORITY:
        return "command line"
    if priority == ENVIRONMENT_PRIORITY:
        return "environment"
    return f"profile {profile}" if name in differences(profile) else "default"


def _shown(name: str, value: Any) -> str:
    from sitecrawl.store.engine import without_password

    if isinstance(value, tuple):
        return ", ".join(value) or "(none)"
    return without_password(value) if name == "SITECRAWL_DATABASE_URL" else str(value)


def doctor(
    profile: Annotated[str, PROFILE_OPTION] = "default",
    install_browser: Annotated[
        bool, typer.Option("--install-browser", help="Install a browser first if there is none.")
    ] = False,
) -> None:
    """Say what is installed, which database is used, and what is missing.

    \b
    sitecrawl doctor
    sitecrawl doctor --install-browser
    """
    from sitecrawl.cli.checks import run_checks

    is_well = _has_browser(profile) if install_browser else True
    for check in run_checks(profile):
        is_well &= check.is_fine or check.is_optional
        mark = "ok" if check.is_fine else ("-" if check.is_optional else "!!")
        typer.echo(f"{mark:<3} {check.name:<12} {check.words}")
    raise typer.Exit(0 if is_well else 1)


def _has_browser(profile: str) -> bool:
    from sitecrawl.config import Config, apply_environment
    from sitecrawl.config.profiles import load_settings
    from sitecrawl.render.installation import install_browser

    values = load_settings(profile)
    apply_environment(values)
    setting = Config.from_settings(values).browser
    # Beside the checks, so that these can be read by a program.
    return install_browser(setting, lambda words: typer.echo(words, err=True)) is not None


def apply_assignments(assignments: list[str], settings: BaseSettings) -> None:
    """Settings that were given as NAME=VALUE."""
    from sitecrawl.config import ConfigError

    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise ConfigError(f"-s {assignment!r}: expected NAME=VALUE")
        settings.set(name, value, "cmdline")
