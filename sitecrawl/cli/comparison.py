"""``sitecrawl orphans``, ``unlisted`` and ``sitemap-diff``: compare the sitemaps with the site."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import IO, TYPE_CHECKING, Annotated, Final

import typer

from sitecrawl.cli.coverage import completeness_words
from sitecrawl.cli.options import (
    DATABASE_OPTION,
    OUTPUT_OPTION,
    SCAN_OPTION,
    SITE_ARGUMENT,
    format_by_ending,
)
from sitecrawl.console.command import command_name
from sitecrawl.errors import CrawlNeededError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sitecrawl.exporters.comparison import ComparedPages
    from sitecrawl.exporters.sitemap_diff import SitemapDiff
    from sitecrawl.store.engine import Database
    from sitecrawl.store.queries.coverage import CrawlCoverage
    from sitecrawl.store.queries.scans import Scan


class ListFormat(StrEnum):
    """What these commands can write."""

    TEXT = "text"
    CSV = "csv"
    JSON = "json"


_BY_ENDING: Final = {
    "": ListFormat.TEXT,
    ".txt": ListFormat.TEXT,
    ".csv": ListFormat.CSV,
    ".json": ListFormat.JSON,
}
_FORMAT_OPTION = typer.Option(
    "--format", "-f", help="Default: by the ending of --output, else text."
)


@dataclass(frozen=True, slots=True)
class _Question:
    """A query: which pages, with which columns, and how they are called."""

    pages: Callable[[Database, Scan], ComparedPages]
    columns: tuple[str, ...]
    words: str
    needs_crawl: bool = False

    def write(
        self, pages: ComparedPages, coverage: CrawlCoverage, format_: ListFormat, file: IO[bytes]
    ) -> int:
        from sitecrawl.exporters import comparison

        if format_ is ListFormat.CSV:
            return comparison.write_csv(pages, self.columns, file)
        if format_ is ListFormat.JSON:
            return comparison.write_json(pages, coverage.as_dict(), file)
        return comparison.write_text(pages, file)


def orphans(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[ListFormat | None, _FORMAT_OPTION] = None,
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """List pages that are in a sitemap, but not linked.

    \b
    sitecrawl orphans example.com
    sitecrawl orphans example.com -o orphans.csv
    """
    from sitecrawl.store.queries.comparison import Orphan, orphans

    words = "in a sitemap, but not linked from any visited page"
    question = _Question(orphans, Orphan._fields, words, needs_crawl=True)
    _answer(question, domain, scan, database, format_ or _format_of(output), output)


def unlisted(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[ListFormat | None, _FORMAT_OPTION] = None,
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """List pages that are linked, but in no sitemap.

    \b
    sitecrawl unlisted example.com
    sitecrawl unlisted example.com --format json
    """
    from sitecrawl.store.queries.comparison import UnlistedPage, unlisted_pages

    question = _Question(unlisted_pages, UnlistedPage._fields, "linked, but in no sitemap")
    _answer(question, domain, scan, database, format_ or _format_of(output), output)


def _answer(
    question: _Question,
    domain: str,
    scan: int | None,
    database: str,
    format_: ListFormat,
    output: Path | None,
) -> None:
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.services.database import known_site, reading, wanted_scan
    from sitecrawl.store.queries.coverage import crawl_coverage

    with reading(database) as store:
        chosen = wanted_scan(store, known_site(store, domain), scan)
        coverage = crawl_coverage(store, chosen)
        if question.needs_crawl and not coverage.has_crawled:
            raise _crawl_needed(chosen, coverage, domain)
        with opened_output(output) as file:
            number = question.write(question.pages(store, chosen), coverage, format_, file)
    where = f", written to {output}" if output else ""
    noun = "page is" if number == 1 else "pages are"
    typer.echo(f"{number:,} {noun} {question.words}{where}", err=True)
    for line in completeness_words(coverage):
        typer.echo(line, err=True)


def _crawl_needed(scan: Scan, coverage: CrawlCoverage, domain: str) -> CrawlNeededError:
    because = f" ({coverage.ended})" if coverage.ended else ""
    limits = "-s SITECRAWL_MAX_CRAWL_PAGES=0 -s SITECRAWL_MAX_CRAWL_DEPTH=0"
    return CrawlNeededError(
        f"finding orphans needs a crawl, and scan {scan.id} of {scan.site_key} made"
        f" none{because}; run: {command_name()} discover {shlex.quote(domain)}"
        f" -s SITECRAWL_CRAWL=always {limits}"
    )


def sitemap_diff(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[ListFormat | None, _FORMAT_OPTION] = None,
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """List what the site's own sitemaps should add and drop, each URL with its reason.

    \b
    sitecrawl sitemap-diff example.com
    sitecrawl sitemap-diff example.com -o changes.csv
    """
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.exporters.sitemap_diff import SitemapDiff
    from sitecrawl.exporters.sitemap_fitness import read_fitness
    from sitecrawl.services.database import known_site, reading, wanted_scan
    from sitecrawl.store.queries.comparison import pages_and_entries
    from sitecrawl.store.queries.coverage import crawl_coverage
    from sitecrawl.urls.address import origin_of

    chosen_format = format_ or _format_of(output)
    with reading(database) as store:
        site = known_site(store, domain)
        chosen = wanted_scan(store, site, scan)
        coverage = crawl_coverage(store, chosen)
        fitness = read_fitness(store, site, chosen, origin_of(chosen.root_url))
        diff = SitemapDiff(pages_and_entries(store, chosen), fitness)
        with opened_output(output) as file:
            _write_diff(diff, coverage, chosen_format, file)
    where = f", written to {output}" if output else ""
    typer.echo(f"{diff.added:,} to add, {diff.dropped:,} to drop{where}", err=True)
    for line in (*_limits_of(diff), *completeness_words(coverage)):
        typer.echo(line, err=True)


def _write_diff(
    diff: SitemapDiff, coverage: CrawlCoverage, format_: ListFormat, file: IO[bytes]
) -> None:
    from sitecrawl.exporters import comparison
    from sitecrawl.exporters.sitemap_diff import SitemapChange, write_text

    if format_ is ListFormat.CSV:
        comparison.write_csv(diff, SitemapChange._fields, file)
    elif format_ is ListFormat.JSON:
        comparison.write_json(diff, coverage.as_dict(), file)
    else:
        write_text(diff, file)


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


def _format_of(output: Path | None) -> ListFormat:
    return format_by_ending(output, _BY_ENDING, ListFormat.TEXT)
