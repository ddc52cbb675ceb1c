"""``sitecrawl profiles``, ``settings`` and ``doctor``: what is set up, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_PROFILE = typer.Option("--profile", help="See: sitecrawl profiles.")
_SETTING = typer.Option("--setting", "-s", help="NAME=VALUE, as for discover.")


def profiles() -> None:
    """List the profiles and what each changes.

    \b
    sitecrawl profiles
    """
    from sitecrawl.profiles import PROFILES, describe, differences

    for name in PROFILES:
        typer.echo(f"{name:<10} {describe(name)}")
        for setting, value in differences(name).items():
            typer.echo(f"{'':<10}   {setting} = {value!r}")


def settings(
    names: Annotated[
        list[str] | None, typer.Argument(help="Only settings that contain this.")
    ] = None,
    profile: Annotated[str, _PROFILE] = "default",
    setting: Annotated[list[str] | None, _SETTING] = None,
) -> None:
    """Show every effective setting and where its value comes from.

    \b
    sitecrawl settings
    sitecrawl settings sitemap --profile audit
    """
    from sitecrawl.cli.discover import apply_assignments
    from sitecrawl.config import Config, apply_environment, setting_specs
    from sitecrawl.profiles import load_settings

    values = load_settings(profile)
    apply_assignments(setting or [], values)
    apply_environment(values)
    config = Config.from_settings(values)
    for spec in setting_specs():
        if names and not any(name.lower() in spec.name.lower() for name in names):
            continue
        value = getattr(config, spec.field)
        origin = _origin(spec.name, values, profile)
        typer.echo(f"{spec.name} = {_shown(value)}  ({origin})")


def _origin(name: str, values: BaseSettings, profile: str) -> str:
    from sitecrawl.config import COMMAND_LINE_PRIORITY, ENVIRONMENT_PRIORITY
    from sitecrawl.profiles import differences

    priority = values.getpriority(name) or 0
    if priority >= COMMAND_LINE_PRIORITY:
        return "command line"
    if priority == ENVIRONMENT_PRIORITY:
        return "environment"
    return f"profile {profile}" if name in differences(profile) else "default"


def _shown(value: Any) -> str:
    from sitecrawl.store.engine import without_password

    if isinstance(value, tuple):
        return ", ".join(value) or "(none)"
    return without_password(value) if isinstance(value, str) and "://" in value else str(value)


def doctor(
    profile: Annotated[str, _PROFILE] = "default",
) -> None:
    """Say what is installed, which database is used, and what is missing.

    \b
    sitecrawl doctor
    """
    from sitecrawl.cli.checks import run_checks

    is_well = True
    for check in run_checks(profile):
        is_well &= check.is_fine or check.is_optional
        mark = "ok" if check.is_fine else ("-" if check.is_optional else "!!")
        typer.echo(f"{mark:<3} {check.name:<12} {check.words}")
    raise typer.Exit(0 if is_well else 1)
