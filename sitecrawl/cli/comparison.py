"""``sitecrawl orphans``, ``unlisted`` and ``sitemap-diff``: compare the sitemaps with the site."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.coverage import completeness_words
from sitecrawl.cli.options import (
    DatabaseOption,
    OutputOption,
    ScanOption,
    SiteArgument,
    format_by_ending,
    with_option_groups,
)
from sitecrawl.console.terminal import command_name
from sitecrawl.errors import CrawlNeededError
from sitecrawl.services.formats import ListFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.exporters.sitemap_diff import SitemapDiff
    from sitecrawl.services.database import AskedScan
    from sitecrawl.services.exports import WrittenList

_BY_ENDING: Final = {
    "": ListFormat.TEXT,
    ".txt": ListFormat.TEXT,
    ".csv": ListFormat.CSV,
    ".json": ListFormat.JSON,
}


@dataclass(frozen=True)
class ListOptions:
    """The options of every list."""

    format_: Annotated[
        ListFormat | None,
        typer.Option("--format", "-f", help="Default: by the ending of --output, else text."),
    ] = None
    output: OutputOption = None
    scan: ScanOption = None
    database: DatabaseOption = ""

    @contextmanager
    def asking(self, domain: str) -> Iterator[tuple[AskedScan, IO[bytes]]]:
        """The scan that is asked about, and the file that the list is written to."""
        from sitecrawl.exporters.output import opened_output
        from sitecrawl.services.database import asking

        with asking(self.database, domain, self.scan) as asked, opened_output(self.output) as file:
            yield asked, file

    def chosen_format(self) -> ListFormat:
        return self.format_ or format_by_ending(self.output, _BY_ENDING, ListFormat.TEXT)

    def where(self) -> str:
        return f", written to {self.output}" if self.output else ""


@with_option_groups
def orphans(domain: SiteArgument, options: ListOptions) -> None:
    """List pages that are in a sitemap, but not linked.

    \b
    sitecrawl orphans example.com
    sitecrawl orphans example.com -o orphans.csv
    """
    from sitecrawl.services.exports import write_orphans

    words = "in a sitemap, but not linked from any visited page"
    try:
        _answer(write_orphans, words, domain, options)
    except CrawlNeededError as error:
        limits = "-s SITECRAWL_MAX_CRAWL_PAGES=0 -s SITECRAWL_MAX_CRAWL_DEPTH=0"
        raise CrawlNeededError(
            f"{error}; run: {command_name()} discover {shlex.quote(domain)}"
            f" -s SITECRAWL_CRAWL=always {limits}"
        ) from error


@with_option_groups
def unlisted(domain: SiteArgument, options: ListOptions) -> None:
    """List pages that are linked, but in no sitemap.

    \b
    sitecrawl unlisted example.com
    sitecrawl unlisted example.com --format json
    """
    from sitecrawl.services.exports import write_unlisted

    words = "linked, but in no sitemap"
    _answer(write_unlisted, words, domain, options)


def _answer(
    write: Callable[[AskedScan, ListFormat, IO[bytes]], WrittenList],
    words: str,
    domain: str,
    options: ListOptions,
) -> None:
    with options.asking(domain) as (asked, file):
        written = write(asked, options.chosen_format(), file)
    noun = "page is" if written.pages == 1 else "pages are"
    typer.echo(f"{written.pages:,} {noun} {words}{options.where()}", err=True)
    for line in completeness_words(written.coverage):
        typer.echo(line, err=True)


@with_option_groups
def sitemap_diff(domain: SiteArgument, options: ListOptions) -> None:
    """List what the sitemaps of a site should add and drop.

    Each URL has its reason.

    \b
    sitecrawl sitemap-diff example.com
    sitecrawl sitemap-diff example.com -o changes.csv
    """
    from sitecrawl.services.exports import write_sitemap_diff

    with options.asking(domain) as (asked, file):
        written = write_sitemap_diff(asked, options.chosen_format(), file)
    diff = written.diff
    typer.echo(f"{diff.added:,} to add, {diff.dropped:,} to drop{options.where()}", err=True)
    for line in (*_limits_of(diff), *completeness_words(written.coverage)):
        typer.echo(line, err=True)


def _limits_of(diff: SitemapDiff) -> Iterator[str]:
    """What the comparison does not cover."""
    yield f"the sitemaps list {diff.entries:,} pages"
    if diff.unvisited:
        yield f"not visited, so their status is unknown: {diff.unvisited:,}"
    if diff.not_judged:
        reasons = ", ".join(
            f"{count:,} {reason}" for reason, count in sorted(diff.not_judged.items())
        )
        yield f"not compared, because the rules of the scan refuse them: {reasons}"
