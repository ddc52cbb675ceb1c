"""``sitecrawl sitemap-diff``: what the sitemaps of a site should add and drop."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  Typer reads the annotations
from typing import IO, TYPE_CHECKING, Annotated

import typer

from sitecrawl.cli.comparison import FORMAT_OPTION, OUTPUT_OPTION, ListFormat
from sitecrawl.cli.inventory import DATABASE_OPTION, SCAN_OPTION, SITE_ARGUMENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitecrawl.exporters.sitemap_diff import SitemapDiff
    from sitecrawl.store.queries.coverage import CrawlCoverage


def sitemap_diff(
    domain: Annotated[str, SITE_ARGUMENT],
    format_: Annotated[ListFormat | None, FORMAT_OPTION] = None,
    output: Annotated[Path | None, OUTPUT_OPTION] = None,
    scan: Annotated[int | None, SCAN_OPTION] = None,
    database: Annotated[str, DATABASE_OPTION] = "",
) -> None:
    """Say what the site's own sitemaps should add and drop, each URL with its reason.

    \b
    sitecrawl sitemap-diff example.com
    sitecrawl sitemap-diff example.com -o changes.csv
    """
    from sitecrawl.cli.comparison import completeness_words, format_by_ending
    from sitecrawl.cli.database import known_site, reading, wanted_scan
    from sitecrawl.exporters.output import opened_output
    from sitecrawl.exporters.sitemap_diff import SitemapDiff
    from sitecrawl.exporters.sitemap_fitness import read_fitness
    from sitecrawl.store.queries.comparison import pages_and_entries
    from sitecrawl.store.queries.coverage import crawl_coverage
    from sitecrawl.urls.address import origin_of

    chosen_format = format_ or format_by_ending(output)
    with reading(database) as store:
        site = known_site(store, domain)
        chosen = wanted_scan(store, site, scan)
        coverage = crawl_coverage(store, chosen)
        fitness = read_fitness(store, site, chosen, origin_of(chosen.root_url))
        diff = SitemapDiff(pages_and_entries(store, chosen), fitness)
        with opened_output(output) as file:
            _write(diff, coverage, chosen_format, file)
    where = f", written to {output}" if output else ""
    typer.echo(f"{diff.added:,} to add, {diff.dropped:,} to drop{where}", err=True)
    for line in (*_limits_of(diff), *completeness_words(coverage)):
        typer.echo(line, err=True)


def _write(
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
    """What the answer does not say."""
    yield f"the sitemaps list {diff.entries:,} pages"
    if diff.unvisited:
        yield f"not visited, so that nobody knows whether they answer: {diff.unvisited:,}"
    if diff.not_judged:
        reasons = ", ".join(
            f"{count:,} {reason}" for reason, count in sorted(diff.not_judged.items())
        )
        yield f"not judged, because rules of the scan refuse them: {reasons}"
