"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperGroup

from sitecrawl.config import PREFIX, ConfigError
from sitecrawl.config.known_settings import known_settings, misspelling
from sitecrawl.config.profiles import PROFILES, contradictions, load_settings
from sitecrawl.safety.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scrapy.settings import Settings

    from sitecrawl.services.scans import ScanRequest

Format = TypeVar("Format")


def complete_profile(beginning: str) -> list[str]:
    before, comma, last = beginning.rpartition(",")
    return [f"{before}{comma}{name}" for name in PROFILES if name.startswith(last)]


DatabaseOption = Annotated[
    str,
    typer.Option(
        "--database", help="Such as sqlite:///sitecrawl.db. Default: SITECRAWL_DATABASE_URL."
    ),
]
SiteArgument = Annotated[str, typer.Argument(help="A site that has been scanned.")]
ScanOption = Annotated[
    int | None,
    typer.Option("--scan", help="Number of the scan. Default: the newest with a result."),
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file instead of the screen.")
]
ProfileOption = Annotated[
    str,
    typer.Option(
        "--profile",
        help="See: sitecrawl profiles; several as docs,fast.",
        envvar="SITECRAWL_PROFILE",
        show_envvar=False,
        autocompletion=complete_profile,
    ),
]
SettingOption = Annotated[
    list[str] | None,
    typer.Option("--setting", "-s", help="NAME=VALUE; may be repeated; see: sitecrawl settings."),
]


DomainArgument = Annotated[
    str, typer.Argument(help="A domain (example.com) or a URL (http://127.0.0.1:8000).")
]


class CommandGroup(TyperGroup):
    """Lists its commands in the help under the headings that they are declared with."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        headings: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            row = (name, command.get_short_help_str(formatter.width))
            heading = getattr(command, "rich_help_panel", None) or "Commands"
            headings.setdefault(heading, []).append(row)
        width = max(len(name) for rows in headings.values() for name, _ in rows)
        for heading, rows in headings.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{width}}", words) for name, words in rows])


def command_group(name: str, words: str, *, epilog: str | None = None) -> typer.Typer:
    """Commands under a common name, which shows their help when it is called alone."""
    return typer.Typer(
        name=name,
        cls=CommandGroup,
        help=words,
        epilog=epilog,
        no_args_is_help=True,
        # Rich would take longer to draw a help page than everything else together.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take dataclasses: Typer sees their fields as options of the command.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     width: Annotated[int, typer.Option(help="In cells.")] = 80
    >>> def draw(name: str, size: Size) -> None: ...
    >>> list(inspect.signature(with_option_groups(draw)).parameters)
    ['name', 'width']
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if not is_dataclass(hint):
            own = parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)
            parameters.append(own)
            continue
        groups[parameter.name] = hint
        of_fields = get_type_hints(hint, include_extras=True)
        parameters += [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=of_fields[each.name],
            )
            for each in fields(hint)
        ]

    @wraps(command)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{each.name: given.pop(each.name) for each in fields(group)})
        command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def preview_request(domain: str, profile: str, assignments: Iterable[str]) -> ScanRequest:
    """What is asked of a site that is only looked at."""
    from sitecrawl.services.scans import ScanRequest  # not for --help

    tell_contradictions(profile)
    return ScanRequest(domain=domain, profile=profile, settings=parse_assignments(assignments))


def load_profile(profile: str, assignments: Iterable[str] = ()) -> Settings:
    """The settings under *profile* and ``-s``; says what combined profiles disagree about."""
    tell_contradictions(profile)
    settings = load_settings(profile)
    for name, value in parse_assignments(assignments).items():
        settings.set(name, value, "cmdline")
    return settings


def tell_contradictions(profile: str) -> None:
    """Say what combined profiles disagree about."""
    for words in contradictions(profile):
        typer.echo(f"--profile {profile}: {words}", err=True)


def parse_assignments(assignments: Iterable[str]) -> dict[str, str]:
    """What was given as ``-s NAME=VALUE``."""
    given = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise ConfigError(f"-s {assignment!r}: expected NAME=VALUE")
        given[name] = value
        if hint := misspelling(name):
            # "scrapy crawl" only warns: there it may be a setting of a user's own spider.
            if PREFIX + name.upper() in known_settings():
                raise ConfigError(f"-s {name}: {hint}")
            typer.echo(f"-s {printable(name)}: {hint}", err=True)
    return given


def format_by_ending(output: Path | None, formats: Mapping[str, Format], default: Format) -> Format:
    """The format of *formats*, by file name ending, that *output* has; *default* for the screen."""
    if output is None:
        return default
    ending = output.suffix.lower()
    if ending not in formats:
        known = ", ".join(name for name in formats if name)
        raise ConfigError(f"-o {output}: expected a name with one of {known}, or --format")
    return formats[ending]
