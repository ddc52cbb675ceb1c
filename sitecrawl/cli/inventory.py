"""``sitecrawl scans``, ``urls`` and ``why``: query the inventory."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.filters import PageOptions, checked_cluster
from sitecrawl.cli.options import (
    DatabaseOption,
    OutputOption,
    ScanOption,
    SiteArgument,
    format_by_ending,
    with_option_groups,
)
from sitecrawl.config import ConfigError
from sitecrawl.safety.text import printable
from sitecrawl.services.formats import ExportFormat

if TYPE_CHECKING:
    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.queries.page_filter import PageFilter

_BY_ENDING: Final = {
    "": ExportFormat.TEXT,
    ".txt": ExportFormat.TEXT,
    **{f".{each}": each for each in ExportFormat if each is not ExportFormat.TEXT},
}


_MAX_FACET_VALUES: Final = 10


def scans(
    domain: Annotated[str, typer.Argument(help="Only scans of this site.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    database: DatabaseOption = "",
) -> None:
    """List the scans of the first workspace, newest first.

    \b
    sitecrawl scans
    sitecrawl scans example.com --limit 5
    """
    from sitecrawl.services.database import known_site, reading
    from sitecrawl.store.queries.scans import scans as newest_scans

    with reading(database) as store:
        site_id = known_site(store, domain).id if domain else None
        found = newest_scans(store, limit, site_id)
        if not found:
            typer.echo("there are no scans yet; start one: sitecrawl discover DOMAIN", err=True)
        for scan in found:
            typer.echo(
                f"{scan.id:>5}  {scan.started_at:%Y-%m-%d %H:%M} UTC  {scan.status:<11}"
                f"  {scan.known_pages:>9,} URLs  {printable(scan.root_url)}"
                + (
                    f"  ({printable(scan.reason)})"
                    if scan.reason and scan.status != "finished"
                    else ""
                )
            )


@with_option_groups
def urls(  # noqa: PLR0913  the options of the command
    domain: SiteArgument,
    *,
    format_: Annotated[
        ExportFormat | None,
        typer.Option("--format", "-f", help="Default: by the ending of --output, else text."),
    ] = None,
    output: OutputOption = None,
    pages: PageOptions,
    sort: Annotated[
        str, typer.Option(help="Sort by this, such as url; -priority: descending.")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many.")] = None,
    cursor: Annotated[
        str, typer.Option(help="Go on after the last of a list with the same sort.")
    ] = "",
    facets: Annotated[
        bool, typer.Option("--facets", help="Count the URLs by category, status, ... instead.")
    ] = False,
    scan: ScanOption = None,
    database: DatabaseOption = "",
) -> None:
    """Query and export the inventory of a site.

    \b
    sitecrawl urls example.com
    sitecrawl urls example.com -o urls.xlsx
    sitecrawl urls example.com --contains /blog/ --format csv
    sitecrawl urls example.com --reason offsite --format jsonl
    sitecrawl urls example.com --status broken
    sitecrawl urls example.com --status 5xx
    sitecrawl urls example.com --region navigation --clicks 2
    sitecrawl urls example.com --pattern '/product/{n}'
    sitecrawl urls example.com --type article --language de
    sitecrawl urls example.com --cluster /blog
    sitecrawl urls example.com --search garden --sort -priority --limit 20
    sitecrawl urls example.com --not-indexable --facets
    """
    from sitecrawl.services.database import asking
    from sitecrawl.services.inventory_lists import cluster_keys, in_order, wants_index

    wanted = replace(pages.page_filter(), limit=limit)
    if sort or cursor or limit is not None:
        wanted = in_order(wanted, sort, cursor)
    chosen = format_ or format_by_ending(output, _BY_ENDING, ExportFormat.TEXT)
    with asking(database, domain, scan) as asked:
        if pages.cluster:
            cluster = checked_cluster(pages.cluster, cluster_keys(asked))
            wanted = replace(wanted, cluster=cluster)
        if facets:
            _show_facets(asked, wanted)
        else:
            _export(asked, wanted, chosen, output)
        if (facets or wanted.order) and wants_index(asked):
            sys.stderr.write(f"faster from now on after: sitecrawl index {asked.site.key}\n")


def _export(
    asked: AskedScan, wanted: PageFilter, format_: ExportFormat, output: Path | None
) -> None:
    from sitecrawl.services.inventory_lists import export_page_list, following_cursor

    number = export_page_list(asked, wanted, format_, output)
    if output:
        sys.stderr.write(f"{number:,} {'URL' if number == 1 else 'URLs'} written to {output}\n")
    elif not number:
        sys.stderr.write(f"{_why_empty(asked, wanted)}\n")
    if wanted.limit is not None and (cursor := following_cursor(asked, wanted)):
        sys.stderr.write(f"more follow: --cursor {cursor}\n")


def _why_empty(asked: AskedScan, wanted: PageFilter) -> str:
    if asked.scan.known_pages:
        return f"no URL of {asked.site.key} fits; {asked.scan.known_pages:,} are on its list"
    reason = f" ({asked.scan.reason})" if asked.scan.reason else ""
    return (
        f"no URL of {asked.site.key} is known: scan {asked.scan.id} is {asked.scan.status}{reason}"
    )


def _show_facets(asked: AskedScan, wanted: PageFilter) -> None:
    from sitecrawl.services.inventory_lists import page_facets

    found = page_facets(asked, wanted)
    typer.echo(f"{found.pages:,} URLs")
    for name, values in found.values.items():
        if not values:
            continue
        typer.echo(f"\n{name}")
        for each in values[:_MAX_FACET_VALUES]:
            typer.echo(f"{each.pages:>11,}  {_facet_words(each.value)}")
        if (left := len(values) - _MAX_FACET_VALUES) > 0:
            typer.echo(f"{'':>11}  and {left:,} more")


def _facet_words(value: str | float | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None else printable(str(value))


def index(
    domain: SiteArgument,
    texts: Annotated[bool, typer.Option(help="Index texts of URLs and titles, too.")] = True,
    database: DatabaseOption = "",
) -> None:
    """Index the inventory of a site for fast lists and searches.

    \b
    sitecrawl index example.com
    """
    from sitecrawl.services.database import asking
    from sitecrawl.services.inventory_lists import refresh_page_index

    with asking(database, domain, to_write=True) as asked:
        is_new = refresh_page_index(asked, with_texts=texts)
    words = "indexed" if is_new else "is indexed already"
    typer.echo(f"{asked.site.key} {words}, as of scan {asked.scan.id}")


def why(
    url: Annotated[str, typer.Argument(help="The URL to explain.")],
    all_: Annotated[
        bool, typer.Option("--all", help="Show every mention, not only the first ones.")
    ] = False,
    database: DatabaseOption = "",
) -> None:
    """Explain how a URL was found, or why it is refused or missing.

    \b
    sitecrawl why https://example.com/blog/a-post
    sitecrawl why https://example.com/ --all
    """
    from sitecrawl.cli.explain import describe
    from sitecrawl.services.database import reading
    from sitecrawl.services.explain import explain_url, page_story
    from sitecrawl.store.queries.explain import MAX_MENTIONS

    with reading(database) as store:
        found = explain_url(store, url, None if all_ else MAX_MENTIONS)
        story = page_story(store, found)
    for line in describe(found, story, show_all=all_):
        typer.echo(line)


def body(
    url: Annotated[str, typer.Argument(help="The URL of a page that was visited.")],
    output: OutputOption = None,
    scan: ScanOption = None,
    database: DatabaseOption = "",
) -> None:
    """Write a page as it came from the site.

    There is a copy if SITECRAWL_KEEP_BODIES=pages kept it.

    \b
    sitecrawl body https://example.com/about -o about.html
    """
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.inventory import open_inventory

    with open_inventory(url, database or None, scan) as inventory:
        found = inventory.body(url)
        if found is None:
            raise ConfigError(
                f"{url}: no copy is kept as of scan {inventory.scan.id};"
                " SITECRAWL_KEEP_BODIES=pages keeps pages from the next scan on"
            )
        with opened_output(output) as file:
            file.write(found.content)
