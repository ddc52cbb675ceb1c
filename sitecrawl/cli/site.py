"""``sitecrawl site``: the sites that are watched."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sitecrawl.cli import site_transfer
from sitecrawl.cli.group import group_id
from sitecrawl.cli.options import (
    DatabaseOption,
    command_group,
    parse_assignments,
)
from sitecrawl.cli.tables import JsonOption, ago, print_json, print_table
from sitecrawl.config import ConfigError
from sitecrawl.safety.text import printable
from sitecrawl.store.vocabulary import FIRST_WORKSPACE, JobStatus, SiteState

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitecrawl.services.site_bulk import BulkResult
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.scans import Scan
    from sitecrawl.store.queries.watched_sites import SiteFilter, WatchedSite

_SITE = typer.Argument(help="Number, domain, URL or name of a watched site.")
_SITES = typer.Argument(help="Numbers, domains, URLs or names of watched sites.")
_NAME = typer.Option("--name", help="Default: host and path.")
_TAG = typer.Option("--tag", "-t", help="May be repeated.")
_GROUP = typer.Option("--group", "-g", help="Name or number of a group.")
_PROFILE = typer.Option("--profile", help="See: sitecrawl profiles.")
_SETTING = typer.Option("--setting", "-s", help="NAME=VALUE of its scans; may be repeated.")
_PRIORITY = typer.Option("--priority", help="1 to 5; 5 goes first.")
_INTERVAL = typer.Option("--interval", help="Minutes between scans, at least 5.")
_CRON = typer.Option("--cron", help="Instead of the interval, such as '0 6 * * MON'.")
_TIMEZONE = typer.Option("--timezone", help="Of --cron, such as Europe/Berlin.")
_WORKER_TAG = typer.Option(
    "--worker-tag", "-w", help="What a worker must have to scan it, such as eu; may be repeated."
)
_OWNER = typer.Option("--owner", help="Who is responsible.")
_ALLOW_PRIVATE = typer.Option(
    "--allow-private/--no-allow-private",
    help="Its scans may connect to it at a private address, such as of an intranet."
    " Default: if the URL says it (127.0.0.1, localhost, wiki.internal).",
)

app = command_group("site", "Sites that are watched: scanned on a schedule.")


@app.command()
def add(  # noqa: PLR0913, PLR0917  the options of the command
    url: Annotated[str, typer.Argument(help="A domain or URL.")],
    name: Annotated[str, _NAME] = "",
    tag: Annotated[list[str] | None, _TAG] = None,
    group: Annotated[str, _GROUP] = "",
    profile: Annotated[str, _PROFILE] = "monitor",
    setting: Annotated[list[str] | None, _SETTING] = None,
    priority: Annotated[int, _PRIORITY] = 3,
    interval: Annotated[int, _INTERVAL] = 1440,
    cron: Annotated[str, _CRON] = "",
    timezone: Annotated[str, _TIMEZONE] = "UTC",
    owner: Annotated[str, _OWNER] = "",
    worker_tag: Annotated[list[str] | None, _WORKER_TAG] = None,
    allow_private: Annotated[bool | None, _ALLOW_PRIVATE] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Add it switched off.")] = False,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Watch a site.

    Its sitemaps are discovered as soon as the monitor runs.

    \b
    sitecrawl site add example.com
    sitecrawl site add https://example.com/docs/ --profile docs --interval 60 --tag docs
    sitecrawl site add example.com --cron '0 6 * * MON-FRI' --timezone Europe/Berlin
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.sites import NewSite, add_site

    with writing(database) as store:
        site = add_site(
            store,
            FIRST_WORKSPACE,
            NewSite(
                root_url=url,
                name=name,
                tags=tuple(tag or ()),
                group_id=group_id(store, group),
                enabled=not disabled,
                profile=profile,
                settings=parse_assignments(setting or ()),
                priority=priority,
                interval_minutes=interval,
                cron=cron or None,
                timezone=timezone,
                owner=owner or None,
                worker_tags=tuple(worker_tag or ()),
                allow_private=_is_allowed(url, allow_private),
            ),
            _address_allow(),
        )
        hint = _monitor_hint(store)
    if as_json:
        print_json(site)
        return
    typer.echo(f"Site {site.id}: {printable(site.root_url)} is watched {site.schedule.words()}.")
    if site.allow_private:
        typer.echo("Its scans may connect to it at a private address, as you named it here.")
    if hint:
        typer.echo(hint)


@app.command("list")
def list_(
    text: Annotated[str, typer.Argument(help="Only with this text in name, URL or owner.")] = "",
    tag: Annotated[
        list[str] | None, typer.Option("--tag", "-t", help="Only with this tag.")
    ] = None,
    group: Annotated[str, typer.Option("--group", "-g", help="Only of this group.")] = "",
    state: Annotated[SiteState | None, typer.Option(help="Only in this state.")] = None,
    sort: Annotated[
        str, typer.Option(help="added, name, url, priority, last_scan or next_due.")
    ] = "added",
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many to show.")] = 100,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """List watched sites.

    \b
    sitecrawl site list
    sitecrawl site list shop --tag prod --state failing
    """
    from sitecrawl.services.database import reading
    from sitecrawl.services.sites import count_sites, list_sites
    from sitecrawl.store.queries.watched_sites import SiteFilter, SiteSort

    if sort not in set(SiteSort):
        raise ConfigError(f"--sort {sort!r}: expected one of {', '.join(SiteSort)}")
    with reading(database) as store:
        wanted = SiteFilter(
            text=text, tags=tuple(tag or ()), group_id=group_id(store, group), state=state
        )
        page = list_sites(store, FIRST_WORKSPACE, wanted, sort=SiteSort(sort), limit=limit)
        number = count_sites(store, FIRST_WORKSPACE, wanted)
    if as_json:
        print_json({"total": number, "sites": page.rows})
        return
    if not page.rows:
        typer.echo("No site is watched that fits; add one with: sitecrawl site add example.com")
        return
    now = datetime.now(UTC)
    print_table(
        ("id", "name", "state", "pages", "last scan", "next", "schedule", "group", "tags"),
        [_row(site, now) for site in page.rows],
    )
    if number > len(page.rows):
        typer.echo(f"{len(page.rows)} of {number:,} sites; see --limit")


@app.command()
def show(
    site: Annotated[str, _SITE],
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Show a watched site with its newest scans and jobs.

    \b
    sitecrawl site show example.com
    """
    from sitecrawl.services.database import reading
    from sitecrawl.services.jobs import list_jobs
    from sitecrawl.services.sites import site_named, site_scans
    from sitecrawl.store.queries.jobs import JobFilter

    with reading(database) as store:
        found = site_named(store, FIRST_WORKSPACE, site)
        scans = site_scans(store, FIRST_WORKSPACE, found.id, limit=10)
        jobs = list_jobs(store, FIRST_WORKSPACE, JobFilter(watched_site_id=found.id), limit=10).rows
    if as_json:
        print_json({"site": found, "scans": [_scan(each) for each in scans], "jobs": jobs})
        return
    now = datetime.now(UTC)
    for label, value in _facts(found, now):
        typer.echo(f"{label:<10} {printable(value)}")
    if scans:
        typer.echo("")
        print_table(
            ("scan", "status", "started", "pages", "root", "reason"),
            [
                (
                    str(each.id),
                    each.status,
                    ago(each.started_at, now),
                    f"{each.known_pages:,}",
                    each.root_url,
                    each.reason or "",
                )
                for each in scans
            ],
        )
    told = [job for job in jobs if job.status not in {"success", "running"} and job.reason]
    for job in told[:3]:
        typer.echo(f"job {job.id} {ago(job.queued_at, now)}: {job.status}: {job.reason}")


