"""``sitecrawl channel``: who is told of changes, and what was sent."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sitecrawl.cli import delivery
from sitecrawl.cli.delivery import print_deliveries
from sitecrawl.cli.group import group_id
from sitecrawl.cli.options import DatabaseOption, command_group, with_option_groups
from sitecrawl.cli.tables import JsonOption, print_json, print_table
from sitecrawl.errors import InvalidInputError
from sitecrawl.safety.text import printable
from sitecrawl.store.vocabulary import FIRST_WORKSPACE

if TYPE_CHECKING:
    from sitecrawl.channels.rules import Rules
    from sitecrawl.services.channels import Channel
    from sitecrawl.store.engine import Database

app = command_group("channel", "Tell people of changes by webhook, email, chat or Apprise.")

_DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DURATION = re.compile(r"([1-9][0-9]{0,3})(m|h|d)")
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days"}

_ID_ARGUMENT = typer.Argument(help="The number of the channel.")
_SITE_OPTION = typer.Option("--site", help="Only of this watched site.")
_GROUP_OPTION = typer.Option("--group", help="Only of the sites of this group.")


@dataclass(frozen=True)
class RuleOptions:
    """The options that say which events a channel is told, and when; None: as before."""

    only: Annotated[
        list[str] | None, typer.Option("--only", help="Only events of this kind; may be repeated.")
    ] = None
    min_severity: Annotated[
        str | None,
        typer.Option(
            "--min-severity", help="info, low, medium, high or critical, and what is above."
        ),
    ] = None
    min_pages: Annotated[
        int | None,
        typer.Option("--min-pages", min=0, help="Only events of at least so many pages."),
    ] = None
    min_important: Annotated[
        int | None,
        typer.Option(
            "--min-important", min=0, help="Only events of at least so many important pages."
        ),
    ] = None
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", help="Only of sites with this tag; may be repeated."),
    ] = None
    cadence: Annotated[
        str | None, typer.Option("--cadence", help="at_once, hourly, daily or weekly.")
    ] = None
    at: Annotated[
        int | None, typer.Option("--at", min=0, max=23, help="Hour of daily and weekly digests.")
    ] = None
    on: Annotated[
        str | None, typer.Option("--on", help="Day of weekly digests, such as friday.")
    ] = None
    quiet: Annotated[
        str | None, typer.Option("--quiet", help="Quiet hours such as 22:00-07:00; - for none.")
    ] = None
    timezone: Annotated[
        str | None, typer.Option("--timezone", help="Of all times above, such as Europe/Berlin.")
    ] = None
    critical_at_once: Annotated[
        bool | None,
        typer.Option(
            "--critical-at-once/--critical-waits",
            help="Whether critical events wait for a digest and the end of quiet hours.",
        ),
    ] = None
    closed: Annotated[
        bool | None, typer.Option("--closed/--no-closed", help="Tell when an incident is over.")
    ] = None
    remind: Annotated[
        int | None,
        typer.Option(
            "--remind",
            min=0,
            help="Tell again of incidents that are open for so many hours; 0: never.",
        ),
    ] = None
    damping: Annotated[
        int | None,
        typer.Option(
            "--damping",
            min=0,
            help="An incident that is back within so many hours is told only if it lasts as long.",
        ),
    ] = None

    def applied_to(self, rules: Rules) -> Rules:
        """The rules with what is given; an empty kind or tag means all of them."""
        given: dict[str, Any] = {
            "kinds": [] if self.only == [""] else self.only,
            "min_severity": self.min_severity,
            "min_pages": self.min_pages,
            "min_important_pages": self.min_important,
            "tags": [] if self.tag == [""] else self.tag,
            "cadence": self.cadence,
            "digest_hour": self.at,
            "digest_weekday": _weekday(self.on),
            "timezone": self.timezone,
            "critical_at_once": self.critical_at_once,
            "tell_closed": self.closed,
            "remind_hours": self.remind,
            "damping_hours": self.damping,
            **_quiet_hours(self.quiet),
        }
        changes = {name: value for name, value in given.items() if value is not None}
        return type(rules).from_dict(rules.as_dict() | changes)


@app.command()
@with_option_groups
def add(
    kind: Annotated[str, typer.Argument(help="webhook, email, slack, discord, teams or apprise.")],
    target: Annotated[
        str, typer.Argument(help="A URL or an email address; - reads it from standard input.")
    ],
    *,
    name: Annotated[str, typer.Option(help="As it is shown. Default: by its target.")] = "",
    site: Annotated[str, _SITE_OPTION] = "",
    group: Annotated[str, _GROUP_OPTION] = "",
    own_secret: Annotated[
        bool,
        typer.Option(
            "--own-secret",
            help="Ask for the secret of a webhook, or read it from standard input;"
            " else one is made and printed once.",
        ),
    ] = False,
    rules: RuleOptions,
    database: DatabaseOption = "",
) -> None:
    """Add a channel for all sites, or for one site or group.

    \b
    sitecrawl channel add email anna@example.com
    sitecrawl channel add webhook https://example.com/hook --site shop.example --min-severity high
    sitecrawl channel add slack - --cadence daily --at 8 --timezone Europe/Berlin < slack-url.txt
    """
    from sitecrawl.channels.rules import Rules
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import configured, writing

    checked_rules = rules.applied_to(Rules())
    config = configured()
    with writing(database) as store:
        new = service.NewChannel(
            kind=kind,
            target=sys.stdin.readline().strip() if target == "-" else target,
            name=name,
            secret=_asked_secret() if own_secret else "",
            watched_site_id=_site_id(store, site),
            group_id=group_id(store, group),
            rules=checked_rules,
        )
        added = service.add_channel(store, FIRST_WORKSPACE, new, config)
    channel = added.channel
    typer.echo(f"Channel {channel.id} tells {channel.target_label} of {channel.scope}.")
    if added.secret:
        typer.echo(f"Its secret, which is not shown again: {added.secret}")
    typer.echo(f"Try it with: sitecrawl channel test {channel.id}")


@app.command("list")
def list_(as_json: JsonOption = False, database: DatabaseOption = "") -> None:
    """List the channels.

    \b
    sitecrawl channel list
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import reading

    with reading(database) as store:
        found = service.list_channels(store, FIRST_WORKSPACE)
    if as_json:
        print_json(found)
        return
    if not found:
        typer.echo("There is no channel; add one with: sitecrawl channel add --help")
        return
    print_table(
        ("id", "kind", "name", "to", "of", "when", "state"),
        [
            (
                str(each.id),
                each.kind,
                each.name,
                each.target_label,
                each.scope,
                each.rules.cadence.replace("_", " "),
                _state(each),
            )
            for each in found
        ],
    )


