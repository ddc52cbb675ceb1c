"""``sitecrawl scans``, ``urls`` and ``why``: query the inventory."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import Annotated, Final

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
from sitecrawl.urls.refusal import Reason  # noqa: TC001  Typer reads the annotations


class ExportFormat(StrEnum):
    """What ``urls`` can write."""

    TEXT = "text"
    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"


_BY_ENDING: Final = {
    "": ExportFormat.TEXT,
    ".txt": ExportFormat.TEXT,
    **{f".{each}": each for each in ExportFormat if each is not ExportFormat.TEXT},
}


def scans(
    domain: Annotated[str, typer.Argument(help="Only scans of this site.")] = "",
    limit: Annotated[int, typer.Option(min=1, help="How many to show.")] = 20,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """List the scans, newest first.

    \b
    sitecrawl scans
    sitecrawl scans example.com --limit 5
    """
    from sitecrawl.services.database import known_site, reading
    from sitecrawl.store.queries.scans import scans as newest_scans

    with reading(database) as store:
        site_id = known_site(store, domain).id if domain else None
        for scan in newest_scans(store, limit, site_id):
            figures = scan.summary or {}
            typer.echo(
                f"{scan.id:>5}  {scan.started_at:%Y-%m-%d %H:%M} UTC  {scan.status:<11}"
                f"  {figures.get('pages', 0):>9,} URLs  {printable(scan.root_url)}"
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
    """
    from sitecrawl.cli import filters
    from sitecrawl.exporters.pages import export_pages
    from sitecrawl.services.database import known_site, reading, wanted_scan
    from sitecrawl.store.queries.pages import PageFilter
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
    )
    chosen = format_ or format_by_ending(output, _BY_ENDING, ExportFormat.TEXT)
    with reading(database) as store:
        site = known_site(store, domain)
        of_scan = wanted_scan(store, site, scan)
        if cluster:
            from sitecrawl.store.queries.classification import classifier_of

            known = sorted(classifier_of(store, of_scan).model.cluster_keys)
            wanted = replace(wanted, cluster=filters.checked_cluster(cluster, known))
        number = export_pages(store, of_scan, wanted, chosen, output)
    if output:
        sys.stderr.write(f"{number:,} URLs written to {output}\n")


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
    from sitecrawl.cli.explain import explain
    from sitecrawl.services.database import reading

    with reading(database) as store:
        for line in explain(store, url, show_all=all_):
            typer.echo(line)