@app.command()
def edit(  # noqa: PLR0913, PLR0917  the options of the command
    site: Annotated[str, _SITE],
    url: Annotated[str | None, typer.Option("--url", help="Another root URL.")] = None,
    name: Annotated[str | None, _NAME] = None,
    tag: Annotated[list[str] | None, _TAG] = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Remove all tags.")] = False,
    group: Annotated[str | None, _GROUP] = None,
    no_group: Annotated[bool, typer.Option("--no-group", help="Take it out of its group.")] = False,
    profile: Annotated[str | None, _PROFILE] = None,
    setting: Annotated[list[str] | None, _SETTING] = None,
    no_settings: Annotated[
        bool, typer.Option("--no-settings", help="Remove its own settings.")
    ] = False,
    priority: Annotated[int | None, _PRIORITY] = None,
    interval: Annotated[int | None, _INTERVAL] = None,
    cron: Annotated[str | None, _CRON] = None,
    timezone: Annotated[str | None, _TIMEZONE] = None,
    owner: Annotated[str | None, _OWNER] = None,
    worker_tag: Annotated[list[str] | None, _WORKER_TAG] = None,
    no_worker_tags: Annotated[
        bool, typer.Option("--no-worker-tags", help="Any worker may scan it.")
    ] = False,
    allow_private: Annotated[bool | None, _ALLOW_PRIVATE] = None,
    as_json: JsonOption = False,
    database: DatabaseOption = "",
) -> None:
    """Change what is given of a watched site.

    An interval takes the place of a cron expression.

    \b
    sitecrawl site edit example.com --interval 60 --tag prod --tag shop
    sitecrawl site edit 3 --url https://new.example.com
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.sites import SiteEdit, edit_site, site_named

    with writing(database) as store:
        found = site_named(store, FIRST_WORKSPACE, site)
        given: dict[str, Any] = {
            "root_url": url,
            "name": name,
            "tags": () if no_tags else (tuple(tag) if tag else None),
            "profile": profile,
            "settings": {} if no_settings else None,
            "priority": priority,
            "interval_minutes": interval,
            "cron": cron,
            "timezone": timezone,
            "owner": owner,
            "worker_tags": () if no_worker_tags else (tuple(worker_tag) if worker_tag else None),
            "allow_private": _is_allowed(url, allow_private) if url else allow_private,
        }
        changes = {field: value for field, value in given.items() if value is not None}
        if setting:
            own = {} if no_settings else found.settings
            changes["settings"] = {**own, **parse_assignments(setting)}
        if group is not None or no_group:
            changes["group_id"] = None if no_group else group_id(store, group or "")
        if interval is not None and cron is None and found.cron is not None:
            changes["cron"] = None
        if not changes:
            raise ConfigError("nothing to change; see: sitecrawl site edit --help")
        changed = edit_site(
            *(store, FIRST_WORKSPACE, found.id, SiteEdit(**changes), found.version),
            address_allow=_address_allow(),
        )
    if as_json:
        print_json(changed)
        return
    words = ", ".join(name.replace("_", " ") for name in changes)
    typer.echo(f"Site {changed.id} ({printable(changed.root_url)}) has changed: {words}.")
    if {"interval_minutes", "cron", "timezone"} & changes.keys():
        typer.echo(f"It is watched {changed.schedule.words()}.")


@app.command()
def remove(
    site: Annotated[str, _SITE],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    database: DatabaseOption = "",
) -> None:
    """Remove a watched site with all that is known of it.

    That is its inventory, scans, changes, jobs and channels.

    \b
    sitecrawl site remove example.com --yes
    """
    from sitecrawl.services.database import writing
    from sitecrawl.services.sites import remove_site, site_named

    with writing(database) as store:
        found = site_named(store, FIRST_WORKSPACE, site)
        if not yes:
            pages = f" and {found.pages:,} pages" if found.pages else ""
            typer.confirm(
                f"Remove {printable(found.root_url)} with its whole history{pages}?", abort=True
            )
        remove_site(store, FIRST_WORKSPACE, found.id)
    typer.echo(f"Site {found.id} ({printable(found.root_url)}) and all that was known is removed.")


@app.command()
def enable(
    sites: Annotated[list[str], _SITES],
    database: DatabaseOption = "",
) -> None:
    """Switch sites on.

    \b
    sitecrawl site enable example.com
    """
    _switch(database, sites, is_on=True)


@app.command()
def disable(
    sites: Annotated[list[str], _SITES],
    database: DatabaseOption = "",
) -> None:
    """Switch sites off.

    They are not scanned any more, and nothing of them is lost.

    \b
    sitecrawl site disable example.com 3
    """
    _switch(database, sites, is_on=False)


@app.command()
def scan(
    sites: Annotated[list[str], _SITES],
    database: DatabaseOption = "",
) -> None:
    """Queue a scan of sites now, ahead of those that are due.

    \b
    sitecrawl site scan example.com
    """
    from sitecrawl.services.site_bulk import scan_sites

    _bulk(
        database, sites, "queued", lambda store, wanted: scan_sites(store, FIRST_WORKSPACE, wanted)
    )


app.command("import")(site_transfer.import_)
app.command()(site_transfer.export)


def _monitor_hint(store: Database) -> str:
    from sitecrawl.services.jobs import monitor_status

    if monitor_status(store, FIRST_WORKSPACE).is_scheduling:
        return ""
    return "No monitor runs; start one with: sitecrawl monitor run"


def _switch(database: str, names: list[str], *, is_on: bool) -> None:
    from sitecrawl.services.site_bulk import BulkAction, change_sites

    action = BulkAction.ENABLE if is_on else BulkAction.DISABLE
    _bulk(
        database,
        names,
        f"switched {'on' if is_on else 'off'}",
        lambda store, wanted: change_sites(store, FIRST_WORKSPACE, wanted, action),
    )


def _bulk(
    database: str,
    names: list[str],
    done: str,
    change: Callable[[Database, SiteFilter], BulkResult],
) -> None:
    from sitecrawl.services.database import writing
    from sitecrawl.services.sites import site_named
    from sitecrawl.store.queries.watched_sites import SiteFilter

    with writing(database) as store:
        found = {
            each.id: each for each in (site_named(store, FIRST_WORKSPACE, name) for name in names)
        }
        result = change(store, SiteFilter(ids=tuple(found)))
    for number in result.done:
        typer.echo(f"Site {number} ({printable(found[number].root_url)}) is {done}.")
    for number, words in result.failed.items():
        typer.echo(f"Site {number}: {printable(words)}", err=True)
    if result.failed:
        raise typer.Exit(1)


def _state(site: WatchedSite) -> str:
    if site.active_job_status == JobStatus.RUNNING:
        return site.active_job_status
    if not site.enabled:
        return "off"
    return site.active_job_status or site.last_scan_status or "new"


def _row(site: WatchedSite, now: datetime) -> tuple[str, ...]:
    return (
        str(site.id),
        site.name,
        _state(site),
        "" if site.pages is None else f"{site.pages:,}",
        ago(site.last_scan_at, now),
        ago(site.next_due_at, now) if site.next_due_at else "",
        site.schedule.words(),
        site.group_name or "",
        ", ".join(site.tags),
    )


def _is_allowed(url: str, is_wanted: bool | None) -> bool:
    """Whoever can run commands here owns the machine: naming a private address allows it."""
    from sitecrawl.safety.policy import is_private_by_name
    from sitecrawl.urls.target import TargetError, parse_target

    if is_wanted is not None:
        return is_wanted
    try:
        return is_private_by_name(parse_target(url).url)
    except TargetError:
        return False


def _address_allow() -> tuple[str, ...]:
    from sitecrawl.services.database import configured

    return configured().address_allow


def _facts(site: WatchedSite, now: datetime) -> list[tuple[str, str]]:
    settings = ", ".join(f"{name}={value}" for name, value in site.settings.items())
    due = f", next {ago(site.next_due_at, now)}" if site.next_due_at else ""
    facts = [
        ("site", f"{site.id}: {site.name}"),
        ("root URL", site.root_url),
        ("state", _state(site)),
        ("schedule", f"{site.schedule.words()}{due}"),
        ("priority", str(site.priority)),
        ("profile", site.profile + (f" with {settings}" if settings else "")),
        ("group", site.group_name or ""),
        ("tags", ", ".join(site.tags)),
        ("workers", f"with {', '.join(site.needed_tags)}" if site.needed_tags else ""),
        ("owner", site.owner or ""),
        ("addresses", "its scans may connect to it at a private one" * site.allow_private),
    ]
    return [(label, value) for label, value in facts if value]


def _scan(scan: Scan) -> dict[str, Any]:
    names = ("id", "status", "reason", "root_url", "profile", "started_at", "finished_at")
    return {name: getattr(scan, name) for name in names} | {"pages": scan.known_pages}
