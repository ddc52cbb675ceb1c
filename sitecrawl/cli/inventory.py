"""``sitecrawl scans``, ``urls`` and ``why``: query the inventory."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import datetime  # noqa: TC003  Typer reads the annotations
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sitecrawl.cli.filters import (
    CATEGORY_OPTION,
    CLUSTER_OPTION,
    LANGUAGE_OPTION,
    REGION_OPTION,
    SOURCE_OPTION,
    TYPE_OPTION,
)
from sitecrawl.cli.options import (
    DATABASE_OPTION,
    OUTPUT_OPTION,
    SCAN_OPTION,
    SITE_ARGUMENT,
    format_by_ending,
)
from sitecrawl.safety.text import printable
from sitecrawl.services.formats import ExportFormat
from sitecrawl.urls.refusal import Reason  # noqa: TC001  Typer reads the annotations

if TYPE_CHECKING:
    from sitecrawl.services.database import AskedScan
    from sitecrawl.store.queries.page_filter import PageFilter
_BY_ENDING: Final = {
    "": ExportFormat.TEXT,
    ".txt": ExportFormat.TEXT,
    **{f".{each}": each for each in ExportFormat if each is not ExportFormat.TEXT},
}


_MAX_FACET_VALUES: Final = 10


def _moment(words: str) -> Any:
    return typer.Option(
        help=f"Only pages that {words} (UTC).",
        formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        metavar="DATE",
    )


def scans(
    domain: Annotated[str, typer.Argument(help="Only scans of this site.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    database: Annotated[str, DATABASE_OPTION] = "",
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
        for scan in newest_scans(store, limit, site_id):
            typer.echo(
                f"{scan.id:>5}  {scan.started_at:%Y-%m-%d %H:%M} UTC  {scan.status:<11}"
                f"  {scan.known_pages:>9,} URLs  {printable(scan.root_url)}"
                + (
                    f"  ({printable(scan.reason)})"
                    if scan.reason and scan.status != "finished"
                    else ""
                )
            )


def urls(  # noqa: PLR0913, PLR0917  the options of the command
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[
        ExportFormat | None,
        typer.Option("--format", "-f", help="Default: by the ending of --output, else text."),
    ] = None,
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    refused: Annotated[bool, typer.Option(help="Include refused and broken URLs.")] = False,
    reason: Annotated[
        Reason | None, typer.Option(help="Only URLs refused for this reason.")
    ] = None,
    source: Annotated[str, SOURCE_OPTION] = "",
    region: Annotated[str, REGION_OPTION] = "",
    category: Annotated[str, CATEGORY_OPTION] = "",
    type_: Annotated[str, TYPE_OPTION] = "",
    language: Annotated[str, LANGUAGE_OPTION] = "",
    cluster: Annotated[str, CLUSTER_OPTION] = "",
    status: Annotated[
        str,
        typer.Option(
            help="Only listed, refused or broken URLs,"
            " or pages with this HTTP status: 200, 404, 3xx, 4xx, 5xx."
        ),
    ] = "",
    contains: Annotated[str, typer.Option(help="Only URLs that contain this text.")] = "",
    text: Annotated[
        str, typer.Option(help="Only pages with this text in their title or a link to them.")
    ] = "",
    pattern: Annotated[
        str, typer.Option(help="Only URLs of this pattern, such as '/item/{n}', or that of a URL.")
    ] = "",
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", "--max-depth", min=0, help="Only URLs with at most this many path segments."
        ),
    ] = None,
    clicks: Annotated[
        int | None, typer.Option(min=0, help="Only pages at most this many clicks from the root.")
    ] = None,
    search: Annotated[
        str, typer.Option(help="Only pages with this text in their URL or title.")
    ] = "",
    prefix: Annotated[str, typer.Option(help="Only URLs that begin with this.")] = "",
    template: Annotated[
        str, typer.Option(help="Only pages of this template, such as '/blog/{slug}'.")
    ] = "",
    min_depth: Annotated[
        int | None, typer.Option(min=0, help="Only URLs with at least this many path segments.")
    ] = None,
    min_priority: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only pages of at least this priority.")
    ] = None,
    max_priority: Annotated[
        float | None, typer.Option(min=0, max=1, help="Only pages of at most this priority.")
    ] = None,
    visited: Annotated[
        bool | None, typer.Option("--visited/--not-visited", help="Only pages that were visited.")
    ] = None,
    robots_allowed: Annotated[
        bool | None,
        typer.Option("--robots-allowed/--robots-disallowed", help="What robots.txt says."),
    ] = None,
    indexable: Annotated[
        bool | None,
        typer.Option(
            "--indexable/--not-indexable", help="Whether a search engine may show the page."
        ),
    ] = None,
    orphan: Annotated[
        bool | None,
        typer.Option("--orphan/--not-orphan", help="Only pages of sitemaps that no link leads to."),
    ] = None,
    lastmod_since: Annotated[datetime | None, _moment("have a lastmod since then")] = None,
    lastmod_before: Annotated[datetime | None, _moment("have a lastmod before then")] = None,
    first_seen_since: Annotated[datetime | None, _moment("were first seen since then")] = None,
    first_seen_before: Annotated[datetime | None, _moment("were first seen before then")] = None,
    last_seen_since: Annotated[datetime | None, _moment("were last seen since then")] = None,
    last_seen_before: Annotated[datetime | None, _moment("were last seen before then")] = None,
    changed_since: Annotated[datetime | None, _moment("have changed since then")] = None,
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
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
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
    from sitecrawl.cli import filters
    from sitecrawl.services.database import asking
    from sitecrawl.services.inventory_lists import cluster_keys, in_order, wants_index
    from sitecrawl.store.queries.page_filter import PageFilter
    from sitecrawl.store.vocabulary import PageStatus

    asked_status = filters.checked_status(status)
    page_status = asked_status if isinstance(asked_status, PageStatus) else None
    wanted = PageFilter(
        status=page_status,
        include_refused=refused,
        reason=reason or "",
        source=filters.checked_source(source),
        region=filters.checked_region(region),
        contains=contains,
        text=text,
        pattern=filters.checked_pattern(pattern),
        max_depth=depth,
        max_clicks=clicks,
        http_status=None if isinstance(asked_status, PageStatus) else asked_status,
        category=filters.checked_category(category),
        page_type=filters.checked_type(type_),
        language=filters.checked_language(language),
        search=search,
        prefix=prefix,
        template=template,
        min_depth=min_depth,
        min_priority=min_priority,
        max_priority=max_priority,
        visited=visited,
        robots_allowed=robots_allowed,
        indexable=indexable,
        orphan=orphan,
        lastmod_since=lastmod_since,
        lastmod_before=lastmod_before,
        first_seen_since=first_seen_since,
        first_seen_before=first_seen_before,
        last_seen_since=last_seen_since,
        last_seen_before=last_seen_before,
        changed_since=changed_since,
        limit=limit,
    )
    if sort or cursor or limit is not None:
        wanted = in_order(wanted, sort, cursor)
    chosen = format_ or format_by_ending(output, _BY_ENDING, ExportFormat.TEXT)
    with asking(database, domain, scan) as asked:
        if cluster:
            wanted = replace(wanted, cluster=filters.checked_cluster(cluster, cluster_keys(asked)))
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
        sys.stderr.write(f"{number:,} URLs written to {output}\n")
    if wanted.limit is not None and (cursor := following_cursor(asked, wanted)):
        sys.stderr.write(f"more follow: --cursor {cursor}\n")


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
    domain: Annotated[str, SITE_ARGUMENT],
    texts: Annotated[bool, typer.Option(help="Index texts of URLs and titles, too.")] = True,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Index the inventory of a site, so that lists, searches and counts are fast.

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
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Explain how a URL was found, why it was refused, or why it may be missing.

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
