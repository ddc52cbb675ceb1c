"""``sitecrawl tree`` and ``graph``: how a site is built."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import Annotated

import typer

from sitecrawl.cli.filters import REGION_OPTION
from sitecrawl.cli.inventory import DATABASE_OPTION, SCAN_OPTION, SITE_ARGUMENT


class GraphFormat(StrEnum):
    """What ``graph`` can write."""

    GRAPHML = "graphml"
    CSV = "csv"


def tree(
    domain: Annotated[str, SITE_ARGUMENT],
    depth: Annotated[int, typer.Option(min=1, help="Down to so many levels.")] = 3,
    menu: Annotated[bool, typer.Option("--menu", help="The menu alone.")] = False,
    paths: Annotated[bool, typer.Option("--paths", help="The paths alone.")] = False,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Print the menu of a site, and its paths with counts.

    \b
    sitecrawl tree example.com
    sitecrawl tree example.com --paths --depth 1
    """
    from sitecrawl.cli.database import known_site, reading, wanted_scan
    from sitecrawl.cli.treewords import menu_lines, path_lines

    with reading(database) as store:
        chosen = wanted_scan(store, known_site(store, domain), scan)
        if menu or not paths:
            for line in menu_lines(store, chosen, depth):
                typer.echo(line)
        if menu == paths:
            typer.echo("")
        if paths or not menu:
            for line in path_lines(store, chosen, depth):
                typer.echo(line)


def graph(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[
        GraphFormat | None,
        typer.Option("--format", "-f", help="Default: by the ending of --output, else graphml."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file instead of the screen.")
    ] = None,
    region: Annotated[str, REGION_OPTION] = "",
    refused: Annotated[
        bool, typer.Option("--refused", help="Also pages that were refused.")
    ] = False,
    external: Annotated[
        bool,
        typer.Option("--external/--internal-only", help="Also pages of other sites, or not."),
    ] = False,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Export the links between the pages of a site.

    GraphML has pages as nodes and links as edges; CSV has one line per link.

    \b
    sitecrawl graph example.com -o site.graphml
    sitecrawl graph example.com -o edges.csv --region content-link
    """
    from sitecrawl.cli.coveragewords import coverage_words
    from sitecrawl.cli.database import known_site, reading, wanted_scan
    from sitecrawl.cli.filters import checked_region
    from sitecrawl.exporters.graph import write_edges, write_graphml
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.store.queries.coverage import crawl_coverage
    from sitecrawl.store.queries.links import GraphFilter, reading_graph

    wanted = GraphFilter(checked_region(region), include_refused=refused, include_external=external)
    chosen_format = format_ or _format_by_ending(output)
    write = write_graphml if chosen_format is GraphFormat.GRAPHML else write_edges
    with reading(database) as store:
        chosen = wanted_scan(store, known_site(store, domain), scan)
        with reading_graph(store, chosen, wanted) as links, opened_output(output) as file:
            size = write(links, file)
        coverage = crawl_coverage(store, chosen)
    pages = f"{size.nodes:,} pages and " if size.nodes else ""
    where = f" written to {output}" if output else ""
    typer.echo(f"{pages}{size.edges:,} links{where}", err=True)
    for line in coverage_words(coverage):
        typer.echo(line, err=True)


def _format_by_ending(output: Path | None) -> GraphFormat:
    from sitecrawl.config import ConfigError

    if output is None:
        return GraphFormat.GRAPHML
    try:
        return GraphFormat(output.suffix.lstrip(".").lower())
    except ValueError:
        known = ", ".join(f".{name}" for name in GraphFormat)
        raise ConfigError(f"-o {output}: expected a file that ends with one of {known}") from None
