"""``sitecrawl tree`` and ``graph``: the structure of a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.filters import RegionOption
from sitecrawl.cli.options import (
    DatabaseOption,
    OutputOption,
    ScanOption,
    SiteArgument,
    format_by_ending,
)
from sitecrawl.safety.text import printable
from sitecrawl.services.formats import GraphFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sitecrawl.services.database import AskedScan
    from sitecrawl.urls.path_tree import Folder, PathTree

# Folders shown per parent: those with the most pages.
_MAX_SHOWN: Final = 15
_MAX_MENU_ENTRIES: Final = 500


_GRAPH_BY_ENDING: Final = {".graphml": GraphFormat.GRAPHML, ".csv": GraphFormat.CSV}


def tree(
    domain: SiteArgument,
    depth: Annotated[int, typer.Option(min=1, help="How many levels to show.")] = 3,
    menu: Annotated[bool, typer.Option("--menu", help="Only the menu.")] = False,
    paths: Annotated[bool, typer.Option("--paths", help="Only the paths.")] = False,
    scan: ScanOption = None,
    database: DatabaseOption = "",
) -> None:
    """Print the menu of a site, and its paths with counts.

    \b
    sitecrawl tree example.com
    sitecrawl tree example.com --paths --depth 1
    """
    from sitecrawl.services.database import asking

    with asking(database, domain, scan) as asked:
        if menu or not paths:
            for line in menu_lines(asked, depth):
                typer.echo(line)
        if menu == paths:
            typer.echo("")
        if paths or not menu:
            for line in path_lines(asked, depth):
                typer.echo(line)


def menu_lines(asked: AskedScan, depth: int) -> Iterator[str]:
    """The site's menu: titles and addresses, nested as on the page."""
    from sitecrawl.services.inventory import menu

    entries = [entry for entry in menu(asked) if entry.level < depth]
    if not entries:
        yield "menu: none (the root was not read, or has no navigation)"
        return
    number = f"{len(entries):,} entr{'y' if len(entries) == 1 else 'ies'}"
    yield printable(f"menu of {asked.scan.root_url}: {number}")
    for entry in entries[:_MAX_MENU_ENTRIES]:
        refused = f"  ({entry.status}: {entry.reason})" if entry.reason else ""
        title = entry.title or "(no title)"
        yield printable(f"{'  ' * (entry.level + 1)}{title}  {entry.url}{refused}")
    if len(entries) > _MAX_MENU_ENTRIES:
        yield f"  and {len(entries) - _MAX_MENU_ENTRIES:,} more"


def path_lines(asked: AskedScan, depth: int) -> Iterator[str]:
    """The folders of the site, with how many pages are listed and refused below each."""
    from sitecrawl.services.inventory import path_tree

    tree = path_tree(asked.database, asked.scan, depth)
    yield from map(printable, tree_lines(tree))


def tree_lines(tree: PathTree) -> Iterator[str]:
    """The largest folders first; hosts that only have refused pages share a line."""
    own = {host: folder for host, folder in tree.hosts.items() if folder.listed}
    yield from _lines(own)
    elsewhere = [folder for host, folder in tree.hosts.items() if host not in own]
    if elsewhere:
        refused = sum(folder.refused for folder in elsewhere)
        yield f"elsewhere  {refused:,} refused"


def _lines(folders: dict[str, Folder], level: int = 0) -> Iterator[str]:
    indent, mark = "  " * level, "/" if level else ""
    in_order = sorted(folders.items(), key=lambda item: (-item[1].pages, item[0]))
    # Below the first level, single pages are too many to list.
    named = [each for each in in_order if level <= 1 or each[1].pages > 1][:_MAX_SHOWN]
    for name, folder in named:
        yield f"{indent}{mark}{name}  {_counts([folder])}"
        yield from _lines(folder.inner, level + 1)
    if named and (rest := [folder for _, folder in in_order[len(named) :]]):
        yield f"{indent}and {len(rest):,} more: {_counts(rest)}"


def _counts(folders: Iterable[Folder]) -> str:
    listed, refused = 0, 0
    for folder in folders:
        listed += folder.listed
        refused += folder.refused
    words = [f"{listed:,} page{'' if listed == 1 else 's'}"] if listed or not refused else []
    return ", ".join([*words, *([f"{refused:,} refused"] if refused else [])])


def graph(
    domain: SiteArgument,
    format_: Annotated[
        GraphFormat | None,
        typer.Option("--format", "-f", help="Default: by the ending of --output, else graphml."),
    ] = None,
    output: OutputOption = None,
    region: RegionOption = "",
    refused: Annotated[bool, typer.Option("--refused", help="Include refused pages.")] = False,
    external: Annotated[
        bool,
        typer.Option("--external/--internal-only", help="Include pages of other sites."),
    ] = False,
    scan: ScanOption = None,
    database: DatabaseOption = "",
) -> None:
    """Export the links between the pages of a site.

    GraphML has pages as nodes and links as edges; CSV has one line per link.

    \b
    sitecrawl graph example.com -o site.graphml
    sitecrawl graph example.com -o edges.csv --region content-link
    """
    from sitecrawl.cli.coverage import coverage_words
    from sitecrawl.cli.filters import checked_region
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.database import asking
    from sitecrawl.services.exports import write_graph

    chosen_format = format_ or format_by_ending(output, _GRAPH_BY_ENDING, GraphFormat.GRAPHML)
    with asking(database, domain, scan) as asked, opened_output(output) as file:
        written = write_graph(
            asked,
            chosen_format,
            file,
            region=checked_region(region),
            include_refused=refused,
            include_external=external,
        )
    size = written.size
    pages = f"{size.nodes:,} pages and " if size.nodes else ""
    where = f" written to {output}" if output else ""
    typer.echo(f"{pages}{size.edges:,} links{where}", err=True)
    for line in coverage_words(written.coverage):
        typer.echo(line, err=True)