@app.command()
def show(
    number: Annotated[int, _ID_ARGUMENT],
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Show a channel with its rules and its last deliveries.

    \b
    sitecrawl channel show 1
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import reading

    with reading(database) as store:
        channel = service.show_channel(store, FIRST_WORKSPACE, number)
        last = service.list_deliveries(store, FIRST_WORKSPACE, channel_id=number, limit=5)
    if as_json:
        print_json(channel)
        return
    typer.echo(
        printable(f"{channel.name} ({channel.kind}), for {channel.scope}: {_state(channel)}")
    )
    typer.echo(printable(f"to {channel.target_label}"))
    for name, value in channel.rules.as_dict().items():
        shown = ", ".join(value) if isinstance(value, list) else value
        typer.echo(f"  {name:<20} {printable(str(shown))}")
    if last:
        typer.echo("")
        print_deliveries(last)


@app.command()
@with_option_groups
def edit(  # noqa: PLR0913  the options of the command
    number: Annotated[int, _ID_ARGUMENT],
    *,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    target: Annotated[
        str | None, typer.Option(help="Another URL or address; - reads it from standard input.")
    ] = None,
    enable: Annotated[
        bool | None, typer.Option("--enable/--disable", help="Disabled ones are told nothing.")
    ] = None,
    snooze: Annotated[
        str | None,
        typer.Option(help="Hold everything for so long, such as 90m, 8h or 3d; 0 ends it."),
    ] = None,
    site: Annotated[str, _SITE_OPTION] = "",
    group: Annotated[str, _GROUP_OPTION] = "",
    all_sites: Annotated[bool, typer.Option("--all-sites", help="Of all sites.")] = False,
    rules: RuleOptions,
    database: DatabaseOption = "",
) -> None:
    """Change what is given of a channel.

    ``--only ""`` means all kinds again.

    \b
    sitecrawl channel edit 1 --min-severity high --quiet 22:00-07:00 --timezone Europe/Berlin
    sitecrawl channel edit 1 --snooze 3d
    sitecrawl channel edit 1 --enable
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import configured, writing
    from sitecrawl.services.sites import UNSET

    config = configured()
    with writing(database) as store:
        before = service.show_channel(store, FIRST_WORKSPACE, number)
        is_rescoped = bool(site or group or all_sites)
        change = service.ChannelChange(
            name=name,
            target=sys.stdin.readline().strip() if target == "-" else target,
            rules=rules.applied_to(before.rules),
            enabled=enable,
            snoozed_until=UNSET if snooze is None else _end_of_snooze(snooze),
            watched_site_id=_site_id(store, site) if is_rescoped else UNSET,
            group_id=group_id(store, group) if is_rescoped else UNSET,
        )
        channel = service.edit_channel(store, FIRST_WORKSPACE, number, change, config)
    typer.echo(f"Channel {channel.id} tells {channel.target_label} of {channel.scope}.")
    typer.echo(f"It is {_state(channel)}.")


@app.command()
def rotate(
    number: Annotated[int, _ID_ARGUMENT],
    own_secret: Annotated[
        bool, typer.Option("--own-secret", help="Ask for it, or read it from standard input.")
    ] = False,
    database: DatabaseOption = "",
) -> None:
    """Give a webhook another secret.

    For a day its messages are signed with both.

    \b
    sitecrawl channel rotate 1
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import configured, writing

    config = configured()
    with writing(database) as store:
        secret = _asked_secret() if own_secret else ""
        rotated = service.rotate_secret(store, FIRST_WORKSPACE, number, config, secret)
    typer.echo("For 24 hours the old and the new secret sign.")
    if rotated.secret:
        typer.echo(f"The new secret, which is not shown again: {rotated.secret}")


@app.command()
def remove(
    number: Annotated[int, _ID_ARGUMENT],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    database: DatabaseOption = "",
) -> None:
    """Remove a channel with all that is known of its deliveries.

    \b
    sitecrawl channel remove 1 --yes
    """
    from sitecrawl.services import channels as service
    from sitecrawl.services.database import writing

    with writing(database) as store:
        channel = service.show_channel(store, FIRST_WORKSPACE, number)
        if not yes:
            words = printable(f"Remove channel {number} ({channel.name})?")
            typer.confirm(words, abort=True)
        service.remove_channel(store, FIRST_WORKSPACE, number)
    typer.echo(f"Channel {number} is removed.")


app.command("test")(delivery.send_test)
app.command()(delivery.deliveries)
app.command()(delivery.delivery)
app.command()(delivery.replay)


def _quiet_hours(text: str | None) -> dict[str, str]:
    if text is None:
        return {}
    start, dash, end = text.partition("-")
    if not dash:
        raise InvalidInputError("--quiet", f"expected hours such as 22:00-07:00, not {text!r}")
    return {"quiet_from": start.strip(), "quiet_until": end.strip()}


def _weekday(text: str | None) -> int | None:
    if text is None:
        return None
    if text.lower() not in _DAYS:
        raise InvalidInputError("--on", f"expected one of {', '.join(_DAYS)}, not {text!r}")
    return _DAYS.index(text.lower())


def _end_of_snooze(text: str) -> datetime | None:
    if text == "0":
        return None
    match = _DURATION.fullmatch(text)
    if match is None:
        raise InvalidInputError("--snooze", f"expected 90m, 8h, 3d or 0, not {text!r}")
    return datetime.now(UTC) + timedelta(**{_UNITS[match[2]]: int(match[1])})


def _asked_secret() -> str:
    if sys.stdin.isatty():
        return str(typer.prompt("Secret", hide_input=True))
    return sys.stdin.readline().strip()


def _site_id(store: Database, text: str) -> int | None:
    from sitecrawl.services.sites import site_named

    return site_named(store, FIRST_WORKSPACE, text).id if text else None


def _state(channel: Channel) -> str:
    if not channel.enabled:
        return f"disabled: {channel.disabled_reason}" if channel.disabled_reason else "disabled"
    if channel.snoozed_until and channel.snoozed_until > datetime.now(UTC):
        return f"snoozed until {channel.snoozed_until:%Y-%m-%d %H:%M} UTC"
    return "enabled"
