"""``sitecrawl changes`` and ``diff``: what changed on a site, and whether that stops a release."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sitecrawl.cli.options import (
    DatabaseOption,
    OutputOption,
    SiteArgument,
    format_by_ending,
)
from sitecrawl.errors import ExitCode, InvalidInputError
from sitecrawl.safety.text import printable
from sitecrawl.services.formats import ChangeFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitecrawl.services.change_detection import Comparison
    from sitecrawl.services.inventory_comparison import Diff
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.changes import ChangeFact, ChangeFilter, EventFact
    from sitecrawl.store.queries.scans import Site

_BY_ENDING: Final = {
    "": ChangeFormat.TEXT,
    ".txt": ChangeFormat.TEXT,
    ".json": ChangeFormat.JSON,
    ".csv": ChangeFormat.CSV,
    ".md": ChangeFormat.MD,
}
_FORMAT_OPTION = typer.Option(
    "--format", "-f", help="Default: by the ending of --output, else text."
)
_FAIL_OPTION = typer.Option(
    "--fail-on",
    help="End with exit code 4 if this happened, such as removed>10,noindex,robots.",
)
_MAX_EVENTS: Final = 500
_SHOWN_CHANGES: Final = 5
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def changes(  # noqa: PLR0913, PLR0917  the options of the command
    domain: SiteArgument,
    since: Annotated[
        str, typer.Option("--since", help="A date, 36h, 7d, 2w. Default: the newest scan.")
    ] = "",
    scan: Annotated[
        int | None, typer.Option("--scan", help="Changes that this scan found.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="Such as removed; may be repeated.")
    ] = None,
    severity: Annotated[
        str, typer.Option("--severity", help="This one and graver: info, low, medium, high, ...")
    ] = "",
    all_: Annotated[
        bool, typer.Option("--all", help="Also what nobody is told: an untrusted lastmod, ...")
    ] = False,
    format_: Annotated[ChangeFormat | None, _FORMAT_OPTION] = None,
    output: OutputOption = None,
    fail_on: Annotated[str, _FAIL_OPTION] = "",
    database: DatabaseOption = "",
) -> None:
    """Show what changed on a site, as a person would tell it.

    \b
    sitecrawl changes example.com
    sitecrawl changes example.com --since 7d --severity medium -o changes.md
    sitecrawl changes example.com --fail-on "removed>10,noindex,robots"
    """
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.change_detection import catch_up
    from sitecrawl.services.changes import list_events
    from sitecrawl.services.database import known_site, reading
    from sitecrawl.store.errors import DatabaseReadOnlyError

    conditions = _conditions(fail_on)
    with reading(database) as store:
        site = known_site(store, domain)
        try:
            newest = catch_up(store, site)
        except DatabaseReadOnlyError:
            typer.echo(
                "the database cannot be written: the newest scans are not compared", err=True
            )
            newest = None
        wanted = _wanted(newest, since, scan, kind or [], severity, with_silent=all_)
        events = sorted(
            list_events(store, site, wanted, limit=_MAX_EVENTS).rows,
            key=lambda each: (-each.scan_id, -each.severity.rank, -each.pages),
        )
        chosen = format_ or format_by_ending(output, _BY_ENDING, ChangeFormat.TEXT)
        with opened_output(output) as file:
            if chosen is ChangeFormat.TEXT:
                for line in _text(store, site, newest, events, wanted):
                    file.write(f"{printable(line)}\n".encode())
            else:
                _write(store, site, events, wanted, chosen, file)
        failures = _failures(store, site, wanted, conditions)
    if failures:
        for words in failures:
            typer.echo(f"--fail-on {words}", err=True)
        raise typer.Exit(ExitCode.CHANGED)


def _wanted(
    newest: Comparison | None,
    since: str,
    scan: int | None,
    kinds: Sequence[str],
    severity: str,
    *,
    with_silent: bool,
) -> ChangeFilter:
    from sitecrawl.changes.events import CONDITION_NAMES
    from sitecrawl.changes.kinds import Severity
    from sitecrawl.store.queries.changes import ChangeFilter

    if severity and severity not in set(Severity):
        raise InvalidInputError("--severity", f"{severity!r} is none of {', '.join(Severity)}")
    for kind in kinds:
        if kind not in CONDITION_NAMES:
            raise InvalidInputError("--kind", f"{kind!r} is none of {', '.join(CONDITION_NAMES)}")
    if scan is None and not since and newest is not None:
        scan = newest.scan_id
    return ChangeFilter(
        scan_id=scan,
        since=_moment(since) if since else None,
        kinds=tuple(kinds),
        min_severity=Severity(severity) if severity else None,
        with_silent=with_silent,
    )


def _moment(text: str) -> datetime:
    number, unit = text[:-1], text[-1:]
    try:
        if unit in _UNITS:
            return datetime.now(UTC) - int(number) * _UNITS[unit]
        moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(
            "--since", f"{text!r}: expected a date such as 2026-11-01, or 36h, 7d, 2w"
        ) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _text(
    store: Database,
    site: Site,
    newest: Comparison | None,
    events: Sequence[EventFact],
    wanted: ChangeFilter,
) -> Iterator[str]:
    from sitecrawl.changes.kinds import EventKind

    if newest is None:
        yield f"{site.key}: no scan has a result to compare yet"
        return
    if wanted.scan_id == newest.scan_id:
        yield from _about(site, newest)
    for event in events:
        scan = "" if wanted.scan_id else f"scan {event.scan_id}  "
        silent = "  (not told)" if event.is_silent else ""
        yield f"{scan}{event.severity:<8}  {event.title}{silent}"
        shown = _changes_of(store, site, event)
        for change in shown:
            words = change_words(change)
            line = words if change.other_url else f"{change.url}  {words}".rstrip()
            yield f"{'':>{len(scan)}}          {line}"
        if shown and event.pages > len(shown) and event.kind != EventKind.ROBOTS_CHANGED:
            yield f"{'':>{len(scan)}}          and {event.pages - len(shown):,} more"
    if not events and not newest.baseline:
        yield "no changes"


def _about(site: Site, newest: Comparison) -> Iterator[str]:
    pages = f"{newest.counts.get('pages', 0):,} pages"
    if newest.before_scan_id is None:
        yield f"{site.key}: scan {newest.scan_id} is the first one ({pages}); the next is compared"
        return
    yield f"{site.key}: scan {newest.scan_id} against scan {newest.before_scan_id} ({pages})"
    if newest.baseline:
        yield f"pages that came or went are not told: {newest.baseline}"
    if newest.is_holding:
        yield "removals are held until the next scan, or until somebody confirms them"
    if not newest.lastmod_is_trusted:
        yield "the lastmod of this site is not trusted: --all shows its changes and the reasons"


def _changes_of(store: Database, site: Site, event: EventFact) -> Sequence[ChangeFact]:
    from itertools import islice

    from sitecrawl.services.changes import iter_changes
    from sitecrawl.store.queries.changes import ChangeFilter

    if event.pages <= 1 and not event.detail.get("by_line"):
        return ()
    return list(islice(iter_changes(store, site, ChangeFilter(event_id=event.id)), _SHOWN_CHANGES))


def change_words(change: ChangeFact) -> str:
    """What differs, in one line; empty if the kind of the change says it all."""
    if change.other_url:
        return f"{change.url} -> {change.other_url}"
    if change.evidence.get("by_line"):
        lines = [f"line {each['line']} {each['rule']}" for each in change.evidence["by_line"]]
        return "; ".join(lines[:3])
    before, after = change.before or {}, change.after or {}
    return ", ".join(
        f"{name} {_short(before.get(name))} -> {_short(after.get(name))}"
        for name in dict.fromkeys([*before, *after])
    )


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004


def _write(
    store: Database,
    site: Site,
    events: Sequence[EventFact],
    wanted: ChangeFilter,
    format_: ChangeFormat,
    file: Any,
) -> None:
    from sitecrawl.exporters.changes import CHANGE_COLUMNS, write_json, write_markdown, write_rows
    from sitecrawl.services.changes import iter_changes

    if format_ is ChangeFormat.CSV:
        write_rows(iter_changes(store, site, wanted), CHANGE_COLUMNS, file)
    elif format_ is ChangeFormat.JSON:
        found = list(iter_changes(store, site, wanted))
        write_json({"site": site.key, "events": list(events), "changes": found}, file)
    else:
        examples = {event.id: _changes_of(store, site, event) for event in events}
        write_markdown(f"Changes of {site.key}", events, examples, file)


def _conditions(text: str) -> list[Any]:
    from sitecrawl.changes.events import parse_conditions

    if not text:
        return []
    try:
        return parse_conditions(text)
    except ValueError as error:
        raise InvalidInputError("--fail-on", str(error)) from error


def _failures(
    store: Database, site: Site, wanted: ChangeFilter, conditions: list[Any]
) -> list[str]:
    from dataclasses import replace

    from sitecrawl.changes.events import broken_conditions
    from sitecrawl.services.changes import list_events

    if not conditions:
        return []
    every = replace(wanted, kinds=(), min_severity=None, with_silent=True)
    pages: dict[Any, int] = {}
    for event in list_events(store, site, every, limit=_MAX_EVENTS).rows:
        if not event.is_silent or event.incident_id is not None:
            pages[event.kind] = pages.get(event.kind, 0) + max(event.pages, 1)
    return [
        f"{condition}: {number:,} found"
        for condition, number in broken_conditions(conditions, pages)
    ]


def diff(
    domain: SiteArgument,
    scan: Annotated[
        list[int] | None,
        typer.Option("--scan", help="Two scans to compare. Default: the newest two."),
    ] = None,
    format_: Annotated[ChangeFormat | None, _FORMAT_OPTION] = None,
    output: OutputOption = None,
    fail_on: Annotated[str, _FAIL_OPTION] = "",
    database: DatabaseOption = "",
) -> None:
    """Compare the inventories as of two scans, page by page.

    \b
    sitecrawl diff example.com
    sitecrawl diff example.com --scan 3 --scan 17 -o diff.csv
    """
    from sitecrawl.changes.events import broken_conditions
    from sitecrawl.changes.kinds import EventKind
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.database import known_site, reading
    from sitecrawl.services.inventory_comparison import diff as compare

    chosen_scans = sorted(scan or [])
    if len(chosen_scans) not in {0, 2}:
        raise InvalidInputError("--scan", "name two scans, or none for the newest two")
    conditions = _conditions(fail_on)
    with reading(database) as store:
        site = known_site(store, domain)
        found = compare(store, site, *chosen_scans)
    chosen = format_ or format_by_ending(output, _BY_ENDING, ChangeFormat.TEXT)
    with opened_output(output) as file:
        _write_diff(found, site.key, chosen, file)
    counts = {EventKind(kind): found.count(kind) for kind in {page.kind for page in found.pages}}
    if failures := broken_conditions(conditions, counts):
        for condition, number in failures:
            typer.echo(f"--fail-on {condition}: {number:,} found", err=True)
        raise typer.Exit(ExitCode.CHANGED)


_SIGNS: Final = {"added": "+", "removed": "-", "updated": "~", "source_changed": "s"}


def _write_diff(found: Diff, key: str, format_: ChangeFormat, file: Any) -> None:
    from sitecrawl.exporters.changes import DIFF_COLUMNS, write_json, write_rows

    head = f"{key}: scan {found.before.id} -> scan {found.after.id}"
    counts = ", ".join(f"{found.count(kind):,} {kind.replace('_', ' ')}" for kind in _SIGNS)
    if format_ is ChangeFormat.CSV:
        write_rows(found.pages, DIFF_COLUMNS, file)
    elif format_ is ChangeFormat.JSON:
        value = {"site": key, "before": found.before.id, "after": found.after.id}
        write_json({**value, "pages": list(found.pages)}, file)
    else:
        is_markdown = format_ is ChangeFormat.MD
        lines = [f"## {head}" if is_markdown else head, *([""] if is_markdown else []), counts]
        lines += ["", "```diff"] if is_markdown else []
        for page in found.pages:
            said = [
                f"{name} {_short(page.before.get(name))} -> {_short(page.after.get(name))}"
                for name in dict.fromkeys([*page.before, *page.after])
                if page.kind == "updated"
            ]
            lines.append(f"{_SIGNS[page.kind]} {page.url}  {', '.join(said)}".rstrip())
        lines += ["```"] if is_markdown else []
        for line in lines:
            file.write(f"{printable(line)}\n".encode())
